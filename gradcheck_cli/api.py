"""The Python front door: check the gradient of a function."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.recording import is_recording
from gradcheck_cli.core.variable import Variable, value_of
from gradcheck_cli.findings.diagnose import diagnose, note_disconnected
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.knobs import Knobs, read_knobs
from gradcheck_cli.numeric.call import Subject, subject_of
from gradcheck_cli.numeric.function import PlainFunction, TracedFunction
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.report.headline import headline
from gradcheck_cli.report.terminal import render_plain
from gradcheck_cli.run.warned import Warned
from gradcheck_cli.verdict.judge import judge
from gradcheck_cli.verdict.judgement import Judgement

# pytest leaves the frames of this file out: what is wrong stands in the test, or in the function that it checks.
__tracebackhide__ = True


def check(
    function: Callable[..., Any],
    params: Any,
    *,
    inputs: Mapping[str, Any] | None = None,
    grad: Callable[..., Any] | None = None,
    value_and_grad: bool = False,
    seed: int = 0,
    **knobs: Any,
) -> CaseResult:
    """Check the gradient of a Python function at a point, and return the same record as a spec's case.

    `params` are the arrays to differentiate by: a mapping (passed by name), a tuple or list of
    arrays, or one array, which may be a nested list of numbers (passed by position). `inputs` are
    passed by name and not differentiated; floating-point arrays among them get the `dtype` of the
    check. `function` is called with Variables and returns one value or a tuple of them, of any
    shape.

    With `grad`, or with `value_and_grad=True` (the function returns value and gradient), it is
    plain NumPy: it gets arrays, returns one number, and its own gradient (one array, a sequence
    in the order of the parameters, or a mapping by name) is checked.

    `knobs` are those of a spec's `check:` (rtol, accuracy, sample, directions, dtype, memory, ...; timeout apart). A
    check that would take longer than the `budget` of 60 seconds leaves elements out, and warns of that with a
    SampledWarning before it starts; `budget="none"` checks all. Raises TypeError and ValueError for arguments that
    don't fit, OperatorError when an operator raises; an exception of the function itself passes through.
    """
    settings = _settings(knobs)
    values, by_position = _parameters(function, params, settings)
    checked = _function(function, grad, value_and_grad, by_position, _inputs(inputs or {}, values, settings))
    try:
        return _check(checked, values, _arrays(inputs or {}), settings, seed)
    except BaseException as error:
        from gradcheck_cli.numeric.frames import frames_to_show  # here, since most checks raise nothing

        raise error.with_traceback(frames_to_show(error, __file__))  # noqa: B904 (the same exception)


def assert_gradients(function: Callable[..., Any], params: Any, **options: Any) -> None:
    """Raise AssertionError, with the report as its message, unless the gradient of `function` is right.

    Takes the arguments of `check`. What is inconclusive raises, too.
    """
    result = check(function, params, **options)
    if not result.ok:
        raise AssertionError(f"{result.name}: {headline(result)}\n{render_plain(result)}")


def _check(
    function: TracedFunction | PlainFunction,
    values: Mapping[str, Array],
    inputs: Mapping[str, Array],
    settings: Knobs,
    seed: int,
) -> CaseResult:
    judgement = Judgement()
    started = time.perf_counter()
    samples = dict.fromkeys(values, settings.sample) if settings.sample is not None else {}
    judge(function, values, settings, [seed], samples, judgement, list(values), Warned())
    suspects = None
    if isinstance(function, TracedFunction) and any(each.verdict is Verdict.FAIL for each in judgement.parameters):
        suspects = _blame(function, values, judgement, settings, seed, time.perf_counter() - started)
    diagnose(judgement, {name: value.shape for name, value in {**inputs, **values}.items()}, suspects)
    note_disconnected(judgement, function, values)
    return _result(function.subject, judgement, time.perf_counter() - started, seed)


def _settings(knobs: Mapping[str, Any]) -> Knobs:
    given = dict(knobs)
    if isinstance(given.get("dtype"), type | np.dtype):  # np.float32 means "float32"
        given["dtype"] = np.dtype(given["dtype"]).name
    settings = read_knobs(given)
    if settings.timeout is not None:
        raise ValueError("timeout is for specs: a function that is called from Python is not interrupted")
    return settings


def _parameters(function: Callable[..., Any], params: Any, settings: Knobs) -> tuple[dict[str, Array], list[str]]:
    """Return the parameters by name, and the names of those that are passed by position, in order."""
    if isinstance(params, Mapping):
        unnamed = [name for name in params if not isinstance(name, str)]
        if unnamed:
            raise TypeError(f"params should be named by text, not by {unnamed[0]!r}")
        given, by_position = dict(params), []
    else:
        values = list(params) if _are_several(params) else [params]
        by_position = _positional_names(function, len(values))
        given = dict(zip(by_position, values, strict=True))
    if not given:
        raise ValueError("params is empty: there is nothing to check")
    return {name: _floating(name, value, settings) for name, value in given.items()}, by_position


def _are_several(params: Any) -> bool:
    """Tell whether `params` holds several arrays; a list of numbers, also a nested one, is one array."""
    if isinstance(params, list):
        return not params or any(isinstance(value, np.ndarray | Variable) for value in params)
    return isinstance(params, tuple)


def _positional_names(function: Callable[..., Any], count: int) -> list[str]:
    """Name the first `count` positional parameters as the signature does, else arg0, arg1."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function written in C may have none
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[i] if i < len(names) else f"arg{i}" for i in range(count)]


