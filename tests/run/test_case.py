"""Checking one case: what ends it, what is expected of it, and what stands in its result."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradcheck_cli.knobs import Knobs
from gradcheck_cli.records import CaseResult, Finding, ParameterResult, Verdict
from gradcheck_cli.run.case import Interrupted, as_expected, check_case, skip_case
from gradcheck_cli.run.collect import Selected
from gradcheck_cli.run.interrupt import Interrupts, hearing
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.case import Expectation
from gradcheck_cli.verdict.watcher import Watcher

Cases = Callable[..., list[Selected]]

OPERATORS = '''
import signal
import time
from gradcheck_cli import op

first, moves = None, 0

@op
def half_wrong(x, y):
    """x * y, whose gradient for y is wrong."""
    return x * y

@half_wrong.backward
def _(g, x, y):
    return g * y, 2 * g * x

@op
def ends(x, *, how=""):
    """x, until x is moved, but for the two times when everything is: is a replay the function?"""
    global first, moves
    first = x.tobytes() if first is None else first
    moves += x.tobytes() != first
    if moves > 2:
        if how == "signal":
            signal.raise_signal(signal.SIGINT)
        if how == "keyboard":
            raise KeyboardInterrupt
        if how == "sleep":
            time.sleep(60)
    return 1 * x

@ends.backward
def _(g):
    return g
'''

SPEC = "ops: [my_ops.py]\nname: a case\nexpr: {expr}\nparams: {{x: [1.0, 2.0], y: [3.0, 4.0]}}\n"


@pytest.fixture
def one(write: Callable[[str, str], Path], cases: Cases) -> Callable[..., Selected]:
    """Read a spec of one case: `expr`, then other keys."""
    write("my_ops.py", OPERATORS)

    def read(expr: str, keys: str = "") -> Selected:
        (item,) = cases(SPEC.format(expr=expr) + keys)
        return item

    return read


@pytest.fixture
def heard() -> Iterator[Interrupts]:
    """Hear Ctrl-C, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with hearing() as interrupts:
        yield interrupts
    signal.signal(signal.SIGINT, before)


def check(item: Selected, **options: object) -> CaseResult:
    return check_case(item.case, item.parameters, Options(**options))  # type: ignore[arg-type]


def verdicts(result: CaseResult) -> dict[str, str]:
    return {parameter.name: str(parameter.verdict) for parameter in result.parameters}


def test_a_right_gradient_passes_and_a_wrong_one_fails(one: Callable[..., Selected]) -> None:
    right, wrong = check(one("sum(x * y)")), check(one("half_wrong(x, y)"))
    assert (right.verdict, right.ok, verdicts(right)) == (Verdict.PASS, True, {"x": "pass", "y": "pass"})
    assert (wrong.verdict, wrong.ok, verdicts(wrong)) == (Verdict.FAIL, False, {"x": "pass", "y": "fail"})


def test_the_result_says_what_was_done(one: Callable[..., Selected]) -> None:
    result = check(one("sum(x * y)"), seed=5)
    assert (result.id, result.file, result.name, result.line) == ("a.grad.yaml::a case", "a.grad.yaml", "a case", 1)
    assert (result.value, result.expected, result.error, result.seed) == (11.0, "pass", None, 5)
    assert result.evaluations >= 8
    assert result.seconds > 0
    assert check(one("sum(x * y)", "seed: 8\n")).seed == 8
    assert check(one("x * y")).value is None


def test_only_the_selected_parameters_are_checked(one: Callable[..., Selected]) -> None:
    case = one("half_wrong(x, y)").case
    assert verdicts(check_case(case, ["x"], Options())) == {"x": "pass"}
    assert check_case(case, ["x"], Options()).ok
    assert verdicts(check_case(case, ["y"], Options())) == {"y": "fail"}


def test_a_parameter_alone_has_the_elements_that_it_has_among_others(cases: Cases) -> None:
    (item,) = cases("expr: tanh(w * x)\nparams: {w: 6 6, x: 6 6}\ncheck: {sample: 3}\n")
    among = check(item).parameters[1]
    (alone,) = check_case(item.case, ["x"], Options()).parameters
    assert alone == among
    assert among.checked == 3


def test_every_check_is_counted_for_the_progress(one: Callable[..., Selected]) -> None:
    heard: list[int] = []

    class Listener(Watcher):
        def evaluation(self, count: int = 1) -> None:
            heard.extend([1] * count)

    item = one("sum(x * y)")
    result = check_case(item.case, item.parameters, Options(), Listener())
    assert 8 <= len(heard) <= result.evaluations


