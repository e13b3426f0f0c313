"""Judge one parameter: every element beside its differences, then the verdict with its reasons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.knobs import Knobs
from gradcheck_cli.numeric.differences import Differences, Slopes
from gradcheck_cli.numeric.steps import SWEEP, default_eps, element_scales, step_size
from gradcheck_cli.records import Finding, ParameterResult, SweepPoint, Verdict, WorstElement
from gradcheck_cli.verdict.decide import Compared, resolution, too_blunt, vacuous, worst
from gradcheck_cli.verdict.suspects import agreeing_step, behaviour, valid_subgradient


def judge_parameter(
    name: str, analytic: Array, differences: Differences, knobs: Knobs, indices: Sequence[tuple[int, ...]]
) -> ParameterResult:
    """Compare `analytic` with central differences at `indices` and decide.

    An element that disagrees is looked at again over a sweep of steps, worst first: the first
    that disagrees at every step is what fails the parameter.
    """
    x = differences.values[name]
    if not indices:
        finding = Finding("nothing-checked", f"{name} has no elements")
        return ParameterResult(name, x.shape, x.size, 0, Verdict.PASS, findings=(finding,))
    scales = element_scales(x)
    eps = knobs.eps or default_eps(x.dtype)
    elements = [
        Compared(i, scales[i], float(analytic[i]), differences.slopes(name, i, step_size(scales[i], eps)))
        for i in indices
    ]
    judge = _Judge(name, elements, differences, knobs)
    verdict, findings, shown = judge.decide()
    ladder = judge.ladder(shown) if knobs.sweep or verdict is not Verdict.PASS else []
    return ParameterResult(
        name,
        x.shape,
        x.size,
        len(elements),
        verdict,
        max_rel_err=max(element.rel_err(knobs.rtol) for element in elements),
        resolution=resolution(elements, knobs.rtol),
        worst=WorstElement(shown.index, shown.analytic, shown.slopes.central, shown.slopes.error_bar),
        sweep=tuple(
            SweepPoint(e, Compared(shown.index, shown.scale, shown.analytic, slopes).rel_err(knobs.rtol))
            for e, slopes in zip(SWEEP, ladder, strict=False)
        ),
        findings=tuple(findings),
    )


class _Judge:
    """Decides one parameter from its compared elements; remembers the sweeps it made."""

    def __init__(self, name: str, elements: list[Compared], differences: Differences, knobs: Knobs) -> None:
        self.name = name
        self.elements = elements
        self.differences = differences
        self.rtol = knobs.rtol
        self._ladders: dict[tuple[int, ...], list[Slopes]] = {}

    def ladder(self, element: Compared) -> list[Slopes]:
        """Return the slopes of `element` over the sweep's steps."""
        if element.index not in self._ladders:
            self._ladders[element.index] = [
                self.differences.slopes(self.name, element.index, step_size(element.scale, eps)) for eps in SWEEP
            ]
        return self._ladders[element.index]

    def decide(self) -> tuple[Verdict, list[Finding], Compared]:
        """Return verdict, findings and the element to show."""
        bad = [element for element in self.elements if not np.isfinite(element.slopes.central)]
        if bad:
            message = f"at {label(self.name, bad[0].index)} a step leaves the domain: the value is not finite there"
            return Verdict.INCONCLUSIVE, [Finding("left-domain", message)], bad[0]
        doubts: list[tuple[Finding, Compared]] = []
        notes: list[Finding] = []
        suspects = [e for e in self.elements if not e.agrees(self.rtol) or e.suspects_kink()]
        for element in sorted(suspects, key=lambda e: -e.rel_err(self.rtol)):
            finding = self._look_again(element)
            if finding is None:
                return Verdict.FAIL, [], element
            if finding.name == "invalid-at-kink":
                return Verdict.FAIL, [finding], element
            if finding.name in ("jump", "truncation-dominates"):
                doubts.append((finding, element))
            elif finding.name not in {note.name for note in notes} and finding.message:
                notes.append(finding)
        shown = worst(self.elements, self.rtol)
        if doubts:
            return Verdict.INCONCLUSIVE, [*dict.fromkeys(finding for finding, _ in doubts[:1]), *notes], doubts[0][1]
        if vacuous(self.elements):
            message = "both sides are zero everywhere: a gradient that is zero by mistake looks the same"
            return Verdict.PASS, [Finding("vacuous", message), *notes], shown
        if too_blunt(self.elements):
            bar = max(element.slopes.error_bar for element in self.elements)
            message = (
                f"rounding of the value hides gradients below {bar:.1g}: "
                "rescale the value, or subtract its large constant part"
            )
            return Verdict.INCONCLUSIVE, [Finding("rounding-dominates", message), *notes], shown
        return Verdict.PASS, notes, shown

    def _look_again(self, element: Compared) -> Finding | None:
        """Explain a suspicious element; None means that its gradient is wrong at every step."""
        ladder = self.ladder(element)
        where = label(self.name, element.index)
        kind = behaviour(ladder)
        if kind == "jump":
            return Finding("jump", f"the value jumps at {where}: there is no derivative to compare with")
        if kind == "kink":
            if valid_subgradient(element.analytic, ladder, self.rtol):
                return Finding("kink-at-point", f"kink at {where}: the gradient lies between the one-sided slopes")
            return Finding("invalid-at-kink", f"kink at {where}: the gradient is not between the one-sided slopes")
        if element.agrees(self.rtol):
            return Finding("kink-nearby", "")
        better = agreeing_step(element, ladder, self.rtol)
        if better is None and element.difference <= 3 * element.slopes.error_bar:
            better = element.slopes
        if better is None:
            return None
        eps = better.h / element.scale
        message = (
            f"at {where} the numeric gradient depends on the step and agrees near eps={eps:.0e}: try --eps {eps:.0e}"
        )
        return Finding("truncation-dominates", message)


def label(name: str, index: tuple[int, ...]) -> str:
    """Name an element as NumPy does: x[0,4]; a scalar is x."""
    return f"{name}[{','.join(map(str, index))}]" if index else name
