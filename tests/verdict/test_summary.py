"""From the outcomes of elements to the verdict of a parameter, its findings, and what it could have seen."""

import numpy as np
import pytest

from gradcheck_cli.knobs import Knobs
from gradcheck_cli.records import Finding
from gradcheck_cli.verdict.outcome import Outcome, Status
from gradcheck_cli.verdict.passes import Passes
from gradcheck_cli.verdict.summary import BLUNT, Elements, summarise

ROUNDING = 1e-16


def outcome(status=Status.PASS, analytic=1.0, numeric=None, bar=1e-12, element=0, cotangent=0, cause="", detail=""):
    """An outcome; without a numeric gradient both are the same."""
    numeric = analytic if numeric is None else numeric
    return Outcome(element, cotangent, status, analytic, numeric, bar, cause, detail)


PASS = outcome()
KINK = outcome(Status.KINK, 0.0, 0.5, 1e-7, cause="kink-at-point", detail="the slopes on both sides are 0 and 1")
JUMP = outcome(Status.JUMP, 0.0, 1e9, 1e9, cause="jump", detail="the value jumps here")
UNCLEAR = outcome(Status.UNCLEAR, 1.0, 1.5, 0.2, cause="rounding-dominates", detail="within three error bars")
INVALID = outcome(Status.INVALID_AT_KINK, 2.0, 0.5, 1e-7, cause="invalid-at-kink", detail="the slopes are 0 and 1")
FAIL = outcome(Status.FAIL, 2.0, 1.0)
BLURRED = outcome(bar=2e-3)


def summary(*outcomes, rounding=ROUNDING, size=1.0, notes=(), **knobs):
    elements = Elements(outcomes, lambda element: f"x[{element}]", rounding, size, Knobs(**knobs))
    return summarise(elements, notes)


def names(seen):
    return [finding.name for finding in seen.findings]


def placed(*outcomes):
    """The same outcomes at elements 0, 1, 2 ..."""
    return [
        Outcome(element, o.cotangent, o.status, o.analytic, o.numeric, o.bar, o.cause, o.detail)
        for element, o in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    ("outcomes", "verdict", "findings", "shown"),
    [
        ([PASS], "pass", "", 0),
        ([PASS, KINK], "pass", "kink-at-point", 1),
        ([PASS, JUMP], "inconclusive", "jump", 1),
        ([PASS, JUMP, KINK], "inconclusive", "jump kink-at-point", 1),
        ([PASS, JUMP, UNCLEAR, KINK], "inconclusive", "rounding-dominates kink-at-point", 2),
        ([PASS, BLURRED], "inconclusive", "rounding-dominates", 1),
        ([PASS, BLURRED, KINK], "inconclusive", "rounding-dominates kink-at-point", 1),
        ([PASS, UNCLEAR, INVALID, KINK], "fail", "invalid-at-kink kink-at-point", 2),
        ([PASS, INVALID, FAIL, UNCLEAR], "fail", "", 2),
        ([FAIL, KINK], "fail", "kink-at-point", 0),
    ],
    ids=lambda value: " ".join(o.status.name for o in value) if isinstance(value, list) else None,
)
def test_the_most_severe_outcome_decides(outcomes, verdict, findings, shown):
    for order in (placed(*outcomes), placed(*outcomes)[::-1]):
        seen = summary(*order)
        assert (seen.verdict, " ".join(names(seen)), seen.shown.element) == (verdict, findings, shown)


def test_what_is_shown_of_what_passes_is_the_largest_deciding_number():
    seen = summary(outcome(numeric=1 + 1e-9), outcome(numeric=1 + 3e-8, element=1), outcome(element=2))
    assert seen.shown.element == 1
    assert seen.max_rel_err == pytest.approx(1.5e-8, rel=1e-3)


def test_what_is_shown_of_what_fails_is_the_largest_deciding_number():
    mild, severe = outcome(Status.FAIL, 1.0, 1.001), outcome(Status.FAIL, 1.0, -1.0, element=1)
    assert summary(mild, severe).shown.element == 1
    assert summary(mild, severe).max_rel_err == 1.0


def test_kinks_and_jumps_are_no_relative_errors():
    assert summary(PASS, outcome(Status.KINK, 0.0, 0.5, 1e-7, 1)).max_rel_err == 0
    assert summary(outcome(Status.JUMP, 0.0, 1e9, 1e9)).max_rel_err == 0


def test_only_the_plain_cotangent_is_shown_of_what_passes():
    seen = summary(outcome(numeric=1 + 1e-9), outcome(numeric=1 + 3e-8, cotangent=1))
    assert seen.shown.cotangent == 0
    failing = summary(PASS, outcome(Status.FAIL, 1.0, 2.0, cotangent=1))
    assert (failing.verdict, failing.shown.cotangent) == ("fail", 1)


