"""The health of a graph: what each symptom's detector has to say about a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gradcheck_cli.errors import Location
from gradcheck_cli.findings.health.figures import listed
from gradcheck_cli.findings.health.gradients import exploding, vanishing
from gradcheck_cli.findings.health.non_finite import origin_of_gradient, origin_of_value
from gradcheck_cli.findings.health.units import dead_relu, saturated
from gradcheck_cli.graph_records import Symptom
from gradcheck_cli.knobs import HealthLimits
from gradcheck_cli.numeric.tracer import Call, Trace
from gradcheck_cli.records import Finding

_OF_CALLS: tuple[tuple[str, Callable[[Trace, Call, HealthLimits], str | None]], ...] = (
    ("dead-relu", dead_relu),
    ("saturated", saturated),
)
_OF_GRADIENTS: tuple[tuple[str, Callable[[Trace, HealthLimits], tuple[str, int] | None]], ...] = (
    ("vanishing", vanishing),
    ("exploding", exploding),
)


def find_symptoms(made: Trace, limits: HealthLimits, locations: Mapping[int, Location]) -> list[Symptom]:
    """Return what is ill about a trace, the most telling first; `locations` are those of calls by position.

    The node of a symptom is the position of its call; what is true of several calls is one symptom, told of the first.
    A value that isn't finite is the only symptom of its trace:
    what comes after it is bad as well.
    """
    with np.errstate(all="ignore"):
        if (origin := origin_of_value(made)) is not None:
            words, at, others = origin
            return [_symptom("origin-of-nan", words, at, made, locations, others)]
        found: list[Symptom] = []
        if (wrong := origin_of_gradient(made)) is not None:
            found.append(_symptom("origin-of-nan", *wrong, made, locations))
        for name, detect in _OF_CALLS:
            ill = [(number, text) for number in made.reached() if (text := detect(made, made.calls[number], limits))]
            if ill:
                others = tuple(number for number, _ in ill[1:])
                found.append(_symptom(name, ill[0][1], ill[0][0], made, locations, others))
        for name, follow in _OF_GRADIENTS:
            if (stream := follow(made, limits)) is not None:
                found.append(_symptom(name, *stream, made, locations))
    return found


def _symptom(
    name: str,
    text: str,
    call: int | None,
    made: Trace,
    locations: Mapping[int, Location],
    others: tuple[int, ...] = (),
) -> Symptom:
    location = locations.get(call) if call is not None else None
    subject = made.calls[call].name if call is not None else ""
    if others:
        what, _, hint = text.partition("\n")
        places = [f"{made.calls[each].name}{_place(locations.get(each))}" for each in others]
        text = f"{what}; the same holds of {listed(places, 6)}\n{hint}"
    return Symptom(Finding(name, text, location, subject), call, others)


def _place(location: Location | None) -> str:
    return f" in line {location.line}" if location else ""
