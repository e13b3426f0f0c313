"""How the shells are answered: their words taken apart and put together, and real shells on a terminal."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.cli.shells import glued, quoted, unquoted
from tests.cli.typed import STARTS, Shell

WORDS = [
    (["gradcheck", "run", "a.yaml"], 2, (["gradcheck", "run"], "a.yaml", "")),
    (["gradcheck", "run", ""], 2, (["gradcheck", "run"], "", "")),
    (["gradcheck", "run"], 2, (["gradcheck", "run"], "", "")),
    (["gradcheck", "run", "a.yaml", "::"], 3, (["gradcheck", "run"], "a.yaml::", "a.yaml::")),
    (["gradcheck", "run", "a.yaml", "::", "b"], 4, (["gradcheck", "run"], "a.yaml::b", "a.yaml::")),
    (["gradcheck", "run", "a", "::", "b", ":", "c"], 6, (["gradcheck", "run"], "a::b:c", "a::b:")),
    (["gradcheck", "run", "--format", "=", "j"], 4, (["gradcheck", "run"], "--format=j", "--format=")),
    (["gradcheck", "run", "a", "::", "b", "-k", "x"], 6, (["gradcheck", "run", "a::b", "-k"], "x", "")),
    (["gradcheck", "run", "a", "later"], 2, (["gradcheck", "run"], "a", "")),
]


@pytest.mark.parametrize(("words", "index", "expected"), WORDS, ids=[" ".join(words) for words, _, _ in WORDS])
def test_words_that_bash_takes_apart_are_put_together(
    words: list[str], index: int, expected: tuple[list[str], str, str]
) -> None:
    assert glued("\n".join(words), index) == expected
    if "" not in words:
        assert glued(" ".join(words), index) == expected


def test_words_may_hold_spaces() -> None:
    assert glued("gradcheck\nrun\na\\ b\n'c d", 3) == (["gradcheck", "run", "a\\ b"], "'c d", "")


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]))


@given(NAMES)
def test_a_quoted_name_is_one_word_and_that_name(name: str) -> None:
    assert unquoted(quoted(name)) == name
    assert shlex.split(quoted(name)) == [name] * bool(name)
    assert unquoted(f"'{quoted(name, chr(39))}'") == name
    assert shlex.split(f"'{quoted(name, chr(39))}'") == [name]
    assert unquoted(f'"{quoted(name, chr(34))}"') == name


@pytest.mark.parametrize(("word", "text"), [("a\\ b", "a b"), ("'a b", "a b"), ('"a\'b"', "a'b"), ("a'b'\"c\"", "abc")])
def test_quotes_that_are_open_are_read(word: str, text: str) -> None:
    assert unquoted(word) == text


SPEC = {
    "params": {"x": 3},
    "cases": [
        {"name": "the loss alone", "expr": "exp(x)"},
        {"name": "tanh(x)", "expr": "tanh(x)", "tags": "gradual"},
        {"name": "zwei:drei", "expr": "sqrt(x)"},
        {"name": "q;touch evil", "expr": "sum(x)"},
        {"name": r"\$(touch evil)", "expr": "mean(x)"},
        {"name": "`touch evil`", "expr": "max(x)"},
        {"name": "'; touch evil; '", "expr": "min(x)"},
    ],
}

TYPED = [
    ("gradcheck show-op leak\t\n", ["show-op", "leaky_relu"]),
    ("gradcheck explain missing-t\t\n", ["explain", "missing-term"]),
    ("gradcheck run --format js\t\n", ["run", "--format", "json"]),
    ("gradcheck run --format=js\t\n", ["run", "--format=json"]),
    ("gradcheck run a.gr\t\n", ["run", "a.grad.yaml"]),
    ("gradcheck run a.grad.yaml::the\t\n", ["run", "a.grad.yaml::the loss alone"]),
    ("gradcheck run --tag gr\t\n", ["run", "--tag", "gradual"]),
    ("gradcheck run --report htm\t\n", ["run", "--report", "html="]),
    ("gradcheck run a.grad.yaml::tan\t\n", ["run", "a.grad.yaml::tanh(x)"]),
    ("gradcheck run a.grad.yaml::zwei:\t\n", ["run", "a.grad.yaml::zwei:drei"]),
    ("gradcheck run a.grad.yaml::q\t\n", ["run", "a.grad.yaml::q;touch evil"]),
    ("gradcheck graph a.grad.yaml --case the\t\n", ["graph", "a.grad.yaml", "--case", "the loss alone"]),
    # All names are shown, none is chosen; what was typed is deleted.
    ("gradcheck run a.grad.yaml::\t\t\x15gradcheck shown\n", ["shown"]),
]
BASH = [("gradcheck run 'a.grad.yaml::the\t\n", ["run", "a.grad.yaml::the loss alone"])]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals of this kind")
@pytest.mark.parametrize("name", STARTS)
def test_a_shell_completes_what_is_typed(folder: Path, write: Callable[..., Path], name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    write("a.grad.yaml", json.dumps(SPEC))
    with Shell(name, folder) as shell:
        for keys, words in [*TYPED, *(BASH if name == "bash" else [])]:
            assert [word for word in shell.called(keys) if word] == words, keys
    assert not (folder / "evil").exists()
