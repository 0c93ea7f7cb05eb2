"""No cell of a stranger is a formula, and none steers a terminal; numbers stay numbers."""

from __future__ import annotations

import csv
import io

import pytest

from htcq.report.formats.csv import Cell, Figure, write_table


def written(*row: Cell) -> list[str]:
    stream = io.StringIO()
    write_table(["A"] * len(row), [row], stream)
    return list(csv.reader(io.StringIO(stream.getvalue())))[1]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_a_text_that_begins_as_a_formula_stays_text(sign: str) -> None:
    assert written(f"{sign}HYPERLINK(1)", f"a{sign}", (f"{sign}1", "x")) == [
        f"'{sign}HYPERLINK(1)", f"a{sign}", f"'{sign}1\nx",
    ]  # fmt: skip


def test_white_space_does_not_hide_a_formula() -> None:
    assert written("\t=1", "\r=1", "\n=1", " =1", ("\t=1",)) == [
        "'=1",
        "\\x0d=1",
        "'=1",
        "'=1",
        "'\t=1",
    ]


def test_numbers_stay_numbers_and_what_a_stranger_wrote_is_none() -> None:
    assert written(-3, -0.5, Figure("-3"), None, "-3") == ["-3", "-0.5", "-3", "", "'-3"]


def test_what_is_not_seen_is_spelled_out_and_a_row_is_one_line() -> None:
    assert written("a\x1b[2J\nforged,row", "\u202eevil") == ["a\\x1b[2J forged,row", "\\u202eevil"]
