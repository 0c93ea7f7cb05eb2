"""What changed, in words."""

from __future__ import annotations

import pytest

from htcq.drift.changes import SettingChange
from htcq.report.views.drift_sentences import about, change_told, percent, subject


def change(kind: str, before: str | None, after: str | None, name: str = "chem") -> SettingChange:
    return SettingChange(0, kind, name, before, after)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("static 20", "static 15", "configured quota 20 -> 15"),
        ("static 20", "dynamic 0.25", "configured quota 20 (static) -> 0.25 (dynamic)"),
        ("dynamic 0.25", "dynamic 0.3", "configured quota 0.25 -> 0.3"),
        ("static 20", "static 20 accept_surplus", "configured accept_surplus false -> true"),
        (
            "static 20 accept_surplus",
            "static 5 autoregroup",
            "configured quota 20 -> 5, accept_surplus true -> false, autoregroup false -> true",
        ),
        (None, "static 20", "configured anew, quota 20 (static)"),
        ("dynamic 0.5", None, "configured no longer, was 0.5 (dynamic)"),
        ("rubbish", None, "configured no longer, was unknown"),
    ],
)
def test_a_quota(before: str | None, after: str | None, text: str) -> None:
    assert change_told(change("configured", before, after)) == text


@pytest.mark.parametrize(
    ("kind", "before", "after", "who", "text"),
    [
        ("setting", "Cpus", "Memory", "knob chem", "Cpus -> Memory"),
        ("setting", None, "Cpus", "knob chem", "set to Cpus"),
        ("setting", "Cpus", None, "knob chem", "no longer set, was Cpus"),
        ("weight", None, "3 slots, weight 24", "SlotWeight", "chem came into use"),
        ("weight", "3 slots, weight 24", None, "SlotWeight", "chem is no longer in use"),
        (
            "damage",
            None,
            "malformed",
            "history",
            "the former file was damaged (malformed) and set aside as chem",
        ),
        ("declared", None, "static 1", "chem", "declared anew, quota 1 (static)"),
    ],
)
def test_anything_else(
    kind: str, before: str | None, after: str | None, who: str, text: str
) -> None:
    found = change(kind, before, after)

    assert (subject(found), change_told(found)) == (who, text)


def test_a_slot_without_a_weight_has_no_empty_expression() -> None:
    assert (
        change_told(change("weight", None, "1 slots, weight 1", ""))
        == "(none: counts as 1) came into use"
    )


def test_names_and_values_stay_on_their_line() -> None:
    odd = change("setting", None, "a\nb\x1b[31m", "KNOB\nX")

    assert (subject(odd), change_told(odd)) == ("knob KNOB X", "set to a b\\x1b[31m")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (0.004, "<1%"),
        (0.006, "1%"),
        (0.5, "50%"),
        (0.994, "99%"),
        (0.996, ">99%"),
        (1, "100%"),
    ],
)
def test_little_is_not_nothing_and_much_is_not_all(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(None, "-"), (0, "0"), (0.25, "0.2"), (99.9, "99.9"), (100.4, "100"), (12345.6, "12346")],
)
def test_amounts_are_as_exact_as_a_table_needs(number: float | None, text: str) -> None:
    assert about(number) == text
