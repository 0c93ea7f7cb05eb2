"""Nothing is written on doubtful numbers: each gate closes at its limit, and not before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from htcq.elastic.gates import ignored_faults, negotiator_specific, refusals, several, undeclared
from htcq.elastic.journal import DISABLE, LOOK, WRITTEN, JournalRecord, PoolSeen, state_of
from htcq.elastic.pool_health import ScheddAds
from htcq.elastic.quota_file import file_of
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
        ({"heard": (NOW - 900, NOW)}, []),
        ({"heard": (NOW - 901, NOW)}, ["ad-age"]),
        ({"cycle_end": NOW - 1200}, []),
        ({"cycle_end": NOW - 1201}, ["cycle"]),
        ({"cycle_end": None}, ["cycle"]),
        ({"slots": 90}, []),
        ({"slots": 89}, ["few-slots"]),
        ({"slots": 0}, ["no-slots", "few-slots"]),
        ({"schedds": 9}, []),
        ({"schedds": 8}, ["few-schedds"]),
        ({"pool_weight": 800.0}, []),
        ({"pool_weight": 799.0}, ["capacity"]),
        ({"heard": (NOW - 1, NOW + 60)}, []),
        ({"heard": (NOW - 1, NOW + 61)}, ["clock"]),
        ({"skews": {"ap.example.org": -61.0}}, ["clock"]),
        ({"negotiators": ()}, ["negotiator"]),
        ({"negotiator": "gpu.example.org"}, ["negotiator"]),
        ({"missing": ("jobs of ap.example.org: no answer within 60 s",)}, ["incomplete"]),
    ],
)
def test_a_gate_closes_at_its_limit(changes: dict[str, Any], gates: list[str]) -> None:
    assert closed(**changes) == gates


SILENT = {"ap.example.org": "no answer within 60 s"}


def refused(seen: PoolSeen | None, later: float = 600, **schedds: Any) -> list[str]:
    """The gates that close ``later`` seconds after a look that ``seen`` tells of (None: there was none)."""
    state = FRESH if seen is None else state_of([JournalRecord(1, NOW - later, LOOK, seen=seen)])
    found = refusals(sight(schedd_ads=ScheddAds(**schedds)), state, None, SETTINGS, NOW)
    return [each.gate for each in found]


def test_a_silent_schedd_that_nothing_is_known_of_closes_no_gate() -> None:
    assert refused(SEEN, silent=SILENT, wanting=frozenset(SILENT)) == []
    told = list(ignored_faults(sight(schedd_ads=ScheddAds(silent=SILENT)), LOOKED, SETTINGS, NOW))
    assert told == ["pool: 1 schedd left out: ap.example.org: no answer within 60 s"]


def test_a_silent_schedd_for_which_slots_are_claimed_closes_the_gate_however_long() -> None:
    assert refused(SEEN, later=86400, silent=SILENT, claiming=frozenset(SILENT)) == ["incomplete"]


def test_a_silent_schedd_that_had_jobs_closes_the_gate_for_a_quarter_of_an_hour() -> None:
    seen = replace(SEEN, busy=tuple(SILENT))

    assert refused(seen, later=900, silent=SILENT) == ["incomplete"]
    assert refused(seen, later=901, silent=SILENT) == []


def test_before_the_first_look_a_silent_schedds_submitters_are_believed_unless_a_person_accepts_the_loss() -> (
    None
):
    schedds = ScheddAds(silent=SILENT, wanting=frozenset(SILENT))

    assert refused(None, silent=SILENT) == []
    assert refused(None, silent=SILENT, wanting=frozenset(SILENT)) == ["incomplete"]
    assert (
        list(refusals(sight(schedd_ads=schedds), FRESH, None, SETTINGS, NOW, confirmed=True)) == []
    )


def test_a_schedd_that_nothing_is_known_of_holds_no_gate_closed_by_its_age_or_its_clock() -> None:
    ads = {"skews": {"fake": -3600.0}, "slots_heard": NOW - 10}
    fake = ScheddAds(heard={"fake": NOW - 5000})
    busy = replace(fake, claiming=frozenset({"fake"}))

    assert closed(schedd_ads=fake, **ads) == []
    assert closed(schedd_ads=busy, **ads) == ["ad-age", "clock"]
    assert list(ignored_faults(sight(schedd_ads=fake, **ads), LOOKED, SETTINGS, NOW)) == [
        "pool: an ad of the schedd fake is 5000 s old",
        "pool: the clock of fake is 3600 s behind the collector's",
    ]


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


def test_a_knob_for_the_negotiator_alone_wins_and_is_told() -> None:
    configured = {"NEGOTIATOR.GROUP_QUOTA_PHYSICS": ("9", "/etc/condor/condor_config.local:7")}
    (found,) = negotiator_specific(configured, file_of(QUOTAS))

    told = (
        "NEGOTIATOR.GROUP_QUOTA_physics = 9 in /etc/condor/condor_config.local:7 overrides the file"
    )
    assert found.message == told
