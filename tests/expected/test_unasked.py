"""A static slot of two cores whose jobs ask for one, as on 25.14.1: a core of each claim is idle."""

from __future__ import annotations

from htcq.balance.causes import RUNNING
from htcq.expected.unmet import UNASKED
from htcq.pool.pool import Pool
from htcq.report.views.status import standing_text
from tests.audit.sites import Text, dynamic_slot, found, static_slot
from tests.balance.pools import balanced
from tests.expected.pools import cycles, free, observed, only, site, waiting

_CLAIMED: dict[str, Text | None] = {
    "State": '"Claimed"', "Activity": '"Busy"', "Cpus": 2, "TotalSlotCpus": 2, "Memory": 4096,
    "TotalSlotMemory": 4096, "RemoteUser": '"ada@site"', "AccountingGroup": '"ada@site"',
    "RemoteScheddName": '"access1"', "JobId": '"3.0"',
}  # fmt: skip
_STATIC = static_slot("slot1@m6", **_CLAIMED)
#: Machines without room, of another kind.
_FULL = [free(f"slot1@full{each}", Cpus=0) for each in range(3)]


def _running(**changes: Text | None) -> str:
    return waiting("3.0", JobStatus=2, CurrentHosts=1, RemoteHost='"slot1@m6"', **changes)


def _pool(*slots: str, jobs: list[str]) -> Pool:
    return site(*slots, cycles(), jobs=jobs)


def test_cores_that_no_job_asked_for() -> None:
    given = _pool(_STATIC, *_FULL, jobs=[_running(), *(waiting(f"5.{n}") for n in range(3))])
    finding = only(UNASKED, given)
    assert finding.message == (
        "1 of 2 cores in 1 claim on m6 is asked for by no job; 1 waiting job, "
        "such as 5.0, would fit there"
    )
    assert finding.severity.word == "warning"
    assert observed(finding)["RequestCpus"] == "1"
    running = balanced(given).of(RUNNING)
    assert running is not None
    assert running.amounts.weight == 2, "the accountant charges all of it"
    assert "in slots whose jobs ask for less (2)" in standing_text(running)


def test_cores_that_the_machine_adds_to_a_request() -> None:
    """CONSUMPTION_CPUS = TotalSlotCpus: a job of one core has a dynamic slot of two."""
    claim = dynamic_slot("slot1_1@m6", **{**_CLAIMED, "SlotType": '"Dynamic"'})
    running = waiting("3.0", JobStatus=2, CurrentHosts=1, RemoteHost='"slot1_1@m6"')
    parent = free("slot1@m6", Cpus=0)
    finding = only(UNASKED, _pool(claim, parent, *_FULL, jobs=[running, waiting("5.0")]))
    assert finding.message.startswith("1 of 2 cores in 1 claim on m6 is asked for by no job")
    assert finding.advice.startswith("CONSUMPTION_CPUS or MODIFY_REQUEST_EXPR_REQUESTCPUS of m6")


def test_where_most_machines_are_so_it_is_information() -> None:
    given = _pool(_STATIC, _FULL[0], jobs=[_running(), waiting("5.0")])
    assert only(UNASKED, given).severity.word == "info"


def test_what_no_waiting_job_would_use_is_no_finding() -> None:
    for jobs in (
        [_running()],
        [_running(RequestCpus=2), waiting("5.0")],
        [_running(), waiting("5.0", RequestCpus=2)],
        [_running(), waiting("5.0", RequestMemory=4000)],
        [_running(), waiting("5.0", Requirements='Machine == "full1"')],
        [waiting("5.0")],
    ):
        assert not found(UNASKED, _pool(_STATIC, *_FULL, jobs=jobs)), jobs
    large = static_slot("slot1@m6", **{**_CLAIMED, "Start": "TARGET.RequestCpus >= 2"})
    assert not found(UNASKED, _pool(large, *_FULL, jobs=[_running(), waiting("5.0")]))
