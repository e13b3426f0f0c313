"""What ends a run before its time: so many failures, an interrupt."""

from gradcheck_cli.records import CaseResult, Verdict
from gradcheck_cli.run.stops import INTERRUPTED, Stops

RIGHT = CaseResult("a::first", "a", 1, "first", "pass", Verdict.PASS, ok=True)
WRONG = CaseResult("a::second", "a", 2, "second", "pass", Verdict.FAIL, ok=False)


def reasons(most, *results):
    stops = Stops(most)
    seen = []
    for result in results:
        stops.hear(result)
        seen.append(stops.reason)
    return seen


def test_the_first_failure_stops_a_run_that_allows_one():
    assert reasons(1, RIGHT, WRONG, WRONG) == ["", *["not run: second was not as expected (-x)"] * 2]


def test_more_failures_may_be_allowed():
    assert reasons(2, WRONG, RIGHT, WRONG) == ["", "", "not run: 2 cases were not as expected (--max-failures)"]


def test_without_a_limit_nothing_stops_it_but_an_interrupt():
    assert reasons(None, WRONG, WRONG) == ["", ""]
    stops = Stops(None)
    stops.interrupt()
    assert stops.reason == INTERRUPTED
