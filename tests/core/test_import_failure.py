"""Why something doesn't import, as one problem."""

from pathlib import Path

import pytest

from gradcheck_cli.core.import_failure import import_failure
from gradcheck_cli.errors import Location, OperatorError, Problem


def caught(run):
    with pytest.raises(BaseException) as error:  # noqa: PT011 (whatever was raised)
        run()
    return error.value


def test_the_deepest_line_is_shown_where_no_file_was_asked_for():
    def inner():
        raise ValueError("no")

    (problem,) = import_failure(caught(inner), "it fails")
    assert problem.message == "it fails: ValueError: no"
    assert problem.location.file == __file__
    assert problem.source.strip() == 'raise ValueError("no")'


def test_a_file_that_no_line_of_the_traceback_is_in_is_shown_alone():
    (problem,) = import_failure(ValueError("no"), "it fails", Path("other.py"))
    assert problem.location == Location("other.py")
    assert import_failure(ValueError("no"), "it fails")[0].location is None


def test_problems_that_know_their_place_are_passed_on():
    known = Problem("something", Location("ops.py", 3))
    assert import_failure(OperatorError([known]), "it fails") == [known]
    (problem,) = import_failure(OperatorError([known, Problem("without a place")]), "it fails")
    assert problem.code == "import-failed"


def test_the_ways_to_end_the_program():
    assert "exit()" in import_failure(SystemExit(), "it fails")[0].message
    assert "exit('bye')" in import_failure(SystemExit("bye"), "it fails")[0].message
