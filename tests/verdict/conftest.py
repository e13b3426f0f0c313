"""Operators made for one test, functions around a point, and slopes that were measured or made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gradcheck_cli import op
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.ladder import Ladder, Slopes
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.own_noise import own_noise
from gradcheck_cli.numeric.point import Outputs, Point
from gradcheck_cli.numeric.steps import HALF_DECADE, default_eps, ladder_steps, step_size
from gradcheck_cli.numeric.survey import survey


def make_operator(forward: Callable[..., Any], backward: Callable[..., Any], **options: Any) -> Any:
    """Mark `forward` as an operator with `backward`; `options` are those of `@op`."""
    marked = op(**options)(forward)
    marked.backward(backward)
    return marked


@pytest.fixture(scope="session")
def operator() -> Callable[..., Any]:
    return make_operator


def make_point(call: Callable[..., Any], x: Any, name: str = "x", **others: Any) -> Point:
    """Return `call`, a NumPy function of x and of other arrays by name, at these arrays while `name` moves."""
    values = {"x": np.asarray(x) if isinstance(x, np.ndarray) else np.asarray(x, dtype=np.float64), **others}

    def evaluate(variables: Any) -> Any:
        arrays = {key: value.data for key, value in variables.items()}
        return call(arrays.pop("x"), **arrays)

    function = TracedFunction(evaluate)
    return Point(function, values, name, Outputs(function.outputs(values)))


@pytest.fixture(scope="session")
def point() -> Callable[..., Point]:
    return make_point


@dataclass(frozen=True, eq=False)
class Measured:
    """One element of a function, measured as tier 2 does; `step` is tier 1's."""

    point: Point
    u: Any
    noise: Noise
    slopes: Slopes
    step: float


def measure(call: Callable[..., Any], x: Any, element: int = 0, u: Any = None, seed: int = 0) -> Measured:
    """Measure slopes over half-decades, with the noise along the element itself."""
    point = make_point(call, x)
    weights = np.ones(point.base.size) if u is None else np.asarray(u, dtype=float)
    eps = default_eps(point.values["x"].dtype)
    steps = np.array([step_size(scale, eps) for scale in point.scales])
    surveyed, _ = survey(point, steps, np.random.default_rng(seed))
    ladder = Ladder(point, element)
    ladder.climb(ladder_steps(float(point.x[element]), point.typical, float(point.spacings[element]), HALF_DECADE))
    noise = own_noise(point, element, steps[element], surveyed, ladder.reach() or np.inf)
    slopes = ladder.slopes(weights, noise)
    assert slopes is not None
    return Measured(point, weights, noise, slopes, float(steps[element]))


@pytest.fixture(scope="session")
def measured() -> Callable[..., Measured]:
    return measure


HALVES = 10.0 ** np.arange(-9, -0.5, 0.5)


def make_slopes(
    central: Sequence[float] | Any,
    forward: Any = None,
    backward: Any = None,
    sigma: Any = 1e-16,
    moved: Sequence[bool] = (True,),
    two_sided: bool = True,
) -> Slopes:
    """Make up the slopes of one output at the last steps of 1e-9 to 1e-1, in half-decades."""
    central = np.asarray(central, dtype=float)
    h = HALVES[-len(central) :]
    forward = central if forward is None else np.asarray(forward, dtype=float)
    backward = central if backward is None else np.asarray(backward, dtype=float)
    return Slopes(
        h=h,
        central=central,
        forward=forward,
        backward=backward,
        sigma=np.broadcast_to(np.asarray(sigma, dtype=float), h.shape),
        rise=h * forward,
        fall=-h * backward,
        terms_forward=forward[:, None],
        terms_backward=backward[:, None],
        moved=np.array(moved),
        rounding=1e-16,
        two_sided=two_sided,
    )


@pytest.fixture(scope="session")
def slopes() -> Callable[..., Slopes]:
    return make_slopes


@pytest.fixture
def unwarned() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield
