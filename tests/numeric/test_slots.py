"""Values are numbered by identity, and stay alive."""

import gc
import weakref

import numpy as np

from gradcheck_cli.numeric.slots import Slots


def test_values_are_known_by_identity_not_by_what_they_hold():
    slots = Slots()
    x, y = np.ones(2), np.ones(2)
    assert [slots.slot(each) for each in (x, y, x, None, y)] == [0, 1, 0, 2, 1]
    assert x in slots
    assert np.ones(2) not in slots
    assert slots.values[0] is x


def test_a_value_is_kept_alive_so_that_no_other_gets_its_identity():
    slots = Slots()
    array = np.ones(3)
    seen = weakref.ref(array)
    slots.slot(array)
    del array
    gc.collect()
    assert seen() is slots.values[0]
