"""Faults in which an operator must be able to trust elastic quotas: each test is named for one.

A machine is full of a borrower's jobs while a lender waits with two, so that reclaim would vacate.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from htcq.elastic.journal import (
    APPLY,
    DEAD_MAN,
    DISABLE,
    LOOK,
    VERIFIED,
    WRITTEN,
    JournalRecord,
    PoolSeen,
    state_of,
)
from htcq.elastic.pool_health import ScheddAds
from htcq.elastic.quota_file import file_of
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN
from htcq.store.elastic_journal import Journal
from htcq.store.reclaim_journal import ReclaimJournal
from tests.cli.conftest import Call
from tests.cli.test_elastic_reclaim import QUOTAS, write
from tests.elastic.reclaim.scenes import NOW, borrowed
from tests.elastic.writing import intent, outcome, sight

ELASTIC = {"borrower": (8.0, False), "lender": (4.0, False)}
FILE = "60-htcq-elastic.config"


@pytest.fixture
def place(quiet_place: Path) -> Path:
    """Return a place with the pool, the quotas, and a file that is as the journal says."""
    write(quiet_place, borrowed(8, 2))
    settings = f'directory = "{quiet_place}"\njournal = "{quiet_place}/journal"\ncycle_age'
    text = QUOTAS.format(directory=quiet_place, over_for="0s").replace("cycle_age", settings)
    (quiet_place / "q.toml").write_text(text)
    (quiet_place / FILE).write_text("elastic\n")
    knobs = "".join(f"{name} = {text}\n" for name, text in file_of(ELASTIC).knobs())
    (quiet_place / "pool/config.txt").write_text(knobs)
    return quiet_place


def journaled(
    place: Path, what: str = APPLY, result: str = VERIFIED, slots: int = 1, **more: Any
) -> None:
    """Write a journal: one write, and then an accepted look at so many slots."""
    journal = Journal(place / "journal")
    journal.append(intent(1, ELASTIC, what=what, time=NOW - 60, text="elastic\n", **more))
    journal.append(outcome(2, 1, result, time=NOW - 60))
    seen = PoolSeen(slots, 1, 8.0)
    journal.append(JournalRecord(3, NOW - 30, LOOK, seen=seen))


def reclaim(call: Call, *more: str) -> tuple[int, str]:
    done = call("elastic", "reclaim", "plan", "--quotas", "q.toml", "--snapshot", "pool", *more)
    return done.status, done.err


def test_reclaim_acts_where_nothing_is_wrong(place: Path, call: Call) -> None:
    journaled(place)

    assert reclaim(call) == (EXIT_FINE, "")


def test_fault_1_reclaim_does_not_act_on_half_a_pool(place: Path, call: Call) -> None:
    journaled(place, slots=24)
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "1 slots are present, less than 90% of the 24 seen before" in err


def test_a_planned_window_expects_a_part_of_the_pool(place: Path, call: Call) -> None:
    """The pool is looked at on 12 January 1970, a Monday, at 13:46; 24 slots were there before."""
    journaled(place, slots=24)
    text = (place / "q.toml").read_text()
    window = '[[elastic.window]]\ndays = ["mon"]\nfrom = "{}"\nuntil = "18:00"\ncapacity = 0.04\n'
    (place / "q.toml").write_text(text + window.format("13:00"))
    assert reclaim(call) == (EXIT_FINE, "")
    (place / "q.toml").write_text(text + window.format("14:00"))
    assert "less than 90% of the 24 seen before" in reclaim(call)[1]


def test_the_journal_keeps_the_whole_pool_while_a_part_of_it_is_away_by_plan() -> None:
    from htcq.elastic.usage_check import UsageLook
    from htcq.operations.observe_and_plan import seen_of

    before = state_of([JournalRecord(1, NOW, LOOK, seen=PoolSeen(24, 2, 24.0, ("ap1",)))])
    small = sight(
        slots=6, schedds=1, pool_weight=6.0, schedd_ads=ScheddAds(busy=frozenset({"ap2"}))
    )

    usage = UsageLook(small.taken_at or 0.0)
    assert seen_of(small, before, 0.25) == PoolSeen(24, 1, 24.0, ("ap2",), 24.0, usage)
    assert seen_of(small, before, 1.0) == PoolSeen(6, 1, 6.0, ("ap2",), 24.0, usage)


def test_fault_1_reclaim_without_a_writer_knows_the_pool_from_its_own_journal(
    place: Path, call: Call
) -> None:
    from htcq.elastic.reclaim.reclaim_events import ObservationEvent, Origin

    (place / FILE).unlink()
    event = ObservationEvent(Origin(NOW - 60, "root", "central"), (), (), 24, 1, 24.0)
    ReclaimJournal(place / "reclaim").append(event)
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "1 slots are present, less than 90% of the 24 seen before" in err
    assert "the pool weighs 8, 20% or more below the 24 seen before" in err


def test_fault_2_what_stops_the_writer_stops_reclaim(place: Path, call: Call) -> None:
    journaled(place, what=DISABLE, operator="ann")
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "elastic quotas are off: stopped by disable by ann" in err


def test_fault_2_the_dead_man_stops_reclaim(place: Path, call: Call) -> None:
    journaled(place, what=DEAD_MAN)
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "elastic quotas are static: static quotas are in force since dead-man" in err


def test_reclaim_does_not_act_on_quotas_that_the_negotiator_may_not_have(
    place: Path, call: Call
) -> None:
    journaled(place, result=WRITTEN)
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "elastic quotas are unverified: " in err


def test_reclaim_does_not_act_while_somebody_else_has_changed_the_file(
    place: Path, call: Call
) -> None:
    journaled(place)
    (place / FILE).write_text("other\n")
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "was changed by somebody else" in err


def test_reclaim_does_not_act_while_a_group_of_the_pool_is_not_declared(
    place: Path, call: Call
) -> None:
    """Its jobs would count as those of nobody, and a catch-all group could lose them."""
    journaled(place)
    config = place / "pool/config.txt"
    names = "GROUP_NAMES = borrower, lender"
    config.write_text(config.read_text().replace(names, f"{names}, guests"))
    status, err = reclaim(call)

    assert status == EXIT_UNKNOWN
    assert "the pool has a group guests that the quotas do not declare" in err
