"""Wrong gradients as plain arrays, without the operator that made them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcheck_cli.findings.suspect import Suspect
from gradcheck_cli.verdict.evidence import Evidence


def evidence(analytic: Any, numeric: Any, name: str = "w", bar: float = 1e-11, elements: Any = None) -> Evidence:
    """Put two gradients side by side; `elements` are the flat ones that were compared (None: all)."""
    a, n = np.ravel(analytic).astype(float), np.ravel(numeric).astype(float)
    chosen = np.arange(a.size) if elements is None else np.asarray(elements)
    return Evidence(name, np.shape(analytic), chosen, a[chosen], n[chosen], np.full(chosen.shape, bar))


def suspect(analytic: Any, numeric: Any, shapes: Any = None, others: Any = None, **how: Any) -> Suspect:
    """Return a suspect that is a parameter of a case; `others` are pairs of gradients by name."""
    beside = {name: evidence(*pair, name=name) for name, pair in (others or {}).items()}
    return Suspect(evidence(analytic, numeric, **how), shapes or {}, others=beside)
