"""Fourier transforms of real arrays."""

import numpy as np
import pytest
import scipy.fft

import gradcheck_cli.ops as F
from gradcheck_cli import Variable

NORMS = [None, "backward", "ortho", "forward"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 1, 2, 4, 5, 9])
@pytest.mark.parametrize(("shape", "axis"), [((5,), -1), ((6,), 0), ((4, 3), 0), ((2, 5, 2), 1), ((1,), 0)], ids=str)
def test_transform_is_scipys_with_the_gradient_of_differences(shape, axis, n, norm, check):
    attributes, x = {"n": n, "axis": axis, "norm": norm}, check.signed(shape, 1)
    expected = scipy.fft.rfft(x, **attributes)
    real, imag = F.rfft(x, **attributes)
    np.testing.assert_allclose(real + 1j * imag, expected, rtol=1e-13, atol=1e-14)
    assert check.disagreement(F.rfft, [x], attributes) < check.tolerance
    (gradient,) = check.gradients(F.rfft, [x.astype(np.float32)], attributes)
    assert gradient.shape == shape
    assert gradient.dtype == np.float32


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n", [None, 1, 2, 4, 5, 9])
@pytest.mark.parametrize(("shape", "axis"), [((5,), -1), ((6,), 0), ((4, 3), 0), ((2, 3, 2), 1)], ids=str)
def test_inverse_is_scipys_with_the_gradient_of_differences(shape, axis, n, norm, check):
    attributes, arrays = {"n": n, "axis": axis, "norm": norm}, [check.signed(shape, 1), check.signed(shape, 2)]
    expected = scipy.fft.irfft(arrays[0] + 1j * arrays[1], **attributes)
    np.testing.assert_allclose(F.irfft(*arrays, **attributes), expected, rtol=1e-13, atol=1e-14)
    assert check.disagreement(F.irfft, arrays, attributes) < check.tolerance
    gradients = check.gradients(F.irfft, [array.astype(np.float32) for array in arrays], attributes)
    assert all(g.shape == shape and g.dtype == np.float32 for g in gradients)


@pytest.mark.parametrize("size", [5, 6])
def test_inverse_undoes_the_transform(size, check):
    x = Variable(check.signed((3, size), 1))
    back = F.irfft(*F.rfft(x), n=size)
    np.testing.assert_allclose(back.data, x.data, rtol=1e-13)
    g = check.signed((3, size), 2)
    back.backward(g)
    np.testing.assert_allclose(x.grad, g, rtol=1e-12)


def test_imaginary_parts_that_no_real_array_has_have_no_gradient(check):
    arrays = [check.signed((4,), 1), check.signed((4,), 2)]
    _, even = check.gradients(F.irfft, arrays, {"n": 6}, check.signed((6,), 3))
    _, odd = check.gradients(F.irfft, arrays, {"n": 7}, check.signed((7,), 3))
    assert list(even != 0) == [False, True, True, False]
    assert list(odd != 0) == [False, True, True, True]


@pytest.mark.parametrize(("real", "imag"), [((4, 3), (3,)), ((3,), (4, 1)), ((), (3,)), ((2, 1, 3), (4, 1))], ids=str)
@pytest.mark.parametrize("moved", ["real", "imag", "real imag"])
def test_parts_broadcast(real, imag, moved, check):
    arrays, names = [check.signed(real, 1), check.signed(imag, 2)], moved.split()
    assert check.disagreement(F.irfft, arrays, {"n": 5}) < check.tolerance
    many = [
        check.signed((3, *x.shape), 5) if name in names else x for name, x in zip(("real", "imag"), arrays, strict=True)
    ]
    for axis in (-1, len(np.broadcast_shapes(real, imag)) - 1):
        together = F.irfft.operator.batch.function(frozenset(names), *many, n=5, axis=axis)
        for k in range(3):
            one = [x[k] if name in names else x for name, x in zip(("real", "imag"), many, strict=True)]
            np.testing.assert_allclose(together[k], F.irfft(*one, n=5, axis=axis), rtol=1e-13, atol=1e-15)


def test_nothing_is_filled_with_zeros():
    for _ in range(3):
        np.testing.assert_array_equal(F.irfft(np.ones((0, 3)), np.ones((0, 3)), n=5, axis=0), np.zeros((5, 3)))
        np.testing.assert_array_equal(F.rfft(np.ones((0, 3)), n=4, axis=0)[0], np.zeros((3, 3)))


@pytest.mark.parametrize("attributes", [{"norm": "unitary"}, {"n": 0}, {"axis": 2}], ids=str)
def test_wrong_attributes_are_refused_as_numpy_refuses_them(attributes):
    x = np.ones((3, 4))
    for call in (lambda: F.rfft(x, **attributes), lambda: F.irfft(x, x, **attributes)):
        with pytest.raises((ValueError, IndexError)):
            call()


@pytest.mark.parametrize("operator", [F.rfft, lambda x, **at: F.irfft(x, x, **at)], ids=["rfft", "irfft"])
def test_transforms_say_which_axes_there_are(operator):
    with pytest.raises(ValueError, match="x is a single number"):
        operator(np.array(1.0))
    with pytest.raises(ValueError, match="x has the axes -1 to 0, so axis can't be 2"):
        operator(np.ones(4), axis=2)
