"""The function around a point: what moved, by how much, and what happens outside of the domain."""

import numpy as np
import pytest

from gradcheck_cli import op
from gradcheck_cli.errors import ContractViolation
from gradcheck_cli.numeric import point as module
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.point import Line, Outputs, Point, moved_together
from tests.numeric.slabs import Slabs

X = np.array([0.5, -1.0, 2.0])


def test_several_outputs_of_any_shape_are_one_vector_and_back():
    like = (np.ones((2, 2)), np.array(3.0), np.zeros(0), np.float32([5, 6]))
    outputs = Outputs(like)
    vector = outputs.flat(like)
    assert vector.dtype == np.float64
    assert vector.tolist() == [1, 1, 1, 1, 3, 5, 6]
    parts = outputs.split(np.arange(7.0))
    assert [(part.shape, part.dtype) for part in parts] == [(out.shape, out.dtype) for out in like]
    assert parts[0].tolist() == [[0, 1], [2, 3]]
    assert parts[3].tolist() == [5, 6]


def test_outputs_that_are_no_floats_are_left_out_and_get_zeros():
    like = (np.arange(3), np.ones(2), np.array([True]))
    outputs = Outputs(like)
    assert outputs.flat(like).tolist() == [1, 1]
    assert [part.tolist() for part in outputs.split(np.array([7.0, 8.0]))] == [[0, 0, 0], [7, 8], [0]]
    assert Outputs((np.arange(3),)).flat((np.arange(3),)).tolist() == []
    assert Outputs((np.arange(3),)).epsilon.tolist() == []


def test_every_output_has_the_epsilon_of_its_type():
    double, single = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)
    outputs = Outputs((np.ones(1), np.float32([1, 2]), np.arange(4)))
    assert outputs.epsilon.tolist() == [double, single, single]


def test_moving_one_element_moves_the_outputs_that_depend_on_it(point):
    around = point(lambda x: x * x, X)
    displacement, change = around.moved(1, 0.5)
    assert displacement == 0.5
    assert change.tolist() == [0, -0.75, 0]
    assert around.base.tolist() == [0.25, 1, 4]
    assert around.evaluations == 1


def test_moving_several_elements_moves_each_by_its_own(point):
    displacement, change = point(lambda x: 3 * x, X).moved(np.array([0, 2]), np.array([0.5, -1.0]))
    assert displacement.tolist() == [0.5, -1.0]
    assert change.tolist() == [1.5, 0, -3]


def test_the_point_itself_stays_where_it_is(point):
    x = X.copy()
    around = point(lambda x: x * x, x)
    around.moved(np.arange(3), np.ones(3))
    assert x.tolist() == X.tolist()
    assert around.moved(0, 0.0)[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("x", "asked"), [(1.0, 1e-17), (1.0, 1.7e-16), (1e10, 1e-7), (0.1, 1e-16), (-3.0, 5e-16), (1e-310, 1e-324)]
)
def test_the_displacement_is_the_one_that_was_realised(x, asked, point):
    around = point(lambda x: x, x)
    displacement, change = around.moved(0, asked)
    assert displacement == (x + asked) - x
    assert change.tolist() == [displacement]


def test_the_displacement_in_single_precision_is_that_of_the_rounded_number(point):
    around = point(lambda x: x, np.float32([0.1, 1.0]))
    displacement, change = around.moved(1, 1e-8)
    assert (displacement, change.tolist()) == (0, [0, 0])
    displacement, change = around.moved(1, 1e-6)
    assert displacement == float(np.float32(1 + 1e-6)) - 1
    assert displacement != 1e-6
    assert change.tolist() == [0, displacement]


def test_spacings_are_those_of_the_type(point):
    assert point(lambda x: x, np.array([1.0, -1e10, 0.0])).spacings.tolist() == [2**-52, 2**-19, 2**-1074]
    assert point(lambda x: x, np.float32([1.0, -1024.0])).spacings.tolist() == [2**-23, 2**-13]


