"""One operator on all that it declares, and on variants of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcheck_cli import arr, ints, op
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.errors import OperatorError
from gradcheck_cli.operator_records import VariantKind as Kind
from gradcheck_cli.operator_records import VariantResult
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.operator_options import OperatorOptions
from gradcheck_cli.run.operator_trials import Trials
from tests.run.marked import make


def run(operator: Operator, **options: Any) -> Trials:
    trials = Trials(operator, OperatorOptions(**options))
    trials.run()
    return trials


def base(trials: Trials) -> list[VariantResult]:
    return [result for result in trials.results if result.kind is Kind.BASE]


def scaled(x: Any, *, scale: float = 1.0, mode: str = "a") -> Any:
    return scale * x


SCALED = make(scaled, lambda g, scale: scale * g, scale=[1.0, -2.0], mode=["a", "b"])


def test_every_combination_is_drawn_so_many_times() -> None:
    trials = run(SCALED, samples=3)
    drawn = [(each.attributes["scale"], each.attributes["mode"]) for each in base(trials)]
    assert sorted(drawn) == sorted([(scale, mode) for scale in (1.0, -2.0) for mode in "ab"] * 3)
    assert {result.case.verdict for result in trials.results} == {Verdict.PASS}


def test_words_tell_the_trials_apart() -> None:
    words = [result.words for result in run(SCALED, samples=2).results]
    assert len(set(words)) == len(words)
    assert "as declared, scale=1.0, mode='a'" in words
    assert "as declared, scale=1.0, mode='a', draw 2" in words


def test_long_values_keep_the_words_short_and_apart() -> None:
    def f(x: Any, *, a: str = "", b: str = "", c: str = "", d: str = "") -> Any:
        return 1 * x

    many = {name: ["y" * 200 + str(number) for number in range(2)] for name in "abcd"}
    words = [result.words for result in run(make(f, lambda g: g, **many), samples=1).results]
    assert len(set(words)) == len(words)
    assert max(map(len, words)) <= 135


def test_variants_take_turns_with_the_attribute_values() -> None:
    used = [each.attributes["scale"] for each in run(SCALED).results if each.kind is not Kind.BASE]
    assert set(used) == {1.0, -2.0}


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    first, again, other = (run(SCALED, seed=seed, samples=1) for seed in (0, 0, 1))
    for one, same in zip(first.results, again.results, strict=True):
        assert np.array_equal(one.arrays[0], same.arrays[0])
        assert one.case.parameters[0].max_rel_err == same.case.parameters[0].max_rel_err
    assert not np.array_equal(base(first)[0].arrays[0], base(other)[0].arrays[0])
    # Fewer draws leave those that remain as they were.
    more = {each.words: each.arrays[0] for each in run(SCALED, samples=2).results}
    assert all(np.array_equal(more[each.words], each.arrays[0]) for each in first.results)


def test_what_the_forward_refuses_is_set_aside_with_the_reason() -> None:
    def rows(x: Any) -> Any:
        if x.ndim != 2:
            raise ValueError("a matrix, please")
        return 2 * x

    trials = run(make(rows, lambda g: 2 * g))
    refused = [result for result in trials.results if result.skipped]
    assert {result.kind for result in refused} == {Kind.SCALAR, Kind.SHAPE}
    assert all("a matrix, please" in result.skipped for result in refused)
    assert all(result.case.verdict is Verdict.PASS for result in trials.results if not result.skipped)


def test_a_variant_is_tried_with_all_attribute_values_before_it_counts_as_refused() -> None:
    def total(x: Any, *, axis: Any = None) -> Any:
        return np.asarray(x).sum(axis=axis)

    def spread(g: Any, x: Any, axis: Any) -> Any:
        return np.broadcast_to(g if axis is None else np.expand_dims(g, axis), x.shape)

    results = run(make(total, spread, axis=[1, (0, 1), None])).results
    (one_axis,) = [result for result in results if result.words.startswith("one axis")]
    assert (one_axis.attributes["axis"], one_axis.case.verdict) == (None, Verdict.PASS)


def test_a_base_draw_that_is_refused_is_an_error_that_says_what_to_declare() -> None:
    def product(x: Any, W: Any) -> Any:
        return x @ W

    trials = run(make(product, lambda g, x, W: (g @ W.T, x.T @ g)))
    assert {(each.kind, each.case.verdict, each.skipped) for each in trials.results} == {(Kind.BASE, Verdict.ERROR, "")}
    error = trials.results[0].case.error or ""
    assert "forward of product raised ValueError" in error
    assert "it was given x " in error
    assert '@op(x=arr("n k"), W=arr("k m"))' in error
    declared = run(make(product, lambda g, x, W: (g @ W.T, x.T @ g), x=arr("n k"), W=arr("k m")))
    assert {each.case.verdict for each in declared.results if not each.skipped} == {Verdict.PASS}


def test_a_value_that_does_not_exist_where_nothing_is_declared_is_an_error() -> None:
    def log(x: Any) -> Any:
        return np.log(x)

    trials = run(make(log, lambda g, x: g / x))
    assert {each.case.verdict for each in trials.results} == {Verdict.ERROR}
    assert "the value of log is nan" in (trials.results[0].case.error or "")
    assert "@op(x=arr(low=0.1))" in (trials.results[0].case.error or "")
    right = run(make(log, lambda g, x: g / x, x=arr(low=0.1)))
    assert {each.case.verdict for each in right.results} == {Verdict.PASS}


def test_a_value_that_does_not_exist_inside_the_declared_domain_is_a_broken_contract() -> None:
    def log(x: Any) -> Any:
        return np.log(x)

    trials = run(make(log, lambda g, x: g / x, x=arr(low=-3, high=-1)))
    assert {each.case.verdict for each in trials.results} == {Verdict.FAIL}
    assert [finding.name for finding in trials.results[0].case.findings] == ["non-finite"]


def choosy(x: Any, *, mode: str = "a", order: int = 1) -> Any:
    if mode == "b" and order == 2:
        raise ValueError("b goes with 1 only")
    if mode == "c":
        raise ValueError("no c yet")
    return x * order


def test_attribute_values_need_not_all_go_together() -> None:
    trials = run(make(choosy, lambda g, order: g * order, mode=["a", "b"], order=[1, 2]))
    refused = [each for each in base(trials) if each.skipped]
    assert {(each.attributes["mode"], each.attributes["order"]) for each in refused} == {("b", 2)}
    assert Verdict.ERROR not in {each.case.verdict for each in trials.results}


def test_an_attribute_value_that_is_never_taken_is_an_error() -> None:
    trials = run(make(choosy, lambda g, order: g * order, mode=["a", "c"], order=[1]))
    wrong = [each for each in base(trials) if each.case.verdict is Verdict.ERROR]
    assert {each.attributes["mode"] for each in wrong} == {"c"}
    assert "it takes other values than mode='c'" in (wrong[0].case.error or "")
    assert any(each.kind is not Kind.BASE for each in trials.results)  # with the values that it takes


def test_what_is_wrong_where_it_is_declared_is_tried_no_further() -> None:
    trials = run(make(scaled, lambda g, scale: -scale * g, scale=[1.0, 2.0, 3.0, 4.0, 5.0]))
    assert {each.kind for each in trials.results} == {Kind.BASE}
    assert len(trials.results) == 4
    assert "not tried" in trials.notes[0]


def test_after_some_wrong_variants_the_others_are_not_tried() -> None:
    def product(x: Any, y: Any) -> Any:
        return x * y

    trials = run(make(product, lambda g, x, y: (g * y, g * x)))
    wrong = [each for each in trials.results if each.case.verdict is Verdict.FAIL]
    assert len(wrong) == 4
    assert {each.kind for each in wrong} == {Kind.BROADCAST}
    assert any("others were not tried" in note for note in trials.notes)
    assert any("x and y have no declared shape" in note for note in trials.notes)


def sampled(sampler: Callable[[Any], Any]) -> Operator:
    definition = op(axis=[0, 1, 2])(lambda_free_sum)
    definition.backward(lambda g, x, axis: np.broadcast_to(np.expand_dims(g, axis), x.shape))
    definition.sample(sampler)
    operator: Operator = definition.operator
    return operator


def lambda_free_sum(x: Any, *, axis: int = 0) -> Any:
    return np.asarray(x).sum(axis=axis)


def test_a_sample_function_decides_and_what_it_never_gives_is_noted() -> None:
    trials = run(sampled(lambda rng: {"x": rng.standard_normal((2, 3)), "axis": int(rng.integers(2))}))
    assert {each.kind for each in trials.results} == {Kind.BASE, Kind.LAYOUT}
    assert {each.attributes["axis"] for each in base(trials)} == {0, 1}
    assert trials.notes == ["its sample function never gave axis=2: not tried"]
    assert all(each.words.startswith("as sampled") for each in base(trials))
    assert {each.case.verdict for each in trials.results} == {Verdict.PASS}


def test_a_sample_function_that_raises_raises() -> None:
    def sampler(rng: Any) -> Any:
        raise RuntimeError("no luck")

    with pytest.raises(OperatorError, match="no luck"):
        run(sampled(sampler))


def test_a_draw_of_a_sample_function_that_is_refused_is_its_fault() -> None:
    def sampler(rng: Any) -> Any:
        return {"x": np.ones(2), "axis": 1}

    trials = run(sampled(sampler))
    assert {each.case.verdict for each in trials.results} == {Verdict.ERROR}
    assert "@lambda_free_sum.sample has to return" in (trials.results[0].case.error or "")


def test_what_returns_no_value_is_an_error_on_every_variant() -> None:
    def odd(x: Any) -> Any:
        return None if x.ndim == 0 else 1 * x

    trials = run(make(odd, lambda g: g))
    (wrong,) = [each for each in trials.results if each.case.verdict is Verdict.ERROR]
    assert wrong.kind is Kind.SCALAR
    assert "outputs are arrays" in (wrong.case.error or "")


def test_several_outputs_and_integer_outputs_are_checked() -> None:
    def two(x: Any) -> Any:
        return x * x, np.sign(x).astype(int)

    definition = op(outputs="square sign")(two)
    definition.backward(lambda g_square, x: 2 * g_square * x)
    assert {each.case.verdict for each in run(definition.operator).results} == {Verdict.PASS}


def test_indices_and_masks_are_given_not_checked() -> None:
    def pick(x: Any, index: Any) -> Any:
        return x[index]

    def scatter(g: Any, x: Any, index: Any) -> Any:
        gx = np.zeros_like(x)
        np.add.at(gx, index, g)
        return gx

    trials = run(make(pick, scatter, x=arr("n"), index=ints("m", below="n")))
    for result in trials.results:
        assert [parameter.name for parameter in result.case.parameters] == ["x"]
        assert result.differentiable == (True, False)
