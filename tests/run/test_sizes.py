"""Sizes of inputs: drawn different, changed one at a time, never by two."""

from __future__ import annotations

import numpy as np
import pytest

from gradcheck_cli.core.arguments import Input
from gradcheck_cli.core.domain import Domain, arr, ints, mask
from gradcheck_cli.core.operator import Operator
from gradcheck_cli.run.sizes import Sizes, checkable, draw_arrays, shape_words, sharing, slots


def operator(*domains: Domain, variadic: bool = False, **own: np.ndarray) -> Operator:
    inputs = [Input(f"x{place}", domain) for place, domain in enumerate(domains)]
    if variadic:
        inputs[-1] = Input("xs", domains[-1], variadic=True)
    return Operator("f", lambda *arrays: arrays[0], tuple(inputs), own=own)


@pytest.mark.parametrize("seed", range(20))
def test_sizes_begin_at_three_and_differ(seed: int) -> None:
    """Over two elements a normalisation is 1 and -1, whatever they are, and its gradient rounding."""
    rng = np.random.default_rng(seed)
    sizes = Sizes.drawn(operator(arr("n k"), arr("... k m")), rng)
    assert len(set(sizes.words.values())) == 3
    assert min(sizes.words.values()) >= 3
    common, leading = sizes.shared["common"], sizes.shared["leading"]
    assert (len(common), len(leading)) == (2, 1)
    assert len({*common, *leading}) == 3
    assert min(*common, *leading) >= 3


def test_many_words_have_small_sizes() -> None:
    sizes = Sizes.drawn(operator(arr("n c h w"), arr("m c kh kw")), np.random.default_rng(0))
    assert len(sizes.words) == 7
    assert set(sizes.words.values()) <= {2, 3, 4}


def test_words_are_listed_once_without_sizes_and_dots() -> None:
    assert shape_words(operator(arr("... n 3"), ints("n", below="k"), arr("k n"))) == ["n", "k"]


def test_who_shares_what() -> None:
    op = operator(arr(), arr("... n"), mask(), arr("n"), arr("..."))
    assert sharing(op, "common") == [0, 2]
    assert sharing(op, "leading") == [1, 4]
    assert sharing(operator(arr(), variadic=True), "common") == [0, 1]


def test_a_value_of_the_operators_own_shares_nothing() -> None:
    op = operator(arr(), arr(), x1=np.ones((4, 2)))
    assert sharing(op, "common") == [0]
    arrays = draw_arrays(op, Sizes.drawn(op, np.random.default_rng(0)), np.random.default_rng(0))
    assert np.array_equal(arrays[1], np.ones((4, 2)))


def test_a_variadic_input_takes_two_positions() -> None:
    op = operator(arr(), arr("n"), variadic=True)
    assert [(slot, item.name) for slot, item in slots(op)] == [(0, "x0"), (1, "xs"), (2, "xs")]


def test_shapes_follow_words_and_what_is_shared() -> None:
    sizes = Sizes({"n": 3, "k": 4}, {"common": (5, 6), "leading": (7,)})
    assert sizes.shape(0, arr("n 2 k")) == (3, 2, 4)
    assert sizes.shape(0, arr()) == (5, 6)
    assert sizes.shape(0, arr("... k")) == (7, 4)
    assert sizes.shape(0, arr("...")) == (7,)
    assert sizes.shape(0, arr("")) == ()


def test_one_thing_is_changed_at_a_time() -> None:
    sizes = Sizes({"n": 3, "k": 4}, {"common": (5, 6), "leading": (7,)})
    assert sizes.with_word("n", 1).shape(0, arr("n k")) == (1, 4)
    assert sizes.with_shared("common", ()).shape(0, arr()) == ()
    assert sizes.with_shared("leading", (2, 2)).shape(0, arr("... k")) == (2, 2, 4)
    apart = sizes.with_own({1: (6,)})
    assert apart.shape(0, arr()) == (5, 6)
    assert apart.shape(1, arr()) == (6,)
    assert sizes.with_own({0: ()}).shape(0, arr("... k")) == (4,)
    assert sizes.shape(0, arr("n k")) == (3, 4)


def test_drawn_arrays_keep_to_their_domains() -> None:
    op = operator(arr("n k", low=1, high=2), ints("n", below="k"), mask("k"), arr("n", nondiff=True))
    sizes = Sizes.drawn(op, np.random.default_rng(1))
    x, labels, kept, weight = draw_arrays(op, sizes, np.random.default_rng(1))
    n, k = sizes.words["n"], sizes.words["k"]
    assert [each.shape for each in (x, labels, kept, weight)] == [(n, k), (n,), (k,), (n,)]
    assert 1 <= x.min() <= x.max() <= 2
    assert 0 <= labels.min() <= labels.max() < k
    assert kept.dtype == bool


def test_integers_below_nothing_can_only_be_none() -> None:
    op = operator(ints("n", below="k"))
    sizes = Sizes({"n": 0, "k": 0}, {"common": (), "leading": ()})
    (empty,) = draw_arrays(op, sizes, np.random.default_rng(0))
    assert (empty.shape, empty.dtype) == ((0,), np.int64)
    with pytest.raises(ValueError, match="below"):
        draw_arrays(op, sizes.with_word("n", 2), np.random.default_rng(0))


def test_what_is_differentiated_is_floating_point() -> None:
    op = operator(arr(), arr(nondiff=True), ints(below=3))
    whole = np.arange(3)
    assert checkable(op, 0, whole).dtype == np.float64
    assert checkable(op, 0, whole.astype(np.float32)).dtype == np.float32
    assert checkable(op, 0, whole.astype(np.float16)).dtype == np.float64
    assert checkable(op, 1, whole) is whole
    assert checkable(op, 2, whole) is whole
    assert checkable(op, 0, None) is None
