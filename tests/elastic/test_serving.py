"""Two central managers: whose negotiator serves, and what the journal of the other one says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.clock import Clock
from htcq.elastic.activity import FOLLOWS, ON, activity_of
from htcq.elastic.gates import refusals
from htcq.elastic.journal import (
    APPLY,
    FOLLOW,
    LOOK,
    VERIFIED,
    JournalRecord,
    PoolSeen,
    silent_for,
    state_of,
)
from htcq.elastic.quota_file import digest_of
from htcq.elastic.serving import NegotiatorAd, Serving, serving
from htcq.settings.elastic_write import WriteSettings
from tests.elastic.writing import NOW, intent, outcome, sight, written

TWO = ("cm1.site", "cm2.site")
ONE, OTHER = (
    NegotiatorAd("cm1.site", "cm1.site", 100.0),
    NegotiatorAd("cm2.site", "CM2.site", 160.0),
)
QUOTAS = {"a": (4.0, True)}


@pytest.mark.parametrize(
    ("ads", "named", "expected"),
    [
        ([ONE], "", Serving("cm1.site", "cm1.site", True)),
        ([OTHER], "", Serving("cm2.site", "CM2.site", False)),
        # The ad of one that has crashed stays in the collector.
        ([ONE, OTHER], "", Serving("cm2.site", "CM2.site", False)),
        ([ONE._replace(heard=220.0), OTHER], "", Serving("cm1.site", "cm1.site", True)),
        ([ONE, OTHER], "cm1.site", Serving("cm1.site", "cm1.site", True)),
        ([NegotiatorAd("gpu", "gpu.site", 300.0), ONE], "", Serving("cm1.site", "cm1.site", True)),
        ([NegotiatorAd("gpu", "gpu.site", 300.0)], "", None),
        ([], "", None),
    ],
)
def test_the_one_whose_ad_came_last_serves(
    ads: list[NegotiatorAd], named: str, expected: Serving | None
) -> None:
    assert serving(ads, TWO, "cm1.SITE", named) == expected


def followed() -> list[JournalRecord]:
    """This machine has acted; then the other one serves, and its quotas are written here."""
    acted = written(1, {"a": (2.0, False)})
    look = JournalRecord(3, NOW, LOOK, what=APPLY, seen=PoolSeen(4, 1, 4.0))
    return [*acted, look, intent(4, QUOTAS, FOLLOW, told="cm2 serves"), outcome(5, 4, VERIFIED)]


def test_a_writer_that_follows_lives_and_says_so_and_reclaim_does_not_act() -> None:
    state = state_of(followed())

    activity = activity_of(state, 3)
    assert (activity.word, activity.why) == (FOLLOWS, "cm2 serves")
    assert (activity.writes, activity.vacates) == (True, False)
    assert (state.elastic, state.result) == (True, VERIFIED)
    *before, last = followed()
    assert silent_for([*before, replace(last, time=NOW + 30)], Clock(NOW + 35)) == 5.0
    later = [*followed(), JournalRecord(6, NOW + 60, LOOK, what=FOLLOW, told="cm2 serves")]
    assert state_of(later).follows == "cm2 serves"
    assert silent_for(later, Clock(NOW + 61)) == 1.0


def test_the_other_negotiator_reads_another_file() -> None:
    there = {"GROUP_NAMES": ("a", ""), "GROUP_QUOTA_A": ("6", "/etc/condor/config.d/60-x")}
    state = state_of(followed())
    present = state.in_force and state.in_force.text
    assert digest_of(present) == state.digest
    found = refusals(sight(configured=there), state, present, WriteSettings(), NOW)
    assert list(found) == []


def test_the_first_look_after_taking_over_is_compared_with_none_from_before() -> None:
    state = state_of(followed())
    assert state.seen is None
    acts = state_of(
        [*followed(), JournalRecord(6, NOW, LOOK, what=APPLY, seen=PoolSeen(9, 1, 9.0))]
    )
    assert (activity_of(acts, 3).word, acts.follows) == (ON, "")
