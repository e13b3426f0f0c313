"""Problems of one file: each once, in the order of the file."""

import pytest

from gradcheck_cli.errors import Location, Problem, SpecError
from gradcheck_cli.spec.text.nodes import Mark
from gradcheck_cli.spec.text.problems import Problems


def raised(found):
    with pytest.raises(SpecError) as caught:
        found.raise_any()
    return list(caught.value.problems)


def test_nothing_is_raised_without_a_problem():
    found = Problems("a.yaml", ("x: 1",))
    found.raise_any()
    assert len(found) == 0


def test_problems_come_in_the_order_of_the_file_and_once():
    found = Problems("a.yaml", ("x: 1", "y: 2"))
    found.add(Mark(2, 4), "second", "code", "do this")
    found.add(Mark(1, 4), "first", "code")
    found.add(Mark(2, 4), "second", "code", "do this")
    assert [str(problem) for problem in raised(found)] == [
        "a.yaml:1:4: error: first [code]\n  x: 1\n     ^",
        "a.yaml:2:4: error: second [code]\n  y: 2\n     ^\n  hint: do this",
    ]


def test_problems_from_elsewhere_come_where_they_were_caused():
    found = Problems("a.yaml", ("ops: b.py", "expr: x", "z: 3"))
    found.add(Mark(3, 1), "last", "code")
    found.take([Problem("inside", Location("a.yaml", 2, 7), "code")], Mark(2, 1))
    found.take([Problem("other file", Location("b.py", 99), "code"), Problem("nowhere", None, "code")], Mark(1, 6))
    assert [problem.message for problem in raised(found)] == ["other file", "nowhere", "inside", "last"]


def test_position_outside_the_file_shows_no_line():
    found = Problems("a.yaml", ("x: 1",))
    found.add(Mark(7, 1), "beyond", "code")
    assert raised(found)[0].source == ""


def test_long_messages_and_lines_are_cut():
    found = Problems("a.yaml", ("y" * 201, "y" * 200))
    found.add(Mark(1, 1), "m" * 1000, "code", "h" * 1000)
    found.add(Mark(2, 1), "short", "code")
    first, second = raised(found)
    assert (len(first.message), len(first.hint), first.source) == (503, 503, "")
    assert second.source == "y" * 200


def test_collector_stops_at_a_thousand():
    found = Problems("a.yaml", ("x: 1",))
    problems = [Problem(f"problem {number}", None, "code") for number in range(5000)]
    with pytest.raises(SpecError) as caught:
        found.take(problems, Mark(1, 1))
    assert len(caught.value.problems) == 1001
    assert caught.value.problems[-1].code == "too-many"


def test_of_what_cases_share_it_is_said_which_have_the_problem():
    found = Problems("a.yaml", ("x: 1", "y: 2", "z: 3"))
    place = Mark(1, 4)
    for number in range(9):
        with found.shared(place, f"case {number}"):
            found.add(place, "all", "code")
            if number % 2:
                found.add(Mark(2, 1), "odd", "code")
            if number == 4:
                found.add(Mark(2, 2), "one", "code")
            if number < 8:
                found.add(Mark(2, 3), "nearly all", "code")
    found.add(Mark(3, 1), "own", "code")
    assert [problem.message for problem in raised(found)] == [
        "all",
        "odd (in cases 'case 1', 'case 3', 'case 5' and 1 more)",
        "one (in case 'case 4')",
        "nearly all (in cases 'case 0', 'case 1', 'case 2' and 5 more)",
        "own",
    ]


def test_where_one_case_reads_what_others_could_it_is_named():
    found = Problems("a.yaml", ("x: 1",))
    with found.shared(Mark(1, 4), "only " + 100 * "y"):
        found.add(Mark(1, 4), "wrong", "code")
    (problem,) = raised(found)
    assert problem.message == f"wrong (in case 'only {55 * 'y'}...')"
