"""What gradcheck does with a case, in parts that can be timed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradcheck_cli.core.execution import using
from gradcheck_cli.core.generators import restored
from gradcheck_cli.core.variable import Variable
from gradcheck_cli.knobs import read_knobs
from gradcheck_cli.numeric.function import TracedFunction
from gradcheck_cli.numeric.noise import Noise
from gradcheck_cli.numeric.point import Point
from gradcheck_cli.numeric.recorder import Recorder
from gradcheck_cli.numeric.steps import default_eps, step_sizes
from gradcheck_cli.numeric.weights import Weights
from gradcheck_cli.records import Verdict
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.spec.arrays.values import draw_values
from gradcheck_cli.verdict.judge import _Check, judge
from gradcheck_cli.verdict.judgement import Judgement
from gradcheck_cli.verdict.watcher import Watcher

HERE = Path(__file__).parent
_KNOBS = read_knobs({"budget": "none"})


@dataclass(frozen=True, eq=False)
class Workload:
    """A case of a spec with its arrays drawn."""

    name: str
    file: str
    inputs: dict
    params: dict
    function: TracedFunction
    passes: bool
    """Whether it is there to pass."""

    @property
    def elements(self):
        """How many elements there are to check."""
        return sum(array.size for array in self.params.values())


def load(paths):
    """Return the cases of specs as workloads."""
    found = []
    for item in collect(Options(paths=tuple(map(str, paths)))):
        values = draw_values(item.case, None)
        inputs = {each.name: values[each.name] for each in item.case.inputs}
        params = {each.name: values[each.name] for each in item.case.parameters}
        expect = item.case.expect
        passes = {expect.verdict, *expect.parameters.values()} == {"pass"}
        function = _function(item.case, inputs)
        found.append(Workload(item.case.name, item.case.file, inputs, params, function, passes))
    return found


def _function(case, inputs):
    given = {name: Variable(value, requires_grad=False) for name, value in inputs.items()}
    dtype = np.dtype(case.knobs.dtype)
    return TracedFunction(lambda variables: case.expression({**given, **variables}, dtype))


def workloads():
    """Return W1 to W7 by name."""
    return {each.name[:2].upper(): each for each in load(sorted(HERE.glob("w*.grad.yaml")))}


def whole_check(work):
    """Return a call that does everything `gradcheck run` does for a case, but report it."""

    def run():
        judgement = Judgement()
        judge(work.function, work.params, _KNOBS, [0], {}, judgement, list(work.params))
        if judgement.verdict is not Verdict.PASS:
            raise AssertionError(f"{work.name}: {judgement.verdict}")

    return run


def _check(work):
    return _Check(work.function, work.params, _KNOBS, [0], {}, Judgement(), list(work.params), Watcher())


def _prepared(work):
    """Return a check whose contract has been looked at, so that its plan is there."""
    with restored(), np.errstate(all="ignore"):
        check = _check(work)
        check.contract()
        check.numbers()
    return check


def _gradients(work, check):
    """Record and go back, as everyone has to."""
    with Recorder(check.checked.users).recording():
        recording = work.function.record(work.params)
    return recording.vjp(check.outputs.split(check.cotangent))


def numbers_phase(work):
    """Return a call that records, goes back and compares all numbers, the plan having been made before."""
    check = _prepared(work)

    def run():
        check.judgement.parameters.clear()
        check.sampling.planned.clear()
        with np.errstate(all="ignore"), using(check.recorder):
            check.gradients = _gradients(work, check)
            check.numbers()

    return run


def evaluations(work):
    """Return a call that does what peers do: record, go back, two evaluations of each element, and compare."""
    check = _prepared(work)
    plan = check.planned
    view = check.terms or check.view

    def run():
        with np.errstate(all="ignore"), using(check.recorder):
            gradients = _gradients(work, check)
            for name in work.params:
                _differences(work, name, view, plan.evaluator(view, name), gradients[name])

    return run


def _differences(work, name, view, evaluator, gradient):
    point = Point(view.function, work.params, name, view.outputs, evaluator=evaluator)
    elements = np.arange(point.x.size)
    steps = step_sizes(point.scales, default_eps(work.params[name].dtype))
    noise = Noise(view.outputs.epsilon, np.zeros_like(point.base), point.base)
    weights = Weights([view.cotangent], noise)
    realised, chunks = point.one_by_one(elements, np.array([steps, -steps]))
    numeric = np.empty(len(elements))
    for chunk in chunks:
        above, below = weights.of(chunk.changes, chunk.positions).contracted()[0]
        numeric[chunk.start : chunk.stop] = above - below
    numeric /= realised[0] - realised[1]
    if not (np.abs(numeric - np.ravel(gradient)) <= 1e-6 + 1e-4 * np.abs(numeric)).all():
        raise AssertionError(f"{work.name}: {name}")


def bare_loop(work, every=1):
    """Return the loop of a user who calls the forwards of the operators themselves: two passes for each element.

    It takes one in `every` elements. None where the function has no plan, that is no list of forwards.
    """
    check = _prepared(work)
    plan = check.planned.plan
    if plan is None:
        return None
    record = plan.record

    def forward(registers):
        for step in record.steps:
            out = step.operator.forward(*[registers[slot] for slot in step.operands], **step.attributes)
            outputs = getattr(out, "outputs", out)
            for slot, each in zip(step.outputs, outputs if isinstance(outputs, tuple) else (outputs,), strict=False):
                registers[slot] = each
        return [registers[slot] for slot in record.outputs]

    def run():
        with np.errstate(all="ignore"):
            work.function.record(work.params).vjp(check.outputs.split(check.cotangent))
            for name, x in work.params.items():
                registers, moved = list(record.values), np.array(x)
                registers[record.leaves[name]] = moved
                flat = moved.reshape(-1)
                for i in range(0, flat.size, every):
                    v = flat[i]
                    flat[i] = v + 1e-6
                    above = forward(registers)
                    flat[i] = v - 1e-6
                    below = forward(registers)
                    flat[i] = v
                    sum(float(np.sum(a - b)) for a, b in zip(above, below, strict=True))

    return run
