"""What is right at a glance is right to the schema's models, too; and the rest is left to them."""

import itertools
from pathlib import Path

import pytest
import yaml

from gradcheck_cli.spec.plainly_right import is_plainly_right
from gradcheck_cli.spec.schema import ArrayKeys, CaseKeys, CheckKeys

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.grad.yaml"))
VALUES = [None, True, 0, 1, -1, 2**70, 0.5, float("nan"), "", "3 4", "1", "pass", [], [1, "n"], [None], {}, {"x": 1}]
VALUES += [{"x": "3"}, {"x": [1]}, {"x": {"shape": "3"}}, {"x": {"shape": None}}, {"x": None}, {1: 2}, {"x": True}]


def models_accept(case):
    try:
        CaseKeys.model_validate(case)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("key", [*CaseKeys.model_fields, "unknown"])
def test_a_key_that_is_plainly_right_is_right(key):
    for value in VALUES:
        if is_plainly_right({key: value}):
            assert models_accept({key: value}), (key, value)


@pytest.mark.parametrize("key", [*ArrayKeys.model_fields, "unknown"])
def test_an_array_that_is_plainly_right_is_right(key):
    for holder, value in itertools.product(("params", "inputs"), VALUES):
        case = {holder: {"x": {key: value}}}
        if is_plainly_right(case):
            assert models_accept(case), case


@pytest.mark.parametrize("knob", [*CheckKeys.model_fields, "unknown"])
def test_a_knob_that_is_plainly_right_is_right(knob):
    for value in [*VALUES, 1e-6, 1e300, 100, "float32", "float64"]:
        case = {"check": {knob: value}}
        if is_plainly_right(case):
            assert models_accept(case), case


@pytest.mark.parametrize("path", SPECS, ids=[path.stem for path in SPECS])
def test_what_most_specs_hold_is_right_at_a_glance(path):
    specs = list(yaml.safe_load_all(path.read_text("utf-8")))
    cases = [case for spec in specs for case in (spec, *spec.pop("cases", ()))]
    assert cases
    assert all(map(is_plainly_right, cases))


def test_what_is_wrong_is_not_right_at_a_glance():
    for case in ({"name": 3}, {"parms": {}}, {"seed": -1}, {"check": {"rtol": -1.0}}, {"params": {"x": {"shap": 3}}}):
        assert not is_plainly_right(case), case
        assert not models_accept(case), case
