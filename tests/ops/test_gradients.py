"""Every operator, on what its own domain draws: gradients, dtypes, saved values, and planted faults."""

import copy
import dataclasses
import itertools

import numpy as np
import pytest

import gradcheck_cli.ops as F
from gradcheck_cli import Variable
from gradcheck_cli.core.draw import sample_arguments
from gradcheck_cli.core.operator import Rule
from gradcheck_cli.errors import ContractViolation

ALL = [getattr(F, name).operator for name in F.__all__]
OPERATORS = [operator for operator in ALL if any(item.domain.differentiable for item in operator.inputs)]
SEEDS = range(3)
by_name = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)


def samples(operator):
    """Arguments for every seed and every combination of attribute values that its sample function doesn't give."""
    for seed in SEEDS:
        arrays, drawn = sample_arguments(operator, np.random.default_rng(seed))
        given = drawn if operator.sampler else {}
        varied = [attribute for attribute in operator.attributes if attribute.values and attribute.name not in given]
        names = [attribute.name for attribute in varied]
        for values in itertools.product(*(attribute.values for attribute in varied)):
            attributes = {**drawn, **dict(zip(names, values, strict=True))}
            if operator.name == "norm" and not norm_takes(**attributes):
                continue
            yield seed, arrays, attributes


def norm_takes(ord, axis, keepdims):
    """Whether norm has this order: some are those of vectors only, some those of matrices."""
    return ord not in (("fro", "nuc") if isinstance(axis, int) else (3,))


def twin(operator, change):
    """The operator with what each of its backward rules returns changed."""

    def planted(rule):
        def function(*values):
            returned = rule.function(*values)
            several = isinstance(returned, tuple | list)
            return [change(part) for part in returned] if several else change(returned)

        return Rule(function, rule.inputs, rule.asks, rule.file, rule.line)

    return dataclasses.replace(operator, rules=tuple(planted(rule) for rule in operator.rules))


@by_name
def test_gradient_agrees_with_differences_of_every_element(operator, check):
    for seed, arrays, attributes in samples(operator):
        error = check.disagreement(operator, arrays, attributes, seed)
        assert error < check.tolerance, f"seed {seed}, {attributes}"


FAULTS = {
    "sign": lambda gradient: -gradient,
    "factor": lambda gradient: gradient * (1 + 1e-5),
    "one element": lambda gradient: np.asarray(gradient) + 1e-4 * np.eye(1, np.size(gradient)).reshape(gradient.shape),
}


ZERO = {"sign"}
"""Operators whose gradient is zero everywhere."""


@pytest.mark.parametrize("fault", FAULTS)
@by_name
def test_planted_fault_is_caught(operator, fault, check):
    broken = twin(operator, FAULTS[fault])
    if operator.name in ZERO and fault != "one element":
        pytest.skip("a gradient that is zero is zero with another sign and factor")
    errors = (check.disagreement(broken, arrays, attributes, seed) for seed, arrays, attributes in samples(operator))
    assert any(error > 10 * check.tolerance for error in errors)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "where"])
def test_missing_sum_over_a_broadcast_axis_is_caught(name, check):
    operator = getattr(F, name).operator
    arrays = [np.array([[True], [False], [True]])] if name == "where" else []
    arrays += [np.array([[1.5], [2.5], [0.5]]), np.array([1.0, 2.0, 3.0, 0.25])]
    assert check.disagreement(operator, arrays) < check.tolerance

    def unsummed(gradient):
        return np.broadcast_to(gradient, (3, 4))

    with pytest.raises(ContractViolation, match="broadcast"):
        check.disagreement(twin(operator, unsummed), arrays)


def test_transposed_gradient_of_a_square_matrix_is_caught(check):
    arrays = [np.random.default_rng(0).standard_normal((3, 3)) for _ in range(2)]
    assert check.disagreement(twin(F.matmul.operator, np.transpose), arrays) > 0.1


def test_mean_in_place_of_a_sum_is_caught(check):
    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
    assert check.disagreement(twin(F.sum.operator, lambda gradient: gradient / 6), [x]) > 0.1


def is_floating(array):
    return array is not None and array.dtype.kind == "f"


