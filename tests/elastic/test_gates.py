"""Nothing is written on doubtful numbers: each gate closes at its limit, and not before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from htcq.elastic.gates import (
    ignored_faults,
    negotiator_specific,
    refusals,
    several,
    undeclared,
)
from htcq.elastic.journal import (
    DISABLE,
    LOOK,
    WRITTEN,
    JournalRecord,
    JournalState,
    PoolSeen,
    state_of,
)
from htcq.elastic.journal import after as state_after
from htcq.elastic.pool_health import ScheddAds
from htcq.elastic.quota_file import file_of
from htcq.elastic.usage_check import UsageLook, UsageSeen, look_of
from htcq.operations.observe_and_plan import seen_of
from htcq.settings.elastic_write import WriteSettings
from tests.elastic.writing import NOW, SEEN, intent, sight, text_of, written

SETTINGS = WriteSettings()
FRESH = state_of([])
LOOKED = state_of([JournalRecord(1, NOW - 600, LOOK, seen=SEEN)])
QUOTAS = {"physics": (7.0, False), "chem": (1.0, True)}


def closed(**changes: Any) -> list[str]:
    """The gates that close for a sight with ``changes`` after an accepted look at 100 slots, 10 schedds, 1000."""
    return [each.gate for each in refusals(sight(**changes), LOOKED, None, SETTINGS, NOW)]


def test_nothing_is_wrong_with_a_pool_as_it_should_be() -> None:
    assert closed() == []


@pytest.mark.parametrize(
    ("changes", "gates"),
    [
        ({"cycle_end": NOW - 1200}, []),
        ({"cycle_end": NOW - 1201}, ["cycle"]),
        ({"cycle_end": None}, ["cycle"]),
        ({"slots": 90}, []),
        ({"slots": 89}, ["few-slots"]),
        ({"slots": 0}, ["no-slots", "few-slots"]),
        ({"schedds": 1}, []),
        ({"pool_weight": 800.0}, []),
        ({"pool_weight": 799.0}, ["capacity"]),
        ({"pool_weight": 1250.0}, []),
        ({"pool_weight": 1251.0}, ["growth"]),
        ({"pool_weight": 1e6}, ["growth"]),
        ({"heard": (NOW - 1, NOW + 60)}, []),
        ({"heard": (NOW - 1, NOW + 61)}, ["clock"]),
        ({"skews": {"cm.example.org": -61.0}}, ["clock"]),
        ({"negotiators": ()}, ["negotiator"]),
        ({"negotiator": "gpu.example.org"}, ["negotiator"]),
        ({"missing": ("jobs of ap.example.org: no answer within 60 s",)}, ["incomplete"]),
    ],
)
def test_a_gate_closes_at_its_limit(changes: dict[str, Any], gates: list[str]) -> None:
    assert closed(**changes) == gates


SILENT = {"ap.example.org": "no answer within 60 s"}
AP = "ap.example.org"


def refused(seen: PoolSeen | None, **schedds: Any) -> list[str]:
    """The gates that close after a look that ``seen`` tells of (None: there was none), of a pool of 1000."""
    state = FRESH if seen is None else state_of([JournalRecord(1, NOW - 600, LOOK, seen=seen)])
    found = refusals(sight(schedd_ads=ScheddAds(**schedds)), state, None, SETTINGS, NOW)
    return [each.gate for each in found]


def test_fault_10_a_silent_schedd_closes_the_gate_by_what_it_holds() -> None:
    """min_seen is 0.9: a tenth of the pool's weight of 1000 may be in doubt."""
    assert refused(SEEN, silent=SILENT) == []
    assert refused(SEEN, silent=SILENT, held={AP: 100.0, "other": 900.0}) == []
    assert refused(SEEN, silent=SILENT, held={AP: 101.0, "other": 899.0}) == ["incomplete"]
    assert refused(None, silent=SILENT, held={AP: 101.0}) == ["incomplete"]
    told = list(ignored_faults(sight(schedd_ads=ScheddAds(silent=SILENT)), LOOKED, SETTINGS, NOW))
    assert told == ["pool: jobs of ap.example.org: no answer within 60 s"]


def test_fault_10_what_several_schedds_hold_adds_up() -> None:
    silent = dict.fromkeys(("ap1", "ap2"), "no answer")
    held = {"ap1": 60.0, "ap2": 60.0}

    assert refused(SEEN, silent={"ap1": "no answer"}, held=held) == []
    assert refused(SEEN, silent=silent, held=held) == ["incomplete", "incomplete"]


