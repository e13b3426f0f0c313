"""The language feature by feature: what an expression evaluates to, and what is known about it."""

import numpy as np
import pytest

from gradcheck_cli import Variable
from tests.spec.language.compiling import ARRAYS, B, W, X, compiled, outputs, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + x * 2 - x / 4", X + X * 2 - X / 4),
        ("-x + +x - -x", X),
        ("x @ W + b", X @ W + B),
        ("x**2", X**2),
        ("2**-1 * x", X / 2),
        ("x % 2 + np.mod(x, 0.7) + np.remainder(x, W.T[0])", X % 2 + X % 0.7 + X % W.T[0]),
        ("x * (7 % 4)", X * 3),
        ("x * 1/3", X * 1 / 3),
        ("1/3 * x", 1 / 3 * X),
        ("x * n + half", X * 2 + 0.5),
        ("x * (2 + n)", X * 4),
        ("tanh(x)", np.tanh(X)),
        ("sum(x, 0)", X.sum(0)),
        ("sum(x, axis=-1, keepdims=True)", X.sum(-1, keepdims=True)),
        ("sum(x, axis=(0, 1))", X.sum()),
        ("sum(sum)", 3.0),
        ("sum + sum(x)", ARRAYS["sum"] + X.sum()),
        ("reshape(x, (n, 3*n))", X.reshape(2, 6)),
        ("reshape(x, (12 // n, -1))", X.reshape(6, 2)),
        ("reshape(x, sizes)", X.reshape(2, 6)),
        ("maximum(x, 0)", np.maximum(X, 0)),
        ("maximum(x, [0, 1, 0, 1])", np.maximum(X, [0, 1, 0, 1])),
        ("x * [1, 2, 3, 4]", X * [1, 2, 3, 4]),
        ("where(x > 0, x, 0)", np.where(X > 0, X, 0)),
        ("where(flag, x, 0)", X),
        ("where(0 < x, 1, x)", np.where(X > 0, 1, X)),
        ("x * (x >= 0)", X * (X >= 0)),
        ("x * ((x > 0) & (x < 0.5) | ~(x != -0.5))", X * ((X > 0) & (X < 0.5) | (X == -0.5))),
        ("act(x)", np.tanh(X)),
    ],
)
def test_arithmetic_and_calls_mean_what_python_means(text, expected):
    np.testing.assert_allclose(value(text), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("np.exp(x) + numpy.sqrt(np.abs(x))", np.exp(X) + np.sqrt(np.abs(X))),
        ("np.linalg.tanh(x) + np.fft.tanh(x)", 2 * np.tanh(X)),
        ("np.pi * x + np.e", np.pi * X + np.e),
        ("np.minimum(x, np.inf)", X),
        ("np.absolute(x)", np.abs(X)),
        ("np.amax(x, axis=0) + np.amin(x, axis=0)", X.max(0) + X.min(0)),
        ("np.true_divide(x, 2)", X / 2),
        ("np.where(np.greater(x, 0), x, 0)", np.where(X > 0, X, 0)),
        ("x * np.logical_or(np.less(x, 0), np.logical_not(x < 0.5))", X * ((X < 0) | (X >= 0.5))),
        ("x.sum(axis=0)", X.sum(axis=0)),
        ("x.mean()", X.mean()),
        ("x.T @ x", X.T @ X),
        ("x.reshape(2, 6)", X.reshape(2, 6)),
        ("x.reshape((n, -1))", X.reshape(2, 6)),
        ("x.reshape(-1)", X.reshape(-1)),
        ("x.transpose(1, 0)", X.T),
        ("x.transpose()", X.T),
        ("x.T.sum(0).max()", X.T.sum(0).max()),
        ("(x + 1).tanh()", np.tanh(X + 1)),
        ("concatenate([x, x], axis=1)", np.concatenate([X, X], axis=1)),
        ("np.concatenate((x, x), 1)", np.concatenate([X, X], axis=1)),
        ("concatenate(x, x)", np.concatenate([X, X])),
        ("concatenate([b, [3, 4], b])", np.concatenate([B, [3, 4], B])),
    ],
)
def test_text_copied_from_numpy_runs(text, expected):
    np.testing.assert_allclose(value(text), expected, rtol=1e-15)


def test_lines_assign_overwrite_and_unpack():
    np.testing.assert_allclose(value("h = tanh(x)\nh = tanh(h @ W)\nh.sum()"), np.tanh(np.tanh(X) @ W).sum())
    np.testing.assert_array_equal(value("h, k = x, 2 * x\nh - k"), -X)
    np.testing.assert_array_equal(value("h = k = x\nh + k"), 2 * X)
    np.testing.assert_array_equal(value("eps = 1/4; size = 3*n\n(x + eps).reshape(size, -1)"), (X + 0.25).reshape(6, 2))
    np.testing.assert_array_equal(value("shape = (2, 6)\nreshape(x, shape)"), X.reshape(2, 6))


def test_comments_blank_lines_and_brackets_over_lines_are_fine():
    text = "# a sum\n\nh = (x\n     + 1)  # one more\n\nh.sum()\n"
    np.testing.assert_allclose(value(text), (X + 1).sum())


def test_text_that_is_indented_as_a_whole_is_fine():
    np.testing.assert_array_equal(value("\n  h = x + 1\n\n  h * 2\n"), (X + 1) * 2)


def test_a_tuple_on_the_last_line_is_several_outputs():
    first, second = outputs("x, sum(x)")
    np.testing.assert_array_equal(first, X)
    assert second == X.sum()


