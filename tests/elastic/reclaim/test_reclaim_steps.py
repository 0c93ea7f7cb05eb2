"""Which negotiator reclaim acts on: without one there is no record of what was done before."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from htcq.elastic.reclaim.reclaim_events import ObservationEvent, Origin
from htcq.elastic.usage_check import UsageLook
from htcq.errors import PoolError
from htcq.live import vacating
from htcq.live.captured import Captured
from htcq.live.deadline import Task, TaskOutcome
from htcq.operations import plan_reclaim, reclaim_steps
from htcq.operations.plan_reclaim import ReclaimRequest, priorities_of
from htcq.operations.pool_source import Source
from htcq.settings.elastic_write import WriteSettings
from htcq.store.reclaim_journal import ReclaimJournal
from tests.elastic.reclaim.scenes import AT_ONCE, HALVES

SOURCE = Source(pool="cm.example.org")


def test_a_pool_without_a_negotiators_ad_is_not_acted_on(tmp_path: Path) -> None:
    journal = ReclaimJournal(tmp_path / "reclaim")
    wanted = ReclaimRequest(HALVES, AT_ONCE, WriteSettings(), journal)
    with pytest.raises(PoolError, match=r"cm.example.org: the collector has no ad of a negotiator"):
        reclaim_steps._reclaimer_of(SOURCE, wanted, Captured("cm.example.org", "", {}))


def test_a_look_of_the_future_does_not_stand_for_later_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.time()
    looks = (UsageLook(now - 60, {"borrower": 4.0}), UsageLook(now + 86_400))
    origin = Origin(now, "root", "mine")
    gates = WriteSettings(journal=str(tmp_path / "journal"))
    for look in (*looks, looks[0]):
        event = ObservationEvent(origin, (), (), 1, 1, 8.0, (), usage=look)
        state, _ = plan_reclaim._state_of_writer(gates, [event])
        assert state.seen is not None
        assert state.seen.usage == (look if look.time < now else UsageLook())
    assert capsys.readouterr().err.count("s after now: nothing is compared with it") == 1


def test_an_ad_without_a_name_is_not_the_negotiators() -> None:
    places = ({"MyAddress": "<1>"}, {"Name": "mine", "CondorVersion": "$CondorVersion: 25.14.1 $"})
    daemons = Captured("cm.example.org", "", {}, negotiators=places)
    assert priorities_of(SOURCE, daemons, "mine").leases


#: Where the collector says that the schedd of the plan is.
PLACE = {"Name": "ap1", "MyAddress": "<192.0.2.1:9618>", "Machine": "ap1"}


def test_daemons_are_asked_where_the_query_of_the_collector_found_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan has names alone: one of a schedd that the collector does not have leads nowhere."""
    asked: list[object] = []

    def answered(tasks: list[Task], *_: object, **__: object) -> list[TaskOutcome]:
        asked.extend(task.arguments[0] for task in tasks)
        return [TaskOutcome(tasks[0].what, ([], {}))]

    monkeypatch.setattr(vacating, "run_all", answered)
    daemons = Captured("cm", "", {}, negotiator="mine", schedds=(PLACE,))
    wanted = ReclaimRequest(HALVES, AT_ONCE, WriteSettings(), ReclaimJournal(tmp_path / "reclaim"))
    queues = reclaim_steps._reclaimer_of(SOURCE, wanted, daemons).queues
    queues.vacate("ap1", ["1.0"])
    assert asked == [PLACE]

    assert queues.universes("<198.51.100.1:9618>", ["1.0"]) == (
        {}, "schedd <198.51.100.1:9618> is not in the collector",
    )  # fmt: skip
    with pytest.raises(KeyError):
        queues.vacate("<198.51.100.1:9618>", ["1.0"])
    assert asked == [PLACE]
