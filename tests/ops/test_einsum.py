"""Sums of products: any subscripts that NumPy takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

LETTERS = "jiKz"
SIZES = {"j": 2, "i": 3, "K": 2, "z": 4}


@st.composite
def calls(draw):
    """Subscripts, and shapes of operands that go with them: repeated letters, axes of size 1, `...`, no output."""
    hidden = draw(st.lists(st.integers(1, 3), max_size=2))
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        letters = draw(st.text(LETTERS, max_size=3))
        shape = [1 if letters.count(c) == 1 and draw(st.booleans()) else SIZES[c] for c in letters]
        if hidden and draw(st.booleans()):
            place, width = draw(st.integers(0, len(letters))), draw(st.integers(0, len(hidden)))
            sizes = [draw(st.sampled_from([1, size])) for size in hidden[len(hidden) - width :]]
            letters, shape = f"{letters[:place]}...{letters[place:]}", [*shape[:place], *sizes, *shape[place:]]
        terms.append(letters)
        shapes.append(tuple(shape))
    subscripts = draw(st.sampled_from([",", ", "])).join(terms)
    if draw(st.booleans()):
        used = sorted(set(subscripts) & set(LETTERS))
        output = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
        if "..." in subscripts:
            output.insert(draw(st.integers(0, len(output))), "...")
        subscripts += "->" + "".join(output)
    return subscripts, shapes


@settings(max_examples=150, deadline=None)
@given(call=calls(), optimize=st.booleans())
def test_gradient_of_any_subscripts_is_that_of_differences(call, optimize, check):
    subscripts, shapes = call
    arrays = [check.signed(shape, slot) for slot, shape in enumerate(shapes)]
    attributes = {"subscripts": subscripts, "optimize": optimize}
    expected = np.einsum(subscripts, *arrays, optimize=optimize)
    np.testing.assert_array_equal(F.einsum(subscripts, *arrays, optimize=optimize), expected)
    assert check.disagreement(F.einsum, arrays, attributes) < check.tolerance
    assert [g.shape for g in check.gradients(F.einsum, arrays, attributes)] == shapes
    singles = [array.astype(np.float32) for array in arrays]
    assert all(g.dtype == np.float32 for g in check.gradients(F.einsum, singles, attributes))


@settings(max_examples=100, deadline=None)
@given(call=calls(), data=st.data())
def test_many_at_once_are_those_one_by_one(call, data, check):
    subscripts, shapes = call
    moved = data.draw(st.sets(st.integers(0, len(shapes) - 1), min_size=1))
    arrays = [check.signed((3, *shape) if slot in moved else shape, slot) for slot, shape in enumerate(shapes)]
    names = frozenset(f"operands[{slot}]" for slot in moved)
    together = F.einsum.operator.batch.function(names, *arrays, subscripts=subscripts)
    for k in range(3):
        alone = F.einsum(subscripts, *(x[k] if slot in moved else x for slot, x in enumerate(arrays)))
        np.testing.assert_allclose(together[k], alone, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk", [(3, 0), (0, 2)]),
        ("ij->i", [(0, 3)]),
        ("ii->i", [(0, 0)]),
        ("...,...", [(0,), (1,)]),
        ("", [()]),
        (",->", [(), ()]),
        ("a,b,c,d,e", [(2,)] * 5),
    ],
)
def test_nothing_numbers_and_many_operands(subscripts, shapes, check):
    arrays = [check.signed(shape, slot) for slot, shape in enumerate(shapes)]
    assert check.disagreement(F.einsum, arrays, {"subscripts": subscripts}) < check.tolerance
    assert [g.shape for g in check.gradients(F.einsum, arrays, {"subscripts": subscripts})] == shapes


def test_subscripts_may_stand_in_front_or_have_a_name():
    x, y = Variable(np.ones((2, 3))), Variable(np.ones((3, 4)))
    assert F.einsum("ij,jk->ki", x, y).shape == F.einsum(x, y, subscripts="ij,jk->ki").shape == (4, 2)


@pytest.mark.parametrize("subscripts", ["ij", "ij,jk,k", "ij,jk->l", "ij,ik->jk", "iij,jk", "i,jk", "i?,jk"])
def test_subscripts_that_do_not_fit_are_refused_as_numpy_refuses_them(subscripts):
    x, y = np.ones((2, 3)), np.ones((3, 4))
    for function in (np.einsum, F.einsum):
        with pytest.raises(ValueError, match=r"."):
            function(subscripts, x, y)


def test_trace_and_diagonal_have_their_gradients_on_the_diagonal():
    x = Variable(np.arange(9.0).reshape(3, 3))
    (F.einsum("ii", x) + F.sum(F.einsum("ii->i", x) * np.array([1.0, 2.0, 3.0]))).backward()
    np.testing.assert_array_equal(x.grad, np.diag([2.0, 3.0, 4.0]))