@pytest.mark.parametrize("largest", [1.0, 1e-20, 1e20])
def test_a_bar_above_a_thousandth_of_the_largest_gradient_is_blunt(largest):
    sharp, blunt = (outcome(analytic=1e-6 * largest, bar=share * largest, element=1) for share in (0.9e-3, 1.1e-3))
    top = outcome(analytic=largest, bar=1e-12 * largest)
    assert summary(top, sharp, rounding=1e-16 * largest).verdict == "pass"
    seen = summary(top, blunt, rounding=1e-16 * largest)
    assert (seen.verdict, names(seen)) == ("inconclusive", ["rounding-dominates"])
    assert "x[1]" in seen.findings[0].message


def test_a_blunt_bar_under_the_balanced_cotangent_decides_nothing():
    assert summary(PASS, outcome(bar=0.5, cotangent=1)).verdict == "pass"


def test_zero_on_both_sides_is_vacuous():
    seen = summary(outcome(analytic=0.0, bar=1e-14), outcome(analytic=1e-15, numeric=-2e-15, bar=1e-14, element=1))
    assert (seen.verdict, names(seen), seen.resolution) == ("pass", ["vacuous"], None)
    assert "zero within 1e-14" in seen.findings[0].message


@pytest.mark.parametrize(
    "other",
    [
        outcome(analytic=1e-3, numeric=0.0, bar=1e-2, element=1),  # a gradient that only a bar hides
        outcome(analytic=0.0, numeric=1e-3, bar=1e-2, element=1),
        outcome(analytic=0.0, numeric=0.0, bar=1.0, element=1),  # a bar that would hide anything
        outcome(analytic=0.0, numeric=2e-14, bar=1e-14, element=1),
        outcome(element=1),
    ],
    ids=["analytic", "numeric", "bar", "outside", "gradient"],
)
def test_what_is_not_zero_on_both_sides_is_not_vacuous(other):
    seen = summary(outcome(analytic=0.0, bar=1e-14), other)
    assert "vacuous" not in names(seen)
    assert seen.resolution is not None


def test_a_missing_gradient_is_not_vacuous():
    seen = summary(outcome(Status.FAIL, analytic=0.0, numeric=1e-3, bar=1e-14))
    assert (seen.verdict, names(seen)) == ("fail", [])


def test_a_kink_whose_slopes_cancel_is_not_vacuous():
    assert names(summary(outcome(Status.KINK, 0.0, 0.0, 1e-7, cause="kink-at-point"))) == ["kink-at-point"]


def test_kinks_may_be_failures():
    assert summary(PASS, *placed(PASS, KINK)[1:], kinks="pass").verdict == "pass"
    seen = summary(PASS, *placed(PASS, KINK)[1:], kinks="fail")
    assert (seen.verdict, names(seen), seen.shown.element) == ("fail", ["kink-at-point"], 1)
    assert summary(PASS, kinks="fail").verdict == "pass"
    assert summary(JUMP, *placed(PASS, KINK)[1:], kinks="fail").verdict == "inconclusive"


@pytest.mark.parametrize("status", [Status.FAIL, Status.UNCLEAR])
def test_accuracy_forgives_a_share_of_the_largest_gradient(status):
    top = outcome(analytic=100.0, bar=1e-10)
    off = outcome(status, 1.0, 1.0005, 1e-6, 1)
    assert summary(top, off).verdict == ("fail" if status is Status.FAIL else "inconclusive")
    assert summary(top, off, accuracy=1e-6).verdict != "pass"
    seen = summary(top, off, accuracy=1e-5)
    assert (seen.verdict, names(seen), seen.resolution) == ("pass", [], 1e-5)
    assert summary(top, outcome(status, 1.0, 1.01, 1e-6, 1), accuracy=1e-5).verdict != "pass"


def test_accuracy_forgives_nothing_behind_a_wide_bar_and_no_invalid_kink():
    top = outcome(analytic=100.0, bar=1e-10)
    assert summary(top, outcome(Status.UNCLEAR, 1.0, 1.0005, 0.5, 1), accuracy=1e-5).verdict == "inconclusive"
    invalid = outcome(Status.INVALID_AT_KINK, 1.0005, 0.5, 1e-9, 1)
    assert summary(top, invalid, accuracy=0.1).verdict == "fail"


def test_accuracy_counts_under_each_cotangent_by_its_own_largest_gradient():
    plain, small = outcome(analytic=100.0), outcome(Status.FAIL, 1e-3, 1.5e-3, 1e-9, cotangent=1)
    assert summary(plain, small, accuracy=1e-5).verdict == "fail"
    assert summary(plain, small, outcome(analytic=100.0, cotangent=1, element=1), accuracy=1e-5).verdict == "pass"


def test_accuracy_accepts_a_blunt_bar_below_it():
    assert summary(PASS, outcome(bar=2e-3, element=1)).verdict == "inconclusive"
    assert summary(PASS, outcome(bar=2e-3, element=1), accuracy=1e-2).verdict == "pass"
    assert summary(PASS, outcome(bar=2e-2, element=1), accuracy=1e-2).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("outcomes", "knobs", "resolution"),
    [
        ([PASS], {}, 2e-7),
        ([PASS], {"rtol": 1e-4}, 2e-4),
        ([outcome(bar=1e-5)], {}, 2e-5),
        ([outcome(analytic=100.0), outcome(bar=1e-5, element=1)], {}, 2e-7),
        ([outcome(analytic=10.0), outcome(bar=1e-5, element=1)], {}, 2e-6),
        ([PASS], {"accuracy": 1e-3}, 1e-3),
        ([outcome(bar=1e-3)], {"accuracy": 1e-3}, 2e-3),
        ([PASS, outcome(bar=0.5, cotangent=1)], {}, 2e-7),
    ],
)
def test_the_resolution_is_what_could_have_been_seen(outcomes, knobs, resolution):
    assert summary(*outcomes, **knobs).resolution == pytest.approx(resolution)


