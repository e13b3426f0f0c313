"""Declarations of operators, and all that is said about one that is wrong."""

import inspect

import pytest

from gradcheck_cli import op
from gradcheck_cli.errors import OperatorError


def say(definition):
    """All that is said about a declaration."""
    with pytest.raises(OperatorError) as error:
        _ = definition.operator
    return str(error.value)


def operator(forward, backward=lambda g: g, **options):
    made = op(**options)(forward)
    if backward:
        made.backward(backward)
    return made


def stands_inside(make, said):
    """Tell whether the place that `said` begins with is inside of the function that makes the mistake."""
    file, line = said.split(":")[:2]
    lines, first = inspect.getsourcelines(make)
    return file == inspect.getsourcefile(make) and first < int(line) < first + len(lines)
