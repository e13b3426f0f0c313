# ruff: noqa: RUF001 (the sign for times is what is tested)
from __future__ import annotations

import shutil
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcheck_cli.report.plain import encodable, plus_minus_sign, safe, shell_quoted, times_sign

HOSTILE = [
    ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
    ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
    ("a\rb\nc\td", r"a\rb\nc\td"),
    ("\x9b2J", r"\x9b2J"),
    ("\u202eevil", r"\u202eevil"),
    ("one\u2028two\u2029three", r"one\u2028two\u2029three"),
    ("zero\u200bwidth", r"zero\u200bwidth"),
    ("not utf-8: \udcff", r"not utf-8: \udcff"),
    ("[red]x[/red]", "[red]x[/red]"),
    ("größe 末 ×", "größe 末 ×"),
]


@pytest.mark.parametrize(("text", "shown"), HOSTILE)
def test_hostile_text_is_shown_harmless(text: str, shown: str) -> None:
    assert safe(text, "utf-8") == shown


@pytest.mark.parametrize(
    ("encoding", "shown"), [("ascii", r"gr\xf6\xdfe \u672b"), ("latin-1", r"größe \u672b"), ("utf-8", "größe 末")]
)
def test_what_the_screen_cannot_write_is_escaped(encoding: str, shown: str) -> None:
    assert safe("größe 末", encoding) == shown


@given(st.text(), st.sampled_from(["utf-8", "ascii", "cp1252"]))
def test_safe_text_is_one_line_that_can_be_written(text: str, encoding: str) -> None:
    shown = safe(text, encoding)
    assert encodable(shown, encoding)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(char).startswith("C") for char in shown)


@pytest.mark.parametrize(
    ("encoding", "signs"), [("utf-8", ("×", "±")), ("cp1252", ("×", "±")), ("ascii", ("x", "+/-"))]
)
def test_signs_follow_the_encoding(encoding: str, signs: tuple[str, str]) -> None:
    assert (times_sign(encoding), plus_minus_sign(encoding)) == signs


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("specs/a.grad.yaml::layer_norm::x", "specs/a.grad.yaml::layer_norm::x"),
        ("a.yaml::two words", "'a.yaml::two words'"),
        ("a.yaml::it's", """'a.yaml::it'"'"'s'"""),
        ("$(reboot)`reboot`;reboot", "'$(reboot)`reboot`;reboot'"),
        ("a\nb", r"$'a\x0ab'"),
        ("\x1b'\\", r"$'\x1b\'\\'"),
        ("\u202e", r"$'\u202e'"),
        ("\U000e0041", r"$'\U000e0041'"),
        ("\udcff", r"$'\xff'"),
    ],
)
def test_an_id_is_quoted_for_a_shell(text: str, quoted: str) -> None:
    assert shell_quoted(text, "utf-8") == quoted


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_bash_reads_a_quoted_id_back(encoding: str) -> None:
    words = [text for text, _ in HOSTILE] + ["it's", "$HOME `x` \\ !", "a\x0bc1f", "\x1bdead"]
    line = "printf '%s\\0' " + " ".join(shell_quoted(word, encoding) for word in words)
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env=environment)
    assert done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1] == words
