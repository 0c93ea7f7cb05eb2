"""Planned windows as a file declares them, and the times at which they are open."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from htcq.errors import InputError
from htcq.operations.site_file import toml_of
from htcq.quota.elastic.window import Window, changed_quotas, expected_part, open_windows
from htcq.settings.elastic import quotas_from

GROUPS = """
[groups.a]
min = { cpus = 4 }
max = { cpus = 8 }
[groups.b]
max = { cpus = 8 }
"""
ONCE = 'from = "2027-01-15T08:00Z"\nuntil = "2027-01-15T18:00+01:00"\n'


def windows(text: str) -> tuple[Window, ...]:
    return quotas_from(toml_of(f"[[elastic.window]]\n{text}\n{GROUPS}"), "q.toml").windows[""]


def at(*moment: int) -> float:
    return datetime(*moment, tzinfo=timezone.utc).timestamp()  # type: ignore[arg-type, misc]


def test_a_window_is_open_between_two_moments_in_any_offset() -> None:
    """18:00 in an offset of one hour is 17:00 in UTC."""
    (once,) = windows(ONCE)

    moments = [(7, 59), (8, 0), (16, 59), (17, 0)]
    opened = [once.is_open(at(2027, 1, 15, hour, minute)) for hour, minute in moments]
    assert opened == [False, True, True, False]
    assert once.name == "window 1"


def test_a_window_of_every_week_may_last_until_the_next_day() -> None:
    """15 January 2027 is a Friday."""
    (weekly,) = windows('days = ["fri"]\nfrom = "20:00"\nuntil = "06:00"\n')

    opened = {(day, hour): weekly.is_open(at(2027, 1, day, hour)) for day in (14, 15, 16, 17) for hour in (5, 12, 21)}  # fmt: skip
    assert [when for when, is_open in opened.items() if is_open] == [(15, 21), (16, 5)]


def test_a_window_changes_the_amounts_that_it_names_and_the_last_one_decides() -> None:
    text = f"{ONCE}capacity = 0.5\n[elastic.window.groups.a]\nmin = {{ cpus = 6 }}\n"
    text += f"[[elastic.window]]\n{ONCE}[elastic.window.groups.a]\nmin = {{ cpus = 2 }}\n"
    file = quotas_from(toml_of(f"[[elastic.window]]\n{text}{GROUPS}"), "q.toml")
    found, base = file.windows[""], file.trees[""]

    changed = changed_quotas(base, found)
    assert [(group.min, group.max) for group in changed.groups] == [
        ({"cpus": 2}, {"cpus": 8}),
        ({}, {"cpus": 8}),
    ]
    assert changed_quotas(base, found[:1]).groups[0].min == {"cpus": 6}
    assert expected_part(found) == 0.5
    assert expected_part(open_windows(found, at(2027, 1, 16))) == 1.0
    assert changed_quotas(base, open_windows(found, at(2027, 1, 16))) == base


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('from = "2027-01-15T08:00Z"\n', "until is None"),
        ('from = "2027-01-15T08:00"\nuntil = "2027-01-15T09:00Z"\n', "from is '2027-01-15T08:00'"),
        ('from = "2027-02-30T08:00Z"\nuntil = "2027-03-15T09:00Z"\n', "from is '2027-02-30T"),
        ('from = "2027-01-15T08:00Z"\nuntil = "2027-01-15T08:00Z"\n', "ends before it begins"),
        ('days = ["friday"]\nfrom = "08:00"\nuntil = "09:00"\n', "days is ['friday']"),
        ('days = ["fri"]\nfrom = "24:00"\nuntil = "09:00"\n', "from is '24:00'"),
        (f"{ONCE}capacity = 2\n", "capacity"),
        (f"{ONCE}capacitY = 1\n", "capacitY"),
        (f"{ONCE}[elastic.window.groups.c]\nmin = {{ cpus = 6 }}\n", "there is no group c"),
        (f"{ONCE}[elastic.window.groups.a]\nleast = {{ cpus = 6 }}\n", "least"),
    ],
)
def test_a_window_that_cannot_be_meant_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        windows(text)

    assert told in str(refused.value)


def test_what_is_no_list_of_tables_is_refused() -> None:
    content: dict[str, Any] = {"elastic": {"window": {"from": "x"}}}
    with pytest.raises(InputError, match=r"elastic\.window is no list of tables"):
        quotas_from(content, "q.toml")
