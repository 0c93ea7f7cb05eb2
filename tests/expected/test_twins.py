"""Two machines with one name and address, as two startds of one HOST_ALIAS had on 25.14.1."""

from __future__ import annotations

from htcq.expected.unmet import TWINS
from htcq.pool.pool import Pool
from tests.audit.sites import Text, collector, found
from tests.expected.pools import (
    LATELY,
    LONG_AGO,
    NOW,
    claim,
    cycles,
    free,
    observed,
    only,
    site,
    waiting,
)

_STARTED = NOW - 20_000
_TWIN: dict[str, Text | None] = {
    "DaemonStartTime": _STARTED, "UpdatesTotal": 100, "UpdateSequenceNumber": 52,
}  # fmt: skip


def _running(id_: str, **changes: Text | None) -> str:
    own: dict[str, Text | None] = {
        "JobStatus": 2, "CurrentHosts": 1, "RemoteHost": '"slot1_1@node1"',
        "JobCurrentStartDate": LONG_AGO,
    }  # fmt: skip
    return waiting(id_, **{**own, **changes})


def _pool(*jobs: str, counted_since: Text | None = _STARTED - 100, **changes: Text | None) -> Pool:
    own = {**_TWIN, **changes}
    counts = collector(DaemonStartTime=counted_since)
    return site(free(**own), claim(**own), counts, cycles(), jobs=jobs)


def test_two_jobs_in_one_slot_of_two_startds() -> None:
    finding = only(TWINS, _pool(_running("1.0"), _running("2.0")))
    assert finding.subject == "machine node1"
    assert finding.message == (
        "slot1_1@node1 runs two jobs at a time, such as 1.0 and 2.0, and the "
        "collector had 100 updates of it where the startd has sent 52: two startds have the name "
        "node1, and the pool shows the slots of one of them"
    )
    assert (finding.severity.word, observed(finding)["UpdatesTotal"]) == ("warning", "100")


def test_a_machine_that_was_started_again_is_no_twin() -> None:
    """Its schedd looks for the job of before for 40 minutes (JobLeaseDuration)."""
    again: dict[str, Text | None] = {"DaemonStartTime": LONG_AGO + 10}
    new = _running("2.0", JobCurrentStartDate=LONG_AGO + 300)
    assert not found(TWINS, _pool(_running("1.0"), new, **again))
    assert not found(TWINS, _pool(_running("1.0"), **again))


def test_a_startd_of_before_sent_updates_too() -> None:
    """A job was lost a while after the restart, and its schedd looks for it: two jobs in one slot."""
    ten_days, one_day = NOW - 864_000, NOW - 86_400
    again: dict[str, Text | None] = {
        "DaemonStartTime": one_day, "UpdatesTotal": 2890, "UpdateSequenceNumber": 290,
    }  # fmt: skip
    jobs = (_running("1.0"), _running("2.0"))
    assert not found(TWINS, _pool(*jobs, counted_since=ten_days, **again))
    assert not found(TWINS, _pool(*jobs, counted_since=None, **again))
    # Two of them sent that since the collector was started.
    assert found(TWINS, _pool(*jobs, counted_since=one_day, **again))
    twice: dict[str, Text | None] = {**again, "UpdatesTotal": 5800}
    assert found(TWINS, _pool(*jobs, counted_since=ten_days, **twice))


def test_what_users_may_write_accuses_no_machine() -> None:
    assert not found(TWINS, _pool(_running("1.0"), _running("2.0"), UpdatesTotal=52))
    assert not found(TWINS, _pool(_running("1.0"), _running("2.0"), UpdatesTotal=None))


def test_a_job_that_has_just_come_is_no_second_one() -> None:
    assert not found(TWINS, _pool(_running("1.0"), _running("2.0", JobCurrentStartDate=LATELY)))
    assert not found(TWINS, _pool(_running("1.0"), waiting("2.0")))
