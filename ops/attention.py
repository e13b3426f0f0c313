"""Attention, as in torch.nn.functional."""

import math

import numpy as np

from gradcheck_cli import arr, keep, op, unbroadcast

from .axes import aligned


@op(
    query=arr("... l e"),
    key=arr("... s e"),
    value=arr("... s v"),
    attn_mask=arr("... l s"),
    is_causal=[False, True],
    scale=[None, 0.3],
)
def scaled_dot_product_attention(query, key, value, attn_mask=None, *, is_causal=False, scale=None):
    """softmax(scale * query @ key.T + attn_mask) @ value, over the last two axes; the others broadcast.

    query is (..., l, e), key (..., s, e), value (..., s, v). attn_mask broadcasts to (..., l, s): a boolean one says
    which keys each query sees, another is added. With is_causal, query i sees keys 0 to i only. scale is 1 / sqrt(e)
    where it is None. A query that sees nothing gets zeros.
    """
    _check_shapes(np.shape(query), np.shape(key), np.shape(value), attn_mask)
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) * _scale(query, scale)
    if attn_mask is not None:
        mask = np.asarray(attn_mask)
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    weights = _softmax(scores)
    return keep(np.matmul(weights, value), weights=weights)


@scaled_dot_product_attention.backward("query")
def _(g, query, key, value, weights, scale):
    return unbroadcast(_at_scores(g, value, weights) @ key * _scale(query, scale), query.shape)


@scaled_dot_product_attention.backward("key")
def _(g, query, key, value, weights, scale):
    at_scores = np.swapaxes(_at_scores(g, value, weights), -1, -2)
    return unbroadcast(at_scores @ query * _scale(query, scale), key.shape)


@scaled_dot_product_attention.backward("value")
def _(g, weights, value):
    return unbroadcast(np.swapaxes(weights, -1, -2) @ g, value.shape)


@scaled_dot_product_attention.backward("attn_mask")
def _(g, value, weights, attn_mask):
    return unbroadcast(_at_scores(g, value, weights), attn_mask.shape)


@scaled_dot_product_attention.batch
def _(moved, query, key, value, attn_mask=None, *, is_causal=False, scale=None):
    arrays = aligned(moved, query=query, key=key, value=value, attn_mask=attn_mask)
    return scaled_dot_product_attention.forward(*arrays, is_causal=is_causal, scale=scale)


def _check_shapes(query, key, value, attn_mask):
    shapes = f"query {query}, key {key}, value {value}"
    if min(len(query), len(key), len(value)) < 2 or query[-1] != key[-1] or key[-2] != value[-2]:
        raise ValueError(f"query should be (..., l, e), key (..., s, e) and value (..., s, v): {shapes}")
    mask, scores = np.shape(attn_mask)[-2:], (query[-2], key[-2])
    if any(m not in (1, n) for m, n in zip(mask[::-1], scores[::-1], strict=False)):
        raise ValueError(f"attn_mask should broadcast to (..., l, s), {scores}, not {mask}")


def _scale(query, scale):
    return 1 / math.sqrt(np.shape(query)[-1] or 1) if scale is None else scale


def _softmax(scores):
    """Return exp(scores) / sum(exp(scores)) along the last axis, zeros where all scores are -inf."""
    peak = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isneginf(peak), 0, peak))
    total = np.sum(powers, axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _at_scores(g, value, weights):
    """Return the gradient that arrives at the scores."""
    at_weights = g @ np.swapaxes(value, -1, -2)
    return weights * (at_weights - np.sum(at_weights * weights, axis=-1, keepdims=True))
