"""The Python front door: check the gradient of a function."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.knobs import read_knobs
from gradcheck_cli.numeric.function import Function, PlainFunction, TracedFunction
from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.report.terminal import render_plain
from gradcheck_cli.verdict.judge import Judgement, judge


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

    `params` are the arrays to differentiate by: a mapping (passed by name), a tuple or list of arrays, or one
    array (passed by position). `inputs` are passed by name and not differentiated. `function`
    is called with Variables and returns one value or a tuple of them, of any shape.

    With `grad`, or with `value_and_grad=True` (the function returns value and gradient), it is
    plain NumPy: it gets arrays, returns one number, and its own gradient (one array, a sequence
    in the order of the parameters, or a mapping by name) is checked.

    `knobs` are those of a spec's `check:`: rtol, eps, sweep, sample, dtype. Raises TypeError and
    ValueError for arguments that don't fit, OperatorError when an operator raises; an exception
    of the function itself passes through.
    """
    settings = read_knobs(knobs)
    if settings.timeout is not None:
        raise ValueError("timeout is for specs: a function that is called from Python is not interrupted")
    names, positional = _names(function, params)
    given = [params[name] for name in names] if isinstance(params, Mapping) else list(positional or ())
    dtype = np.dtype(settings.dtype)
    values = {name: _floating(name, value, dtype) for name, value in zip(names, given, strict=True)}
    constants = dict(inputs or {})

    def call(arguments: Mapping[str, Any], function: Callable[..., Any] = function) -> Any:
        if positional is None:
            return function(**arguments, **constants)
        return function(*(arguments[name] for name in names), **constants)

    subject: Function
    if value_and_grad or grad is not None:
        subject = _plain(call, grad, names)
    else:
        subject = TracedFunction(call)
    judgement = Judgement()
    started = time.perf_counter()
    rng = np.random.default_rng(seed)
    samples = dict.fromkeys(names, settings.sample) if settings.sample is not None else {}
    judge(subject, values, settings, rng, samples, judgement, names)
    name = getattr(function, "__name__", type(function).__name__)
    file, line = _place(function)
    return CaseResult(
        id=f"{file}::{name}" if file else name,
        file=file,
        line=line,
        name=name,
        expected="pass",
        verdict=judgement.verdict,
        ok=judgement.verdict is Verdict.PASS,
        value=judgement.value,
        evaluations=judgement.evaluations,
        seconds=time.perf_counter() - started,
        parameters=tuple(judgement.parameters),
        findings=tuple(judgement.findings),
    )


def assert_gradients(function: Callable[..., Any], params: Any, **options: Any) -> None:
    """Raise AssertionError, with the report as its message, unless the gradient of `function` is right.

    Takes the arguments of `check`. What is inconclusive raises, too.
    """
    __tracebackhide__ = True
    result = check(function, params, **options)
    if not result.ok:
        raise AssertionError("\n" + render_plain(result))


def _names(function: Callable[..., Any], params: Any) -> tuple[list[str], Sequence[Any] | None]:
    """Return the parameters' names, and the values if they are passed by position."""
    if isinstance(params, Mapping):
        if not params:
            raise ValueError("params is empty: there is nothing to check")
        return [str(name) for name in params], None
    several = isinstance(params, tuple) or (isinstance(params, list) and any(np.ndim(_array(p)) for p in params))
    values: Sequence[Any] = list(params) if several else [params]
    if not values:
        raise ValueError("params is empty: there is nothing to check")
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    except (TypeError, ValueError):
        parameters = []
    plain = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    return [plain[i] if i < len(plain) else f"arg{i}" for i in range(len(values))], values


def _array(value: Any) -> Any:
    return value.data if isinstance(value, Variable) else value


def _floating(name: str, value: Any, dtype: np.dtype[Any]) -> Array:
    array = np.asarray(_array(value))
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} should hold real numbers, not {array.dtype}: pass it in inputs if it has no gradient")
    return np.array(array, dtype=dtype)


def _plain(call: Callable[..., Any], grad: Callable[..., Any] | None, names: Sequence[str]) -> PlainFunction:
    """Wrap a NumPy function of one number together with its own gradient."""

    def value_and_gradients(values: Mapping[str, Any]) -> tuple[Any, Mapping[str, Array]]:
        returned = call(values)
        if grad is not None:
            return _number(returned), _by_name(call(values, grad), names)
        if not isinstance(returned, tuple) or len(returned) < 2:
            raise TypeError("with value_and_grad=True the function returns (value, gradient)")
        value, *gradients = returned
        return _number(value), _by_name(gradients[0] if len(gradients) == 1 else gradients, names)

    def value(values: Mapping[str, Any]) -> Any:
        returned = call(values)
        return _number(returned if grad is not None else returned[0])

    return PlainFunction(value, value_and_gradients)


def _number(value: Any) -> Array:
    array = np.asarray(value, dtype=np.float64) if not isinstance(value, np.ndarray | np.generic) else np.asarray(value)
    if array.size != 1:
        raise ValueError(f"with a gradient of its own the function returns one number, not an array of {array.shape}")
    return array


def _by_name(gradients: Any, names: Sequence[str]) -> dict[str, Array]:
    if isinstance(gradients, Mapping):
        return {str(name): np.asarray(gradient) for name, gradient in gradients.items()}
    if len(names) == 1 and not (isinstance(gradients, tuple) and len(gradients) == 1):
        return {names[0]: np.asarray(gradients)}
    if not isinstance(gradients, tuple | list) or len(gradients) != len(names):
        got = len(gradients) if isinstance(gradients, tuple | list) else 1
        raise ValueError(f"{got} gradients for {len(names)} parameters ({', '.join(names)})")
    return {name: np.asarray(gradient) for name, gradient in zip(names, gradients, strict=True)}


def _place(function: Callable[..., Any]) -> tuple[str, int]:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else ("", 0)
