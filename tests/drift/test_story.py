"""A story tells of its time and its groups, and of nothing else."""

from __future__ import annotations

import pytest

from htcq.drift.explanation import DriftExplanation, Remembered, chosen, tell
from htcq.drift.observation import Kept
from tests.drift.looks import kept, sample, static

QUOTAS = (
    kept("declared", "chem", static(20), 100),
    kept("configured", "chem", static(20), 100, 5000),
    kept("configured", "chem", static(15), 5000),
    kept("configured", "bio", static(5), 100, 6000),
)
LOOKS = tuple(
    sample(name, time, 5.0) for time in range(3300, 9001, 300) for name in ("chem", "bio")
)


def story(
    *texts: Kept, since: int = 3000, until: int = 9000, groups: tuple[str, ...] = ()
) -> DriftExplanation:
    return tell(Remembered("cm", "slot weight", 100, LOOKS, texts or QUOTAS), since, until, groups)


def test_everything_of_the_time_is_told() -> None:
    told = story()

    assert [window.group for window in told.windows] == ["bio", "chem"]
    assert [(change.time, change.name) for change in told.changes] == [
        (5000, "chem"),
        (6000, "bio"),
    ]
    assert [
        (spell.difference.group, spell.difference.what, spell.since, spell.until)
        for spell in told.spells
    ] == [
        ("bio", "not-declared", 100, 6000),
        ("chem", "quota", 5000, None),
    ]
    assert [spell.difference.group for spell in told.ongoing] == ["chem"]
    assert (told.last, told.coverage, told.unit) == (9000, 1.0, "slot weight")


@pytest.mark.parametrize("pattern", ["chem", "CH*", "c?em"])
def test_other_groups_are_left_out(pattern: str) -> None:
    told = story(*QUOTAS, kept("setting", "SLOT_WEIGHT", "Memory", 4000), groups=(pattern,))

    assert [window.group for window in told.windows] == ["chem"]
    assert [change.name for change in told.changes] == ["SLOT_WEIGHT", "chem"]
    assert [spell.difference.group for spell in told.spells] == ["chem"]


def test_whether_it_changed() -> None:
    assert story().changed
    assert not story(since=7000).changed
    assert story(since=7000).ongoing
    assert story(since=5500).changed


def test_what_disagreed_at_the_first_look_of_all_did_not_begin_then() -> None:
    texts = (kept("declared", "chem", static(1), 3300), kept("configured", "chem", static(2), 3300))

    assert not tell(Remembered("cm", "slot weight", 3300, LOOKS, texts), 3000, 9000).changed
    assert tell(Remembered("cm", "slot weight", 3000, LOOKS, texts), 3000, 9000).changed


def test_a_disagreement_that_ends_is_a_change() -> None:
    texts = (
        kept("configured", "bio", static(5), 100),
        kept("declared", "chem", static(1), 50, 8000),
    )

    assert story(*texts, since=7900).changed


def test_doubts_are_those_of_the_last_look() -> None:
    over, now = kept("doubt", "", "over", 100, 4000), kept("doubt", "", "now", 4000)

    assert [each.text for each in story(over, now).doubts] == ["now"]
    assert [each.text for each in story(over, now, until=3500).doubts] == ["over"]


def test_since_when_other_quotas_are_published_is_found_out_from_before() -> None:
    fine = [sample("chem", time, effective=9.0) for time in range(300, 3301, 300)]
    remembered = Remembered("cm", "slot weight", 100, (fine[-1], sample("bio", 3300)), (), fine)
    (spell,) = tell(remembered, 3200, 3300).spells

    assert (spell.difference.group, spell.since, spell.until) == ("chem", 300, None)


def test_no_pattern_means_all() -> None:
    assert chosen("physics", ())
    assert not chosen("physics", ("phys",))
