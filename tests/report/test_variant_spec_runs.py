"""Specs of failing variants: `gradcheck run` shows on them what `gradcheck check-ops` saw."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.operator_records import OperatorsResult
from gradcheck_cli.records import RunResult, Verdict
from gradcheck_cli.report.variant_spec import Frame, failing_specs, spec_text, variant_case
from gradcheck_cli.run.check_operators import check_operators
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.runner import run_cases

OPERATORS = '''
import numpy as np
from gradcheck_cli import arr, ints, keep, mask, op

@op
def product(x, y):
    """x * y, no sum over broadcast axes."""
    return x * y

@product.backward
def _(g, x, y):
    return g * y, g * x

@op(table=arr("rows d"), index=ints("n", below="rows"))
def lookup(table, index):
    """table[index], gradients assigned."""
    return keep(table[index], shape=table.shape)

@lookup.backward
def _(g, index, shape):
    gtable = np.zeros(shape)
    gtable[index] = g
    return gtable

@op
def scatter(x):
    """2 x for the first two elements; in Fortran order the gradient changes a copy."""
    return np.where(np.arange(x.size).reshape(x.shape) < 2, 2 * x, x)

@scatter.backward
def _(g, x):
    gx = np.empty_like(x)
    gx[...] = g
    gx.reshape(-1)[:2] *= 2
    return gx

@op
def strided(x, chosen=None):
    """3 x, wrong for an x that is not contiguous."""
    return 3 * x

@strided.backward
def _(g, x):
    factor = 3 if x.flags.c_contiguous or x.flags.f_contiguous else 2
    return factor * g, None

@op(kept=mask(), slope=[0.5, 2.0], mode=["a", None])
def leaky(x, kept, *, slope=1.0, mode="b"):
    """slope * x where kept, wrong for slope 2 and no mode."""
    return np.where(kept, x, slope * x)

@leaky.backward
def _(g, kept, slope, mode):
    return np.where(kept, g, (1 if slope == 2 and mode is None else slope) * g)

@op(power=[2, 3])
def single(x, *, power=2):
    """x ** power, wrong for single numbers and for no numbers."""
    return keep(np.sum(x**power), shape=x.shape)

@single.backward
def _(g, x, power):
    g = g * power * x ** (power - 1)
    return g if x.ndim and x.size else np.zeros((1,) + x.shape)

@op
def raises(x):
    """x, the backward of a single number raises."""
    return 1 * x

@raises.backward
def _(g):
    return g[:] if g.ndim else g[0]

@op(x=arr("n", low=1))
def slope(x):
    """A kink that is passed with another slope than either side's."""
    return np.abs(x - np.float32(1.0)) + 0 * x

@slope.backward
def _(g, x):
    return g * 3

@op(x=arr("n 5 6"))
def large(x):
    """x ** 2, wrong for a single row."""
    return x * x

@large.backward
def _(g, x):
    return g * x if x.shape[:2] == (1, 5) else 2 * g * x

@op(x=arr("40 30"))
def larger(x):
    """x ** 2, wrong for large numbers."""
    return x * x

@larger.backward
def _(g, x):
    return np.where(x > 2, g, 2 * g) * x

@op
def joined(*xs):
    """The arrays one after the other."""
    return keep(np.concatenate(xs), sizes=[len(x) for x in xs])

@joined.backward
def _(g, sizes):
    first, second = np.split(g, np.cumsum(sizes)[:-1])
    return first, 2 * second
'''


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "my_ops.py").write_text(OPERATORS, encoding="utf-8")
    return folder


def check(*names: str, seed: int = 3, **options: Any) -> tuple[list[Operator], OperatorsResult]:
    operators = [each for each in Loader().file(Path("my_ops.py")) if not names or each.name in names]
    return operators, check_operators(operators, OperatorOptions(seed=seed, **options))


def rerun(text: str, **options: Any) -> RunResult:
    Path("again.grad.yaml").write_text(text, encoding="utf-8")
    chosen = Options(paths=("again.grad.yaml",), **options)
    return run_cases(collect(chosen), chosen)


def frame(operators: Sequence[Operator], seed: int = 3, **knobs: Any) -> Frame:
    return Frame(seed, knobs, ("my_ops.py",), frozenset(each.name for each in operators))


NAMES = ("product", "lookup", "scatter", "strided", "leaky", "single", "raises", "slope", "joined", "large")


@pytest.mark.parametrize("name", NAMES)
def test_a_spec_shows_the_same_failure(folder: Path, name: str) -> None:
    operators, result = check(name)
    faults = list(result.operators[0].faults)
    assert faults
    text, missing = failing_specs(operators, result, frame(operators), "what failed")
    assert missing == []
    again = {case.name: case for case in rerun(text).cases}
    assert set(again) == {each.case.name for each in faults}
    for fault in faults:
        case = again[fault.case.name]
        assert case.verdict is fault.case.verdict, case.name
        assert bool(case.error) == bool(fault.case.error)
        assert [each.name for each in case.findings] == [each.name for each in fault.case.findings]
        for parameter, before in zip(case.parameters, fault.case.parameters, strict=True):
            assert (parameter.name, parameter.verdict) == (before.name, before.verdict)
            if fault.layout == "C":  # in another layout the elements have other places
                assert parameter.worst == before.worst
                assert parameter.max_rel_err == before.max_rel_err
                assert parameter.sweep == before.sweep


@pytest.mark.parametrize("name", NAMES)
def test_each_spec_stands_alone(folder: Path, name: str) -> None:
    operators, result = check(name)
    fault = result.operators[0].faults[0]
    text = spec_text(variant_case(operators[0], fault), frame(operators), name)
    (case,) = rerun(text).cases
    assert (case.name, case.verdict) == (fault.case.name, fault.case.verdict)


def test_of_a_draw_that_was_sampled_every_element_is_checked_again(folder: Path) -> None:
    operators, result = check("larger", samples=1, given={"budget": 1e-6})
    (fault,) = result.operators[0].faults
    (before,) = fault.case.parameters
    assert before.checked < before.elements == 1200
    text, _ = failing_specs(operators, result, frame(operators), "")
    assert "sample" not in text
    (case,) = rerun(text).cases
    assert (case.verdict, case.parameters[0].checked) == (Verdict.FAIL, 1200)


def test_a_mended_operator_passes_on_the_spec(folder: Path) -> None:
    """The partner: the spec holds the arguments, not the failure."""
    operators, result = check("product")
    text, _ = failing_specs(operators, result, frame(operators), "")
    source = (folder / "my_ops.py").read_text(encoding="utf-8")
    mended = source.replace(
        "return g * y, g * x", "return unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape)"
    ).replace("import arr,", "import unbroadcast, arr,")
    (folder / "my_ops.py").write_text(mended, encoding="utf-8")
    again = rerun(text)
    assert again.cases
    assert {case.verdict for case in again.cases} == {Verdict.PASS}


def test_knobs_are_those_of_the_check(folder: Path) -> None:
    operators, result = check("joined", given={"rtol": 1e-6})
    text, _ = failing_specs(operators, result, frame(operators, rtol=1e-6), "")
    assert "check: {rtol: 1e-06}\n" in text
    assert {case.verdict for case in rerun(text).cases} == {Verdict.FAIL}
