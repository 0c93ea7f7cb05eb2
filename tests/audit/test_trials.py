"""What is tried on a slot: by hand, from the requests of a few jobs."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.audit.trials import fits, ordinary_requests
from tests.audit.sites import job, policy_slot, pool


def _evidence(*jobs: str, **slot: str | int) -> Evidence:
    return Evidence(pool(policy_slot(**slot), jobs=jobs))


def test_jobs_that_the_policy_cannot_tell_apart_are_tried_once() -> None:
    evidence = _evidence(job("1.0"), job("2.0", Rank="Memory"), job("3.0", RequestCpus=2))
    (kind,) = evidence.slot_classes
    assert [trial.job for trial in evidence.trials.own(kind)] == ["job 1.0", "job 3.0"]
    assert [[jobs.name for jobs in trial.alike] for trial in evidence.trials.own(kind)] == [
        ["1.0", "2.0"],
        ["3.0"],
    ]


def test_a_request_that_is_an_expression_stands_for_itself() -> None:
    evidence = _evidence(
        job("1.0", RequestMemory="2 * Base", Base=512),
        job("2.0", RequestMemory="2 * Base", Base=700),
    )
    (kind,) = evidence.slot_classes
    assert [trial.taken["memory"] for trial in evidence.trials.own(kind)] == [1024, 1408]


def test_own_jobs_come_first_and_those_with_most_jobs_before_others() -> None:
    evidence = _evidence(
        job("1.0", RequestCpus=2), job("2.0", MaxHosts=5), job("3.0", RequestCpus=3, MaxHosts=2)
    )
    (kind,) = evidence.slot_classes
    assert [trial.job for trial in evidence.trials.of(kind)[:3]] == [
        "job 2.0",
        "job 3.0",
        "job 1.0",
    ]
    assert not evidence.trials.of(kind)[3].own


def test_a_missing_request_is_taken_for_0() -> None:
    """cp_compute_consumption of 25.14 sets it so."""
    evidence = _evidence(job(RequestMemory=None), ConsumptionMemory="TARGET.RequestMemory")
    (kind,) = evidence.slot_classes
    assert evidence.trials.own(kind)[0].taken["memory"] == 0


def test_jobs_that_start_does_not_let_in_are_not_tried() -> None:
    evidence = _evidence(job("1.0"), job("2.0", RequestCpus=4), Start="TARGET.RequestCpus > 2")
    (kind,) = evidence.slot_classes
    assert [trial.job for trial in evidence.trials.own(kind)] == ["job 2.0"]
    assert all(trial.jobs.request["cpus"] > 2 for trial in evidence.trials.of(kind))  # type: ignore[operator]


def test_of_jobs_alike_one_that_start_lets_in_is_tried() -> None:
    start = 'TARGET.Owner == "eve"'
    evidence = _evidence(job("1.0"), job("2.0", Owner='"eve"', Rank="Memory"), Start=start)
    (kind,) = evidence.slot_classes
    assert [trial.job for trial in evidence.trials.own(kind)] == ["job 2.0"]


def test_a_policy_that_looks_at_its_slot_is_known() -> None:
    plain, looking = _evidence(), _evidence(ConsumptionMemory="TotalSlotMemory / 8")
    assert not plain.trials.looks_at_slot(plain.slot_classes[0])
    assert looking.trials.looks_at_slot(looking.slot_classes[0])


def test_ordinary_requests_are_whole_and_ask_for_something_of_each_built_in_asset() -> None:
    for request in ordinary_requests({"cpus": 7, "memory": 15_997, "disk": 1_000_000.0, "gpus": 2}):
        assert all(request[asset] >= 1 for asset in ("cpus", "memory", "disk"))
        assert all(isinstance(amount, int) for amount in request.values())


def test_what_fits_is_limited_by_the_scarcest_asset() -> None:
    assert fits({"cpus": 8, "memory": 16384}, {"cpus": 1, "memory": 5000}) == 3
    assert fits({"cpus": 8}, {"cpus": 1, "tokens": 1}) == 0
    assert fits({"cpus": 8}, {"cpus": 0}) == 0
