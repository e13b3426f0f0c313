"""Calls of a person's function: what it may do with its arrays, and what is named."""

import numpy as np
import pytest

from gradcheck_cli.errors import ContractViolation, Location, OperatorError, Problem
from gradcheck_cli.numeric.call import Subject, call_read_only, call_watched, subject_of

SUBJECT = Subject("loss", Location("loss.py", 3))


def test_a_call_gets_every_array_read_only():
    seen = call_read_only(lambda arrays: {name: a.flags.writeable for name, a in arrays.items()}, values(), SUBJECT)
    assert seen == {"x": False, "t": False}


def test_a_call_that_only_reads_happens_once():
    calls = []
    call_read_only(calls.append, values(), SUBJECT)
    assert len(calls) == 1


def test_writing_to_an_array_is_named_with_the_array_and_the_function():
    given = values()
    with pytest.raises(ContractViolation) as caught:
        call_read_only(lambda arrays: arrays["t"].__iadd__(1), given, SUBJECT)
    assert caught.value.finding == "input-modified"
    assert "writes to t" in caught.value.message
    assert (caught.value.operator, caught.value.location) == ("loss", SUBJECT.location)
    np.testing.assert_array_equal(given["t"], values()["t"])


def test_writing_is_named_even_if_the_function_raises_after_it():
    def write_and_raise(arrays):
        arrays["x"] += 1
        raise KeyError("later")

    with pytest.raises(ContractViolation) as caught:
        call_read_only(write_and_raise, values(), SUBJECT)
    assert caught.value.finding == "input-modified"
    assert isinstance(caught.value.__cause__, ValueError)


def test_code_that_needs_a_writable_buffer_and_changes_nothing_is_right():
    def needs_buffer(arrays):
        arrays["x"][:] = arrays["x"]
        return float(arrays["x"].sum())

    assert call_read_only(needs_buffer, values(), SUBJECT) == 6.0


def test_an_exception_of_the_function_is_the_first_one_and_passes_through():
    raised = []

    def broken(arrays):
        raised.append(ZeroDivisionError(f"call {len(raised)}"))
        raise raised[-1]

    with pytest.raises(ZeroDivisionError) as caught:
        call_read_only(broken, values(), SUBJECT)
    assert caught.value is raised[0]


def test_an_error_that_is_already_described_is_not_tried_again():
    calls = []

    def refused(arrays):
        calls.append(arrays)
        raise OperatorError(Problem("no"))

    with pytest.raises(OperatorError):
        call_read_only(refused, values(), SUBJECT)
    assert len(calls) == 1


def test_a_watched_call_sees_writes_that_the_read_only_flag_does_not_stop():
    given = values()

    def write_as_compiled_code_does(arrays):
        given["x"][0] = 100

    with pytest.raises(ContractViolation, match="writes to x"):
        call_watched(write_as_compiled_code_does, given, SUBJECT)


def test_a_watched_call_that_changes_nothing_returns_its_result():
    assert call_watched(lambda arrays: float(arrays["x"].sum()), values(), SUBJECT) == 6.0


def test_watching_takes_a_nan_for_equal_to_itself():
    assert call_watched(lambda arrays: 1, {"x": np.array([np.nan, 0.0])}, SUBJECT) == 1


def test_a_function_is_named_with_its_place():
    subject = subject_of(values)
    assert subject.name == "values"
    assert subject.location is not None
    assert subject.location.file.endswith("test_call.py")
    assert subject.location.line == values.__code__.co_firstlineno


def test_a_callable_without_python_code_goes_by_its_name_alone():
    assert subject_of(np.sin) == Subject("sin", None)


def test_a_callable_object_goes_by_its_type():
    class Model:
        def __call__(self, x):
            return x

    assert subject_of(Model()).name == "Model"


def values():
    return {"x": np.array([1.0, 2.0, 3.0]), "t": np.array([0.5])}