def test_a_scalar_and_a_matrix_are_vectors(point):
    assert point(lambda x: x * 2, 3.0).moved(0, 1.0)[1].tolist() == [2]
    around = point(lambda x: x.sum(axis=0), np.arange(6.0).reshape(2, 3))
    assert around.displaced(4, 10.0).tolist() == [[0, 1, 2], [3, 14, 5]]
    assert around.moved(4, 10.0)[1].tolist() == [0, 10, 0]


def test_typical_magnitude_and_scales_are_those_of_the_parameter(point):
    around = point(lambda x: x, np.array([0.0, 2.0, 100.0, 1.0]))
    assert around.typical == 2.0
    assert around.scales.tolist() == [0.2, 2.0, 100.0, 1.0]


def picky(x):
    """The logarithm, which refuses what isn't positive."""
    if (x <= 0).any():
        raise ValueError("x should be positive")
    return np.log(x)


def test_where_the_function_raises_it_has_no_value(point):
    around = point(picky, np.array([1.0, 2.0]))
    assert np.isnan(around.moved(0, -1.5)[1]).all()
    assert around.outside == "ValueError: x should be positive"
    assert np.isfinite(around.moved(0, 1.5)[1]).all()


def test_where_the_outputs_have_another_shape_there_is_no_value(point):
    around = point(lambda x: x[x > 0], np.array([1.0, 2.0]))
    assert np.isnan(around.moved(1, -3.0)[1]).all()
    assert "another shape" in around.outside
    assert np.isfinite(around.moved(1, -1.0)[1]).all()


def test_where_an_operator_raises_its_own_words_are_kept():
    marked = op(picky)
    marked.backward(lambda g, x: g / x)
    function = TracedFunction(lambda variables: marked(variables["x"]))
    values = {"x": np.array([1.0, 2.0])}
    around = Point(function, values, "x", Outputs(function.outputs(values)))
    assert np.isnan(around.moved(0, -1.5)[1]).all()
    assert around.outside == "forward of picky raised ValueError: x should be positive"


def test_a_broken_contract_is_no_domain(point):
    def writes(x):
        if x[0] > 1:
            x += 1
        return x

    around = point(writes, np.array([1.0, 2.0]))
    assert around.moved(0, -0.5)[1].tolist() == [-0.5, 0]
    with pytest.raises(ContractViolation):
        around.moved(0, 0.5)


def test_an_interrupt_is_no_domain(point):
    def stop(x):
        if x > 1:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        point(stop, 1.0).moved(0, 0.5)


def test_evaluations_are_announced_before_they_are_made():
    seen = []
    function = TracedFunction(lambda variables: seen.append("evaluated") or variables["x"])
    around = Point(function, {"x": X}, "x", Outputs((X,)), lambda count: seen.append("announced"))
    around.moved(0, 1.0)
    around.evaluate({})
    assert seen == ["announced", "evaluated"] * 2
    assert around.evaluations == 2


def test_several_parameters_move_together(point):
    def product(x, y):
        return x * y

    first = point(product, X, y=np.array([1.0, 2.0, 3.0]))
    second = point(product, X, "y", y=np.array([1.0, 2.0, 3.0]))
    change = moved_together(
        [(first, np.array([0, 1]), np.array([0.5, 1.0])), (second, np.array([1]), np.array([-1.0]))]
    )
    assert change.tolist() == [0.5, 2.0, 0]  # (-1 + 1) * (2 - 1) instead of -2
    assert (first.evaluations, second.evaluations) == (1, 0)
    assert moved_together([(second, np.array([1]), np.array([-1.0]))]).tolist() == [0, 1.0, 0]


def test_elements_move_one_by_one_by_displacements_of_their_own(point):
    around = point(lambda x: x * x, X)
    realised, chunks = around.one_by_one(np.array([2, 0]), np.array([[1.0, 0.5], [-1.0, 3e-16]]))
    changes = np.concatenate([chunk.changes for chunk in chunks], axis=2)
    assert realised.tolist() == [[1.0, 0.5], [-1.0, (0.5 + 3e-16) - 0.5]]
    assert changes[:, 0].T.tolist() == [[0, 0, 5], [0.75, 0, 0]]
    assert changes[:, 1, 0].tolist() == [0, 0, -3]
    assert around.evaluations == 4


