"""Names of operators, read from the text of a file."""

from pathlib import Path

import pytest

from gradcheck_cli.core.loader import Loader
from gradcheck_cli.core.names_in_source import built_in_names, names_in

ROOT = Path(__file__).parents[2]


def test_the_built_in_operators_are_all_found():
    assert built_in_names() == sorted(Loader().built_in)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from gradcheck_cli import op\n@op\ndef a(x): ...\n@op(x=3)\ndef b(x): ...\ndef c(x): ...\n", ["a", "b"]),
        ("import gradcheck_cli\n@gradcheck_cli.op\ndef a(x): ...\n@a.backward\ndef _(g): ...\n", ["a"]),
        ("from gradcheck_cli import op as mark\n@mark\ndef a(x): ...\n", ["a"]),
        ("def f_forward(x): ...\ndef f_backward(g): ...\ndef g_forward(x): ...\n", ["f"]),
        ("def forward_f(x): ...\ndef backward_f(g): ...\n", ["f"]),
        ("def f(x): ...\ndef f_bwd(g): ...\n", ["f"]),
        ("class A:\n def forward(self): ...\n def backward(self): ...\nclass B(A): ...\nclass C: ...\n", ["A", "B"]),
        ("x = 3\n", []),
        ("", []),
        ("def broken(:\n", []),
        ("\x00", []),
        ("(" * 5000, []),
    ],
)
def test_names_are_read_from_the_text(write, text, names):
    assert names_in(write("ops.py", text)) == names


def test_reading_runs_nothing(write, tmp_path):
    path = write("ops.py", f"open({str(tmp_path / 'ran')!r}, 'w')\nfrom gradcheck_cli import op\n@op\ndef a(x): ...\n")
    assert names_in(path) == ["a"]
    assert not (tmp_path / "ran").exists()


def test_a_file_that_is_none_has_no_names(tmp_path):
    assert names_in(tmp_path) == []
    assert names_in(tmp_path / "missing.py") == []
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    assert names_in(tmp_path / "bytes.py") == []


@pytest.mark.parametrize("name", ["examples/bridges/pairs.py", "examples/course/layers.py"])
def test_pairs_that_ship_are_found(name):
    from gradcheck_cli.bridges.library import Library

    found = {operator.name for operator in Library().file(ROOT / name)}
    assert len(found & set(names_in(ROOT / name))) > 4
    assert set(names_in(ROOT / name)) <= found
