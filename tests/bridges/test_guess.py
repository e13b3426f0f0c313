"""Guessing what undeclared code accepts: shapes on which forward and backward agree, hiding no mistake."""

import numpy as np
import pytest

from gradcheck_cli import check
from gradcheck_cli.bridges.functions.pairs import from_pair
from gradcheck_cli.bridges.functions.values import from_value
from gradcheck_cli.bridges.guess import guess_domains
from gradcheck_cli.bridges.guess_words import guessed_words
from gradcheck_cli.errors import OperatorError, Skipped


def guessed(forward, backward):
    operator = from_pair("f", forward, backward)
    return guess_domains(operator, np.random.default_rng(5))


def shapes(operator):
    return {item.name: item.domain.shape for item in operator.inputs}


def multiply(x, y):
    return x * y, (x, y)


def multiply_backward(dout, cache):
    return dout * cache[1], dout * cache[0]


def affine(x, w, b):
    return x @ w + b, (x, w)


def affine_backward(dout, cache):
    return dout @ cache[1].T, cache[0].T @ dout, dout.sum(axis=0)


def scale(x, gamma):
    return x * gamma, (x, gamma)


def scale_backward(dout, cache):
    return dout * cache[1], (dout * cache[0]).sum(axis=0)


def pick(x, labels):
    return x[np.arange(len(x)), labels], (x.shape, labels)


def pick_backward(dout, cache):
    dx = np.zeros(cache[0])
    dx[np.arange(len(dx)), cache[1]] = dout
    return dx


def stretch(x, factor):
    return x * factor, factor


def stretch_backward(dout, cache):
    return dout * cache


def test_elementwise_code_takes_one_common_shape():
    operator = guessed(multiply, multiply_backward)
    assert shapes(operator) == {"x": None, "y": None}
    assert guessed_words(from_pair("f", multiply, multiply_backward), operator) == (
        "no domain is declared, guessed: x, y of one common shape"
    )


def test_a_product_takes_sizes_that_differ_and_a_bias_the_shape_of_its_gradient():
    assert shapes(guessed(affine, affine_backward)) == {"x": "n d", "w": "d k", "b": "k"}


def test_what_square_matrices_would_hide_is_found():
    def averaged(x, w):
        return x @ w / x.shape[0], (x, w)

    def averaged_backward(dout, cache):
        x, w = cache
        return dout @ w.T / x.shape[1], x.T @ dout / x.shape[1]

    found = guessed(averaged, averaged_backward)
    assert shapes(found) == {"x": "n d", "w": "d k"}
    assert check(found, [np.ones((2, 3)), np.ones((3, 4))]).verdict == "fail"


def test_the_matrices_of_a_network_have_sizes_that_differ():
    def network(x, W1, b1, W2, b2):
        h = np.tanh(x @ W1 + b1)
        return h @ W2 + b2, (x, h, W1, W2)

    def network_backward(dout, cache):
        x, h, W1, W2 = cache
        inner = dout @ W2.T * (1 - h * h)
        return inner @ W1.T, x.T @ inner, inner.sum(0), h.T @ dout, dout.sum(0)

    expected = {"x": "n d", "W1": "d k", "b1": "k", "W2": "k m", "b2": "m"}
    assert shapes(guessed(network, network_backward)) == expected


def test_only_square_matrices_have_a_square():
    def squared(x, w):
        return x @ x + w @ w, (x, w)

    def squared_backward(dout, cache):
        x, w = cache
        return dout @ x.T + x.T @ dout, dout @ w.T + w.T @ dout

    assert shapes(guessed(squared, squared_backward)) == {"x": "n n", "w": "n n"}


def test_a_parameter_takes_the_shape_of_its_gradient():
    assert shapes(guessed(scale, scale_backward)) == {"x": "n d", "gamma": "d"}


def test_what_is_named_like_labels_is_tried_as_whole_numbers():
    operator = guessed(pick, pick_backward)
    x, labels = operator.inputs
    assert (x.domain.shape, labels.domain.kind, labels.domain.below) == ("n d", "int", "d")
    assert operator.rules[0].inputs == ("x",)


