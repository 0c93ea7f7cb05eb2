"""The ledger of elastic quotas at a terminal, in a mail and as JSON and CSV: numbers that add up in the head."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

import pytest

from htcq.drift.explanation import DriftExplanation
from htcq.report.column import names
from htcq.report.views.drift_mail import WIDTH, drift_mail
from htcq.report.views.ledger import (
    LEDGER_COLUMNS,
    hours_of,
    ledger_json,
    show_ledger,
    together,
    write_ledger,
)
from tests.report.stories import LONG, ODD, QUIET, STORY, UNSEEN, ZONE


def shown(story: DriftExplanation, blocks: bool = True) -> str:
    stream = io.StringIO()
    show_ledger(story, stream, blocks)
    return stream.getvalue()


def row(name: str, dimension: str, blocks: bool = True) -> tuple[str, list[str]]:
    """Return the picture and the cells of one row."""
    found = [
        line
        for line in shown(STORY, blocks).splitlines()
        if line.startswith(name) and f" {dimension} " in line
    ]
    (line,) = found
    _, picture, cells = line.split("|")
    return picture, cells.split()


def test_the_table_has_hours() -> None:
    """30 GPUs for a day are 720 hours; of guaranteed 40 that is 1920 in two days."""
    assert row("physics", "gpus")[1] == ["1920", "1200", "720", "0", "0"]
    assert row("chem", "gpus")[1] == ["960", "1680", "0", "720", "0"]


def test_slot_weight_is_not_told_in_parts_and_memory_has_a_unit() -> None:
    """4 GiB for 48 hours."""
    assert row(LONG, "weight")[1] == ["0", "24", "0", "24", "0"]
    assert row("physics", "memory")[1] == ["192", "GiB", "0", "B", "0", "B", "0", "B", "192", "GiB"]


def test_the_picture_tells_when() -> None:
    """A day has 3 and three sevenths of the 24 parts; three quarters of the guarantee were lent on Monday."""
    assert row("physics", "gpus")[0] == "▇▇▇▃▁▁▁" + " " * 17
    assert row("chem", "gpus")[0] == "▲▲▲▲▁▁▁" + " " * 17
    assert row("chem", "gpus", blocks=False)[0].isascii()


def test_what_was_borrowed_is_what_was_lent_and_what_nobody_is_guaranteed() -> None:
    assert list(together(STORY)) == [
        (
            "gpus: 720 borrowed = 720 lent + 0 guaranteed to nobody; 0 of the guarantees unused; "
            "2880 of 3840 used"
        ),
        "memory: 0 B borrowed = 0 B lent + 0 B guaranteed to nobody; 192 GiB of the guarantees "
        "unused; 0 B of 192 GiB "
        "used",
        (
            "weight: 72 borrowed = 0 lent + 72 guaranteed to nobody; 0 of the guarantees unused; 72 "
            "of 432 used"
        ),
    ]


def test_names_do_not_steer_the_terminal_and_without_a_ledger_nothing_is_told() -> None:
    assert ODD in shown(STORY)
    assert shown(QUIET) == shown(UNSEEN) == ""


def test_a_mail_has_the_sums() -> None:
    lines = drift_mail(STORY, ZONE).splitlines()

    assert "Elastic quotas, in hours of each dimension" in lines
    assert any(line.startswith("  gpus: 720 borrowed = 720 lent") for line in lines)
    assert max(map(len, lines)) <= WIDTH
    assert "lastic" not in drift_mail(QUIET, ZONE)


def test_json_has_all_groups_together_and_each() -> None:
    gpus = ledger_json(STORY)[0]

    assert (gpus["dimension"], gpus["coverage"]) == ("gpus", pytest.approx(2 / 7))
    assert {name: gpus["all"][name] for name in ("runtime", "used", "lent", "borrowed", "spare", "unused")} == {
        "runtime": 3840, "used": 2880, "lent": 720, "borrowed": 720, "spare": 0, "unused": 0,
    }  # fmt: skip
    assert [each["group"] for each in gpus["groups"]] == ["chem", "physics"]
    assert sum(each["lent"] for each in gpus["groups"][1]["series"]) == pytest.approx(720)
    assert len(gpus["groups"][1]["series"]) == 7
    assert ledger_json(QUIET) == []


def test_csv_has_a_row_for_each_dimension_and_group() -> None:
    stream = io.StringIO()
    write_ledger([STORY, UNSEEN], stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))

    assert list(rows[0]) == names(LEDGER_COLUMNS)
    assert [(each["dimension"], each["group"]) for each in rows] == [
        ("gpus", "<none>"), ("gpus", "chem"), ("gpus", "physics"),
        ("memory", "<none>"), ("memory", "physics"),
        ("weight", "<none>"), ("weight", ODD), ("weight", LONG),
    ]  # fmt: skip
    assert (rows[6]["borrowed"], rows[2]["lent"], rows[2]["since"]) == (
        "48",
        "720",
        "2026-11-01T23:00:00+00:00",
    )


@pytest.mark.parametrize(
    ("dimension", "hours", "said"),
    [
        ("gpus", Fraction(1, 3), "0.3"),
        ("gpus", Fraction(1000, 3), "333"),
        ("weight", Fraction(1500), "1.5"),
        ("memory", Fraction(1536), "1.5 GiB"),
        ("disk", Fraction(2**20), "1 GiB"),
    ],
)
def test_hours_are_told_in_the_unit_of_their_dimension(
    dimension: str, hours: Fraction, said: str
) -> None:
    assert hours_of(dimension, hours) == said
