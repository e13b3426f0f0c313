"""What tests read off the result of a check."""


def findings(result):
    """Return the names of what was found about the case as a whole."""
    return [finding.name for finding in result.findings]


def summary(result):
    """Return the name, the shape and the verdict of each parameter."""
    return [(parameter.name, parameter.shape, str(parameter.verdict)) for parameter in result.parameters]