def test_one_element_moves_alone_by_several_displacements(point):
    for evaluator in (None, [2, 0]):
        around = point(lambda x: np.array([x[0], x[1], x[0] * x[1]]), [2.0, 3.0])
        if evaluator:
            around.evaluator = Slabs(around.evaluator, lambda element: [2, element], 1)
        realised, changes = around.alone(1, np.array([1.0, -1.0]))
        assert realised.tolist() == [1, -1]
        assert changes.tolist() == [[0, 1, 2], [0, -1, -2]]


def test_all_elements_move_together(point):
    around = point(lambda x: x * x, X)
    assert around.together(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, -2.0]])).tolist() == [[2, -1, 0], [0, 0, -4]]
    assert around.evaluations == 2


def test_displacements_of_many_are_realised_in_single_precision(point):
    around = point(lambda x: x, np.float32([0.1, 1.0]))
    realised, _ = around.one_by_one(np.array([1]), np.array([[1e-8], [1e-6]]))
    assert realised.tolist() == [[0], [float(np.float32(1 + 1e-6)) - 1]]
    assert around.together(np.array([[0.0, 1e-6]])).tolist() == [[0, float(np.float32(1 + 1e-6)) - 1]]


def test_outputs_that_are_looked_at_are_those_alone(point):
    around = point(lambda x: x * x, X)
    around.outputs.jitter = np.array([0.0, 0.0, 1e-9])
    seen = around.seen_by(np.array([2, 1]))
    assert seen.base.tolist() == [4, 1]
    assert seen.outputs.jitter.tolist() == [1e-9, 0]
    assert seen.outputs.epsilon.tolist() == [2.0**-52] * 2
    assert seen.moved(1, 1.0)[1].tolist() == [0, -1]
    assert seen.alone(2, np.array([1.0]))[1].tolist() == [[5, 0]]
    assert (around.evaluations, seen.x.tolist()) == (2, X.tolist())
    assert around.seen_by(None) is around
    assert around.base.tolist() == [0.25, 1, 4]


def test_what_happened_outside_is_known_to_every_view(point):
    around = point(picky, np.array([1.0, 2.0]))
    line, seen = Line(around, np.ones(2)), around.seen_by(np.array([0]))
    assert np.isnan(seen.alone(0, np.array([-1.5]))[1]).all()
    assert line.outside == seen.outside == around.outside == "ValueError: x should be positive"


def test_a_line_moves_along_its_direction(point):
    around = point(lambda x: x * x, X)
    line = Line(around, np.array([1.0, 0.0, -2.0]))
    realised, changes = line.alone(0, np.array([0.5, -0.5]))
    assert realised.tolist() == [0.5, -0.5]
    assert changes.tolist() == [[0.75, 0, -3], [-0.25, 0, 5]]
    step, change = line.moved(0, 0.5)
    assert (float(step), change.tolist()) == (0.5, [0.75, 0, -3])
    _, chunks = line.one_by_one(np.array([0, 0]), np.array([[0.5, 1.0]]))
    assert np.concatenate([chunk.changes for chunk in chunks], axis=2)[0, 0].tolist() == [0.75, 2.0]
    assert around.evaluations == 5


def test_many_displacements_are_taken_in_parts(point, monkeypatch):
    displacements = np.arange(15.0).reshape(5, 3)
    expected = point(lambda x: x * x, X).together(displacements).tolist()
    monkeypatch.setattr(module, "_TOGETHER", 7)
    around = point(lambda x: x * x, X)
    rows, evaluate = [], around.evaluator.together

    def counted(values, announce):
        rows.append(len(values))
        return evaluate(values, announce)

    monkeypatch.setattr(around.evaluator, "together", counted)
    assert around.together(displacements).tolist() == expected
    assert rows == [2, 2, 1]
