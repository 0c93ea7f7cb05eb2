"""START of every machine that could run a job refuses it."""

from __future__ import annotations

import pytest

from htcq.audit.catalog import rule
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from tests.audit.sites import dynamic_slot, found, job, pool, schedd, slot, submitter

RULE = "start-refuses-everywhere"
OTHERS = ("jobs-fit-no-machine", "requirements-met-nowhere")


@pytest.mark.parametrize(
    ("start", "clause"),
    [
        ('TARGET.Owner == "root"', 'TARGET.Owner == "root"'),
        ("TARGET.IsUrgent && TARGET.RequestCpus <= 8", "TARGET.IsUrgent"),
        ("TARGET.RequestGPUs > 0", "TARGET.RequestGPUs > 0"),
        ("Healthy && TARGET.RequestCpus > 0", "Healthy"),
    ],
)
def test_the_clause_of_start_is_named(start: str, clause: str) -> None:
    given = pool(slot(Start=start), jobs=[job()])
    (finding,) = found(RULE, given)
    assert clause in finding.message
    assert "1 idle job in 1 autocluster, such as 1.0" in finding.message
    assert not any(found(other, given) for other in OTHERS)


def test_limits_that_refuse_are_not_the_evidence_of_start() -> None:
    limits = "MY.ConsumptionCpus <= MY.Cpus"
    own = {"Requirements": "START && WithinResourceLimits", "WithinResourceLimits": limits}
    (finding,) = found(RULE, pool(slot(Start="true", **own), jobs=[job()]))
    assert [(fact.attribute, fact.value) for fact in finding.evidence] == [
        ("WithinResourceLimits", limits)
    ]
    assert "has no ConsumptionCpus, which it compares" in finding.message


@pytest.mark.parametrize(
    "changes",
    [
        {"Start": "TARGET.RequestCpus <= 8"},
        {"Start": 'TARGET.Owner == "ada"'},
        {"Start": "KeyboardIdle > 900", "KeyboardIdle": 3},
        {"Start": "ClockMin < 480", "ClockMin": 700},
        {"Start": "LoadAvg < 0.3", "LoadAvg": "2.0"},
        {"Requirements": "false", "Draining": "true"},
        {"State": '"Drained"', "Start": "false"},
        {"State": '"Owner"', "Start": "false"},
        {
            "Requirements": "Healthy && Start",
            "Healthy": "min({HasScratch,1})",
            "HasScratch": "false",
        },
        {"Start": '"Directly attached to schedd access2"', "IsDirectAttach": '"access2"'},
        {
            "Requirements": '"Could not clean up"',
            "SlotBrokenCode": 4,
            "SlotBrokenReason": '"Could not clean up"',
        },
    ],
)
def test_machines_that_take_it_now_or_later_are_enough(changes: dict[str, str]) -> None:
    assert not any(found(rule, pool(slot(**changes), jobs=[job()])) for rule in (RULE, *OTHERS))


def test_a_machine_for_others_beside_one_for_all_is_sound() -> None:
    gpus = slot("slot1@gpu", Start="TARGET.RequestGPUs > 0", GPUs=4, TotalSlotGPUs=4)
    assert not found(RULE, pool(slot(), gpus, jobs=[job()]))


def _fpga(name: str, **own: str) -> str:
    assets = '"Cpus Memory Disk Swap GPUs Fpga"'
    amounts = {"Fpga": 1, "TotalSlotFpga": 1, "MachineResources": assets}
    return slot(name, **{**amounts, **own})


@pytest.mark.parametrize("others_wait", [False, True])
def test_what_stands_for_the_jobs_that_start_refuses_is_told_once(others_wait: bool) -> None:
    """The capacity follows from the refusal, unless other jobs, which fit elsewhere, would use it as well."""
    at = {"ScheddName": '"access1"'}
    jobs = [
        job(f"1.{proc}", RequestFpga=1, Requirements="TARGET.Fpga >= RequestFpga", **at)
        for proc in (0, 1)
    ]
    if others_wait:
        jobs += [job(f"2.{proc}", User='"bob@site"', Owner='"bob"', **at) for proc in range(20)]
    given = pool(
        slot(Cpus=0, NumDynamicSlots=1),
        dynamic_slot("slot1_1@node1", "cyd@site", Cpus=8, TotalSlotCpus=8),
        _fpga("slot1@fpga", Start="TARGET.Nothing == 1"),
        schedd(),
        submitter(IdleJobs=2, WeightedIdleJobs=2),
        submitter("bob@site", IdleJobs=20, WeightedIdleJobs=20),
        jobs=jobs,
        config="",
    )
    rules = [rule(RULE), rule("start-refuses-waiting-jobs")]
    roots = {each.rule: each for each in audit(Evidence(given), rules).findings}
    follows = {each.rule for each in roots[RULE].caused}
    assert ("start-refuses-waiting-jobs" in roots) is others_wait
    assert ("start-refuses-waiting-jobs" in follows) is not others_wait
