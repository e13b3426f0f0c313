"""A spec with a case for each operator: its lines, its comments, and that the program reads it."""

from __future__ import annotations

from pathlib import Path

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.report.operators_spec import operators_spec_file
from gradcheck_cli.run.collect import collect
from gradcheck_cli.run.options import Options
from gradcheck_cli.run.runner import run_cases

BUILT_IN = Loader().built_in


def without_comments(text: str) -> str:
    return "".join(f"{line}\n" for line in text.splitlines() if line and not line.lstrip().startswith("#"))


def test_one_operator_is_one_case_with_its_keys_at_the_top() -> None:
    text = operators_spec_file([BUILT_IN["linear"]], ["my ops.py"], "gradcheck run a.grad.yaml")
    assert text.startswith("# A spec for linear. To check it:\n#     gradcheck run a.grad.yaml\n#\n")
    assert without_comments(text).startswith("ops: ['my ops.py']\ndims: {")
    assert [line for line in text.splitlines() if len(line) > 88] == []
    keys = [line.partition(":")[0] for line in without_comments(text).splitlines() if not line.startswith(" ")]
    assert keys == ["ops", "dims", "expr", "params"]


def test_each_key_is_explained_the_first_time() -> None:
    operators = [BUILT_IN[name] for name in ("tanh", "cross_entropy", "softmax", "nll_loss")]
    lines = operators_spec_file(operators, [], "").splitlines()
    for key in ("expr", "matrix", "params", "inputs", "dims"):
        places = [at for at, line in enumerate(lines) if line.strip().startswith(f"{key}:")]
        explained = [lines[at - 1].strip().startswith("#") for at in places]
        assert places
        assert explained == [True] + [False] * (len(places) - 1), key


def test_a_form_of_an_array_is_explained_where_it_comes_first() -> None:
    def said(*names: str) -> list[str]:
        text = operators_spec_file([BUILT_IN[name] for name in names], [], "")
        words = " ".join(line.strip().removeprefix("#").strip() for line in text.splitlines())
        told = {"A text is a shape": "text", "is the shape of a vector": "vector", "A number or a list is": "value"}
        found = [(words.index(sentence), name) for sentence, name in told.items() if sentence in words]
        assert all(words.count(sentence) < 2 for sentence in told)
        return [name for _, name in sorted(found)]

    assert said("tanh") == ["text"]
    assert said("mse_loss") == ["value"]
    assert said("tanh", "mse_loss") == ["text", "value"]


def test_what_is_to_be_said_stands_above_and_the_schema_before_everything() -> None:
    text = operators_spec_file([BUILT_IN["tanh"]], [], "run it", "gradcheck.schema.json", ["a note"])
    assert text.splitlines()[:4] == [
        "# yaml-language-server: $schema=gradcheck.schema.json",
        "# A spec for tanh. To check it:",
        "#     run it",
        "# a note",
    ]
    assert "gradcheck schema" not in text


def test_many_operators_are_counted_in_the_heading() -> None:
    names = ("tanh", "exp", "log", "relu", "sigmoid")
    heading = operators_spec_file([BUILT_IN[name] for name in names], [], "").splitlines()[0]
    assert heading == "# A spec for tanh, exp, log and 2 more operators. To check it:"
    heading = operators_spec_file([BUILT_IN[name] for name in names[:2]], [], "").splitlines()[0]
    assert heading == "# A spec for tanh and exp. To check it:"


def test_a_spec_of_built_in_operators_passes(tmp_path: Path) -> None:
    """Their examples one by one are tested with `example_spec`; here they stand in one file."""
    names = ("tanh", "cross_entropy", "matmul", "where", "concatenate", "dropout", "getitem", "linear")
    path = tmp_path / "all.grad.yaml"
    path.write_text(operators_spec_file([BUILT_IN[name] for name in names], [], "run"), encoding="utf-8")
    options = Options(paths=(str(path),))
    result = run_cases(collect(options), options)
    assert list(dict.fromkeys(case.name.partition("[")[0] for case in result.cases)) == list(names)
    assert result.ok