def test_what_can_not_be_evaluated_is_an_error(one: Callable[..., Selected]) -> None:
    result = check(one("x @ y[:1]"))
    assert (result.verdict, result.ok) == (Verdict.ERROR, False)
    assert result.error is not None
    assert result.error.startswith("a.grad.yaml:3:")
    assert verdicts(result) == {"x": "skip", "y": "skip"}


def test_what_can_not_be_drawn_is_an_error(cases: Cases) -> None:
    (item,) = cases("expr: tanh(x)\nparams: {x: {shape: 3, low: 0, high: 0.01, avoid: 0.005}}\n")
    result = check(item)
    assert result.verdict is Verdict.ERROR
    assert "x can't be drawn" in str(result.error)


def test_a_bug_of_the_program_is_no_error_of_the_case(
    one: Callable[..., Selected], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("gradcheck_cli.run.case.judge", broken)
    with pytest.raises(ZeroDivisionError):
        check(one("sum(x * y)"))


def test_a_case_that_takes_too_long_keeps_what_was_finished(one: Callable[..., Selected]) -> None:
    item = one("half_wrong(x, ends(y, how='sleep'))", "check: {timeout: 0.3}\n")
    result = check(item)
    assert (result.verdict, result.ok) == (Verdict.ERROR, False)
    assert "ran out of its 0.3 s" in str(result.error)
    assert verdicts(result) == {"x": "pass", "y": "skip"}


def test_ctrl_c_keeps_what_was_finished(one: Callable[..., Selected], heard: Interrupts) -> None:
    item = one("x * ends(y, how='signal')")
    with pytest.raises(Interrupted) as caught:
        check_case(item.case, item.parameters, Options(), interrupts=heard)
    result = caught.value.result
    assert (result.verdict, result.error, result.ok) == (Verdict.SKIP, "interrupted", True)
    assert verdicts(result) == {"x": "pass", "y": "skip"}


def test_a_keyboard_interrupt_of_the_operators_own_is_an_error(one: Callable[..., Selected], heard: Interrupts) -> None:
    item = one("x * ends(y, how='keyboard')")
    result = check_case(item.case, item.parameters, Options(), interrupts=heard)
    assert result.verdict is Verdict.ERROR
    assert "forward of ends raised KeyboardInterrupt" in str(result.error)
    assert not heard.pressed


def test_a_case_that_is_not_run_says_why(one: Callable[..., Selected]) -> None:
    item = one("x * y")
    result = skip_case(item.case, item.parameters, "no time", Options(seed=9))
    assert (result.verdict, result.error, result.seed, result.ok) == (Verdict.SKIP, "no time", 9, True)
    assert [(each.name, each.elements, each.checked) for each in result.parameters] == [("x", 2, 0), ("y", 2, 0)]


@pytest.mark.parametrize(
    ("own", "knob", "option", "checked"),
    [("", "", None, 12), ("", "4", None, 4), ("2", "4", None, 2), ("2", "4", 6, 6), ("", "", 7, 7), ("", "4", 99, 12)],
)
def test_the_nearest_sample_counts_and_the_command_line_more(
    cases: Cases, own: str, knob: str, option: int | None, checked: int
) -> None:
    keys = f", sample: {own}" if own else ""
    text = f"expr: tanh(x)\nparams: {{x: {{shape: 3 4{keys}}}}}\n" + (f"check: {{sample: {knob}}}\n" if knob else "")
    (item,) = cases(text)
    (parameter,) = check(item, knobs={} if option is None else {"sample": option}).parameters
    assert (parameter.checked, parameter.elements) == (checked, 12)


def test_options_are_stronger_than_the_spec(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    (item,) = cases("expr: exp(x)\nparams: {x: [1.0]}\ncheck: {eps: 1e-2, rtol: 1e-3, timeout: 60}\n")
    used: list[Knobs] = []
    monkeypatch.setattr("gradcheck_cli.run.case.judge", lambda *arguments: used.append(arguments[2]))
    for given in ({}, {"eps": 1e-5}, {"rtol": 1e-6, "sweep": True}):
        check(item, knobs=given)
    assert used == [
        Knobs(eps=1e-2, rtol=1e-3, timeout=60),
        Knobs(eps=1e-5, rtol=1e-3, timeout=60),
        Knobs(eps=1e-2, rtol=1e-6, timeout=60, sweep=True),
    ]


@pytest.mark.parametrize(("points", "name"), [("[0.0, 1.0]", "kink-at-point"), ("[-1.0, -2.0]", "vacuous")])
def test_strict_fails_what_passes_with_such_a_note(cases: Cases, points: str, name: str) -> None:
    (item,) = cases(f"expr: relu(x)\nparams: {{x: {points}}}\n")
    lenient, strict = check(item), check(item, strict=True)
    assert (lenient.verdict, lenient.ok) == (Verdict.PASS, True)
    assert (strict.verdict, strict.ok) == (Verdict.FAIL, False)
    for result in (lenient, strict):
        assert [finding.name for finding in result.parameters[0].findings] == [name]


def test_strict_leaves_the_others_alone(one: Callable[..., Selected]) -> None:
    assert check(one("sum(x * y)"), strict=True).verdict is Verdict.PASS


def _parameter(name: str, verdict: Verdict, expected: str | None = None) -> ParameterResult:
    return ParameterResult(name, (), 1, 1, verdict, expected=expected)


@pytest.mark.parametrize(
    ("expect", "verdict", "parameters", "sound", "expected"),
    [
        (Expectation("pass"), Verdict.PASS, [], True, True),
        (Expectation("pass"), Verdict.FAIL, [], True, False),
        (Expectation("fail"), Verdict.FAIL, [], False, True),
        (Expectation("fail"), Verdict.PASS, [], True, False),
        (Expectation("inconclusive"), Verdict.INCONCLUSIVE, [], True, True),
        (Expectation("inconclusive"), Verdict.FAIL, [], True, False),
        (Expectation(parameters={"x": "fail"}), Verdict.FAIL, [("x", Verdict.FAIL, "fail")], True, True),
        (Expectation(parameters={"x": "fail"}), Verdict.FAIL, [("x", Verdict.FAIL, "fail")], False, False),
        (
            Expectation(parameters={"x": "fail"}),
            Verdict.FAIL,
            [("x", Verdict.FAIL, "fail"), ("y", Verdict.FAIL, "pass")],
            True,
            False,
        ),
        (Expectation(parameters={"x": "fail"}), Verdict.PASS, [("x", Verdict.PASS, "fail")], True, False),
        (Expectation(parameters={"x": "pass"}), Verdict.PASS, [("x", Verdict.SKIP, "pass")], True, False),
    ],
)
def test_a_verdict_is_held_against_the_expectation(
    expect: Expectation,
    verdict: Verdict,
    parameters: list[tuple[str, Verdict, str]],
    sound: bool,
    expected: bool,
) -> None:
    assert as_expected(expect, verdict, [_parameter(*each) for each in parameters], (), sound) is expected


def test_a_mapping_names_what_is_expected_of_each(one: Callable[..., Selected]) -> None:
    result = check(one("half_wrong(x, y)", "expect: {y: fail}\n"))
    assert (result.verdict, result.ok, result.expected) == (Verdict.FAIL, True, "y: fail")
    assert [each.expected for each in result.parameters] == ["pass", "fail"]
    assert [each.expected for each in check(one("x * y")).parameters] == [None, None]


def test_a_finding_against_the_whole_case_is_never_expected_by_a_mapping(one: Callable[..., Selected]) -> None:
    result = check(one("sum(half_wrong(x, y))", "expect: {y: fail}\nvalue: 12\n"))
    assert not result.ok
    assert [finding.name for finding in result.findings] == ["unexpected-value"]
    assert isinstance(result.findings[0], Finding)


def test_an_expected_finding_has_to_be_there() -> None:
    expect = Expectation("input-modified")
    writes, jumps = Finding("input-modified", "scale: writes to x"), Finding("jump", "the value jumps")
    assert as_expected(expect, Verdict.FAIL, [], (writes,), False)
    assert not as_expected(expect, Verdict.FAIL, [], (), True)
    undecided = ParameterResult("x", (), 1, 1, Verdict.INCONCLUSIVE, findings=(jumps,), expected="jump")
    assert as_expected(Expectation("jump"), Verdict.INCONCLUSIVE, [undecided], (), True)
    assert as_expected(Expectation(parameters={"x": "jump"}), Verdict.INCONCLUSIVE, [undecided], (), True)
    assert not as_expected(Expectation(parameters={"x": "jump"}), Verdict.INCONCLUSIVE, [undecided], (writes,), False)
