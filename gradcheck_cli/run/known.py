"""Hold the computed value and gradients against those that a spec knows (`value:` and `grad:`)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from gradcheck_cli.core.arrays import Array
from gradcheck_cli.errors import Problem, SpecError
from gradcheck_cli.records import Finding
from gradcheck_cli.spec.case import Case
from gradcheck_cli.verdict.judgement import Judgement

KNOWN_RTOL = 1e-6
"""Relative agreement that is asked of known results."""

_ROUNDING = 100
"""Rounding that is granted to a computed result, in epsilons of its type."""


def compare_known(case: Case, parameters: Collection[str], judgement: Judgement) -> list[Finding]:
    """Compare the value, and the gradients of `parameters`, with those that the spec knows.

    Raises SpecError where there is nothing to compare with: silence would read as agreement.
    """
    if not judgement.outputs:
        return []
    _require_comparable(case, judgement)
    findings = []
    if case.value is not None and not _close(judgement.outputs[0], case.value):
        message = f"the value is {_shown(judgement.outputs[0])}, the spec expects {_shown(case.value)}"
        findings.append(Finding("unexpected-value", message, case.location))
    for name, known in case.gradients.items():
        if name in parameters and name in judgement.gradients and not _close(judgement.gradients[name], known):
            message = f"the gradient of {name} is {_shown(judgement.gradients[name])}, the spec expects {_shown(known)}"
            findings.append(Finding("unexpected-value", message, case.location))
    return findings


def _require_comparable(case: Case, judgement: Judgement) -> None:
    if case.value is not None and len(judgement.outputs) > 1:
        message = f"'value' is known for one output, and the expression has {len(judgement.outputs)}"
        raise SpecError(Problem(message, case.location, "known-value", "leave it out, or check each output by itself"))
    if case.gradients and judgement.value is None:
        shapes = " and ".join(str(out.shape) for out in judgement.outputs)
        message = f"'grad' is known for a value that is one number, and this value has shape {shapes}"
        raise SpecError(Problem(message, case.location, "known-value", "sum it, or leave 'grad' out"))


def _close(computed: Array, known: Array) -> bool:
    if computed.size == known.size == 1:
        computed, known = computed.reshape(()), known.reshape(())
    if computed.shape != known.shape:
        return False
    rounding = _ROUNDING * float(np.finfo(computed.dtype).eps) if computed.dtype.kind == "f" else 0.0
    # A zero among larger numbers comes out as their rounding.
    floor = rounding * float(np.max(np.abs(known), initial=0.0))
    return bool(np.allclose(computed, known, rtol=max(KNOWN_RTOL, rounding), atol=floor, equal_nan=True))


def _shown(array: Array) -> str:
    return np.array2string(array, precision=8, threshold=8, separator=", ").replace("\n", "")
