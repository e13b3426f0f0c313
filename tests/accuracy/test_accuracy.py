"""A small part of the counts, in every run of the tests: what the checker says of labelled and random gradients."""

import datetime
import functools

import pytest

from tests.accuracy.__main__ import main
from tests.accuracy.corpus import OPERATORS
from tests.accuracy.counting import corpus_table, cost_table, right_table, wrong_table
from tests.accuracy.labelled import RIGHT, check_labelled
from tests.accuracy.page import write_page
from tests.accuracy.random_functions import CLASSES
from tests.accuracy.randomised import check_random
from tests.accuracy.runs import run_corpus, run_random

SEED = 2
COUNT = 20


@pytest.mark.parametrize("name", OPERATORS)
def test_a_labelled_operator_gets_its_label(name):
    found = check_labelled(name, 0)
    assert found.status in RIGHT, found.describe()


@functools.cache
def drawn(kind):
    """Judge the random functions of one class, once for all tests of this process."""
    return run_random(SEED, [kind], COUNT)


@pytest.mark.parametrize("kind", CLASSES)
def test_no_right_random_gradient_is_called_wrong(kind):
    checks = drawn(kind)
    right = [check for check in checks if check.right]
    assert not [check.describe() for check in right if check.answer in ("called wrong", "error")]


def test_few_right_random_gradients_are_inconclusive():
    checks = [check for kind in CLASSES for check in drawn(kind) if check.right]
    undecided = [check.describe() for check in checks if check.answer in ("inconclusive", "jump")]
    assert len(undecided) <= 0.1 * len(checks), "\n".join(undecided)


def test_most_wrong_random_gradients_fail():
    checks = [check for kind in CLASSES for check in drawn(kind) if not check.right]
    assert sum(check.answer == "fail" for check in checks) >= 0.6 * len(checks)


@pytest.mark.parametrize("kind", CLASSES)
def test_no_visible_mistake_passes(kind):
    wrong = [check_random(SEED, kind, index, False) for index in range(COUNT)]
    assert not [check.describe() for check in wrong if check.is_exception]


def test_the_page_holds_every_table():
    labelled = run_corpus([0], ["gelu_tanh", "roll_same_direction", "relu_at_zero_slope_0"], compare=True)
    randomised = run_random(SEED, ["smooth", "noise"], 2, compare=True)
    page = write_page(labelled, randomised, datetime.date(2030, 1, 2))
    right = [check for check in randomised if check.right]
    wrong = [check for check in randomised if not check.right]
    assert "2030-01-02" in page
    for expected in (corpus_table(labelled), right_table(right), wrong_table(wrong), f"{len(OPERATORS)} operators"):
        assert expected in page
    for kind in ("smooth", "noise"):
        assert page.count(f"| {kind} |") == 3


def test_rows_of_the_tables_add_up():
    checks = run_random(SEED, ["smooth", "offset"], 3)
    rows = [line.split("|")[1:-1] for line in right_table([c for c in checks if c.right]).splitlines()[2:]]
    counts = [[int(cell) for cell in row[1:]] for row in rows]
    assert [sum(column) for column in zip(*counts[:-1], strict=True)] == counts[-1]
    assert all(row[0] == sum(row[1:]) for row in counts)


def test_cost_leaves_out_what_was_not_compared():
    checks = run_corpus([0], ["gradient_transposed", "gelu_tanh"])
    (row,) = cost_table([("some", [check.outcome for check in checks])]).splitlines()[2:]
    assert row.split("|")[2].strip() == "1"


def test_the_command_prints_tables_and_says_by_its_exit_code_whether_all_was_right(capsys):
    assert main(["--corpus", "--names", "gelu_tanh", "swish_gate_detached", "--seeds", "2"]) == 0
    printed = capsys.readouterr().out
    assert "| correct | 1 | 2 | 2 |" in printed
    assert "| wrong | 2 | 0 | " in printed


def test_the_command_shows_one_function_and_one_operator(capsys):
    assert main(["--show", "kink-near:3", "--seed", "4"]) == 0
    assert main(["--show", "gelu_tanh"]) == 0
    printed = capsys.readouterr().out
    assert "kink-near:3 --seed 4" in printed
    assert "as labelled: --show gelu_tanh --seed 0: correct" in printed


def test_the_command_writes_the_page(tmp_path):
    path = tmp_path / "docs" / "accuracy.md"
    main(
        [
            "--corpus",
            "--names",
            "gelu_tanh",
            "--seeds",
            "1",
            "--random",
            "1",
            "--classes",
            "smooth",
            "--write",
            str(path),
        ]
    )
    assert path.read_text(encoding="utf-8").startswith("# How often is the verdict right?")
