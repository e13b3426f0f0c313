"""The light dataclass is what that of the standard library is, as far as its options go."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import field
from functools import cached_property
from typing import Any

import pytest

from gradcheck_cli import light_dataclass

LIGHT = light_dataclass.dataclass
STANDARD = dataclasses.dataclass


def family(dataclass: Any) -> dict[str, Any]:
    """Define the same classes with either decorator."""

    @dataclass(frozen=True)
    class Place:
        file: str
        line: int = 0
        column: int = 0

        @property
        def here(self) -> str:
            return f"{self.file}:{self.line}"

        @cached_property
        def once(self) -> list[str]:
            return [self.file]

    @dataclass(frozen=True)
    class Folded(Place):
        style: str = ""
        rest: list[int] = field(default_factory=list)

    @dataclass(frozen=True, eq=False)
    class Holder:
        array: Any

    @dataclass
    class Draft:
        names: list[str] = field(default_factory=list)
        size: int = 0

        def __post_init__(self) -> None:
            self.size += len(self.names)

    @dataclass(eq=False)
    class Bench:
        width: int

    @dataclass(frozen=True)
    class Result:
        name: str
        errors: Any = field(default=None, compare=False, repr=False)

    @dataclass
    class Rule:
        function: str
        lenient: bool = field(default=False, kw_only=True)
        needs: tuple[str, ...] = ()

    @dataclass(frozen=True)
    class Nothing:
        pass

    @dataclass(frozen=True)
    class Loud:
        name: str

        def __repr__(self) -> str:
            return "loud!"

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = object.__hash__

    made = (Place, Folded, Holder, Draft, Bench, Result, Rule, Nothing, Loud)
    for each in made:
        each.__qualname__ = each.__name__
    return {each.__name__: each for each in made}


@pytest.fixture(params=[LIGHT, STANDARD], ids=["light", "standard"])
def of(request: pytest.FixtureRequest) -> Any:
    return family(request.param)


CALLS = [
    ("Place", ("a",), {}, "Place(file='a', line=0, column=0)"),
    ("Place", ("a", 2), {"column": 3}, "Place(file='a', line=2, column=3)"),
    ("Place", (), {"line": 4, "file": "b"}, "Place(file='b', line=4, column=0)"),
    ("Folded", ("a", 1, 2, "|"), {}, "Folded(file='a', line=1, column=2, style='|', rest=[])"),
    ("Draft", (["x", "y"],), {}, "Draft(names=['x', 'y'], size=2)"),
    ("Draft", (), {"size": 3}, "Draft(names=[], size=3)"),
    ("Bench", (5,), {}, "Bench(width=5)"),
    ("Result", ("w", 7), {}, "Result(name='w')"),
    ("Rule", ("f", ("x",)), {"lenient": True}, "Rule(function='f', lenient=True, needs=('x',))"),
    ("Nothing", (), {}, "Nothing()"),
    ("Loud", ("x",), {}, "loud!"),
]


@pytest.mark.parametrize(("name", "values", "named", "shown"), CALLS)
def test_a_call_fills_the_fields(of: Any, name: str, values: Any, named: Any, shown: str) -> None:
    assert repr(of[name](*values, **named)) == shown


WRONG = [
    ("Place", (), {}),
    ("Place", ("a", 1, 2, 3), {}),
    ("Place", ("a",), {"file": "b"}),
    ("Place", ("a",), {"row": 1}),
    ("Place", (), {"row": 1}),  # as many as there are fields
    ("Bench", (), {"height": 1}),
    ("Rule", ("f", (), True), {}),
    ("Nothing", (1,), {}),
]


@pytest.mark.parametrize(("name", "values", "named"), WRONG)
def test_a_wrong_call_is_refused(of: Any, name: str, values: Any, named: Any) -> None:
    with pytest.raises(TypeError, match=name):
        of[name](*values, **named)


def test_the_refusal_of_a_light_one_says_everything_that_is_wrong() -> None:
    with pytest.raises(TypeError) as raised:
        family(LIGHT)["Place"](row=1, line=2)
    assert str(raised.value) == "Place() takes file, line, column; missing: file; unknown: row"


def test_equal_fields_make_frozen_ones_equal(of: Any) -> None:
    place = of["Place"]
    assert place("a", 1) == place("a", 1)
    assert len({place("a", 1), place("a", 1), place("a", 2)}) == 2
    assert place("a", 1) != place("a", 2)
    assert place("a") != of["Folded"]("a")
    assert place("a") != ("a", 0, 0)
    assert of["Nothing"]() == of["Nothing"]()
    assert hash(of["Nothing"]()) == hash(of["Nothing"]())


def test_what_is_not_compared_makes_no_difference(of: Any) -> None:
    result = of["Result"]
    assert result("w", 1) == result("w", 2)
    assert hash(result("w", [])) == hash(result("w"))


def test_without_eq_each_equals_itself_alone(of: Any) -> None:
    one = of["Holder"](3)
    assert one == one
    assert one != of["Holder"](3)
    assert len({one, of["Holder"](3)}) == 2


def test_one_that_can_change_has_no_hash(of: Any) -> None:
    draft = of["Draft"]()
    draft.size = 4
    assert draft == of["Draft"]([], 4)
    with pytest.raises(TypeError, match="unhashable"):
        hash(draft)
    hash(of["Bench"](1))


def test_a_frozen_one_refuses_changes(of: Any) -> None:
    place = of["Place"]("a")
    for change in (lambda: setattr(place, "line", 3), lambda: delattr(place, "line"), lambda: setattr(place, "new", 1)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert place.line == 0
    assert place.here == "a:0"
    assert place.once is place.once


def test_methods_that_a_class_writes_itself_stay(of: Any) -> None:
    assert of["Loud"]("x") == 3
    assert repr(of["Loud"]("x")) == "loud!"


def test_the_functions_for_dataclasses_take_it(of: Any) -> None:
    folded = of["Folded"]("a", 1, rest=[1])
    assert [each.name for each in dataclasses.fields(folded)] == ["file", "line", "column", "style", "rest"]
    assert dataclasses.replace(folded, line=5) == of["Folded"]("a", 5, 0, "", [1])
    assert dataclasses.asdict(folded)["rest"] == [1]
    with pytest.raises(TypeError):
        dataclasses.replace(folded, row=5)
    match folded:
        case object(file=file, line=line):
            assert (file, line) == ("a", 1)
    place = of["Place"]
    match place("b", 2):
        case place(file, line):
            assert (file, line) == ("b", 2)


def test_defaults_are_made_anew(of: Any) -> None:
    one, other = of["Draft"](), of["Draft"]()
    one.names.append("x")
    assert other.names == []


def test_a_changeable_default_is_refused() -> None:
    for dataclass in (LIGHT, STANDARD):
        with pytest.raises(ValueError, match="default_factory"):

            @dataclass
            class Wrong:
                items: list[int] = []


@LIGHT(frozen=True)
class Kept:
    """At the top of a module, where pickle finds it."""

    name: str
    inner: Any = None


def test_it_can_be_copied_and_pickled() -> None:
    kept = Kept("a", [Kept("b")])
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert copy.deepcopy(kept) == kept
    assert copy.copy(kept).inner is kept.inner


def test_one_that_holds_itself_can_be_shown() -> None:
    kept = Kept("a", [])
    kept.inner.append(kept)
    assert repr(kept) == "Kept(name='a', inner=[...])"


def test_defining_one_compiles_nothing() -> None:
    program = (
        "import dataclasses, sys\n"
        "from gradcheck_cli import light_dataclass\n"
        "count = 0\n"
        "def hear(event, arguments):\n"
        "    global count\n"
        "    count += event in ('compile', 'exec')\n"
        "def define(dataclass):\n"
        "    before = count\n"
        "    class Place:\n"
        "        'One place.'\n"
        "        file: str\n"
        "        line: int = 0\n"
        "    dataclass(frozen=True)(Place)\n"
        "    return count - before\n"
        "sys.addaudithook(hear)\n"
        "print(define(light_dataclass.dataclass), define(dataclasses.dataclass) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["0", "True"]
