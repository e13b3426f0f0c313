"""The plain loop: every perturbation alone, its changes in chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcheck_cli.numeric import evaluator
from gradcheck_cli.numeric.evaluator import Loop

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def squares(x: Any) -> Any:
    """The change of x * x from X on."""
    return (x * x - X * X).ravel()


def silence(count: int) -> None:
    """Hear nothing in particular."""


def test_every_element_moves_alone_to_each_of_its_values():
    elements = np.array([4, 0, 4])
    values = np.array([[5.5, 0.5, 7.0], [4.5, 1.5, 5.0]])
    chunks = list(Loop(squares, X).one_by_one(elements, values, silence))
    assert chunks[0].start == 0
    assert chunks[-1].stop == 3
    assert [chunk.stop for chunk in chunks[:-1]] == [chunk.start for chunk in chunks[1:]]
    assert all(chunk.positions is None for chunk in chunks)
    changes = np.concatenate([chunk.changes for chunk in chunks], axis=2)
    assert changes.shape == (6, 2, 3)
    for k, element in enumerate(elements):
        expected = np.zeros((6, 2))
        expected[element] = values[:, k] ** 2 - X.flat[element] ** 2
        assert changes[:, :, k].tolist() == expected.tolist()


def test_all_elements_move_at_once():
    rows = np.array([X.ravel() + 1, X.ravel()])
    changes = Loop(squares, X).together(rows, silence)
    assert changes.tolist() == [((X + 1) ** 2 - X**2).ravel().tolist(), [0] * 6]


@pytest.mark.parametrize("x", [np.float32([0.1, 0.2]), np.asfortranarray(X), np.array(2.0)], ids=["single", "F", "0-d"])
def test_the_parameter_keeps_its_type_and_shape(x: Any):
    seen = []

    def change(array: Any) -> Any:
        seen.append(array)
        return array.astype(np.float64).ravel()

    loop = Loop(change, x)
    list(loop.one_by_one(np.array([x.size - 1]), np.array([[9.0]]), silence))
    loop.together(np.full((1, x.size), 9.0), silence)
    assert [(array.dtype, array.shape) for array in seen] == [(x.dtype, x.shape)] * 2
    expected = np.array(x, order="C")
    expected.flat[x.size - 1] = 9
    assert seen[0].tolist() == expected.tolist()
    assert np.all(seen[1] == 9)


def test_evaluations_are_announced_and_may_be_stopped():
    heard: list[int] = []

    def stop(count: int) -> None:
        heard.append(count)
        if len(heard) == 4:
            raise KeyboardInterrupt

    loop = Loop(squares, X)
    list(loop.one_by_one(np.arange(1), np.ones((3, 1)), stop))
    assert heard == [1, 1, 1]
    with pytest.raises(KeyboardInterrupt):
        loop.together(np.ones((2, 6)), stop)


def test_chunks_hold_about_a_megabyte(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(evaluator, "_CHUNK", 60)
    sizes = [c.stop - c.start for c in Loop(squares, X).one_by_one(np.zeros(12, int), np.ones((2, 12)), silence)]
    assert sizes == [1, 5, 5, 1]
    monkeypatch.setattr(evaluator, "_CHUNK", 1)
    assert len(list(Loop(squares, X).one_by_one(np.zeros(4, int), np.ones((2, 4)), silence))) == 4


def test_no_elements_are_no_chunks():
    assert list(Loop(squares, X).one_by_one(np.empty(0, int), np.empty((2, 0)), silence)) == []
