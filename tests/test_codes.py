"""The findings: their numbers, names and outcomes."""

import re

from gradcheck_cli.codes import FINDING_CODES


def test_known_numbers_stay():
    expected = {
        "gradient-count": "GC101",
        "gradient-shape": "GC102",
        "gradient-dtype": "GC103",
        "input-modified": "GC104",
        "sign-flipped": "GC201",
        "missing-term": "GC203",
        "transposed": "GC205",
        "kink-at-point": "GC301",
        "vanishing": "GC401",
    }
    assert {name: FINDING_CODES[name].code for name in expected} == expected


def test_codes_and_names_are_unique_and_regular():
    codes = [finding.code for finding in FINDING_CODES.values()]
    assert len(set(codes)) == len(codes) == len(FINDING_CODES)
    for name, finding in FINDING_CODES.items():
        assert finding.name == name
        assert re.fullmatch(r"GC[1-4]\d\d", finding.code)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)


def test_the_family_decides_the_outcome_but_for_what_can_not_be_trusted():
    outcomes = {"1": "fail", "2": "fail", "3": "pass", "4": "pass"}
    inconclusive = {"jump", "rounding-dominates", "truncation-dominates", "left-domain", "nothing-checked"}
    for name, finding in FINDING_CODES.items():
        assert finding.outcome == ("inconclusive" if name in inconclusive else outcomes[finding.code[2]]), name