@by_name
def test_float32_stays_float32_forward_and_backward(operator, check):
    kinds = set()

    def noted(gradient):
        kinds.add(np.asarray(gradient).dtype)
        return gradient

    watched = twin(operator, noted)
    for seed, arrays, attributes in samples(operator):
        single = [array.astype(np.float32) if is_floating(array) else array for array in arrays]
        operands = [None if array is None else Variable(array, requires_grad=is_floating(array)) for array in single]
        out = check.joined(watched(*operands, **attributes))
        out.backward(np.ones(out.shape, np.float32))
        assert out.dtype == np.float32, f"seed {seed}, {attributes}"
    assert kinds == {np.dtype(np.float32)}


ELEMENTWISE = [
    operator
    for operator in OPERATORS
    if operator.file.endswith(("arithmetic.py", "elementwise.py"))
    or operator.name in {"relu", "leaky_relu", "elu", "gelu", "silu", "sigmoid", "softplus", "tanh", "copy", "dropout"}
]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (0,), (2, 0)], ids=str)
@pytest.mark.parametrize("operator", ELEMENTWISE, ids=lambda operator: operator.name)
def test_elementwise_takes_scalars_single_elements_and_empty_arrays(operator, shape, check):
    arrays = [np.full(shape, 0.7 + slot) for slot in range(len(operator.inputs))]
    out = check.value(operator, arrays, {})
    assert out.shape == shape
    assert all(g is None or g.shape == shape for g in check.gradients(operator, arrays))
    assert check.disagreement(operator, arrays) < check.tolerance
    single = [array.astype(np.float32) for array in arrays]
    assert all(g is None or g.dtype == np.float32 for g in check.gradients(operator, single))
    assert Variable(single[0]).dtype == operator(*[Variable(array) for array in single]).dtype


@by_name
def test_inputs_and_cotangent_are_left_alone(operator, check):
    for seed, arrays, attributes in samples(operator):
        before = copy.deepcopy(arrays)
        g = check.signed(check.value(operator, arrays, attributes).shape, seed)
        kept = g.copy()
        check.gradients(operator, arrays, attributes, g)
        assert all(map(np.array_equal, arrays, before))
        assert np.array_equal(g, kept), f"seed {seed}"


@pytest.mark.parametrize(
    "name", ["add", "subtract", "negative", "copy", "sum", "mean", "reshape", "concatenate", "transpose"]
)
def test_linear_operator_saves_no_array(name):
    operands = [Variable(np.ones((2, 3, 4))) for _ in getattr(F, name).operator.inputs]
    attributes = {"shape": (6, 4)} if name == "reshape" else {}
    out = getattr(F, name)(*operands, **attributes)
    assert out.creator.saved_bytes == 0


@pytest.mark.parametrize("name", ["multiply", "divide", "power", "matmul", "where"])
def test_rule_of_a_constant_operand_is_not_prepared(name):
    x, constant = Variable(np.full((5, 5), 2.0)), np.full((5, 5), 3.0)
    arguments = [constant > 1, x, constant] if name == "where" else [x, constant]
    node = getattr(F, name)(*arguments).creator
    assert [rule.inputs for rule in node.rules] == [("x",)]
    if name != "power":  # whose base belongs to the rule of the base itself
        assert not any(saved is x.data for saved in node.saved.values())


def summed(operator, arrays, attributes, check, cotangents):
    parts = [check.gradients(operator, arrays, attributes, g) for g in cotangents]
    return [sum(column) for column in zip(*parts, strict=True) if column[0] is not None]


@by_name
def test_gradient_is_linear_in_its_cotangent_whatever_its_layout(operator, check):
    for seed, arrays, attributes in samples(operator):
        shape = check.value(operator, arrays, attributes).shape
        u, w = check.signed(shape, seed), check.signed(shape, seed + 100)
        strided = np.repeat((3 * u - w)[..., None], 2, axis=-1)[..., 0]
        joint = summed(operator, arrays, attributes, check, [strided])
        apart = summed(operator, arrays, attributes, check, [u, 2 * u, -w])
        for one, other in zip(joint, apart, strict=True):
            size = np.abs(other).max(initial=1.0)
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-13 * size, err_msg=f"seed {seed}, {attributes}")


def test_gradient_that_is_not_linear_in_its_cotangent_is_caught(check):
    broken, x, u = twin(F.exp.operator, np.square), np.ones(3), np.array([1.0, -2.0, 3.0])
    (joint,) = summed(broken, [x], {}, check, [3 * u])
    (apart,) = summed(broken, [x], {}, check, [u, 2 * u])
    assert np.abs(joint - apart).max() > 1.0
