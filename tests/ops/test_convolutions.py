"""Convolutions: values against SciPy and against their definition, adjoints, shapes, what is refused."""

import itertools

import numpy as np
import pytest
import scipy.signal

import gradcheck_cli.ops as F

CASES = [
    {},
    {"stride": 2},
    {"padding": 1},
    {"padding": "same"},
    {"padding": "same", "dilation": 2},
    {"dilation": 2, "padding": 2},
    {"groups": 2, "stride": 2, "padding": 1},
]
cases = pytest.mark.parametrize("attributes", CASES, ids=str)


def spread(weight, dilation):
    """The weights with zeros between them."""
    wide = np.zeros(tuple(dilation * (size - 1) + 1 for size in weight.shape))
    wide[tuple(slice(None, None, dilation) for _ in weight.shape)] = weight
    return wide


def by_scipy(x, weight, bias, *, stride=1, padding=0, dilation=1, groups=1):
    """A convolution of (n, c, ...), a sum over channels of SciPy's correlations."""
    inner, outer = weight.shape[1], weight.shape[0] // groups
    axes = x.ndim - 2
    spans = [dilation * (size - 1) for size in weight.shape[2:]]
    around = [(span // 2, span - span // 2) for span in spans] if padding == "same" else [(padding, padding)] * axes
    padded = np.pad(x, [(0, 0), (0, 0), *around])
    rows = []
    for image in padded:
        planes = []
        for m, filters in enumerate(weight):
            own = image[m // outer * inner :][:inner]
            parts = [scipy.signal.correlate(c, spread(w, dilation), "valid", "direct") for c, w in zip(own, filters)]  # noqa: B905
            planes.append(sum(parts)[(slice(None, None, stride),) * axes] + bias[m])
        rows.append(planes)
    return np.array(rows)


@cases
@pytest.mark.parametrize("axes", [1, 2])
def test_convolution_is_a_sum_of_scipys_correlations(axes, attributes, check):
    groups = attributes.get("groups", 1)
    x, bias = check.signed((2, 4, *(7, 6)[:axes]), 1), check.signed((6,), 2)
    weight = check.signed((6, 4 // groups, *(3, 2)[:axes]), 3)
    operator = F.conv1d if axes == 1 else F.conv2d
    np.testing.assert_allclose(operator(x, weight, bias, **attributes), by_scipy(x, weight, bias, **attributes), 1e-12)
    np.testing.assert_allclose(operator(x[0], weight, bias, **attributes), operator(x, weight, bias, **attributes)[0])
    assert check.disagreement(operator, [x[:1], weight, bias], attributes) < check.tolerance


@pytest.mark.parametrize(
    "attributes",
    [*itertools.chain.from_iterable(({"stride": s}, {"padding": 1, "dilation": s}) for s in (1, 2)), {"groups": 2}],
    ids=str,
)
def test_transposed_convolution_is_the_adjoint_of_a_convolution(attributes, check):
    groups = attributes.get("groups", 1)
    x, weight = check.signed((2, 4, 6, 7), 1), check.signed((6, 4 // groups, 2, 3), 2)
    made = F.conv2d(x, weight, **attributes)
    more = [
        size - F.conv_transpose2d(made, weight, **attributes).shape[axis] for axis, size in ((2, 6), (3, 7))
    ]  # what a stride left over
    u = check.signed(made.shape, 3)
    back = F.conv_transpose2d(u, weight, output_padding=tuple(more), **attributes)
    assert back.shape == x.shape
    np.testing.assert_allclose(np.sum(back * x), np.sum(u * made), rtol=1e-12)


def test_transposed_convolution_of_an_impulse_is_its_weights():
    x, weight = np.zeros((1, 2, 2)), np.arange(6.0).reshape(1, 1, 2, 3)
    x[0, 0, 1] = 1
    out = F.conv_transpose2d(x, weight, np.array([10.0]), stride=(1, 3))
    assert out.shape == (1, 3, 6)
    np.testing.assert_array_equal(out[0, :2, 3:], 10 + weight[0, 0])
    np.testing.assert_array_equal(out[0, :, :3], np.full((3, 3), 10.0))


@pytest.mark.parametrize("operator", [F.conv2d, F.conv_transpose2d])
def test_empty_batches_and_single_elements_have_gradients_of_their_shape(operator, check):
    weight, bias = np.ones((2, 2, 1, 1)), np.ones(2)
    for shape in ((0, 2, 3, 3), (1, 2, 1, 1), (2, 0, 2, 1, 3)):
        arrays = [np.ones(shape), weight, bias]
        assert [g.shape for g in check.gradients(operator, arrays)] == [array.shape for array in arrays]
        assert check.disagreement(operator, arrays) < check.tolerance


def test_whole_numbers_are_convolved_exactly():
    out = F.conv1d(np.arange(5)[None], np.array([[[1, -1]]]))
    assert out.dtype.kind == "i"
    assert out.tolist() == [[-1, -1, -1, -1]]


REFUSED = {
    "has 3 channels, weight takes 2": ((1, 3, 5), (2, 2, 2), None, {}),
    "in 2 groups": ((1, 4, 5), (3, 2, 2), None, {"groups": 2}),
    "bias should be": ((1, 2, 5), (2, 2, 2), (3,), {}),
    "don't fit": ((1, 2, 2), (2, 2, 3), None, {}),
    "stride of 1": ((1, 2, 5), (2, 2, 3), None, {"padding": "same", "stride": 2}),
    "1 or more": ((1, 2, 5), (2, 2, 3), None, {"stride": 0}),
    "0 or more": ((1, 2, 5), (2, 2, 3), None, {"padding": -1}),
    "a whole number, or one for each of 1 axes": ((1, 2, 5), (2, 2, 3), None, {"stride": (1, 2)}),
    "padding should be a whole number": ((1, 2, 5), (2, 2, 3), None, {"padding": "full"}),
    "2 axes or more": ((5,), (2, 2, 3), None, {}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_fit_is_refused(message):
    x, weight, bias, attributes = REFUSED[message]
    with pytest.raises(ValueError, match=message):
        F.conv1d(np.ones(x), np.ones(weight), None if bias is None else np.ones(bias), **attributes)


@pytest.mark.parametrize(
    ("x", "attributes", "message"),
    [
        ((1, 2, 2), {"output_padding": 1}, "less than stride or dilation"),
        ((1, 2, 2), {"padding": 2}, "1 or more"),
        ((1, 0, 2), {}, "1 or more"),
        ((2, 2), {}, "channels, height, width"),
    ],
)
def test_a_transposed_convolution_refuses_what_makes_no_output(x, attributes, message):
    with pytest.raises(ValueError, match=message):
        F.conv_transpose2d(np.ones(x), np.ones((1, 1, 2, 2)), **attributes)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: F.conv2d(x, np.ones((3, 5, 2))), r"weight should have 4 axes, .* not the shape \(3, 5, 2\)"),
        (lambda x: F.conv1d(x, np.ones((3, 5, 2, 2))), r"weight should have 3 axes, .* not the shape \(3, 5, 2, 2\)"),
        (lambda x: F.conv2d(x, np.ones(3)), r"weight should have 4 axes, .* not the shape \(3,\)"),
        (lambda x: F.conv1d(x, np.ones((4, 5, 2)), groups=2.0), r"groups should be a whole number, .* not 2\.0"),
        (lambda x: F.conv1d(x, np.ones((4, 5, 2)), groups=0), "groups should be a whole number, 1 or more, not 0"),
        (lambda x: F.conv1d(x, np.ones((4, 5, 2)), stride=0), r"stride \(0,\) .* 1 or more"),
        (lambda x: F.conv_transpose2d(x, np.ones((2, 1, 2, 2)), stride=-1), "stride and dilation .* not -1 and 1"),
        (lambda x: F.conv_transpose2d(x, np.ones((2, 1, 2, 2)), groups=1.0), r"groups .* not 1\.0"),
    ],
)
def test_convolutions_say_which_argument_they_can_not_use(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.ones((2, 5, 5)))
