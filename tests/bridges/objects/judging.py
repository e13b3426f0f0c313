"""What a check says of a layer."""

from gradcheck_cli.api import check


def judge(operator, params=None, inputs=None, **knobs):
    """Check an operator by its own weights and further ones; return verdict, findings, and those of parameters."""
    values = {**(params or {}), **operator.own}
    result = check(operator, values, inputs=inputs or {}, **knobs)
    found = {finding.name for finding in result.findings}
    return str(result.verdict), found, {each.name: str(each.verdict) for each in result.parameters}