def test_an_operator_with_several_outputs_is_unpacked_indexed_or_the_value():
    both = outputs("split_at(x, 1)")
    assert [part.shape for part in both] == [(1, 4), (2, 4)]
    np.testing.assert_array_equal(value("h, k = split_at(x, 1)\nsum(h) - sum(k)"), X[:1].sum() - X[1:].sum())
    np.testing.assert_array_equal(value("split_at(x, 1)[1]"), X[1:])
    np.testing.assert_array_equal(value("h, _ = split_at(x, 1)\nh"), X[:1])
    np.testing.assert_array_equal(value("join(split_at(x, 1))"), X)


def test_one_of_several_outputs_may_be_left_unused():
    np.testing.assert_array_equal(value("loss, probs = split_at(x, 1)\nsum(loss)"), X[:1].sum())


def test_numbers_for_integer_inputs_stay_integers():
    assert outputs("split_at(x, n)")[0].shape == (2, 4)
    assert outputs("split_at(x, 4 // n)")[0].shape == (2, 4)


def test_optional_arrays_are_left_out_given_by_name_or_none():
    once, twice = outputs("split_at(x, 1)")[0], outputs("split_at(x, 1, scale=2)")[0]
    np.testing.assert_array_equal(twice, 2 * once)
    np.testing.assert_array_equal(outputs("split_at(x, 1, 2)")[0], twice)
    np.testing.assert_array_equal(outputs("split_at(x, 1, None)")[0], once)
    np.testing.assert_array_equal(outputs("split_at(labels=1, x=x)")[0], once)


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("3", 3),
        ("n", 2),
        ("-1", -1),
        ("2*n + 1", 5),
        ("n**10", 1024),
        ("7 // n", 3),
        ("7 % n", 1),
        ("7 / n", 3.5),
        ("mode", "same"),
        ("'full'", "full"),
        ("None", None),
        ("flag", True),
        ("n > 1", True),
        ("~flag", False),
        ("sizes", [2, 6]),
        ("[1, [n, 'a']]", [1, [2, "a"]]),
        ("(1, (2,))", (1, (2,))),
        ("dict(mode=mode, to=(n, 3))", {"mode": "same", "to": (2, 3)}),
        ("np.inf", np.inf),
        ("np.newaxis", None),
    ],
)
def test_attributes_are_given_as_python_would(written, given):
    for text in (f"stretch(x, mode={written})", f"stretch(x, 2, {written})"):
        (step,) = compiled(text).program.steps
        assert step.attributes["mode"] == given
        assert type(step.attributes["mode"]) is type(given)


def test_a_leading_text_is_the_attribute_subscripts():
    (step,) = compiled("join('ij,jk', x, x)").program.steps
    assert step.attributes == {"subscripts": "ij,jk"}
    (step,) = compiled("join('ij,jk', [x, x], 1)").program.steps
    assert step.attributes == {"subscripts": "ij,jk", "axis": 1}


def test_a_nearer_operator_shadows_a_built_in_and_methods_stay_built_in():
    np.testing.assert_array_equal(value("relu(x)"), 10 * np.maximum(X, 0))
    np.testing.assert_array_equal(value("np.relu(x)"), 10 * np.maximum(X, 0))
    np.testing.assert_array_equal(value("x.relu()"), np.maximum(X, 0))


def test_every_literal_has_the_floating_type_before_any_arithmetic():
    one, three = np.float32(1), np.float32(3)
    narrow = value("x * 0 + 1/3", "float32")
    assert narrow.dtype == np.float32
    np.testing.assert_array_equal(narrow, np.full(X.shape, one / three))
    assert value("x * 0 + 1/3 - 1/3", "float64").max() == 0
    for text in ("maximum(x, 0)", "x * [1, 2, 3, 4]", "x + n", "x * np.pi", "where(x > 1, 1, half)", "1e300 * x"):
        assert value(text, "float32" if "e300" not in text else "float64").dtype.kind == "f"
        if "e300" not in text:
            assert value(text, "float32").dtype == np.float32, text


def test_python_warns_of_no_spelling():
    (step,) = compiled("stretch(x, mode='\\d')").program.steps
    assert step.attributes["mode"] == "\\d"


def test_constants_are_computed_in_the_floating_type_and_not_before():
    """In float32 1 + 1e-9 is 1, so the difference is 0; computed in float64 it wouldn't be."""
    assert value("x * 0 + ((1 + 1e-9) - 1) * 1e9", "float32").max() == 0
    assert value("x * 0 + ((1 + 1e-9) - 1) * 1e9", "float64").max() == pytest.approx(1, rel=1e-6)


def test_what_is_evaluated_is_a_flat_list_of_steps_that_lets_go_of_what_is_used():
    program = compiled("h = tanh(x)\nh = h * h\nh.sum()").program
    assert [step.operator.name for step in program.steps] == ["tanh", "multiply", "sum"]
    assert [len(done) for done in program.done] == [0, 1, 1]
    assert program.outputs[0] not in {slot for done in program.done for slot in done}


def test_plain_arrays_give_plain_arrays_and_one_variable_makes_variables():
    expression = compiled("x + b[0]")
    assert isinstance(expression(ARRAYS, np.dtype(float))[0], np.ndarray)
    mixed = expression({**ARRAYS, "b": Variable(B)}, np.dtype(float))[0]
    assert isinstance(mixed, Variable)
    assert mixed.requires_grad
