"""Which operator a name means: the nearest."""

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.operator import Input, Operator
from gradcheck_cli.core.scope import Scope, levels_of


def named(name, file):
    return Operator(name, lambda x: x, (Input("x"),), file=file, line=1)


LOADER = Loader()


@pytest.fixture
def scope():
    own = levels_of([[named("relu", "own.py"), named("mine", "own.py")]])
    given = levels_of([[named("relu", "given.py"), named("tanh", "given.py")]])
    return Scope(LOADER, own, given)


def test_the_nearer_level_wins(scope):
    assert scope.find("mine").file == "own.py"
    assert scope.find("relu").file == "own.py"
    assert scope.find("tanh").file == "given.py"
    assert scope.find("exp") is scope.builtins["exp"]
    assert scope.find("no_such") is None


def test_hidden_operators_are_listed_nearest_first(scope):
    assert [operator.file for operator in scope.shadows("relu")] == ["given.py", scope.builtins["relu"].file]
    assert scope.shadows("tanh") == [scope.builtins["tanh"]]
    assert scope.shadows("mine") == scope.shadows("exp") == scope.shadows("no_such") == []


def test_names_hold_every_level_once(scope):
    assert {"mine", "relu", "tanh", "exp"} <= set(scope.names)
    assert len(scope.names) == len(set(scope.names))
    assert scope.names == sorted(scope.names)


def test_scopes_do_not_see_one_another(scope):
    other = Scope(LOADER)
    assert other.find("mine") is None
    assert other.find("relu") is scope.builtins["relu"]
