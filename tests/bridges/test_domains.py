"""Domains as a spec writes them."""

from __future__ import annotations

import pytest

from gradcheck_cli.bridges.domains import domains_at, read_domains
from gradcheck_cli.core.domain import Domain, arr, ints, mask
from gradcheck_cli.errors import Location, OperatorError


@pytest.mark.parametrize(
    ("written", "domain"),
    [
        pytest.param("n d", arr("n d"), id="words"),
        pytest.param("", arr(""), id="a scalar"),
        pytest.param({"shape": "n d", "low": 0, "high": 1.5}, arr("n d", 0, 1.5), id="bounds"),
        pytest.param({"shape": 5}, arr("5"), id="a size"),
        pytest.param({"avoid": 0}, arr(avoid=0), id="one value to avoid"),
        pytest.param({"avoid": [0, 1], "distinct": True}, arr(avoid=[0, 1], distinct=True), id="several"),
        pytest.param({"shape": "n n", "spd": True}, arr("n n", spd=True), id="spd"),
        pytest.param({"nondiff": True}, arr(nondiff=True), id="nondiff"),
        pytest.param({"shape": "n", "below": "k"}, ints("n", below="k"), id="integers below a word"),
        pytest.param({"below": 3}, ints(below=3), id="integers"),
        pytest.param({"mask": True, "shape": "n"}, mask("n"), id="mask"),
        pytest.param({"mask": False, "shape": "n"}, arr("n"), id="no mask"),
        pytest.param(arr("n", low=0), arr("n", low=0), id="a domain"),
        pytest.param({}, Domain(), id="nothing said"),
    ],
)
def test_a_domain_is_read(written, domain):
    assert read_domains({"x": written}) == {"x": domain}


@pytest.mark.parametrize("values", [[0.1, 0.5], (None, "mean"), [{"mode": "train"}]])
def test_a_list_holds_the_values_of_an_attribute(values):
    assert read_domains({"p": values}) == {"p": tuple(values)}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        pytest.param([], "'x' lists no value to try", id="no value"),
        pytest.param(3, r"the domain of 'x' should be .*write x: \{shape: n d\} for an array, x: \[3\]", id="a number"),
        pytest.param(None, "the domain of 'x' should be", id="nothing"),
        pytest.param({"shpae": "n"}, "'x' has no 'shpae': did you mean 'shape'?", id="a misspelt key"),
        pytest.param({"step": 1}, "'x' has no 'step': there are shape, low", id="an unknown key"),
        pytest.param("n ...", "the domain of 'x': .*comes first", id="axes behind"),
        pytest.param("n-d", "the domain of 'x': .*neither a size nor a name", id="no word"),
        pytest.param({"low": 2, "high": 1}, "the domain of 'x': .*low=2 is not below high=1", id="empty"),
        pytest.param({"low": "a"}, "the domain of 'x': .*should be a number", id="no number"),
        pytest.param({"below": 0}, "the domain of 'x': .*leaves no value", id="no integer"),
        pytest.param(
            {"below": 2, "low": 0}, "the domain of 'x': an array of whole numbers has no 'low'", id="integers"
        ),
        pytest.param({"mask": True, "avoid": 0}, "the domain of 'x': a mask has no 'avoid'", id="mask"),
        pytest.param({"mask": True, "below": 2}, "the domain of 'x': a mask has no 'below'", id="mask below"),
        pytest.param({"mask": 1}, "the domain of 'x': mask=1 should be true or false", id="mask of 1"),
        pytest.param({"distinct": 1}, "the domain of 'x': distinct=1 should be true or false", id="distinct of 1"),
        pytest.param({"avoid": ""}, "the domain of 'x': avoid='' should be a number or a list", id="avoid of nothing"),
        pytest.param({"shape": ["n"]}, "the domain of 'x': .*text of words", id="a list of words"),
    ],
)
def test_what_is_no_domain_is_refused_with_the_name_in_front(written, message):
    with pytest.raises(ValueError, match=message):
        read_domains({"x": written})


def test_at_a_place_it_is_an_error_of_the_operator():
    with pytest.raises(OperatorError, match=r"code\.py:3: error: 'x' lists no value to try \[wrong-domain\]"):
        domains_at({"x": []}, Location("code.py", 3))
    assert domains_at(None, Location("code.py", 3)) == {}
    assert domains_at({"x": "n"}, Location("code.py", 3)) == {"x": arr("n")}
