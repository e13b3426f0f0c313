"""Declared domains: what they say, what they refuse, and how two of them meet."""

import pytest

from gradcheck_cli.core.domain import Domain, arr, ints, mask


def test_a_float_input_is_differentiable_unless_it_says_otherwise():
    assert arr().differentiable
    assert not arr(nondiff=True).differentiable
    assert not ints(below=3).differentiable
    assert not mask().differentiable


def test_shape_words():
    assert arr().words is None
    assert arr("").words == ()
    assert arr("... m 3").words == ("...", "m", "3")
    assert ints("n", below="k").below == "k"
    assert ints("n", below="10").below == 10


def test_avoid_is_one_value_or_several():
    assert arr(avoid=0).avoid == (0.0,)
    assert arr(avoid=(-1, 1)).avoid == (-1.0, 1.0)
    assert arr().avoid == ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: arr((3, 4)), "a text of words", id="tuple as a shape"),
        pytest.param(lambda: arr(3), "a text of words", id="number as a shape"),
        pytest.param(lambda: mask(["m"]), "a text of words", id="mask with a list"),
        pytest.param(lambda: arr(low="0"), "should be a number", id="low as a text"),
        pytest.param(lambda: arr(avoid=[None, "x"]), "should be a number", id="avoid as a text"),
        pytest.param(lambda: ints(below=2.5), "a number or a shape word", id="below as a float"),
        pytest.param(lambda: ints(below=True), "a number or a shape word", id="below as a boolean"),
    ],
)
def test_wrong_types_are_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: arr("m-1 k"), "neither a size nor a name", id="arithmetic in a shape"),
        pytest.param(lambda: arr("m, k"), "neither a size nor a name", id="comma in a shape"),
        pytest.param(lambda: arr("m ..."), "comes first", id="dots at the end"),
        pytest.param(lambda: arr(low=1, high=1), "not below", id="empty interval"),
        pytest.param(lambda: arr(low=2, high=1), "not below", id="reversed interval"),
        pytest.param(lambda: arr(high=float("inf")), "finite", id="infinite bound"),
        pytest.param(lambda: arr(low=float("nan")), "finite", id="nan bound"),
        pytest.param(lambda: arr("n n", low=0, spd=True), "spd", id="spd with a bound"),
        pytest.param(lambda: ints(below=0), "1 or more", id="below zero"),
        pytest.param(lambda: ints(below="k+1"), "no shape word", id="below as arithmetic"),
    ],
)
def test_domains_with_nothing_in_them_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_narrowed_keeps_what_both_accept():
    both = arr("m k", low=0, avoid=1).narrowed(arr("n", low=-1, high=2, avoid=(1, 0.5), distinct=True))
    assert both == Domain("float", "m k", 0, 2, (1.0, 0.5), distinct=True)


def test_narrowed_takes_the_smaller_number_of_integers_and_keeps_a_word_that_stands_alone():
    assert ints(below=5).narrowed(ints(below=3)).below == 3
    assert ints(below="k").narrowed(ints(below=3)).below == 3
    assert ints(below="k").narrowed(Domain("int")).below == "k"
    assert Domain("int").narrowed(ints(below="k")).below == "k"


def test_narrowed_to_nothing_is_left_to_the_drawing():
    assert arr(low=2).narrowed(arr(high=1)) == Domain(low=2, high=1)
