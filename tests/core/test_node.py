"""What one application of an operator keeps."""

import numpy as np

from gradcheck_cli import Variable, arr, keep, op

A = np.arange(6.0).reshape(2, 3)


def test_a_node_saves_only_what_the_backward_names():
    @op
    def product(x, y, *, scale=1.0):
        """scale * x * y, from which x is read back."""
        return keep(scale * x * y, squares=x * x, unused=np.zeros(1000))

    @product.backward("x")
    def _(g, y, scale):
        return g * scale * y

    @product.backward("y")
    def _(g, x, scale, squares):
        return g * scale * np.where(x > 0, np.sqrt(squares), x)

    x, y = Variable(A), Variable(A + 1)
    node = product(x, y, scale=2.0).creator
    assert set(node.saved) == {"x", "y", "scale", "squares"}
    assert node.saved_bytes == 3 * A.nbytes
    assert node.operator.name == "product"
    assert node.parents == [x, y]
    only_x = product(x, A + 1).creator
    assert set(only_x.saved) == {"y", "scale"}
    assert only_x.saved_bytes == A.nbytes
    assert only_x.saved["scale"] == 1.0


def test_a_node_that_saves_outputs_keeps_no_input():
    @op
    def exp(x):
        """e**x."""
        return np.exp(x)

    @exp.backward
    def _(g, out):
        return g * out

    out = exp(Variable(A))
    assert set(out.creator.saved) == {"out"}
    assert out.creator.saved["out"] is out.data


def test_shapes_and_dtypes_are_those_of_the_call():
    @op(index=arr(nondiff=True), outputs="total count")
    def pick(x, index, bias=None):
        """Some function of these."""
        return x.sum(axis=0), np.array(3)

    @pick.backward
    def _(g_total, x):
        return np.broadcast_to(g_total, x.shape), None

    total, count = pick(Variable(A.astype(np.float32)), np.array([1]))
    node = total.creator
    assert node.inputs == [((2, 3), np.float32), ((1,), np.int64), None]
    assert node.outputs == [((3,), np.float32), ((), np.int64)]
    assert node.input_shapes == ((2, 3), (1,), None)
    assert node.output_shapes == ((3,), ())
    assert repr(node) == "<pick (3,), ()>"
    assert count.creator is None


def test_parents_are_nodes_and_leaves_and_none_for_constants():
    @op
    def add(x, y):
        """x + y."""
        return x + y

    @add.backward
    def _(g):
        return g, g

    x = Variable(A)
    middle = add(x, 1.0)
    out = add(middle, x)
    assert middle.creator.parents == [x, None]
    assert out.creator.parents == [(middle.creator, 0), x]
    assert out.creator.saved == {}
    assert out.creator.saved_bytes == 0


def test_saved_bytes_count_arrays_inside_kept_values():
    @op
    def stacked(*xs):
        """The sum of all."""
        return keep(sum(xs), pieces=[np.zeros(4), np.zeros(2)], table={"a": np.zeros(1)}, flag=True)

    @stacked.backward
    def _(g, xs, pieces, table, flag):
        return [g for _ in xs]

    node = stacked(Variable(A), A).creator
    assert node.saved_bytes == 2 * A.nbytes + 7 * 8


def test_the_shape_of_an_input_is_asked_for_by_its_name():
    @op
    def shifted(x, y=None, *zs):
        """Something of the shape of x."""
        return x + 1

    @shifted.backward
    def _(g, x_shape, y_shape, zs_shape):
        seen.append((x_shape, y_shape, zs_shape))
        return g, np.zeros(y_shape or ()), *map(np.zeros, zs_shape)

    seen = []
    out = shifted(Variable(A), None, A[0], A[:, 0])
    assert out.creator.saved == {"x_shape": (2, 3), "y_shape": None, "zs_shape": ((3,), (2,))}
    assert out.creator.saved_bytes == 0
    out.backward(np.ones((2, 3)))
    assert seen == [((2, 3), None, ((3,), (2,)))]


def test_a_value_that_was_kept_goes_before_the_shape_of_an_input():
    @op
    def told(x):
        """x, with another idea of its shape."""
        return keep(np.array(x), x_shape="kept")

    @told.backward
    def _(g, x_shape):
        return g if x_shape == "kept" else None

    x = Variable(A)
    told(x).backward(np.ones((2, 3)))
    np.testing.assert_array_equal(x.grad, np.ones((2, 3)))


def test_an_input_that_has_the_name_of_a_shape_is_itself():
    @op(x_shape=arr(nondiff=True))
    def reshaped(x, x_shape):
        """x times the sum of another array."""
        return x * x_shape.sum()

    @reshaped.backward
    def _(g, x_shape):
        return g * x_shape.sum()

    x = Variable(A)
    reshaped(x, np.array([2.0, 3.0])).backward(np.ones((2, 3)))
    np.testing.assert_array_equal(x.grad, np.full((2, 3), 5.0))
