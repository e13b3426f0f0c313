"""Blame in a run: a stop in the middle of it loses neither the verdict nor what was found so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.findings.blame.blaming import Blaming
from gradcheck_cli.findings.blame.place import in_order
from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.function import TracedFunction, Values
from gradcheck_cli.run.deadline import TimeRanOut
from gradcheck_cli.run.escape import escaped
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.judgement import Judgement


class Blamed(NamedTuple):
    """What is wrong with single operators, by the parameter that suffers from it; and whether the user interrupted."""

    suspects: Mapping[str, Sequence[Suspect]]
    interrupted: bool


def blame_case(
    case: Case,
    function: TracedFunction,
    points: Values,
    judgement: Judgement,
    knobs: Knobs,
    seed: Sequence[int],
    seconds: float,
    still_wanted: Callable[[], None],
    interrupts: Interrupts,
) -> Blamed:
    """Write into `judgement` which operators make its gradients wrong.

    `seconds` are those that the check took. An operator that raises, and a deadline, end it with a note.
    """
    blaming = Blaming(function, points, judgement, knobs, seed, in_order(case.expression.calls), seconds)
    interrupted = False
    try:
        blaming.run(still_wanted)
    except TimeRanOut:
        blaming.stop(f"the case ran out of its {knobs.timeout:g} s")
    except GradcheckError as error:
        blaming.stop(error.problems[0].message)
    except BaseException as error:
        interrupted = isinstance(error, KeyboardInterrupt) and interrupts.blamed()
        described = None if interrupted else escaped(case, error)
        if not interrupted and described is None:
            raise
        blaming.stop(described.message if described else "interrupted")
    judgement.blame = blaming.result()
    return Blamed(blaming.suspects, interrupted)
