"""The knobs of a check: ranges, defaults, and what is said about anything else."""

import pytest

from gradcheck_cli.codes import FINDING_CODES
from gradcheck_cli.knobs import ALLOWED, HealthLimits, Knobs, read_knob, read_knobs


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("rtol", 1e-6, 1e-6),
        ("eps", 0.5, 0.5),
        ("timeout", 60, 60.0),
        ("memory", 64, 64.0),
        ("budget", 5, 5.0),
        ("budget", "none", float("inf")),
        ("sweep", True, True),
        ("sample", 3, 3),
        ("dtype", "float32", "float32"),
        ("accuracy", 1e-5, 1e-5),
        ("kinks", "pass", "pass"),
        ("kinks", "fail", "fail"),
        ("directions", 2, 2),
        ("repeat", 1e-9, 1e-9),
        ("allow", ["input-modified", "not-repeatable"], ("input-modified", "not-repeatable")),
        ("allow", "layout-dependent", ("layout-dependent",)),
        ("allow", [], ()),
        ("health", {}, HealthLimits()),
        ("health", {"vanishing": 1e-3, "dead": 1}, HealthLimits(vanishing=1e-3, dead=1.0)),
        ("health", {"exploding": 100}, HealthLimits(exploding=100.0)),
    ],
)
def test_right_values_are_read(name, value, read):
    got = read_knob(name, value)
    assert got == read
    assert type(got) is type(read)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("rtol", 0, "rtol should be a number between 0 and 1"),
        ("rtol", 1, "rtol should be a number between 0 and 1"),
        ("rtol", -1e-7, "rtol should be"),
        ("rtol", "1e-7", "rtol should be"),
        ("rtol", True, "rtol should be"),
        ("rtol", float("nan"), "rtol should be"),
        ("rtol", None, "rtol should be"),
        ("eps", 2.0, "eps should be a number between 0 and 1"),
        ("timeout", 0, "timeout should be a positive number"),
        ("timeout", float("inf"), "timeout should be a positive number"),
        ("timeout", 10**400, "timeout should be a positive number"),
        ("budget", 0, "budget should be a positive number of seconds, or none"),
        ("budget", "all", "budget should be a positive number of seconds, or none"),
        ("memory", 0, "memory should be a positive number"),
        ("sample", 0, "sample should be a whole number of elements, 1 or more"),
        ("sample", 2.0, "sample should be a whole number"),
        ("sample", True, "sample should be a whole number"),
        ("sweep", 1, "sweep should be true or false"),
        ("sweep", "yes", "sweep should be true or false"),
        ("dtype", "float16", "dtype should be float64 or float32"),
        ("dtype", ["float64"], "dtype should be float64 or float32"),
        ("rtoll", 1e-7, "unknown knob 'rtoll'. did you mean 'rtol'?"),
        ("zzz", 1e-7, "unknown knob 'zzz'."),
        ("accuracy", 0, "accuracy should be a number between 0 and 1"),
        ("accuracy", 1, "accuracy should be a number between 0 and 1"),
        ("accuracy", "1e-5", "accuracy should be a number"),
        ("kinks", True, "kinks should be pass or fail"),
        ("kinks", "ignore", "kinks should be pass or fail"),
        ("kinks", ["pass"], "kinks should be pass or fail"),
        ("directions", 0, "directions should be a whole number, 1 or more"),
        ("directions", 2.0, "directions should be a whole number, 1 or more"),
        ("directions", True, "directions should be a whole number, 1 or more"),
        ("repeat", 0, "repeat should be a number between 0 and 1"),
        ("repeat", -1e-9, "repeat should be a number between 0 and 1"),
        ("allow", 3, "allow should be a list of contract findings, as in [input-modified]"),
        ("allow", {"input-modified": 1}, "allow should be a list of contract findings"),
        ("allow", ["input-modifed"], "'input-modifed' can't be allowed. did you mean 'input-modified'?"),
        ("allow", ["gradient-shape"], "'gradient-shape' can't be allowed. these can be: input-modified, "),
        ("allow", [3], "'3' can't be allowed."),
        ("health", 0.5, "health should be a mapping of limits to numbers; there are: vanishing, exploding, "),
        ("health", {"vanish": 0.5}, "unknown limit 'vanish' of health. did you mean 'vanishing'?"),
        ("health", {"dead": 0}, "dead of health should be a number between 0 and 1"),
        ("health", {"saturated": True}, "saturated of health should be a number between 0 and 1"),
        ("health", {"vanishing": "1e-4"}, "vanishing of health should be a number between 0 and 1"),
        ("health", {"vanishing": float("nan")}, "vanishing of health should be a number between 0 and 1"),
        ("health", {"exploding": 1}, "exploding of health should be a number above 1"),
        ("health", {"exploding": float("inf")}, "exploding of health should be a number above 1"),
    ],
    ids=str,
)
def test_wrong_values_are_said(name, value, said):
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the text is compared below)
        read_knob(name, value)
    assert str(error.value).startswith(said)


def test_names_are_those_of_the_language():
    assert set(Knobs.names()) == set(
        "rtol eps sweep sample dtype timeout accuracy kinks directions repeat allow memory budget health".split()
    )


def test_what_can_be_allowed_is_a_broken_contract():
    assert len(ALLOWED) == 4
    assert all(FINDING_CODES[name].code.startswith("GC1") for name in ALLOWED)


def test_values_are_put_over_a_base_and_none_changes_nothing():
    base = read_knobs({"rtol": 1e-5, "sample": 3})
    assert base == Knobs(rtol=1e-5, sample=3)
    assert read_knobs({"rtol": 1e-4, "sample": None}, base) == Knobs(rtol=1e-4, sample=3)
    assert read_knobs({}) == Knobs()
    with pytest.raises(ValueError, match="eps"):
        read_knobs({"rtol": 1e-4, "eps": 7}, base)


def test_the_defaults_are_right_values():
    for name, value in vars(Knobs()).items():
        if value is not None:
            assert read_knob(name, value) == value