def _floating(name: str, value: Any, settings: Knobs) -> Array:
    try:
        array = np.asarray(value_of(value))
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name} should be an array of real numbers: {error}") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} should hold real numbers, not {array.dtype}: pass it in inputs if it has no gradient")
    return np.array(array, dtype=settings.dtype)


def _arrays(inputs: Mapping[str, Any]) -> dict[str, Array]:
    """Return the arrays among the inputs."""
    plain = {name: value_of(value) for name, value in inputs.items()}
    return {name: value for name, value in plain.items() if isinstance(value, np.ndarray)}


def _inputs(inputs: Mapping[str, Any], values: Mapping[str, Array], settings: Knobs) -> dict[str, Any]:
    """Return the inputs with floating-point arrays in the dtype of the check, and Variables as constants."""
    ready: dict[str, Any] = {}
    for name, value in inputs.items():
        if name in values:
            raise ValueError(f"'{name}' is in params and in inputs")
        array = value_of(value)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f":
            array = array.astype(settings.dtype)
        ready[name] = Variable(array, requires_grad=False) if isinstance(value, Variable) else array
    return ready


def _function(
    function: Callable[..., Any],
    grad: Callable[..., Any] | None,
    value_and_grad: bool,
    by_position: Sequence[str],
    inputs: Mapping[str, Any],
) -> TracedFunction | PlainFunction:
    """Wrap a person's function so that it takes all of its arrays by name."""
    arrays = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    others = {name: value for name, value in inputs.items() if name not in arrays}

    def by_name(function: Callable[..., Any], others: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], Any]:
        def call(arguments: Mapping[str, Any]) -> Any:
            named = {**others, **arguments}
            return function(*[named.pop(name) for name in by_position], **named)

        return call

    subject = subject_of(function)
    if grad is None and not value_and_grad:
        if not is_recording():
            raise ValueError("check has to record the function: call it outside of no_grad()")
        return TracedFunction(by_name(function, others), subject, arrays)
    plain = {name: value_of(value) for name, value in others.items()}
    if grad is None:
        return PlainFunction(by_name(function, plain), subject, inputs=arrays)
    if value_and_grad:
        raise TypeError("give grad, or value_and_grad=True for a function that returns both")
    return PlainFunction(by_name(function, plain), subject, by_name(grad, plain), subject_of(grad), arrays)


def _blame(
    function: TracedFunction, values: Mapping[str, Array], judgement: Judgement, knobs: Knobs, seed: int, seconds: float
) -> dict[str, list[Suspect]]:
    """Write into `judgement` which operators make its gradients wrong; return what is wrong, by parameter."""
    from gradcheck_cli.findings.blame.blaming import Blaming  # here, since most checks pass
    from gradcheck_cli.findings.blame.place import python_line

    blaming = Blaming(function, values, judgement, knobs, [seed], python_line, seconds)
    try:
        blaming.run()
    except Exception as error:  # a function that can't be called once more has its verdict all the same
        blaming.stop(f"{type(error).__name__}: {error}")
    judgement.blame = blaming.result()
    return blaming.suspects


def _result(subject: Subject, judgement: Judgement, seconds: float, seed: int) -> CaseResult:
    file, line = (subject.location.file, subject.location.line) if subject.location else ("", 0)
    return CaseResult(
        id=f"{file}::{subject.name}" if file else subject.name,
        file=file,
        line=line,
        name=subject.name,
        expected="pass",
        verdict=judgement.verdict,
        ok=judgement.verdict is Verdict.PASS,
        value=judgement.value,
        evaluations=judgement.evaluations,
        seconds=seconds,
        parameters=tuple(judgement.parameters),
        findings=tuple(judgement.findings),
        notes=tuple(judgement.notes),
        seed=seed,
        blame=judgement.blame,
    )