def test_a_schedd_that_had_jobs_and_has_no_ad_any_more_counts_by_its_claims() -> None:
    seen = replace(SEEN, busy=(AP,))

    assert refused(seen, held={AP: 200.0}) == ["incomplete"]
    assert refused(seen, held={AP: 200.0}, known=frozenset({AP})) == []
    assert refused(seen, held={"elsewhere": 200.0}) == []


def test_a_person_may_accept_that_a_schedd_is_gone() -> None:
    schedds = ScheddAds(silent=SILENT, held={AP: 500.0})

    assert (
        list(refusals(sight(schedd_ads=schedds), FRESH, None, SETTINGS, NOW, confirmed=True)) == []
    )


def test_a_schedd_that_holds_nothing_keeps_no_gate_closed_by_its_age_or_its_clock() -> None:
    skews = {"fake": -3600.0}
    fake = ScheddAds(heard={"fake": NOW - 5000})
    busy = replace(fake, held={"fake": 101.0})

    assert closed(schedd_ads=fake, skews=skews) == []
    assert closed(schedd_ads=busy, skews=skews) == ["ad-age", "clock"]
    assert list(ignored_faults(sight(schedd_ads=fake, skews=skews), LOOKED, SETTINGS, NOW)) == [
        "pool: an ad of the schedd fake is 5000 s old",
        "pool: the clock of fake is 3600 s behind the collector's",
    ]


def test_fault_10_slots_with_old_ads_count_by_their_weight() -> None:
    fresh, old, limit = NOW - 10, NOW - 901, NOW - 900

    assert closed(slots_heard=((fresh, 900.0), (old, 100.0))) == []
    assert closed(slots_heard=((fresh, 899.0), (old, 101.0))) == ["ad-age"]
    assert closed(slots_heard=((limit, 1000.0),)) == []


def test_half_the_slots_missing_is_too_little_and_too_light() -> None:
    found = list(refusals(sight(slots=50, pool_weight=500.0), LOOKED, None, SETTINGS, NOW))

    assert [each.gate for each in found] == ["few-slots", "capacity"]
    assert found[0].message == "50 slots are present, less than 90% of the 100 seen before"
    assert all("--accept-loss" in each.hint for each in found)


def test_a_person_may_accept_that_the_pool_is_smaller_and_nothing_else() -> None:
    small = sight(slots=50, schedds=5, pool_weight=500.0)

    assert list(refusals(small, LOOKED, None, SETTINGS, NOW, confirmed=True)) == []
    stale = replace(small, cycle_end=NOW - 5000)
    assert [each.gate for each in refusals(stale, LOOKED, None, SETTINGS, NOW, confirmed=True)] == [
        "cycle"
    ]


def test_the_first_look_has_nothing_to_be_compared_with() -> None:
    assert (
        list(refusals(sight(slots=1, schedds=1, pool_weight=1.0), FRESH, None, SETTINGS, NOW)) == []
    )


def after(state: JournalState, weight: float, accepted: bool = False) -> JournalState:
    """What the journal says after a look at a pool of that weight, if that is not refused."""
    seen = sight(pool_weight=weight)
    if list(refusals(seen, state, None, SETTINGS, NOW, confirmed=accepted)):
        return state
    kept = seen_of(seen, state, 1.0, accepted)
    return state_after(state, JournalRecord(state.last + 1, NOW, LOOK, seen=kept))


def test_a_pool_does_not_grow_by_slots_that_come_one_by_one() -> None:
    """Two accounts advertise 10 % more at each look: a person is asked at 1250 of 1000 all the same."""
    state, weight = after(FRESH, 1000.0), 1000.0
    for _ in range(10):
        weight *= 1.1
        state = after(state, weight)
    assert state.seen is not None
    assert state.seen.pool_weight == pytest.approx(1210.0)
    assert state.seen.known_weight == 1000.0


def test_a_person_accepts_a_larger_pool_and_it_may_shrink_and_come_back() -> None:
    state = after(after(FRESH, 1000.0), 1500.0, accepted=True)
    for weight in (1300.0, 1100.0, 1600.0):
        state = after(state, weight)
        assert state.seen is not None
        assert (state.seen.pool_weight, state.seen.known_weight) == (weight, 1500.0)
    assert after(state, 1900.0) == state


def test_a_record_of_an_older_version_has_accepted_what_it_saw() -> None:
    before = state_of([JournalRecord(1, NOW, LOOK, seen=PoolSeen(100, 10, 800.0))])

    assert after(before, 1000.0) != before
    assert after(before, 1001.0) == before


