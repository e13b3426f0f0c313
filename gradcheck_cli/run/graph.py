"""Draw the graph of a case, with what was asked for about each node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradcheck_cli.core.generators import restored
from gradcheck_cli.errors import GradcheckError
from gradcheck_cli.graph_records import GraphResult
from gradcheck_cli.knobs import read_knobs
from gradcheck_cli.run.case_function import out_of_time
from gradcheck_cli.run.case_trace import gone_back, locations_of, symptoms_of, traced
from gradcheck_cli.run.contained import contained
from gradcheck_cli.run.deadline import TimeRanOut, deadline
from gradcheck_cli.run.escape import escaped
from gradcheck_cli.run.graph_nodes import graph_of
from gradcheck_cli.run.interrupt import Interrupts
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.arrays.values import number_of
from gradcheck_cli.spec.case import Case


@contained()
def draw_case(
    case: Case,
    options: Options,
    memory: bool = False,
    health: bool = False,
    interrupts: Interrupts | None = None,
) -> GraphResult:
    """Return the graph of `case`, with bytes kept (`memory`), and figures and symptoms (`health`).

    What can't be evaluated is told in `error`. A backward that can't be run is a `problem` beside the graph.
    A KeyboardInterrupt is the user's, unless `interrupts` know better.
    """
    interrupts = interrupts or Interrupts()
    knobs = read_knobs(options.knobs, case.knobs)
    seed = case.seed if options.seed is None else options.seed
    result = GraphResult(case.id, case.file, case.location.line, case.name, seed, memory=memory, health=health)
    try:
        with interrupts.stopping(), deadline(knobs.timeout), restored(), np.errstate(all="ignore"):
            made = traced(case, options, knobs)
            problem = gone_back(made, [seed, number_of(case.name)], knobs) if health else None
            symptoms = symptoms_of(case, made, knobs) if health else []
            graph = graph_of(made, locations_of(case, made), memory, health, symptoms)
    except GradcheckError as error:
        return replace(result, error=str(error))
    except TimeRanOut:
        return replace(result, error=str(out_of_time(case, knobs)))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and interrupts.blamed():
            raise
        described = escaped(case, error)
        if described is None:
            raise
        return replace(result, error=str(described))
    return replace(result, graph=graph, problem=problem)