def test_what_has_no_numeric_gradient_has_no_resolution_worth_the_name():
    lost = outcome(Status.UNCLEAR, 1.0, np.nan, np.inf, 1, cause="left-domain", detail="too few steps")
    seen = summary(PASS, lost)
    assert (seen.verdict, names(seen), seen.resolution) == ("inconclusive", ["left-domain"], np.inf)
    assert seen.shown.element == 1


def test_a_finding_says_where_what_and_what_would_decide_it():
    (finding,) = summary(*placed(PASS, UNCLEAR), size=1e10).findings
    assert finding.message.startswith("x[1]: within three error bars")
    assert "1e+10, hides gradients below 2e-01" in finding.message
    assert "To decide it, rescale the value" in finding.message


@pytest.mark.parametrize(
    ("cause", "remedy"),
    [
        ("truncation-dominates", "check at another point"),
        ("left-domain", "move the point away from the edge"),
        ("rounding-dominates", "rescale the value"),
    ],
)
def test_every_cause_has_its_remedy(cause, remedy):
    (finding,) = summary(outcome(Status.UNCLEAR, 1.0, 1.5, 0.2, cause=cause, detail="so it is")).findings
    assert finding.name == cause
    assert remedy in finding.message


def test_a_blunt_bar_is_said_in_figures():
    (finding,) = summary(outcome(bar=0.1), size=1e13).findings
    assert finding.message.startswith("x[0]: the numeric gradient is only known to within 1e-01")
    assert BLUNT == 1e-3


def test_notes_come_after_what_was_found():
    note = Finding("float32-inside", "single precision")
    assert names(summary(PASS, notes=[note])) == ["float32-inside"]
    assert names(summary(JUMP, notes=[note])) == ["jump", "float32-inside"]


def in_columns(*outcomes):
    """The same outcomes, the plain passes among them in columns."""
    plain = [o for o in outcomes if o.status is Status.PASS and not o.detail]
    rows = [
        (
            o.element,
            o.cotangent,
            o.analytic,
            o.numeric,
            o.bar,
            o.cause == "truncation-dominates",
            o.kink_within or np.nan,
        )
        for o in plain
    ]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    passes = Passes(*columns) if rows else Passes.none()
    return [o for o in outcomes if o not in plain], passes


@pytest.mark.parametrize(
    "knobs", [{}, {"accuracy": 1e-5}, {"accuracy": 5e-3}, {"kinks": "fail"}, {"rtol": 1e-4}], ids=str
)
@pytest.mark.parametrize("seed", range(40))
def test_passes_in_columns_count_as_outcomes_do(seed, knobs):
    rng = np.random.default_rng(seed)
    scale = rng.choice([0.0, 1.0, 100.0]) if seed % 4 == 0 else 1.0
    drawn = [
        outcome(Status.PASS, scale * a, scale * a * (1 + slip), bar, element, cotangent, cause)
        for element in range(5)
        for cotangent in range(2)
        for a, slip, bar, cause in [
            (
                rng.choice([0.0, 1.0, -3.0]),
                rng.choice([0.0, 1e-8, 5e-8]),
                rng.choice([1e-15, 1e-12, 2e-3]),
                rng.choice(["", "truncation-dominates"]),
            )
        ]
    ]
    kinds = [KINK, JUMP, UNCLEAR, INVALID, FAIL]
    others = [kinds[k] for k in rng.integers(0, len(kinds), rng.integers(0, 3))]
    drawn += [other._replace(element=5 + k) for k, other in enumerate(others)]
    one = summary(*drawn, **knobs)
    outcomes, passes = in_columns(*drawn)
    other = summarise(Elements(outcomes, lambda element: f"x[{element}]", ROUNDING, 1.0, Knobs(**knobs), passes))
    assert (other.verdict, other.findings, other.shown) == (one.verdict, one.findings, one.shown), f"seed {seed}"
    assert (other.max_rel_err, other.resolution) == (one.max_rel_err, one.resolution), f"seed {seed}"


def test_passes_alone_are_summed_up():
    _, passes = in_columns(outcome(numeric=1 + 1e-8), outcome(element=1, bar=1e-9))
    seen = summarise(Elements([], str, ROUNDING, 1.0, Knobs(), passes))
    assert (seen.verdict, seen.shown.element, seen.resolution) == ("pass", 0, 2e-7)
    _, nothing = in_columns(outcome(analytic=0.0, bar=1e-14))
    assert names(summarise(Elements([], str, ROUNDING, 1.0, Knobs(), nothing))) == ["vacuous"]
