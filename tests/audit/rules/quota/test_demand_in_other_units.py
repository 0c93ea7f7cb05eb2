"""A schedd without the pool's SLOT_WEIGHT counts RequestCpus; slots that weigh memory charge a 1-cpu job of 8 GiB 8."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.rules.quota.groups import groups, machine, uses, wants
from tests.audit.sites import found, job, lines, look, pool

RULE = "demand-in-other-units"
TREE = "GROUP_NAMES = a\nGROUP_QUOTA_a = 50\n"
BY_MEMORY = machine(100, SlotWeight="Memory/1024.0")
QUEUE = [job(User='"ada@site"', AccountingGroup='"a.ada"', AcctGroup='"a"', RequestMemory=8192)]


def test_idle_jobs_that_weigh_less_for_the_schedd_than_slots_charge_are_found() -> None:
    (finding,) = found(RULE, pool(BY_MEMORY, wants("a", 10), config=TREE, jobs=QUEUE))
    assert finding.severity is Severity.ERROR
    assert "weigh 1 each in their schedd, but slots charge 8 for one" in finding.message


def test_idle_jobs_that_weigh_more_are_only_unfair() -> None:
    ads = (machine(100), wants("a", 10, WeightedIdleJobs=80))
    (finding,) = found(RULE, pool(*ads, config=TREE, jobs=QUEUE))
    assert finding.severity is Severity.WARNING
    assert "weigh 8 each in their schedd, but slots charge 1 for one" in finding.message
    assert finding.message.endswith(
        "; by SLOT_WEIGHT = Cpus each weighs 1: the ad of the submitter contradicts the knob, "
        "which the schedd has not read, or its jobs have changed since"
    )
    assert not lines(finding), "another knob is no cure"


def test_idle_jobs_that_weigh_what_the_knob_makes_contradict_nothing() -> None:
    ads, knob = (machine(100), wants("a", 10, WeightedIdleJobs=80)), "SCHEDD_SLOT_WEIGHT = 8\n"
    (finding,) = found(RULE, pool(*ads, config=TREE + knob, jobs=QUEUE))
    assert finding.message.endswith(": the demand of its group is too large")
    assert lines(finding)


def test_idle_jobs_that_weigh_what_slots_charge_are_not() -> None:
    assert not found(
        RULE, pool(BY_MEMORY, wants("a", 10, WeightedIdleJobs=80), config=TREE, jobs=QUEUE)
    )


def test_running_jobs_are_compared_with_the_slots_that_they_hold() -> None:
    """Two slots of 8 cpus each, and a schedd that reckons with 1 for each."""
    (finding,) = found(RULE, groups(TREE, wants("a", 0, 2), *uses("a", 2, cpus=8)))
    assert (
        "running jobs of a.ada@site weigh 1 each in their schedd, but slots charge 8"
        in finding.message
    )


def test_with_slot_weights_off_weighted_demand_is_another_unit() -> None:
    config = f"{TREE}NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"
    (finding,) = found(RULE, groups(config, wants("a", 10, WeightedIdleJobs=80)))
    assert finding.severity is Severity.WARNING
    assert lines(finding) == ["NEGOTIATOR_USE_SLOT_WEIGHTS = True"], (
        "the pool has a partitionable slot"
    )


def test_without_job_ads_idle_jobs_are_not_checked() -> None:
    outcome = look(RULE, groups(TREE, wants("a", 10), jobs=None))
    assert [each.missing for each in outcome.not_checked] == ["job ads (jobs.ads)"]
    assert not outcome.findings


def test_without_groups_nobody_compares() -> None:
    assert not found(RULE, pool(BY_MEMORY, wants("a", 10), config="", jobs=QUEUE))
