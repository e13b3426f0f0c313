"""Copies of objects with everything in them."""

import functools
import threading
from collections import OrderedDict, deque, namedtuple
from types import SimpleNamespace

import numpy as np

from gradcheck_cli.bridges.objects.contents import contents_of, duplicate

Pair = namedtuple("Pair", "left right")


class Slotted:
    __slots__ = ("__dict__", "array")

    def __init__(self, array):
        self.array = array


class Lookup:
    """Finds attributes in a mapping, as small frameworks do; fails while it is empty."""

    def __init__(self, **held):
        self.__dict__["held"] = held

    def __getattr__(self, name):
        return self.__dict__["held"][name]


class Counter:
    def __init__(self):
        self.count = 0
        self.step = lambda by=1: setattr(self, "count", self.count + by)
        self.bound = self.add
        self.part = functools.partial(self.step, 5)

    def add(self):
        self.count += 10


def arrays(count):
    return [np.full(2, float(i)) for i in range(count)]


def test_arrays_are_found_wherever_they_are():
    a, b, c, d, e, f, g, h = arrays(8)

    def closed():
        return f

    value = SimpleNamespace(
        plain=a,
        inside={"list": [b, (c, Pair(d, a))], "ordered": OrderedDict(x=e)},
        function=closed,
        slots=Slotted(g),
        objects=np.array([h, None], dtype=object),
        lookup=Lookup(x=a),
        queue=deque([a]),
        text="nothing",
        number=3,
    )
    value.itself = value
    found = {id(array) for array in contents_of(value).arrays}
    assert found == {id(array) for array in (a, b, c, d, e, f, g, h)}


def test_copy_shares_nothing():
    (a,) = arrays(1)
    value = SimpleNamespace(a=a, same=a, parts=[a, {"x": a}], slots=Slotted(a))
    copied, copies = duplicate(value)
    assert copied.a is copied.same is copied.parts[0] is copied.parts[1]["x"] is copied.slots.array is copies[id(a)]
    copied.a += 1
    np.testing.assert_array_equal(a, 0.0)


def test_replaced_parts_are_not_copied():
    a, b = arrays(2)
    value = SimpleNamespace(a=a, parts=[a, b])
    copied, _ = duplicate(value, {id(a): b})
    assert copied.a is copied.parts[0] is b
    assert copied.parts[1] is not b


def test_functions_see_the_copy_that_they_belong_to():
    counter = Counter()
    copied, _ = duplicate(counter)
    copied.step()
    copied.bound()
    copied.part()
    assert (copied.count, counter.count) == (16, 0)
    counter.step(by=2)
    assert (copied.count, counter.count) == (16, 2)


def test_object_with_lookup_is_copied():
    (a,) = arrays(1)
    value = Lookup(a=a)
    copied, _ = duplicate([value, value])
    assert copied[0] is copied[1]
    copied[0].a += 1
    np.testing.assert_array_equal(a, 0.0)


def test_what_can_not_be_copied_is_shared_and_the_rest_is_not():
    lock = threading.Lock()
    value = SimpleNamespace(lock=lock, module=np, lines=(line for line in ()), array=np.zeros(2))
    copied, _ = duplicate(value)
    assert (copied.lock, copied.module, copied.lines) == (lock, np, value.lines)
    assert copied.array is not value.array


def test_function_whose_variable_is_not_set_yet():
    def outer():
        def inner():
            return later

        copied, _ = duplicate(inner)
        later = 3
        return copied, inner() == later

    assert outer()[1]