def test_what_a_window_takes_away_was_there_before() -> None:
    """The first look is at half the pool, by plan."""
    assert seen_of(sight(pool_weight=500.0), FRESH, 0.5).known_weight == 1000.0


def test_a_look_of_the_future_counts_for_nothing_and_is_told() -> None:
    """Else nothing would be compared with the accountant until then."""
    later = UsageLook(NOW + 9000, {"gx": 8.0}, ("gx",))
    found = look_of(usage(8, 14), NOW, later, 60.0)
    assert (found.time, found.apart) == (NOW, ())
    state = state_of([JournalRecord(1, NOW - 300, LOOK, seen=replace(SEEN, usage=later))])
    seen = sight(usage=usage(8, 14))
    assert any(
        "the last look at what groups use is of 9000 s after now" in each
        for each in ignored_faults(seen, state, SETTINGS, NOW)
    )
    sound = state_of([JournalRecord(1, NOW - 300, LOOK, seen=replace(SEEN, usage=LOOK_BEFORE))])
    assert not list(ignored_faults(seen, sound, SETTINGS, NOW))


LOOK_BEFORE = UsageLook(NOW - 300, {"gx": 8.0, "gy": 2.0})


def usage(slots: float, accountant: float, **more: Any) -> UsageSeen:
    """Usage of the group gx; that of gy is what it was, and the accountant spoke a minute ago."""
    found: dict[str, Any] = {"heard": NOW - 60}
    sums = ({"gx": slots, "gy": 2.0}, {"gx": accountant, "gy": 2.0})
    return UsageSeen(*sums, **{**found, **more})


def usage_gates(seen: UsageSeen, before: UsageLook) -> list[str]:
    state = state_of([JournalRecord(1, NOW - 300, LOOK, seen=replace(SEEN, usage=before))])
    return [each.gate for each in refusals(sight(usage=seen), state, None, SETTINGS, NOW)]


@pytest.mark.parametrize(
    ("seen", "is_apart"),
    [
        (usage(8, 8), False),
        (usage(8, 8.08), False),
        (usage(8, 8.1), True),
        (usage(8, 14), True),
        (usage(14, 8), True),
        (usage(14, 8, begins={"gx": ((NOW - 30, 6.0),)}), False),
        (usage(14, 8, begins={"gx": ((NOW - 3000, 6.0),)}), True),
        (usage(14, 8, begins={"gx": ((NOW + 9999, 6.0),)}), True),
        (usage(2, 8), False),
        (usage(8, 14, matched=((NOW - 60, 6.0),)), False),
        (usage(8, 14, matched=((NOW - 600, 6.0),)), True),
        (usage(8, 14, heard=NOW - 400), False),
        (usage(8, 14, heard=NOW - 1), False),
        (usage(8, 14, heard=None), False),
    ],
    ids=[
        "same", "within 1 %", "beyond", "a submitter is not seen", "a claim that is none", "begun",
        "long there", "in the future", "ended", "matched", "matched long ago", "older than the look",
        "too new", "unknown",
    ],
)  # fmt: skip
def test_usage_that_is_not_the_accountants_twice_in_a_row_closes_the_gate(
    seen: UsageSeen, is_apart: bool
) -> None:
    first = look_of(seen, NOW, LOOK_BEFORE, 60.0)
    assert first == UsageLook(NOW, dict(seen.slots), ("gx",) if is_apart else ())
    assert usage_gates(seen, LOOK_BEFORE) == []
    again = replace(LOOK_BEFORE, apart=("gx",))
    assert usage_gates(seen, again) == (["usage"] if is_apart else [])
    assert usage_gates(seen, replace(LOOK_BEFORE, apart=("gy",))) == []


def test_a_look_that_cannot_be_compared_forgets_nothing() -> None:
    before = replace(LOOK_BEFORE, apart=("gx",))

    assert look_of(usage(8, 14, heard=NOW - 400), NOW, before, 60.0).apart == ("gx",)
    assert look_of(usage(8, 8), NOW, before, 60.0).apart == ()


def test_the_gate_says_who_and_how_much() -> None:
    state = state_of(
        [JournalRecord(1, NOW, LOOK, seen=replace(SEEN, usage=replace(LOOK_BEFORE, apart=("gx",))))]
    )
    (found,) = refusals(sight(usage=usage(8, 14)), state, None, SETTINGS, NOW)

    assert found.message == (
        "pool: gx uses 8 by the slots, but 14 by the accountant, for the second time; what began "
        "or ended explains 0.14"
    )


