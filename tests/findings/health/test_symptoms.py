"""All symptoms of a trace: in order, each kind once, at the place of its first call."""

import numpy as np

import gradcheck_cli.ops as F
from gradcheck_cli.errors import Location
from gradcheck_cli.findings.health.symptoms import find_symptoms
from gradcheck_cli.knobs import HealthLimits
from tests.findings.health.traces import traced


def three_tanhs(v):
    return F.sum(F.tanh(F.tanh(10 * v["x"]) * 10) + F.tanh(20 * v["x"]))


def test_a_symptom_of_several_calls_is_told_once_with_their_places():
    made = traced(three_tanhs, {"x": [1.0, -1.0]})
    numbers = [number for number, call in enumerate(made.calls) if call.name == "tanh"]
    places = {number: Location("a.grad.yaml", line, 5) for line, number in enumerate(numbers, start=2)}
    (symptom,) = find_symptoms(made, HealthLimits(), places)
    assert (symptom.node, *symptom.others) == tuple(numbers)
    assert (symptom.finding.code, symptom.finding.location) == ("GC404", Location("a.grad.yaml", 2, 5))
    assert "; the same holds of tanh in line 3, tanh in line 4\n" in symptom.finding.message


def test_without_places_calls_go_by_their_names():
    made = traced(three_tanhs, {"x": [1.0, -1.0]})
    (symptom,) = find_symptoms(made, HealthLimits(), {})
    assert symptom.finding.location is None
    assert "; the same holds of tanh, tanh\n" in symptom.finding.message


def test_different_symptoms_stand_beside_one_another():
    x = -np.arange(1.0, 9.0)
    made = traced(lambda v: F.sum(F.relu(v["x"])) + F.sum(F.tanh(20 * v["x"])), {"x": x})
    found = [symptom.finding.name for symptom in find_symptoms(made, HealthLimits(), {})]
    assert found == ["dead-relu", "saturated"]


def test_behind_a_value_that_is_not_finite_nothing_else_is_told():
    made = traced(lambda v: F.sum(F.log(v["x"])) + F.sum(F.tanh(v["y"])), {"x": [0.0], "y": [50.0]})
    assert [symptom.finding.name for symptom in find_symptoms(made, HealthLimits(), {})] == ["origin-of-nan"]


def test_a_trace_without_a_backward_has_symptoms_of_values():
    made = traced(three_tanhs, {"x": [1.0, -1.0]})
    for call in made.calls:
        call.cotangents = call.gradients = ()
    assert [symptom.finding.name for symptom in find_symptoms(made, HealthLimits(), {})] == ["saturated"]
