"""What reading a text as a spec may end in: cases whose arrays can be drawn, or sentences for people."""

import math
import time

from hypothesis import HealthCheck, settings

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.errors import SpecError
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.spec.loader import load_spec

LOADER = Loader()
SECONDS = 20
FEW = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def outcome(text):
    """Load a text; return its cases, or none after looking at what was said."""
    start = time.monotonic()
    try:
        cases = load_spec(None, shown="-", text=text, loader=LOADER, given={}, data_only=True)
    except SpecError as error:
        cases, said = (), error.problems
    else:
        said = ()
    assert cases or said
    assert time.monotonic() - start < SECONDS, text
    for problem in said:
        look_at_problem(problem)
    places = [(problem.location.line, problem.location.column) for problem in said]
    assert places == sorted(places), text
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        look_at_arrays(case)
    return cases


def look_at_problem(problem):
    assert problem.location is not None, problem
    assert problem.location.file == "-", problem
    assert problem.location.line >= 1, problem
    assert problem.location.column >= 1, problem
    assert problem.message, problem
    assert problem.code, problem
    assert "Traceback" not in str(problem), problem


def look_at_arrays(case):
    arrays = [*case.parameters, *case.inputs]
    if sum(math.prod(spec.shape) for spec in arrays) > 10_000:
        return
    try:
        values = draw_values(case)
    except SpecError:
        return
    assert {name: array.shape for name, array in values.items()} == {spec.name: spec.shape for spec in arrays}
    assert {name: array.dtype for name, array in values.items()} == {spec.name: spec.dtype for spec in arrays}
