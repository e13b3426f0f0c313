# ruff: noqa: RUF001 (the sign for times is what is printed)
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from gradcheck_cli.report.table import Row, parameter_table


def row(name: str, verdict: str = "PASS", shape: str = "4×8", style: str = "") -> Row:
    return Row((name, shape, "32/32 ", "2.4e-11", "1e-07", verdict), style)


def lines(rows: list[Row], width: int | None) -> list[str]:
    return [line.plain for line in parameter_table(rows, width)]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert lines([row("x"), row("hidden.weight", "INCONCLUSIVE", "100×200")], None) == [
        " parameter       shape     checked   max rel err   resolution   verdict",
        " x               4×8        32/32        2.4e-11        1e-07   PASS",
        " hidden.weight   100×200    32/32        2.4e-11        1e-07   INCONCLUSIVE",
    ]


def test_wide_characters_count_twice() -> None:
    assert lines([row("重み"), row("x")], None)[1:] == [
        " 重み        4×8      32/32        2.4e-11        1e-07   PASS",
        " x           4×8      32/32        2.4e-11        1e-07   PASS",
    ]


def test_a_long_name_is_folded_on_a_narrow_terminal() -> None:
    assert lines([row("encoder_layer_12_attention_output_weight"), row("x")], 72) == [
        " parameter          shape   checked   max rel err   resolution   verdict",
        " encoder_layer_12   4×8      32/32        2.4e-11        1e-07   PASS",
        " _attention_outpu",
        " t_weight",
        " x                  4×8      32/32        2.4e-11        1e-07   PASS",
    ]


def test_a_table_that_does_not_fit_is_stacked() -> None:
    assert lines([row("x"), row("weight", "FAIL (expected)")], 50) == [
        " x",
        "   shape 4×8, checked 32/32, max rel err 2.4e-11, resolution 1e-07, PASS",
        " weight",
        "   shape 4×8, checked 32/32, max rel err 2.4e-11, resolution 1e-07, FAIL (expected)",
    ]


def test_off_a_terminal_nothing_is_folded() -> None:
    name = "w" * 300
    assert lines([row(name)], None)[1].startswith(f" {name}   4×8")


@pytest.mark.parametrize("width", [None, 120, 40])
def test_the_verdict_alone_is_coloured(width: int | None) -> None:
    table = parameter_table([row("x", "FAIL", style="bold red")], width)
    styled = [(line.plain[span.start : span.end], str(span.style)) for line in table for span in line.spans]
    assert [each for each in styled if each[1]] == [("FAIL", "bold red")]


names = st.text("abc_重é[]", min_size=1, max_size=60)


@given(st.lists(names, min_size=1, max_size=4), st.integers(20, 130))
def test_nothing_is_lost_at_any_width(shown: list[str], width: int) -> None:
    table = lines([row(name) for name in shown], width)
    folded = "".join(line[1:].split(" ")[0] for line in table if "parameter" not in line and "shape" not in line)
    assert folded == "".join(shown)
    assert sum(line.count("2.4e-11") for line in table) == len(shown)


@given(st.lists(names, min_size=1, max_size=4), st.integers(80, 130))
def test_the_table_fits_eighty_columns(shown: list[str], width: int) -> None:
    assert max(map(cell_len, lines([row(name, "INCONCLUSIVE") for name in shown], width))) <= width
