"""Attention: values against the formula, masks, broadcasting, extreme scores."""

import numpy as np
import pytest
import scipy.special

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

RNG = np.random.default_rng(2)
QUERY, KEY, VALUE = RNG.standard_normal((2, 3, 4)), RNG.standard_normal((2, 5, 4)), RNG.standard_normal((2, 5, 6))
attention = F.scaled_dot_product_attention


def formula(query, key, value, mask=0.0, scale=0.5):
    return scipy.special.softmax(query @ np.swapaxes(key, -1, -2) * scale + mask, axis=-1) @ value


def test_attention_is_its_formula():
    np.testing.assert_allclose(attention(QUERY, KEY, VALUE), formula(QUERY, KEY, VALUE), rtol=1e-12)
    given = attention(QUERY, KEY, VALUE, scale=2.0)
    np.testing.assert_allclose(given, formula(QUERY, KEY, VALUE, scale=2.0), rtol=1e-12)


def test_masks_are_added_or_say_what_is_seen(check):
    added = RNG.standard_normal((3, 5))
    np.testing.assert_allclose(attention(QUERY, KEY, VALUE, added), formula(QUERY, KEY, VALUE, added), rtol=1e-12)
    seen = np.tri(3, 5, dtype=bool)
    known = formula(QUERY, KEY, VALUE, np.where(seen, 0, -np.inf))
    np.testing.assert_allclose(attention(QUERY, KEY, VALUE, seen), known, rtol=1e-12)
    np.testing.assert_array_equal(attention(QUERY, KEY, VALUE, is_causal=True), attention(QUERY, KEY, VALUE, seen))
    both = attention(QUERY, KEY, VALUE, added, is_causal=True)
    np.testing.assert_allclose(both, formula(QUERY, KEY, VALUE, np.where(seen, added, -np.inf)), rtol=1e-12)
    assert check.disagreement(attention, [QUERY, KEY, VALUE, added], {"is_causal": True}) < check.tolerance


def test_a_boolean_mask_is_a_constant():
    query, seen = Variable(QUERY), np.tri(3, 5, dtype=bool)
    attention(query, KEY, VALUE, seen).backward(np.ones((2, 3, 6)))
    np.testing.assert_allclose(query.grad[:, 0], 0, atol=1e-15)  # a single key has the weight 1 whatever the query
    assert np.abs(query.grad[:, 1:]).min() > 0


def test_a_query_that_sees_nothing_gets_zeros_and_gives_none():
    seen = np.ones((3, 5), bool)
    seen[1] = False
    value = Variable(VALUE)
    out = attention(QUERY, KEY, value, seen)
    assert not out.data[:, 1].any()
    out.backward(np.eye(3)[1][None, :, None] * np.ones((2, 3, 6)))
    assert not value.grad.any()


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 4), (2, 5, 4), (5, 6), (3, 5)),
        ((2, 1, 3, 4), (5, 4), (3, 5, 6), (2, 1, 1, 5)),
        ((3, 4), (5, 4), (5, 6), (5,)),
        ((1, 1), (1, 1), (1, 1), None),
        ((0, 3, 4), (0, 5, 4), (0, 5, 6), (3, 5)),
        ((0, 4), (5, 4), (5, 6), None),
        ((3, 4), (0, 4), (0, 6), None),
        ((3, 0), (5, 0), (5, 6), None),
    ],
    ids=str,
)
def test_leading_axes_broadcast_and_may_be_empty(shapes, check):
    arrays = [None if shape is None else check.signed(shape, seed) for seed, shape in enumerate(shapes)]
    gradients = check.gradients(attention, arrays)
    assert [None if g is None else g.shape for g in gradients] == list(shapes)
    assert check.disagreement(attention, arrays) < check.tolerance


def test_scores_far_out_do_not_overflow():
    query, key, value = np.array([[1000.0]]), np.array([[1000.0], [-1000.0]]), np.array([[1.0], [2.0]])
    assert attention(query, key, value).tolist() == [[1.0]]
    assert attention(-query, key, value).tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (4, 3), (5, 3)), r"value \(\.\.\., s, v\): query \(2, 3\), key \(4, 3\), value \(5, 3\)"),
        (((2, 3), (4, 3), (1, 3)), r"value \(\.\.\., s, v\)"),
        (((2, 3), (4, 2), (4, 3)), r"key \(\.\.\., s, e\)"),
        (((3,), (4, 3), (4, 3)), r"query should be \(\.\.\., l, e\)"),
        (((1, 3), (4, 3), (4, 3), (2, 4)), r"attn_mask should broadcast to \(\.\.\., l, s\), \(1, 4\), not \(2, 4\)"),
    ],
)
def test_attention_refuses_arrays_that_do_not_fit(shapes, message):
    with pytest.raises(ValueError, match=message):
        F.scaled_dot_product_attention(*map(np.ones, shapes))
