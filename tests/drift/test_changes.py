"""What changed and when, and from when to when two sides differed."""

from __future__ import annotations

import pytest

from htcq.drift.changes import (
    KEPT_TO,
    SettingChange,
    Spell,
    changes,
    published_spells,
    setting_spells,
)
from htcq.drift.compare import QuotaDifference
from htcq.drift.observation import Kept, QuotaSample, QuotaSetting
from tests.drift.looks import dynamic, kept, sample, static

FIRST = 100


def found(
    *texts: Kept, since: int = 0, until: int = 10_000
) -> list[tuple[int, str | None, str | None]]:
    return [(each.time, each.before, each.after) for each in changes(texts, since, until, FIRST)]


def test_a_text_that_follows_another_changed_it() -> None:
    before, after = (
        kept("configured", "chem", static(20), 100, 700),
        kept("configured", "chem", static(15), 700),
    )

    assert changes([after, before], 0, 10_000, FIRST) == (
        SettingChange(700, "configured", "chem", "static 20", "static 15"),
    )


def test_what_the_first_look_saw_is_no_change() -> None:
    assert (
        found(
            kept("configured", "chem", static(20), 100), kept("setting", "SLOT_WEIGHT", "Cpus", 100)
        )
        == []
    )


def test_what_came_later_is_new_and_what_ended_is_gone() -> None:
    assert found(kept("setting", "SLOT_WEIGHT", "Cpus", 400)) == [(400, None, "Cpus")]
    assert found(kept("setting", "SLOT_WEIGHT", "Cpus", 100, 400)) == [(400, "Cpus", None)]
    assert found(kept("setting", "A", "1", 100, 400), kept("setting", "A", "1", 700)) == [
        (400, "1", None),
        (700, None, "1"),
    ]


def test_only_what_happened_in_the_time_is_told() -> None:
    texts = [kept("setting", "A", str(time), time, time + 100) for time in range(100, 500, 100)]

    assert [each[0] for each in found(*texts, since=200, until=400)] == [300, 400]


def test_the_use_of_a_weight_expression_is_told_and_not_how_many_slots_have_it() -> None:
    uses = [
        kept("weight", "Cpus", f"{count} slots, weight 8", count, count + 100)
        for count in (100, 200, 300)
    ]

    assert found(*uses[:2]) == [(300, "200 slots, weight 8", None)]
    assert found(*uses[1:]) == [
        (200, None, "200 slots, weight 8"),
        (400, "300 slots, weight 8", None),
    ]


def test_doubts_are_no_changes_and_a_damaged_history_is_one() -> None:
    assert found(kept("doubt", "", "too old", 400)) == []
    assert found(kept("damage", "drift.db.damaged", "malformed", 100, 100)) == [
        (100, None, "malformed")
    ]


def test_changes_are_in_the_order_of_time() -> None:
    texts = [
        kept("declared", "b", static(1), 500),
        kept("declared", "a", static(1), 500),
        kept("setting", "Z", "", 300),
    ]

    assert [each.name for each in changes(texts, 0, 1000, FIRST)] == ["Z", "a", "b"]


def test_a_declaration_that_follows_the_configuration_did_not_change() -> None:
    """One that leaves surplus to the knob of all groups says something else when that knob is set."""
    texts = [
        *(kept(kind, "chem", static(20), 100, 700) for kind in ("declared", "configured")),
        *(
            kept(kind, "chem", static(20, accept_surplus=True), 700)
            for kind in ("declared", "configured")
        ),
    ]

    assert [each.kind for each in changes(texts, 0, 1000, FIRST)] == ["configured"]


@pytest.mark.parametrize(
    ("declared", "configured"),
    [
        (static(15, accept_surplus=True), static(15, accept_surplus=True)),
        (static(20, autoregroup=True), static(20, accept_surplus=True)),
        (static(20, accept_surplus=True), static(20)),
    ],
)
def test_any_other_declaration_that_changed_did(
    declared: QuotaSetting, configured: QuotaSetting
) -> None:
    texts = [
        *(kept(kind, "chem", static(20), 100, 700) for kind in ("declared", "configured")),
        kept("declared", "chem", declared, 700),
        kept("configured", "chem", configured, 700),
    ]

    assert "declared" in [each.kind for each in changes(texts, 0, 1000, FIRST)]


# Declared and configured
# ----------------------------------------------------------------------------------------


