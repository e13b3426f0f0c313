"""Operators of which everything moves: one call for each where they are large, blocks of calls where they aren't."""

import numpy as np
import pytest

import gradcheck_cli.numeric.rules.dense as dense
from gradcheck_cli.numeric.moved import Moved
from gradcheck_cli.numeric.rules.applied import Applied
from tests.numeric.rules.applications import OPERATORS, agrees, all_patterns, apply, perturbed

CASES = [
    ("norm", [(5, 4)], {}),
    ("logsumexp", [(5, 4)], {}),
    ("logsumexp", [(5, 4)], {"axis": 1, "keepdims": True}),
    ("max", [(5, 4)], {"axis": 0}),
    ("outer", [(5,), (4,)], {}),
    ("kron", [(2, 2), (2, 3)], {}),
    ("softmax", [(5, 4)], {"axis": 0}),
]


@pytest.mark.parametrize(("large", "block"), [(1, 2 << 20), (2**13, 8), (2**13, 100)])
@pytest.mark.parametrize(("name", "shapes", "attributes"), CASES)
def test_blocks_and_single_calls_are_the_loop(monkeypatch, name, shapes, attributes, large, block):
    monkeypatch.setattr(dense, "LARGE", large)
    monkeypatch.setattr(dense, "_BLOCK", block)
    rng = np.random.default_rng(11)
    applied = apply(OPERATORS[name], [rng.standard_normal(shape) for shape in shapes], attributes)
    for position, shape in enumerate(shapes):
        for axes in all_patterns(len(shape)):
            operands: list[Moved | None] = [None] * len(shapes)
            operands[position] = perturbed(applied, position, axes, 7, rng)
            agrees(applied, operands)


def test_blocks_hand_index_arrays_through(monkeypatch):
    monkeypatch.setattr(dense, "_BLOCK", 100)
    rng = np.random.default_rng(12)
    applied = apply(OPERATORS["logsumexp"], [rng.standard_normal((5, 4))], {"axis": 1})
    moved = perturbed(applied, 0, (0, 1), 7, rng)
    (made,) = agrees(applied, [moved])
    assert made.axes == (0,)
    assert made.at[0] is moved.at[0]


def test_a_large_operand_is_seen_by_its_size_alone():
    rng = np.random.default_rng(13)
    for size, large in ((dense.LARGE - 1, False), (dense.LARGE, True)):
        applied = apply(OPERATORS["norm"], [rng.standard_normal(size)])
        assert dense.is_large(applied, [perturbed(applied, 0, (0,), 2, rng)]) is large
        assert not dense.is_large(applied, [perturbed(applied, 0, (), 2, rng)])


def test_no_call_gets_more_than_a_block(monkeypatch):
    monkeypatch.setattr(dense, "_BLOCK", 8 * 40)
    rng = np.random.default_rng(14)
    applied = apply(OPERATORS["logsumexp"], [rng.standard_normal((5, 4))])
    sizes = []
    forward = Applied.forward

    def seen(self, arrays, **changed):
        sizes.append(arrays[0].size)
        return forward(self, arrays, **changed)

    monkeypatch.setattr(Applied, "forward", seen)
    agrees(applied, [perturbed(applied, 0, (0, 1), 7, rng)])
    assert max(sizes) == 40
