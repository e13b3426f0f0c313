"""Floating types: NumPy's round as NumPy does, bfloat16 to the nearest of eight digits."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.numeric.precision import precision_of

VALUES = np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.random.default_rng(1).integers(-4, 4, 1000)


@pytest.mark.parametrize("name", ["float64", "float32", "float16"])
def test_numpy_types_are_numpys(name):
    precision = precision_of(name)
    info = np.finfo(name)
    assert (precision.epsilon, precision.tiny, precision.largest) == (info.eps, info.tiny, info.max)
    assert np.array_equal(precision.round(VALUES), VALUES.astype(name).astype(np.float64))


def test_no_name_is_double_precision():
    assert precision_of("").epsilon == np.finfo(np.float64).eps


def test_bfloat16_keeps_eight_digits_and_rounds_to_the_nearest_even():
    precision = precision_of("bfloat16")
    rounded = precision.round(VALUES)
    assert np.all(np.abs(rounded - VALUES) <= precision.epsilon / 2 * np.abs(VALUES))
    assert np.array_equal(precision.round(rounded), rounded)
    assert precision.round(np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-20])).tolist() == [
        1.0,
        1 + 2.0**-6,
        1 + 2.0**-7,
    ]
    assert precision.round(np.array([precision.largest, 0.0, -2.5])).tolist() == [precision.largest, 0.0, -2.5]


def test_overflow_gives_infinity_without_a_warning():
    assert precision_of("float16").round(np.array(1e6)) == np.inf
    assert precision_of("bfloat16").round(np.array(3.4e38)) == np.inf


@pytest.mark.torch
def test_bfloat16_rounds_as_pytorch_does():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    wanted = torch.from_numpy(VALUES).float().bfloat16().double().numpy()
    assert np.array_equal(precision_of("bfloat16").round(VALUES), wanted)
