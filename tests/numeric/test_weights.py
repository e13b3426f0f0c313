"""Changes are contracted in columns as one vector is, and so is their noise."""

import numpy as np
import pytest

from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.weights import Weights

pytestmark = pytest.mark.usefixtures("unwarned")

OUTPUTS, STEPS, COUNT = 5, 2, 4


def drawn(seed, level=0.0):
    """Return two cotangents, a noise, and dense changes with some outputs that don't move."""
    rng = np.random.default_rng(seed)
    base = rng.normal(0, 1, OUTPUTS)
    base[1] = 0
    noise = Noise(np.full(OUTPUTS, 1e-16), level * rng.uniform(0, 1, OUTPUTS), base)
    changes = rng.normal(0, 1e-3, (OUTPUTS, STEPS, COUNT))
    changes[2, :, 1] = 0
    return rng.normal(0, 1, (2, OUTPUTS)), noise, changes


def slabs(changes, positions):
    """Return the rows of each element's own outputs."""
    return changes[positions[:, None, :], np.arange(STEPS)[:, None], np.arange(COUNT)]


@pytest.mark.parametrize("level", [0.0, 1e-12])
@pytest.mark.parametrize("seed", range(3))
def test_columns_are_contracted_as_vectors(seed, level):
    u, noise, changes = drawn(seed, level)
    weighted = Weights(u, noise).of(changes, None)
    size = np.abs(noise.base[:, None, None] + changes)
    felt = (changes != 0).any(axis=1)
    contracted, blur = weighted.contracted(), weighted.noise(size, felt)
    for c, s, k in np.ndindex(2, STEPS, COUNT):
        assert contracted[c, s, k] == pytest.approx(u[c] @ changes[:, s, k], rel=1e-12, abs=1e-15)
        assert blur[c, s, k] == pytest.approx(noise.of(u[c], size[:, s, k], felt[:, k]), rel=1e-12)


@pytest.mark.parametrize("level", [0.0, 1e-12])
@pytest.mark.parametrize("rows", [1, 3])
def test_slabs_are_contracted_as_whole_vectors_that_stay_elsewhere(rows, level):
    u, noise, changes = drawn(7, level)
    positions = np.array([np.random.default_rng(k).permutation(OUTPUTS)[:rows] for k in range(COUNT)]).T
    everything = np.zeros_like(changes)
    for k in range(COUNT):
        everything[positions[:, k], :, k] = changes[positions[:, k], :, k]
    part, whole = Weights(u, noise).of(slabs(changes, positions), positions), Weights(u, noise).of(everything, None)
    np.testing.assert_allclose(part.contracted(), whole.contracted(), rtol=1e-12, atol=1e-16)
    kept = (everything != 0).any(axis=1)
    size = np.abs(noise.base[:, None, None] + everything)
    felt = (part.changes != 0).any(axis=1)
    np.testing.assert_allclose(
        part.noise(np.abs(part.base[:, None] + part.changes), felt), whole.noise(size, kept), rtol=1e-12
    )


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1.0, 1e160, 1e300])
def test_noise_of_any_magnitude_neither_vanishes_nor_overflows(scale):
    noise = Noise(np.full(2, 1e-16), np.zeros(2), np.array([3.0, 4.0]) * scale)
    weighted = Weights([np.ones(2)], noise).of(np.ones((2, 1, 1)), None)
    assert weighted.noise(np.array([3.0, 4.0]).reshape(2, 1, 1) * scale).item() == pytest.approx(5e-16 * scale)


def test_where_nothing_is_finite_the_noise_is_not_either():
    noise = Noise(np.full(2, 1e-16), np.zeros(2), np.ones(2))
    weighted = Weights([np.ones(2)], noise).of(np.ones((2, 1, 3)), None)
    size = np.array([[1.0, np.inf, np.nan], [1.0, 1.0, 1.0]]).reshape(2, 1, 3)
    assert np.isfinite(weighted.noise(size)).ravel().tolist() == [True, False, False]


def test_no_outputs_contract_to_nothing():
    noise = Noise(np.full(2, 1e-16), np.zeros(2), np.ones(2))
    weighted = Weights(np.ones((2, 2)), noise).of(np.empty((0, 2, 3)), np.empty((0, 3), int))
    assert weighted.contracted().tolist() == np.zeros((2, 2, 3)).tolist()
    assert weighted.noise(np.empty((0, 2, 3))).tolist() == np.zeros((2, 2, 3)).tolist()
