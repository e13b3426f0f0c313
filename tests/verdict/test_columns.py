"""Elements judged in columns get the verdicts and the figures that they get one by one, whatever evaluates them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.evaluator import Loop
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.verdict.compare import compare, prepare
from gradcheck_cli.verdict.outcome import Outcome, Status
from tests.numeric.slabs import Slabs
from tests.verdict.scalar import compare_one_by_one

pytestmark = pytest.mark.usefixtures("unwarned")

RTOL = 1e-7


def kinks(x: Any) -> Any:
    return np.abs(x) + np.where(x > 2, 1.0, 0.0)


def rough(x: Any) -> Any:
    return np.sin(x) + 1e6


def edge(x: Any) -> Any:
    return np.sqrt(x) * np.log(x)


X = np.array([0.3, -1.2, 2.0, 1e-7, 5.0, -0.4, 1e3, 0.0])
CASES: dict[str, tuple[Any, Any, Any]] = {
    "smooth": (np.sin, X, np.diag(np.cos(X))),
    "scales": (np.exp, np.array([-30.0, 0.0, 50.0, 300.0]), np.diag(np.exp([-30.0, 0.0, 50.0, 300.0]))),
    "kinks": (kinks, X, np.diag(np.sign(X))),
    "offset": (rough, X, np.diag(np.cos(X))),
    "edge": (edge, np.array([1e-9, 0.5, 2.0]), np.diag((np.log([1e-9, 0.5, 2.0]) + 2) / (2 * np.sqrt([1e-9, 0.5, 2])))),
    "noise": (lambda x: np.round(np.sin(x), 7), X, np.diag(np.cos(X))),
    "single": (lambda x: np.tanh(x.astype(np.float32)).astype(float), X, np.diag(1 - np.tanh(X) ** 2)),
    "squares": (lambda x: x * x, np.float32([1.5, -0.25, 3.0]), np.diag(2 * np.array([1.5, -0.25, 3.0]))),
    "sum": (lambda x: np.sum(np.tanh(x))[None], X, (1 - np.tanh(X) ** 2)[None]),
    "silent": (lambda x: np.append(3 * x[:4], np.ones(4)), X, np.eye(8) * np.array([3, 3, 3, 3, 0, 0, 0, 0])),
}


def both(call: Any, x: Any, jacobian: Any, make: Any, evaluator: Any, seed: int) -> tuple[Any, Any, Any]:
    """Compare the gradient one by one and in columns; the outcomes by (element, cotangent), and both points."""
    points = [make(call, x), make(call, x)]
    if evaluator is not None:
        points[1].evaluator = evaluator(points[1])
    found = []
    for point, judge in zip(points, (compare_one_by_one, compare), strict=True):
        rng = np.random.default_rng(seed)
        u = rng.choice([-1.0, 1.0], point.base.size) * rng.uniform(0.5, 1.5, point.base.size)
        basis = prepare(point, u, lambda v: v @ jacobian, Knobs(), rng)
        found.append(judge(point, basis, lambda v: v @ jacobian, RTOL, np.arange(point.x.size), rng))
    passes, outcomes = found[1].passes, found[1].outcomes
    listed = [*(passes.outcome(row) for row in range(len(passes))), *outcomes]
    return found[0], {(o.element, o.cotangent): o for o in listed}, points


def assert_same(expected: dict[Any, Outcome], seen: dict[Any, Outcome]) -> None:
    """Hold outcomes to each other: same elements, status and cause, the same figures up to rounding."""
    assert sorted(seen) == sorted(expected)
    for key, one in expected.items():
        other = seen[key]
        assert (other.status, other.detail != "") == (one.status, one.detail != ""), f"{key}: {one} and {other}"
        if one.status is not Status.PASS or one.kink_within:
            causes = [each.cause or "rounding-dominates" for each in (one, other)]
            assert causes[0] == causes[1], f"{key}: {one} and {other}"
            assert other.kink_within == one.kink_within, f"{key}: {one} and {other}"
        assert other.analytic == one.analytic
        slack = 0.01 * one.bar + 1e-12 * abs(one.numeric)
        assert abs(other.numeric - one.numeric) <= slack or (one.numeric != one.numeric), f"{key}: {one} and {other}"
        assert other.bar == pytest.approx(one.bar, rel=1e-3), f"{key}: {one} and {other}"


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("slip", [None, (1, 1e-5), (1, 3.0)], ids=["right", "off", "wrong"])
@pytest.mark.parametrize("name", CASES)
def test_columns_say_what_is_said_one_by_one(name: str, slip: Any, seed: int, point: Any) -> None:
    call, x, right = CASES[name]
    jacobian = np.array(right, dtype=float)
    if slip:
        jacobian[:, slip[0]] *= 1 + slip[1]
    expected, seen, _ = both(call, x, jacobian, point, None, seed)
    assert_same(expected, seen)


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("slab", [True, False], ids=["slabs", "dense"])
@pytest.mark.parametrize("slip", [0.0, 1e-4], ids=["right", "wrong"])
@pytest.mark.parametrize("name", ["smooth", "scales", "kinks", "offset", "edge", "noise", "single", "squares"])
def test_outputs_that_an_element_can_not_move_don_t_matter(
    name: str, slip: float, slab: bool, size: int, point: Any
) -> None:
    call, x, right = CASES[name]
    jacobian = right * (1 + slip)

    def evaluator(around: Point) -> Slabs:
        assert isinstance(around.evaluator, Loop)
        return Slabs(around.evaluator, (lambda element: [element]) if slab else None, size)

    expected, seen, _ = both(call, x, jacobian, point, evaluator, 0)
    assert_same(expected, seen)


def test_slabs_of_several_outputs_are_contracted_like_whole_vectors(point: Any) -> None:
    rng = np.random.default_rng(3)
    fixed = rng.uniform(-1, 1, (3, 4))
    x = rng.uniform(-1, 1, 8)

    def product(x: Any) -> Any:
        return np.tanh(fixed @ x.reshape(4, 2)).ravel()

    slope = (1 - product(x) ** 2).reshape(3, 2)
    jacobian = np.einsum("ij,ik,jl->ijkl", slope, fixed, np.eye(2)).reshape(6, 8)
    for factor in (1.0, 1.001):
        expected, seen, points = both(
            product,
            x,
            jacobian * factor,
            point,
            lambda around: Slabs(around.evaluator, lambda e: [e % 2 + 2 * row for row in range(3)], 3),
            1,
        )
        assert_same(expected, seen)
        assert {o.status for o in seen.values()} == {Status.PASS if factor == 1 else Status.FAIL}
        assert points[0].evaluations >= points[1].evaluations


def test_a_gradient_from_outputs_that_an_element_can_not_move_fails(point: Any) -> None:
    """The backward mixes neighbours up: what it adds is nowhere in the outputs that the element moves."""
    jacobian = np.diag(np.cos(X)) + 1e-3 * np.eye(8, k=1)
    for touched in ((lambda element: [element]), None):
        expected, seen, _ = both(
            np.sin, X, jacobian, point, lambda around, touched=touched: Slabs(around.evaluator, touched, 4), 0
        )
        assert_same(expected, seen)
        assert seen[1, 0].status is Status.FAIL


def test_terms_of_one_number_have_their_weights_as_the_only_cotangent(point: Any) -> None:
    weights = np.array([0.5, 0.5, 2.0])
    for are_terms in (False, True):
        around = point(np.sin, X[:3])
        around.outputs.are_terms = are_terms
        basis = prepare(around, weights, lambda u: u * np.cos(X[:3]), Knobs(), np.random.default_rng(0))
        assert len(basis.cotangents) == (1 if are_terms else 2)
        assert basis.cotangents[0].u is weights


@pytest.mark.parametrize("batches", [False, True])
def test_what_moves_nothing_is_probed_jointly_or_in_a_small_batch_one_by_one(batches: bool, point: Any) -> None:
    """The last element moves its output only by an eighth of its scale; the first three never do."""
    x = np.ones(4)
    around = point(lambda x: np.append(np.zeros(3), np.maximum(x[3] - 1.05, 0)), x)
    around.batches = batches
    u, gradient = np.ones(4), np.zeros(4)
    rng = np.random.default_rng(0)
    basis = prepare(around, u, lambda _: gradient, Knobs(), rng)
    before = around.evaluations
    probed = []
    moved = around.moved
    around.moved = lambda *given: probed.append(given) or moved(*given)
    found = compare(around, basis, lambda _: gradient, RTOL, np.arange(4), rng)
    assert bool(probed) is not batches
    assert set(found.passes.element.tolist()) | {o.element for o in found.outcomes} == set(range(4))
    assert all(o.status is Status.PASS for o in found.outcomes)
    assert around.evaluations > before
    assert (found.passes.numeric == 0).all()
