"""Read-only views, comparison to the last bit, and the adjoint of broadcasting."""

from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from gradcheck_cli.core.arrays import byte_count, changed_part, map_arrays, read_only, same_bytes, unbroadcast


def test_read_only_view_refuses_writing_and_leaves_the_array_writable():
    array = np.zeros(3)
    view = read_only(array)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1.0
    array[0] = 2.0
    assert view[0] == 2.0


def test_read_only_view_of_a_read_only_array_stays_read_only():
    assert not read_only(read_only(np.zeros(2))).flags.writeable


def test_map_arrays_reaches_into_tuples_lists_and_dicts_and_keeps_their_types():
    value = (np.ones(2), [np.ones(1), "text"], {"a": np.ones(3)}, None)
    doubled = map_arrays(value, lambda array: 2 * array)
    assert doubled[0].tolist() == [2, 2]
    assert doubled[1][0].tolist() == [2]
    assert doubled[1][1] == "text"
    assert doubled[2]["a"].tolist() == [2, 2, 2]
    assert doubled[3] is None
    assert value[0].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        pytest.param(np.array([1.0, np.nan]), np.array([1.0, np.nan]), True, id="nan equals itself"),
        pytest.param(np.array([0.0]), np.array([-0.0]), False, id="the sign of zero counts"),
        pytest.param(np.zeros(2), np.zeros(2, dtype=np.float32), False, id="dtype"),
        pytest.param(np.zeros((2, 1)), np.zeros((1, 2)), False, id="shape"),
        pytest.param((np.zeros(2), 1), (np.zeros(2), 1), True, id="tuple"),
        pytest.param([np.zeros(2)], [np.ones(2)], False, id="list"),
        pytest.param({"a": np.zeros(2)}, {"a": np.zeros(2)}, True, id="dict"),
        pytest.param({"a": np.zeros(2)}, {"a": np.full(2, 1e-300)}, False, id="dict, tiny change"),
        pytest.param((np.zeros(2),), (np.zeros(2), np.zeros(2)), False, id="length"),
        pytest.param({"a": np.zeros(1)}, {"b": np.zeros(1)}, False, id="keys"),
    ],
)
def test_same_bytes(before, after, same):
    assert same_bytes(before, after) is same


def test_same_bytes_compares_the_elements_of_a_non_contiguous_array():
    array = np.arange(6.0).reshape(2, 3)
    assert same_bytes(array.T, array.T.copy())


def test_byte_count_adds_up_what_is_inside():
    assert byte_count((np.zeros(2), [np.zeros(3, dtype=np.float32)], {"a": np.zeros(1)}, 5, "text")) == 16 + 12 + 8


@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3))
def test_unbroadcast_is_the_adjoint_of_broadcasting(shapes):
    shape, full = shapes.input_shapes[0], shapes.result_shape
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal(shape), rng.standard_normal(full)
    back = unbroadcast(g, shape)
    assert back.shape == shape
    assert np.isclose(np.sum(np.broadcast_to(x, full) * g), np.sum(x * back), atol=1e-12)


def test_unbroadcast_over_no_element_gives_zeros():
    assert unbroadcast(np.zeros((0, 3)), (3,)).tolist() == [0, 0, 0]
    assert unbroadcast(np.zeros((2, 0)), (2, 1)).tolist() == [[0], [0]]


@pytest.mark.parametrize(
    ("got", "shape"),
    [((2, 3), (3, 2)), ((6,), (2, 3)), ((2, 3), (4,)), ((3,), (1, 3)), ((2, 3), (6,)), ((), (3,))],
    ids=str,
)
def test_unbroadcast_leaves_what_no_broadcast_gives_for_the_check_of_shapes(got, shape):
    g = np.arange(float(np.prod(got, dtype=int))).reshape(got)
    assert unbroadcast(g, shape).shape == got


def test_unbroadcast_keeps_the_dtype():
    assert unbroadcast(np.ones((4, 3), dtype=np.float32), (3,)).dtype == np.float32