def test_one_of_several_negotiators_must_be_named() -> None:
    two = sight(negotiators=("cm.example.org", "gpu.example.org"))
    (found,) = several(two, "")

    assert found.message == "pool has 2 negotiators: cm.example.org, gpu.example.org"
    assert list(several(two, "gpu.example.org")) == []
    assert list(several(sight(), "")) == []


@pytest.mark.parametrize(
    ("present", "message"),
    [
        (None, "/etc/condor/config.d/60-htcq-elastic.config is gone"),
        (
            "GROUP_NAMES = mine\n",
            "/etc/condor/config.d/60-htcq-elastic.config was changed by somebody else",
        ),
    ],
)
def test_a_file_that_somebody_else_changed_is_left_alone(present: str | None, message: str) -> None:
    state = state_of(written(1, QUOTAS))
    configured = {name.upper(): (text, "") for name, text in file_of(QUOTAS).knobs()}
    (found,) = refusals(sight(configured=configured), state, present, SETTINGS, NOW)

    assert (found.gate, found.message) == ("file", message)


def test_a_file_that_the_journal_does_not_know_is_left_alone() -> None:
    (found,) = refusals(sight(), FRESH, "GROUP_NAMES = mine\n", SETTINGS, NOW)

    assert found.message.endswith(
        "60-htcq-elastic.config exists, but the journal has no record of it"
    )


def test_a_knob_that_is_overridden_later_is_told_with_its_place() -> None:
    state = state_of(written(1, QUOTAS))
    configured = {
        name.upper(): (text, "/etc/condor/config.d/60-htcq-elastic.config:3")
        for name, text in file_of(QUOTAS).knobs()
    }
    configured["GROUP_QUOTA_PHYSICS"] = ("2", "/etc/condor/config.d/99-local.config:1")
    (found,) = refusals(sight(configured=configured), state, text_of(QUOTAS), SETTINGS, NOW)

    assert found.gate == "overridden"
    assert found.message == (
        "GROUP_QUOTA_physics is 2 in /etc/condor/config.d/99-local.config:1 in the negotiator, "
        "not 7"
    )


def test_names_of_groups_may_be_in_any_order_and_case() -> None:
    state = state_of(written(1, QUOTAS))
    configured = {name.upper(): (text.lower(), "") for name, text in file_of(QUOTAS).knobs()}
    configured["GROUP_NAMES"] = ("CHEM physics", "")

    assert list(refusals(sight(configured=configured), state, text_of(QUOTAS), SETTINGS, NOW)) == []


def test_what_the_negotiator_has_not_taken_over_yet_is_not_called_overridden() -> None:
    state = state_of(written(1, QUOTAS, WRITTEN, what=DISABLE))

    assert list(refusals(sight(), state, text_of(QUOTAS), SETTINGS, NOW)) == []


def test_an_unfinished_write_is_no_foreign_change() -> None:
    state = state_of([intent(1, QUOTAS)])

    assert list(refusals(sight(), state, text_of(QUOTAS), SETTINGS, NOW)) == []


def test_groups_that_nobody_declared_would_be_lost() -> None:
    pool = sight(configured={"GROUP_NAMES": ("physics, Guests <none>", "")})

    assert [each.message for each in undeclared(pool, ["Physics"])] == [
        "the pool has a group Guests that the quotas do not declare"
    ]
    assert list(undeclared(pool, ["physics", "guests"])) == []


def test_fault_4_a_group_of_our_own_file_is_retired_once_its_jobs_have_ended() -> None:
    pool = sight(configured={"GROUP_NAMES": ("physics, guests", "60-htcq-elastic.config:7")})

    assert list(undeclared(pool, ["physics"], retired=["Guests"])) == []
    (refusal,) = undeclared(pool, ["physics"], retired=[])
    assert "declare a max of 0 until its jobs have ended" in refusal.hint


def test_a_knob_for_the_negotiator_alone_wins_and_is_told() -> None:
    configured = {"NEGOTIATOR.GROUP_QUOTA_PHYSICS": ("9", "/etc/condor/condor_config.local:7")}
    (found,) = negotiator_specific(configured, file_of(QUOTAS))

    told = (
        "NEGOTIATOR.GROUP_QUOTA_physics = 9 in /etc/condor/condor_config.local:7 overrides the file"
    )
    assert found.message == told
