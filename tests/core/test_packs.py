"""Installed packs: found by entry points, loaded late, and harmless when they are broken."""

import sys

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.packs import load_packs
from gradcheck_cli.core.scope import Scope
from gradcheck_cli.errors import OperatorError


@pytest.fixture
def install(tmp_path, write, monkeypatch):
    """Put a distribution with entry points on the path."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def make(name, modules, entries):
        info = f"{name}-1.0.dist-info"
        write(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
        write(f"{info}/entry_points.txt", f"[gradcheck.ops]\n{lines}")
        for file, text in modules.items():
            write(file, text)

    yield make
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_pack_is_loaded_only_when_a_name_is_otherwise_unknown(install, operator_text):
    install("snake", {"snake_ops.py": operator_text("snake")}, {"snake": "snake_ops"})
    scope = Scope(Loader())
    assert scope.find("tanh").name == "tanh"
    assert scope.shadows("tanh") == []
    assert "snake_ops" not in sys.modules
    assert scope.find("snake").name == "snake"
    assert "snake_ops" in sys.modules
    assert scope.find("no_such") is None
    assert "snake" in scope.names
    assert "snake" in scope.packs
    assert scope.problems == ()


def test_a_pack_comes_after_the_built_in_operators(install, operator_text):
    install("late", {"late_ops.py": operator_text("tanh")}, {"late": "late_ops"})
    scope = Scope(Loader())
    assert scope.find("tanh").file != scope.packs["tanh"].file


def test_an_entry_point_may_name_one_operator(install, operator_text):
    both = operator_text("snake") + operator_text("mish").partition("\n\n\n")[2]
    install("one", {"one_ops.py": both}, {"one": "one_ops:mish"})
    assert list(Scope(Loader()).packs) == ["mish"]


def test_packs_are_loaded_once_for_all_scopes_of_a_loader(install, operator_text):
    install("snake", {"snake_ops.py": operator_text("snake")}, {"snake": "snake_ops"})
    loader = Loader()
    assert Scope(loader).find("snake") is Scope(loader).find("snake")


@pytest.mark.parametrize(
    ("modules", "value", "said"),
    [
        pytest.param({}, "missing_ops", "No module named 'missing_ops'", id="missing"),
        pytest.param({"bad_ops.py": "1 / 0\n"}, "bad_ops", "ZeroDivisionError", id="raises"),
        pytest.param({"bad_ops.py": "def f(:\n"}, "bad_ops", "SyntaxError", id="syntax"),
        pytest.param({"bad_ops.py": "exit(1)\n"}, "bad_ops", "it ends the program", id="exit"),
        pytest.param(
            {"bad_ops.py": "from gradcheck_cli import op\n@op\ndef f(x):\n    return x\n"},
            "bad_ops",
            "f: has no backward",
            id="declaration",
        ),
        pytest.param({"bad_ops.py": ""}, "bad_ops:relux", "'bad_ops' has no operator 'relux'", id="no such operator"),
        pytest.param({}, "!", "names no module", id="nonsense"),
    ],
)
def test_a_broken_pack_harms_nobody_who_does_not_need_it(install, operator_text, modules, value, said):
    install("broken", modules, {"broken": value})
    install("right", {"right_ops.py": operator_text("snake")}, {"right": "right_ops"})
    scope = Scope(Loader())
    assert scope.find("snake").name == "snake"
    assert scope.find("no_such") is None
    assert {"snake", "tanh"} <= set(scope.names)
    (problem,) = scope.problems
    assert problem.code == "broken-pack"
    assert "the installed operator pack 'broken' of broken can't be used: " in problem.message
    assert said in problem.message


def test_two_packs_with_one_name_harm_only_that_name(install, operator_text):
    both = operator_text("snake") + operator_text("mish").partition("\n\n\n")[2]
    install("first", {"first_ops.py": both}, {"first": "first_ops"})
    install("second", {"second_ops.py": operator_text("snake")}, {"second": "second_ops"})
    scope = Scope(Loader())
    assert scope.find("mish").name == "mish"
    assert "snake" not in scope.names
    with pytest.raises(
        OperatorError, match=r"second_ops\.py:5: error: two operators are named 'snake'.*first_ops\.py:5"
    ):
        scope.find("snake")
    assert [problem.code for problem in scope.problems] == ["same-name"]


def test_one_pack_under_two_entry_points_is_no_clash(install, operator_text):
    install("twice", {"twice_ops.py": operator_text("snake")}, {"a": "twice_ops", "b": "twice_ops:snake"})
    packs = load_packs(Loader().module)
    assert list(packs.operators) == ["snake"]
    assert packs.problems == ()


def test_no_installed_pack_is_no_problem():
    packs = load_packs(Loader().module)
    assert (packs.operators, packs.problems) == ({}, ())
