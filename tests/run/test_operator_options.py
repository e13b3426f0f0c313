"""How operators are checked."""

from __future__ import annotations

import pytest

from gradcheck_cli.run.operator_options import OperatorOptions


def test_knobs_are_the_given_ones_over_the_defaults() -> None:
    knobs = OperatorOptions(given={"rtol": 1e-5, "timeout": 3}).knobs
    assert (knobs.rtol, knobs.timeout, knobs.eps) == (1e-5, 3.0, None)
    assert OperatorOptions().knobs.rtol == 1e-7


def test_a_knob_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="rtol"):
        _ = OperatorOptions(given={"rtol": 5}).knobs
