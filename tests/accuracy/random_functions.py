"""Random functions with exact derivatives, right and wrong ones, in classes of what makes them hard.

Every function has the form

    y[k] = height[k] * outer_k(sum over i of mix[k, i] * inner_i(rate[i] * x[i] + shift[i]))

for a vector x of 1 to 6 elements and 1 to 5 outputs, over 16 decades of the scale of x and of y. A
class adds one trouble to it: see `CLASSES`. All of it is drawn from `default_rng([seed, class, index])`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.accuracy.noise import hashed
from tests.accuracy.smooth import SMOOTH, Smooth

CLASSES = {
    "smooth": "nothing added",
    "offset": "a constant of 1 to 1e10 times its scale added to every output",
    "inside": "a constant of 1 to 1e10 added and subtracted inside",
    "kink-near": "a kink 1e-9 to 1e-2 of x's scale away",
    "kink-at": "a kink at the point",
    "noise": "repeatable noise of 1e-12 to 1e-6 of the output's scale",
    "float32-inside": "a part computed in float32",
    "float32-output": "outputs rounded to float32",
}
"""The classes, in the order of their numbers, and the trouble that each adds."""

Matrix = Any


@dataclass(frozen=True)
class Kink:
    """height[output] * size * |x[element] - place| / scale, with the slope of side `theta` (-1 to 1) at the place."""

    output: int
    element: int
    place: float
    scale: float
    size: float
    theta: float


@dataclass(frozen=True)
class Slip:
    """The mistake of a wrong backward: entry [output, element] of its Jacobian is `factor` times the right one.

    At a kink the entry is instead that of a slope outside of the one-sided ones: `theta` below -1 or above 1.
    """

    output: int
    element: int
    what: str
    factor: float
    theta: float | None = None


@dataclass(frozen=True, eq=False)
class RandomFunction:
    """A random function with its point, its exact Jacobian, and a wrong one.

    `rounded` says where `constants` are added and subtracted, or what is computed in float32.
    """

    kind: str
    seed: int
    index: int
    point: Matrix
    rate: Matrix
    shift: Matrix
    inner: tuple[Smooth, ...]
    mix: Matrix
    outer: tuple[Smooth, ...]
    height: Matrix
    offset: Matrix
    slip: Slip
    kink: Kink | None = None
    noise: float = 0.0
    rounded: str = ""
    constants: Matrix = None

    @property
    def id(self) -> str:
        """What names the function: class, index and seed."""
        return f"{self.kind}:{self.index} --seed {self.seed}"

    def forward(self, x: Matrix) -> Matrix:
        """Return the outputs, with all the trouble."""
        t = self.rate * x + self.shift
        if self.rounded == "t":
            t = (t + self.constants) - self.constants
        elif self.rounded in ("float32 inner", "float32 throughout"):
            t = t.astype(np.float32)
        s = self.mix.astype(t.dtype) @ _each(self.inner, t)
        if self.rounded == "s":
            s = (s + self.constants) - self.constants
        elif self.rounded in ("float32 outer", "float32 throughout"):
            s = s.astype(np.float32)
        else:
            s = s.astype(np.float64)
        y = self._with_kink(self.height * _each(self.outer, s).astype(np.float64), x) + self.offset
        if self.noise:
            y = y + self.noise * self.height * hashed(x, y.size)
        if self.rounded in ("float32 throughout", "float32 output", "float32 output kept in float64"):
            y = y.astype(np.float32)
        return y if self.rounded == "float32 output" else y.astype(np.float64)

    def ideal(self, x: Matrix) -> Matrix:
        """Return the outputs without rounding and noise, for x of any floating type and complex ones."""
        s = self.mix @ _each(self.inner, self.rate * x + self.shift)
        return self._with_kink(self.height * _each(self.outer, s), x) + self.offset

    def jacobian(self, x: Matrix) -> Matrix:
        """Return the exact derivatives, outputs by elements; at a kink those of a valid side."""
        t = self.rate * x + self.shift
        s = self.mix @ _each(self.inner, t)
        outer = np.array([f.slope(v) for f, v in zip(self.outer, s, strict=True)])
        inner = np.array([f.slope(v) for f, v in zip(self.inner, t, strict=True)])
        matrix = (self.height * outer)[:, None] * self.mix * (inner * self.rate)
        if self.kink:
            side = np.sign(x[self.kink.element] - self.kink.place) or self.kink.theta
            matrix[self.kink.output, self.kink.element] += side * self._kink_slope()
        return matrix

    def wrong_jacobian(self, x: Matrix) -> Matrix:
        """Return the Jacobian with the mistake of `slip`."""
        matrix = self.jacobian(x)
        slip = self.slip
        if slip.theta is None or self.kink is None:
            matrix[slip.output, slip.element] *= slip.factor
        else:
            matrix[slip.output, slip.element] += (slip.theta - self.kink.theta) * self._kink_slope()
        return matrix

    def backward(self, right: bool) -> Callable[..., Any]:
        """Return the right backward, or the wrong one."""
        jacobian = self.jacobian if right else self.wrong_jacobian

        def gradient(g: Matrix, out: Matrix, x: Matrix) -> tuple[Matrix]:
            return (np.asarray(g, dtype=np.float64) @ jacobian(x),)

        return gradient

    @property
    def planted(self) -> float:
        """How far the wrong entry is from the right one; at a kink, from the nearest valid one."""
        slip = self.slip
        if slip.theta is not None:
            return (abs(slip.theta) - 1) * abs(self._kink_slope())
        return float(abs((slip.factor - 1) * self.jacobian(self.point)[slip.output, slip.element]))

    def describe(self) -> str:
        """Write the function down in full, so that it can be typed in elsewhere."""
        lines = [f"{self.id}: {CLASSES[self.kind]}", f"x = {self.point.tolist()}"]
        for k in range(self.height.size):
            terms = [
                f"{self.mix[k, i]!r}*{f.name}({self.rate[i]!r}*x[{i}] + {self.shift[i]!r})"
                for i, f in enumerate(self.inner)
                if self.mix[k, i]
            ]
            line = f"y[{k}] = {self.height[k]!r} * {self.outer[k].name}({' + '.join(terms)})"
            if self.kink and self.kink.output == k:
                kink = self.kink
                line += (
                    f" + {self._kink_slope()!r} * |x[{kink.element}] - {kink.place!r}|, taken as {kink.theta!r} there"
                )
            lines.append(line.replace("np.float64", "") + (f" + {self.offset[k]}" if self.offset[k] else ""))
        if self.rounded:
            constants = "" if self.constants is None else f" {np.asarray(self.constants).tolist()}"
            lines.append(f"rounded: {self.rounded}{constants}")
        if self.noise:
            lines.append(f"noise: {self.noise} of the height")
        lines.append(f"wrong: y[{self.slip.output}] by x[{self.slip.element}] {self.slip.what}")
        return "\n  ".join(lines)

    def _with_kink(self, y: Matrix, x: Matrix) -> Matrix:
        if self.kink is None:
            return y
        away = x[self.kink.element] - self.kink.place
        magnitude = -away if away.real < 0 else away
        return y + self._kink_slope() * magnitude * (np.arange(y.size) == self.kink.output)

    def _kink_slope(self) -> float:
        kink = self.kink
        return float(self.height[kink.output] * kink.size / kink.scale) if kink else 0.0


def draw_function(seed: int, kind: str, index: int) -> RandomFunction:
    """Draw function number `index` of a class; the same arguments give the same function."""
    rng = np.random.default_rng([seed, list(CLASSES).index(kind), index])
    size, outputs = int(rng.integers(1, 7)), int(rng.integers(1, 6))
    scale = 10 ** rng.uniform(-8, 8) * (10 ** rng.uniform(-2, 2, size) if rng.random() < 0.2 else np.ones(size))
    point = scale * rng.uniform(0.2, 3, size) * rng.choice([-1.0, 1.0], size)
    if size > 1 and rng.random() < 0.1:
        point[rng.integers(size)] = 0.0
    inner, outer = (tuple(SMOOTH[n] for n in rng.integers(len(SMOOTH), size=count)) for count in (size, outputs))
    rate, shift = np.exp(rng.uniform(np.log(0.2), np.log(3), size)) / scale, rng.uniform(-1, 1, size)
    t = rate * point + shift
    largest = np.array([max(abs(f.value(v)), abs(f.slope(v))) for f, v in zip(inner, t, strict=True)])
    mix = rng.standard_normal((outputs, size)) * (rng.random((outputs, size)) < 0.85) / largest
    mix[np.arange(outputs), rng.integers(size, size=outputs)] += 1 / largest.min()
    mix *= (rng.uniform(0.3, 3, outputs) / np.abs(mix * _each(inner, t)).sum(axis=1).clip(0.1))[:, None]
    height = 10 ** rng.uniform(-8, 8) * 10 ** rng.uniform(-1, 1, outputs)
    plain = RandomFunction(
        kind, seed, index, point, rate, shift, inner, mix, outer, height, np.zeros(outputs), Slip(0, 0, "", 1.0)
    )
    troubled = _TROUBLES[kind](plain, scale, rng)
    return replace(troubled, slip=_draw_slip(troubled, rng))


def _each(functions: tuple[Smooth, ...], values: Matrix) -> Matrix:
    return np.array([f.value(v) for f, v in zip(functions, values, strict=True)])


def _decades(rng: np.random.Generator, low: float, high: float, size: int | None = None) -> Any:
    return 10 ** rng.uniform(low, high, size)


def _constants(rng: np.random.Generator, size: int) -> Matrix:
    """Draw numbers of one common size from 1 to 1e10, down to a hundredth of it."""
    return np.maximum(_decades(rng, 0, 10) * _decades(rng, -2, 0, size), 1.0)


def _offset(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    return replace(f, offset=f.height * _constants(rng, f.height.size) * rng.choice([-1.0, 1.0], f.height.size))


def _inside(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    where = str(rng.choice(["t", "s"]))
    return replace(f, rounded=where, constants=_constants(rng, f.point.size if where == "t" else f.height.size))


def _kink_near(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    return _kinked(f, scale, rng, distance=_decades(rng, -9, -2))


def _kink_at(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    return _kinked(f, scale, rng, distance=0.0)


def _kinked(f: RandomFunction, scale: Matrix, rng: np.random.Generator, distance: float) -> RandomFunction:
    k, i = int(rng.integers(f.height.size)), int(rng.integers(f.point.size))
    place = float(f.point[i] + distance * scale[i] * rng.choice([-1.0, 1.0]))
    theta = float(rng.choice([-1.0, 0.0, 1.0, rng.uniform(-1, 1)]))
    return replace(f, kink=Kink(k, i, place, float(scale[i]), float(_decades(rng, -3, 1)), theta))


def _noise(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    return replace(f, noise=float(_decades(rng, -12, -6)))


def _float32_inside(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    return replace(f, rounded=str(rng.choice(["float32 inner", "float32 outer", "float32 throughout"])))


def _float32_output(f: RandomFunction, scale: Matrix, rng: np.random.Generator) -> RandomFunction:
    return replace(f, rounded=str(rng.choice(["float32 output", "float32 output kept in float64"])))


_TROUBLES: dict[str, Callable[[RandomFunction, Matrix, np.random.Generator], RandomFunction]] = {
    "smooth": lambda f, scale, rng: f,
    "offset": _offset,
    "inside": _inside,
    "kink-near": _kink_near,
    "kink-at": _kink_at,
    "noise": _noise,
    "float32-inside": _float32_inside,
    "float32-output": _float32_output,
}


def _draw_slip(f: RandomFunction, rng: np.random.Generator) -> Slip:
    if f.kind == "kink-at" and f.kink:
        beyond = float(_decades(rng, -2, 0))
        theta = float(rng.choice([-1.0, 1.0])) * (1 + 2 * beyond)
        return Slip(f.kink.output, f.kink.element, f"{beyond:.3g} of the kink outside", 1.0, theta)
    entries = np.argwhere(f.jacobian(f.point) != 0)
    k, i = (int(n) for n in entries[rng.integers(len(entries))])
    if rng.random() < 0.8:
        error = float(_decades(rng, -6, -2) * rng.choice([-1.0, 1.0]))
        return Slip(k, i, f"off by {error:.3g}", 1 + error)
    what, factor = [("zeroed", 0.0), ("doubled", 2.0), ("halved", 0.5), ("negated", -1.0)][rng.integers(4)]
    return Slip(k, i, what, factor)