def test_an_input_without_a_gradient_is_given_and_said():
    operator = guessed(stretch, stretch_backward)
    assert operator.inputs[1].domain.nondiff
    assert "returns no gradient for factor, which was not checked" in guessed_words(
        from_pair("f", stretch, stretch_backward), operator
    )


def test_a_gradient_larger_than_its_input_is_no_guess():
    """db = dout lacks its sum: on inputs of one shape nothing is wrong, and those are what is guessed."""
    operator = guessed(lambda x, b: (x + b, None), lambda dout, cache: (dout, dout))
    assert shapes(operator) == {"x": None, "b": None}


def needs_settings(x, conv_param):
    return x * conv_param["stride"], conv_param


def needs_settings_backward(dout, cache):
    return dout * cache["stride"]


def test_code_that_needs_settings_is_asked_for_its_domain():
    with pytest.raises(OperatorError) as caught:
        guessed(needs_settings, needs_settings_backward)
    assert caught.value.problems[0].hint == "say what it accepts: domain: {x: {shape: ...}, conv_param: [...]}"


def test_code_that_is_not_written_is_no_guess():
    with pytest.raises(Skipped, match="not written yet"):
        guessed(lambda x: (None, None), lambda dout, cache: None)


def test_declared_code_is_left_alone():
    operator = from_pair("f", multiply, multiply_backward, domain={"x": {"shape": "n"}, "y": {"shape": "n"}})
    assert guess_domains(operator, np.random.default_rng(0)) is operator


def row_loss(scores, y):
    picked = scores[np.arange(len(scores)), y]
    return (np.maximum(0, scores - picked[:, None] + 1).sum(axis=1) - 1).sum()


def row_loss_gradient(scores, y):
    dscores = (scores - scores[np.arange(len(scores)), y][:, None] + 1 > 0).astype(float)
    dscores[np.arange(len(scores)), y] -= dscores.sum(axis=1)
    return dscores


@pytest.mark.parametrize("seed", range(8))
def test_labels_stay_below_the_number_of_columns_and_indices_below_the_number_of_rows(seed):
    loss = guess_domains(from_value("loss", row_loss, row_loss_gradient), np.random.default_rng(seed))
    assert [item.domain.below for item in loss.inputs] == [None, "d"], seed

    def look_up(table, idx):
        return table[idx], (table.shape, idx)

    def look_up_backward(dout, cache):
        dtable = np.zeros(cache[0])
        np.add.at(dtable, cache[1], dout)
        return dtable

    table = guess_domains(from_pair("look_up", look_up, look_up_backward), np.random.default_rng(seed))
    assert [item.domain.below for item in table.inputs] == [None, "n"], seed


def test_one_label_goes_with_the_scores_of_one_example():
    def surprise(scores, t):
        return np.log(np.exp(scores).sum()) - scores[t.item()]

    def surprise_gradient(scores, t):
        dscores = np.exp(scores) / np.exp(scores).sum()
        dscores[t] -= 1
        return dscores

    found = guess_domains(from_value("surprise", surprise, surprise_gradient), np.random.default_rng(3))
    assert [(item.domain.shape, item.domain.below) for item in found.inputs] == [("n", None), ("", "n")]


def affine_unsummed_backward(dout, cache):
    return dout @ cache[1].T, cache[0].T @ dout, dout


def test_a_bias_is_a_vector_even_if_its_gradient_is_not_summed():
    assert shapes(guessed(affine, affine_unsummed_backward)) == {"x": "n d", "w": "d k", "b": "k"}


def misspelt_backward(dout, cache):
    return dout * cahce  # noqa: F821


def test_a_misspelt_name_is_an_error_and_no_matter_of_inputs():
    with pytest.raises(OperatorError, match="NameError"):
        guessed(lambda x: (x, x), misspelt_backward)
