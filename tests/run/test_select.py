"""Which parameters ids and keyword expressions select."""

from __future__ import annotations

import pytest

from gradcheck_cli.errors import SpecError
from gradcheck_cli.run.select import keyword_matcher, matches, selected_parameters, tag_matcher


@pytest.mark.parametrize(
    ("full_id", "wanted", "expected"),
    [
        ("f::a::x", "f::a::x", True),
        ("f::a::x", "f::a", True),
        ("f::a::x", "f", True),
        ("f::a::x", "f::a::", False),
        ("f::a::x", "f::a:", False),
        ("f::ab::x", "f::a", False),
        ("f::a::xy", "f::a::x", False),
        ("f::a::b::x", "f::a", True),
        ("f::a::b::x", "f::b", False),
        ("f::a::x", "F::a", False),
    ],
)
def test_an_id_matches_by_equality_or_as_a_prefix(full_id: str, wanted: str, expected: bool) -> None:
    assert matches(full_id, wanted) is expected


def test_ids_select_parameters() -> None:
    assert selected_parameters("f::a", ["x", "y"], []) == ["x", "y"]
    assert selected_parameters("f::a", ["x", "y"], ["f::a::y", "g"]) == ["y"]
    assert selected_parameters("f::a", ["x", "y"], ["f::b"]) == []


@pytest.mark.parametrize(
    ("expression", "meant"),
    [
        ("net,slow", "net or slow"),
        ("net, slow", "net or slow"),
        ("net , not slow,", "net or not slow"),
        (",", "slow and not gpu"),
    ],
)
def test_a_comma_joins_no_tags_and_what_would_is_said(expression: str, meant: str) -> None:
    with pytest.raises(SpecError) as caught:
        tag_matcher(expression)
    (problem,) = caught.value.problems
    assert (problem.code, problem.hint) == ("keyword", f"--tag '{meant}'")
    assert tag_matcher(meant)(["slow", "gpu"]) is ("net or slow" in meant)
    assert keyword_matcher("a,b")("f::a,b")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("", True),
        ("  ", True),
        ("relu", True),
        ("RELU", True),
        ("elu", True),
        ("tanh", False),
        ("not tanh", True),
        ("not not relu", True),
        ("relu and tanh", False),
        ("relu or tanh", True),
        ("tanh or relu and x", True),
        ("(tanh or relu) and w", False),
        ("not (tanh or w)", True),
        ("not tanh and not w", True),
        ("net.grad.yaml::Leaky", True),
        ("(relu)", True),
        ("((relu)and(not(tanh)))", True),
        ("android", False),
        ("notrelu", False),
    ],
)
def test_a_keyword_expression(expression: str, expected: bool) -> None:
    assert keyword_matcher(expression)("net.grad.yaml::leaky ReLU::x") is expected


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("(relu", "')' is missing"),
        ("relu)", "unexpected ')'"),
        ("relu tanh", "unexpected 'tanh'"),
        ("relu and", "a word is missing at the end"),
        ("or relu", "a word is missing before 'or'"),
        ("not", "a word is missing at the end"),
        ("()", "a word is missing before ')'"),
        ("relu and and tanh", "a word is missing before 'and'"),
        ("(" * 500 + "a" + ")" * 500, "levels of parentheses"),
        ("not " * 500 + "a", "levels of parentheses"),
    ],
)
def test_a_malformed_expression_is_a_problem(expression: str, why: str) -> None:
    with pytest.raises(SpecError) as caught:
        keyword_matcher(expression)
    (problem,) = caught.value.problems
    assert why in problem.message
    assert problem.code == "keyword"
    assert problem.hint


def test_a_long_chain_is_no_deep_one() -> None:
    chain = " or ".join(f"word{n}" for n in range(20_000))
    assert keyword_matcher(chain)("word19999")
    assert not keyword_matcher(chain)("nothing")
    assert keyword_matcher(" and ".join(["word"] * 20_000))("a word")
