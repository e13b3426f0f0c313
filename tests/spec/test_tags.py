"""Tags of a case, and what can't be one."""

import pytest

from gradcheck_cli.settings import Settings
from gradcheck_cli.spec.loader import load_spec

CASE = "expr: tanh(x)\nparams: {x: 2}\n"


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("", ()),
        ("tags: slow", ("slow",)),
        ("tags: slow gpu", ("slow", "gpu")),
        ("tags: [slow, gpu/a100, slow]", ("slow", "gpu/a100")),
        ("tags: []", ()),
    ],
)
def test_tags_are_words(load, line, tags):
    (case,) = load(CASE + line + "\n")
    assert case.tags == tags


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("tags: [two words]", "3:8 'two words' can't be a tag"),
        ("tags: [a, not]", "3:11 'not' can't be a tag"),
        ("tags: ['(a)']", "3:8 '(a)' can't be a tag"),
        ("tags: ['']", "3:8 '' can't be a tag"),
        ("tags: 3", "tags should be a text or a list of texts"),
        ("tags: [3]", "tags should be a text or a list of texts"),
        ("tags: {a: b}", "tags should be a text or a list of texts"),
    ],
)
def test_what_cannot_be_a_tag_is_said(said, line, complaint):
    (message,) = said(CASE + line + "\n")
    assert complaint in message


def test_tags_at_the_top_are_those_of_cases_that_have_none(load):
    cases = load("tags: slow\nparams: {x: 2}\ncases:\n  - expr: tanh(x)\n  - {expr: exp(x), tags: fast}\n")
    assert [case.tags for case in cases] == [("slow",), ("fast",)]


def test_settings_hold_for_what_a_spec_does_not_say(loader):
    settings = Settings(seed=5, knobs={"rtol": 1e-5, "sample": 3})
    text = CASE + "---\nseed: 2\ncheck: {rtol: 1e-6}\n" + CASE
    first, second = load_spec(None, shown="-", text=text, loader=loader, given={}, settings=settings)
    assert (first.seed, first.knobs.rtol, first.knobs.sample) == (5, 1e-5, 3)
    assert (second.seed, second.knobs.rtol, second.knobs.sample) == (2, 1e-6, 3)