class Cache:
    """What a layer may keep: arrays as attributes."""

    def __init__(self, x, **others):
        self.x = x
        self.__dict__.update(others)


def test_arrays_inside_objects_are_mapped_into_new_objects():
    cache = Cache(np.ones(2), inner=Cache(np.zeros(3)), name="c")
    mapped = map_arrays(cache, lambda array: array + 1)
    assert (mapped.x.tolist(), mapped.inner.x.tolist(), mapped.name) == ([2, 2], [1, 1, 1], "c")
    assert (cache.x.tolist(), cache.inner.x.tolist()) == ([1, 1], [0, 0, 0])


def test_named_tuples_stay_named_tuples():
    Pair = namedtuple("Pair", "x y")
    mapped = map_arrays(Pair(np.ones(1), "y"), lambda array: array * 3)
    assert (mapped.x.tolist(), mapped.y) == ([3], "y")


def test_changed_bytes_inside_objects_are_seen():
    cache = Cache(np.ones(2), inner=Cache(np.zeros(3)))
    before = map_arrays(cache, np.array)
    assert same_bytes(before, cache)
    cache.inner.x[1] = 5.0
    assert not same_bytes(before, cache)


def test_objects_in_a_circle_end():
    cache = Cache(np.ones(2))
    cache.itself = cache
    before = map_arrays(cache, np.array)
    assert same_bytes(before, cache)
    cache.x[0] = 2.0
    assert not same_bytes(before, cache)
    assert byte_count(Cache(np.ones(2), more=[np.ones(3)])) == 40


def test_functions_and_modules_are_left_alone():
    def function():
        """A function with an array as an attribute."""

    function.table = np.ones(2)
    assert map_arrays(function, np.array) is function
    assert map_arrays(np, np.array) is np


@pytest.mark.parametrize(
    ("before", "after", "part"),
    [
        (np.zeros(1), np.ones(1), ""),
        ((np.zeros(1), np.zeros(1)), (np.zeros(1), np.ones(1)), "[1]"),
        ({"x": [np.zeros(1)]}, {"x": [np.ones(1)]}, "['x'][0]"),
        (Cache(np.ones(1), inner={3: np.ones(1)}), Cache(np.ones(1), inner={3: np.zeros(1)}), ".inner[3]"),
        ([np.zeros(1)], [np.zeros(1), np.zeros(1)], ""),
        ({"x": np.zeros(1)}, {"y": np.zeros(1)}, ""),
        ((np.zeros(1), "a"), (np.zeros(1), "b"), None),
        (np.zeros(1), None, None),
    ],
)
def test_the_part_that_changed_is_named(before, after, part):
    assert changed_part(before, after) == part


@pytest.mark.parametrize("make", [lambda: [], lambda: {}, lambda: Cache(np.zeros(2))], ids=["list", "dict", "object"])
def test_values_that_hold_themselves_end(make):
    value = make()
    if isinstance(value, list):
        value += [np.ones(2), value, value]
    elif isinstance(value, dict):
        value.update(x=np.ones(2), a=value, b=(value, [value]))
    else:
        value.rest = [value, {"again": value}]
    before = map_arrays(value, np.array)
    assert byte_count(value) == 16
    assert same_bytes(before, value)
    array = value[0] if isinstance(value, list) else value["x"] if isinstance(value, dict) else value.x
    array[1] = 7
    assert not same_bytes(before, value)


def test_mappings_of_other_types_keep_them():
    value = defaultdict(list, x=np.ones(2))
    mapped = map_arrays(value, lambda array: array + 1)
    assert (mapped["x"].tolist(), mapped["new"], value["x"].tolist()) == ([2, 2], [], [1, 1])
    assert byte_count(OrderedDict(x=np.ones(2))) == 16
    assert changed_part(OrderedDict(x=np.ones(2)), OrderedDict(x=np.zeros(2))) == "['x']"
