"""How cases are called that have no name of their own."""

import pytest

from gradcheck_cli.spec.naming import case_name, document_name, stem_of
from gradcheck_cli.spec.text.nodes import Mark, Scalar, Table

HERE = Mark(1, 1)


def case(expression):
    """Return the keys of a case with an expression; None for one without."""
    return Table(HERE, {} if expression is None else {"expr": Scalar(HERE, expression)})


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("net.grad.yaml", "net"),
        ("net.grad.yml", "net"),
        ("net.yaml", "net"),
        ("net.yml", "net"),
        ("net.grad", "net.grad"),
        ("net.v2.grad.yaml", "net.v2"),
        ("net.grad.yaml.grad.yaml", "net.grad.yaml"),
        ("net.yaml.txt", "net.yaml.txt"),
        ("net", "net"),
        (".yaml", ".yaml"),
        (".grad.yaml", ".grad"),
        ("yaml", "yaml"),
        ("", ""),
    ],
)
def test_a_file_is_called_without_what_every_spec_ends_in(name, stem):
    assert stem_of(name) == stem


def test_the_only_case_of_a_document_is_called_as_the_file_and_later_ones_are_numbered():
    assert [document_name("net", number) for number in (1, 2, 3)] == ["net", "net 2", "net 3"]


def test_a_case_is_called_as_its_expression_if_that_is_short():
    assert case_name(case("tanh(x) + y"), 2) == "tanh(x) + y"
    assert case_name(case("  tanh(x)\n"), 2) == "tanh(x)"
    assert case_name(case(3), 2) == "3"
    assert case_name(case(60 * "x"), 2) == 60 * "x"


@pytest.mark.parametrize("expression", [None, "", "  ", 61 * "x", "y = x\ny * 2", "x\x1b[2J", "x\u202e"])
def test_a_case_without_a_short_expression_is_called_by_its_position(expression):
    assert case_name(case(expression), 3) == "case 3"


def test_an_expression_that_is_no_text_gives_no_name():
    assert case_name(Table(HERE, {"expr": Table(HERE)}), 1) == "case 1"