def test_a_configuration_that_left_the_declaration_disagrees_from_then_on() -> None:
    texts = [
        kept("declared", "chem", static(20), 100),
        kept("configured", "chem", static(20), 100, 700),
        kept("configured", "chem", static(15), 700, 900),
        kept("configured", "chem", static(10), 900),
    ]

    assert setting_spells(texts, 10_000) == (
        Spell(QuotaDifference("chem", "quota", 20.0, 10.0), 700),
    )


def test_a_disagreement_ends_when_it_is_mended() -> None:
    texts = [
        kept("declared", "chem", static(20), 100),
        kept("configured", "chem", dynamic(0.2), 100, 700),
        kept("configured", "chem", static(20), 700),
    ]

    assert setting_spells(texts, 10_000) == (
        Spell(QuotaDifference("chem", "kind", "static", "dynamic"), 100, 700),
        Spell(QuotaDifference("chem", "quota", 20.0, 0.2), 100, 700),
    )


def test_what_is_over_after_the_time_was_there_in_it() -> None:
    texts = [
        kept("declared", "chem", static(20), 100),
        kept("configured", "chem", static(15), 100, 700),
    ]

    assert setting_spells(texts, 600) == (Spell(QuotaDifference("chem", "quota", 20.0, 15.0), 100),)
    assert setting_spells(texts, 50) == ()


def test_not_declared_counts_from_the_first_declaration_to_the_last() -> None:
    texts = [
        kept("configured", "chem", static(20), 100),
        kept("configured", "bio", static(5), 100),
        kept("declared", "bio", static(5), 400, 800),
    ]

    assert setting_spells(texts, 10_000) == (
        Spell(QuotaDifference("chem", "not-declared", None, 20.0), 400, 800),
    )


def test_a_declared_group_waits_for_its_configuration() -> None:
    texts = [kept("declared", "chem", static(20), 100), kept("configured", "chem", static(20), 700)]

    assert setting_spells(texts, 10_000) == (
        Spell(QuotaDifference("chem", "not-configured", 20.0, None), 100, 700),
    )


def test_a_text_that_cannot_be_read_says_nothing() -> None:
    assert setting_spells([kept("configured", "chem", "rubbish", 100)], 1000) == ()


# Published and computed
# -----------------------------------------------------------------------------------------


def published(*pairs: tuple[float | None, float | None], group: str = "chem") -> list[QuotaSample]:
    return [
        sample(group, 300 * number, effective=effective, computed=computed)
        for number, (effective, computed) in enumerate(pairs, 1)
    ]


def test_what_is_published_otherwise_disagrees_until_a_look_sees_it_mended() -> None:
    looks = published((10, 10), (10, 12), (11, 12), (12, 12))

    assert published_spells(looks) == (
        Spell(QuotaDifference("chem", "effective", 11, 12), 600, 1200),
    )


def test_one_look_between_configuration_and_cycle_is_no_disagreement() -> None:
    assert published_spells(published((10, 10), (10, 12), (12, 12))) == ()


def test_one_that_the_last_look_saw_is_told() -> None:
    assert published_spells(published((10, 10), (10, 12))) == (
        Spell(QuotaDifference("chem", "effective", 10, 12), 600),
    )


def test_one_row_of_merged_looks_may_have_that_look_in_it() -> None:
    hour = sample("chem", 3600, effective=11.5, computed=12.0, looks=12, span=3600)
    after = sample("chem", 7200, quota=12.0, looks=12, span=3600)
    longer = sample("chem", 0, effective=11.5, computed=12.0, looks=12, span=3600)

    assert published_spells([hour, after]) == ()
    assert published_spells([longer, hour, after]) == (
        Spell(QuotaDifference("chem", "effective", 11.5, 12.0), 0, 7200),
    )


@pytest.mark.parametrize("apart", [0.0, KEPT_TO / 2, 1e-7])
def test_what_was_rounded_when_it_was_kept_agrees(apart: float) -> None:
    assert published_spells(published((10.0, 10.0 + apart))) == ()


def test_a_group_of_which_nothing_is_published_is_told_where_others_are() -> None:
    silent, other = published((None, 12), (None, 12)), published((5, 5), (5, 5), group="bio")

    assert published_spells([*silent, *other]) == (
        Spell(QuotaDifference("chem", "not-published", None, 12), 300),
    )
    assert published_spells(silent) == ()


def test_a_group_that_is_gone_disagrees_no_more() -> None:
    gone, other = published((10, 12), (10, 12)), published((5, 5), (5, 5), (5, 5), group="bio")

    assert published_spells([*gone, *other]) == (
        Spell(QuotaDifference("chem", "effective", 10, 12), 300, 600),
    )


def test_what_was_never_computed_is_compared_with_nothing() -> None:
    assert published_spells(published((10, None), (None, None))) == ()
