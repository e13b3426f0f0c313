"""Every operator that is declared elementwise: broadcasting both ways, numbers, single elements, and nothing at all."""

import itertools

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

import gradcheck_cli.ops as F
from gradcheck_cli.core.draw import draw

OPERATORS = [getattr(F, name).operator for name in F.__all__]
ELEMENTWISE = [each for each in OPERATORS if each.batch is not None and each.batch.kind == "elementwise"]
SEVERAL = [each for each in ELEMENTWISE if len(each.inputs) > 1]
SINGLE = [each for each in ELEMENTWISE if len(each.inputs) == 1]
PAIRS = [
    ((), ()),
    ((), (3,)),
    ((1,), ()),
    ((1,), (3,)),
    ((3, 1), (4,)),
    ((2, 1, 3), (4, 1)),
    ((1, 1), (2, 3)),
    ((0,), ()),
    ((0,), (1,)),
    ((2, 0), (1, 1)),
    ((0, 3), (3,)),
    ((1,), (2, 0, 3)),
]


def named(operators):
    return pytest.mark.parametrize("operator", operators, ids=lambda operator: operator.name)


def choices(operator, size):
    """All combinations of attributes; of nothing there is no mean."""
    names = [attribute.name for attribute in operator.attributes]
    for values in itertools.product(*(attribute.values for attribute in operator.attributes)):
        chosen = dict(zip(names, values, strict=True))
        if size or "mean" not in str(chosen.get("reduction")):
            yield chosen


def drawn(operator, shapes):
    rng = np.random.default_rng(len(shapes))
    arrays = [draw(item.domain, shape, rng) for item, shape in zip(operator.inputs, shapes, strict=True)]
    if operator.name == "hinge_embedding_loss":
        arrays[1] = rng.choice([-1.0, 1.0], shapes[1])
    return arrays


def summed_to(gradient, shape):
    """Sum by hand what was stretched by hand."""
    total = np.zeros(shape)
    for index in np.ndindex(gradient.shape):
        own = index[len(index) - len(shape) :]
        total[tuple(0 if size == 1 else at for at, size in zip(own, shape, strict=True))] += gradient[index]
    return total


def assert_broadcasts(check, operator, shapes):
    arrays, whole = drawn(operator, shapes), np.broadcast_shapes(*shapes)
    by_hand = [np.array(np.broadcast_to(array, whole)) for array in arrays]
    for attributes in choices(operator, np.prod(whole)):
        value = check.value(operator, arrays, attributes)
        assert value.shape == (whole if attributes.get("reduction", "none") == "none" else ())
        np.testing.assert_allclose(value, check.value(operator, by_hand, attributes), rtol=1e-14)
        g = check.signed(value.shape, 1)
        ours, theirs = (check.gradients(operator, each, attributes, g) for each in (arrays, by_hand))
        for slot, (array, gradient, stretched) in enumerate(zip(arrays, ours, theirs, strict=True)):
            where = f"{operator.slot_name(slot)} of {shapes}, {attributes}"
            assert (gradient is None) == (not operator.input_at(slot).domain.differentiable), where
            if gradient is not None:
                assert gradient.shape == array.shape, where
                np.testing.assert_allclose(
                    gradient, summed_to(stretched, array.shape), rtol=1e-12, atol=1e-12, err_msg=where
                )


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@named(SEVERAL)
def test_operands_broadcast_and_the_gradient_is_summed(operator, shapes, check):
    third = shapes[1][-1:] if len(operator.inputs) > 2 else ()
    for pair in (shapes, shapes[::-1]):
        assert_broadcasts(check, operator, [*pair, third][: len(operator.inputs)])


@named(SEVERAL)
@settings(derandomize=True, max_examples=20, deadline=None)
@given(shapes=mutually_broadcastable_shapes(num_shapes=3, min_side=0, max_side=3, max_dims=3))
def test_operands_of_any_shapes_broadcast(operator, shapes, check):
    assert_broadcasts(check, operator, shapes.input_shapes[: len(operator.inputs)])


@named([each for each in SEVERAL if hasattr(np, each.name) or each.name == "xlogy"])
@settings(derandomize=True, max_examples=20, deadline=None)
@given(data=st.data())
def test_value_of_broadcast_operands_is_that_of_numpy(operator, data):
    count = len(operator.inputs)
    shapes = data.draw(mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_side=3, max_dims=3))
    arrays = drawn(operator, shapes.input_shapes)
    known = getattr(np if hasattr(np, operator.name) else scipy.special, operator.name)
    np.testing.assert_allclose(operator(*arrays), known(*arrays), rtol=1e-14)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (0,), (3, 0), (0, 2)], ids=str)
@named(SINGLE)
def test_number_a_single_element_and_nothing_keep_their_shape(operator, shape, check):
    many = drawn(operator, [(2, 3)])[0]
    x = np.resize(many, shape) if np.prod(shape) else np.zeros(shape)
    for attributes in choices(operator, 1):
        value = check.value(operator, [x], attributes)
        (gradient,) = check.gradients(operator, [x], attributes, np.full(shape, 2.0))
        assert value.shape == gradient.shape == shape
        if x.size:
            (first,) = check.gradients(operator, [many], attributes, np.full((2, 3), 2.0))
            np.testing.assert_allclose(value.item(), check.value(operator, [many], attributes)[0, 0], rtol=1e-14)
            np.testing.assert_allclose(gradient.item(), first[0, 0], rtol=1e-14)


def test_gradient_that_is_not_summed_is_told_apart(check):
    """The partner of the tests above."""
    gradient = check.gradients(F.add, [np.ones((2, 3)), np.ones((2, 3))])[1]
    assert summed_to(gradient, (3,)).tolist() == [2.0, 2.0, 2.0]
    assert summed_to(gradient, (2, 1)).tolist() == [[3.0], [3.0]]


def test_lists_are_not_empty():
    assert len(SEVERAL) >= 20
    assert len(SINGLE) >= 45
