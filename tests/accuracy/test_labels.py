"""Every label is true: found again with other means than the checker's."""

import numpy as np
import pytest

from tests.accuracy.corpus import FAMILIES, OPERATORS
from tests.accuracy.labelled import arguments_of
from tests.accuracy.truth import call_backward, evaluate, given_jacobian, is_float, one_sided, scales, true_jacobian

SEEDS = (0,)


def names_of(*labels):
    return [name for name, operator in OPERATORS.items() if operator.label in labels]


def at(name, seed):
    operator = OPERATORS[name]
    forward, backward = operator.make()
    arguments = arguments_of(operator, seed)
    return operator, forward, backward, arguments, evaluate(forward, arguments)


def excess(name, seed):
    """Return how far the backward is from the truth, as a share of |a| + |n|, and how well the truth is known.

    The cotangents are those of every single output, and a signed one of all. What rounding in the backward and the
    bar of the truth explain is not counted.
    """
    operator, forward, backward, arguments, out = at(name, seed)
    g = 3 * np.random.default_rng(seed).standard_normal(out.shape).astype(out.dtype)
    returned = call_backward(backward, g, out, arguments)
    digits = 1.0 if out.dtype == np.float64 else 2.0**29
    off, doubt = 0.0, 0.0
    for slot, argument in enumerate(arguments):
        if not is_float(argument) or not argument.size:
            continue
        truth, bars = true_jacobian(operator.ideal or forward, arguments, slot)
        sensitivity = np.abs(out).reshape(-1, 1) / scales(argument)
        explained = 3 * bars + digits * (1e-11 * np.abs(truth).max(axis=1, keepdims=True) + 1e-13 * sensitivity)
        off = max(off, share(given_jacobian(backward, out, arguments, slot), truth, explained))
        signed, flat = np.asarray(returned[slot], dtype=np.float64).reshape(1, -1), g.reshape(1, -1)
        off = max(off, share(signed, flat @ truth, np.abs(flat) @ explained))
        doubt = max(doubt, bars.max() / (np.abs(truth).max() + 1e-3 * sensitivity.max() + 1e-300))
    return off, doubt


def share(given, truth, explained):
    unexplained = np.maximum(np.abs(given - truth) - explained, 0)
    return (unexplained / (np.abs(given) + np.abs(truth) + 1e-300)).max()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", names_of("correct"))
def test_a_correct_backward_is_the_derivative(name, seed):
    off, doubt = excess(name, seed)
    allowed = 1e-9 if at(name, seed)[4].dtype == np.float64 else 1e-5
    assert off < allowed, f"{name}, seed {seed}: off by {off:.2g}"
    assert doubt < 1e-6, f"{name}, seed {seed}: the truth is known to {doubt:.2g} only"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", names_of("wrong"))
def test_a_wrong_backward_is_not_the_derivative(name, seed):
    _, _, backward, arguments, out = at(name, seed)
    if name == "cotangent_read_in_memory_order":
        wide = np.asfortranarray(np.random.default_rng(seed).standard_normal(out.shape))
        assert not np.array_equal(backward(wide[:], out, *arguments)[0], 2 * wide)
        return
    off, _ = excess(name, seed)
    assert off > 2e-7, f"{name}, seed {seed}: off by {off:.2g} only"


@pytest.mark.parametrize("name", names_of("kink"))
def test_a_kink_has_two_slopes_or_a_jump(name):
    operator, forward, backward, arguments, out = at(name, 0)
    directions = list(directions_of(arguments, np.random.default_rng(0)))
    jumps, kinked, invalid = 0, 0, 0
    for direction in directions:
        forth, back, jump = one_sided(forward, arguments, direction)
        if np.abs(jump).max() > 1e-6:
            jumps += 1
            continue
        kinked += bool(np.abs(forth - back).max() > 1e-6)
        slope = np.array([directional(backward, out, arguments, direction, k) for k in range(out.size)])
        low, high = np.minimum(forth, back), np.maximum(forth, back)
        invalid += bool((slope < low - 1e-6).any() or (slope > high + 1e-6).any())
    assert (jumps > 0) == (operator.finding == "jump"), f"{name}: {jumps} of {len(directions)} directions jump"
    if operator.finding != "jump":
        assert kinked, f"{name}: smooth in {len(directions)} directions"
        assert (invalid > 0) == (operator.finding == "invalid-at-kink"), f"{name}: {invalid} directions invalid"


def directions_of(arguments, rng):
    """Yield every element alone, and 20 signed directions in all arguments at once."""
    for slot, argument in enumerate(arguments):
        for element in range(argument.size):
            direction = [np.zeros_like(a) for a in arguments]
            direction[slot].reshape(-1)[element] = 1
            yield direction
    yield [np.ones_like(a) for a in arguments]
    for _ in range(20):
        yield [rng.choice([-1.0, 1.0], a.shape) for a in arguments]


def directional(backward, out, arguments, direction, k):
    g = np.zeros(out.size)
    g[k] = 1
    gradients = call_backward(backward, g.reshape(out.shape), out, arguments)
    return sum(float((a * d).sum()) for a, d in zip(gradients, direction, strict=True))


@pytest.mark.parametrize("name", names_of("nan"))
def test_a_nan_label_has_something_that_is_not_finite(name):
    _, _, backward, arguments, out = at(name, 0)
    gradients = call_backward(backward, np.ones_like(out), out, arguments)
    assert not all(np.isfinite(array).all() for array in (out, *gradients)), name


@pytest.mark.parametrize("name", names_of("shape"))
def test_a_shape_label_has_gradients_of_another_number_shape_or_type(name):
    _, _, backward, arguments, out = at(name, 0)
    gradients = call_backward(backward, np.ones_like(out), out, arguments)
    layouts = [(np.shape(g), np.asarray(g).dtype) for g in gradients]
    assert layouts != [(a.shape, a.dtype) for a in arguments], name


@pytest.mark.parametrize("name", names_of("nondeterministic"))
def test_a_nondeterministic_label_gives_two_answers(name):
    _, forward, backward, arguments, out = at(name, 0)
    g = np.ones_like(out)
    first = call_backward(backward, g, out, arguments)
    again = evaluate(forward, arguments)
    second = call_backward(backward, g, out, arguments)
    same = np.array_equal(out, again) and all(map(np.array_equal, first, second))
    assert not same, name


@pytest.mark.parametrize("name", names_of("mutates"))
def test_a_mutating_label_writes_to_its_arguments(name):
    operator = OPERATORS[name]
    forward, backward = operator.make()
    arguments = [a.copy() for a in arguments_of(operator, 0)]
    before = [a.copy() for a in arguments]
    out = forward(*arguments)
    g = np.full_like(out, 1.5)
    given, shown = g.copy(), out.copy()
    backward(g, out, *arguments)
    written = (*zip(before, arguments, strict=True), (given, g), (shown, out))
    assert not all(np.array_equal(old, new) for old, new in written), name


def test_labels_are_well_balanced():
    counts = {label: len(names_of(label)) for label in ("correct", "wrong")}
    assert len(OPERATORS) >= 156
    assert 0.8 < counts["correct"] / counts["wrong"] < 1.25, counts
    assert all(family for family in FAMILIES.values())
