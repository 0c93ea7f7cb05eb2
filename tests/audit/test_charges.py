"""Charges of claims; the first case was measured on 25.14.1, the others follow from the arithmetic of its weights."""

from __future__ import annotations

from htcq.audit.charges import Charge
from htcq.audit.evidence import Evidence
from htcq.policy.carved import handed_out
from tests.audit.sites import job, policy_slot, pool


def _charge(given_job: str, **slot: str | int) -> Charge:
    evidence = Evidence(pool(policy_slot(**slot), jobs=[given_job]))
    return next(charge for charge in evidence.charges(evidence.slot_classes[0]) if charge.trial.own)


def test_match_cost_and_standing_charge_are_those_that_were_measured() -> None:
    """8 cpus, 16384 MB, a job of 1 cpu and 8192 MB: 4.0 at the match, 1.0 two seconds later."""
    charge = _charge(job(RequestMemory=8192), SlotWeight="min({Cpus, floor(Memory / 2048)})")
    assert (charge.cost, charge.mean, charge.standing) == (4, 4, 1)


def test_the_mean_of_claims_of_which_most_are_free() -> None:
    """Of 16384 MB 8 claims of 128 MB: the weight falls from 16 to 15 with the first one and stays there."""
    charge = _charge(job(), SlotWeight="floor(Memory / 1024)", ConsumptionMemory="128")
    assert (charge.cost, charge.mean, charge.standing) == (1, 1 / 8, 0)


def test_claims_of_another_proportion_than_the_slot_are_charged_more_than_they_cost() -> None:
    """16 cpus, 8 charges of 2048 MB: a job of 4 charges costs 4; one of 16 cpus costs 8 and is charged 16."""
    weight = (
        "ifThenElse(DynamicSlot =?= true, max({Cpus, Memory / 2048}), min({Cpus, Memory / 2048}))"
    )
    wide = {"SlotWeight": weight, "Cpus": 16, "TotalSlotCpus": 16}
    even = _charge(job(RequestMemory=8192), **wide)
    assert (even.mean, even.standing, even.rises, even.falls) == (4, 4, False, False)
    whole = _charge(job(RequestCpus=16), **wide)
    assert (whole.mean, whole.standing, whole.rises, whole.factor) == (8, 16, True, 2)


def test_a_first_match_that_costs_as_much_as_is_charged_says_nothing_of_the_others() -> None:
    """16 cpus, 65536 MB, 5120 MB each: the first one costs 16 - 14 = 2, 12 of them 16 - 1 = 15 together."""
    weight = "ifThenElse(DynamicSlot =?= true, ceiling(Memory / 4096.0), floor(Memory / 4096))"
    shape = {"Cpus": 16, "TotalSlotCpus": 16, "Memory": 65536, "TotalSlotMemory": 65536}
    charge = _charge(job(RequestMemory=5120), SlotWeight=weight, **shape)
    assert (charge.cost, charge.mean, charge.standing) == (2, 1.25, 2)
    assert charge.match_text == "1.25 on average"


def test_disk_that_an_older_startd_rounds_up_is_no_charge_above_the_match_cost() -> None:
    """23.9.6 takes 1024 KiB more: 0.03 per GiB of that are some millionths of the charge."""
    weight = "Cpus + Disk * 0.03 / 1048576.0"
    old = "$CondorVersion: 23.9.6 2024-08-08 $"
    charge = _charge(job(), SlotWeight=weight, CondorVersion=f'"{old}"')
    assert charge.standing > charge.mean
    assert not charge.rises


def test_a_policy_that_looks_at_what_is_left_is_followed_claim_by_claim() -> None:
    """Half of what is left: 4, 2, 1 and 1 of 8 cpus, in four claims that cost 8 together."""
    halves = "max({1, Cpus / 2})"
    charge = _charge(
        job(), ConsumptionCpus=halves, SlotWeight="ifThenElse(DynamicSlot =?= true, 0, Cpus)"
    )
    assert (charge.cost, charge.mean, charge.standing) == (4, 2, 0)


def test_a_weight_that_is_no_number_later_is_no_charge() -> None:
    evidence = Evidence(
        pool(policy_slot(SlotWeight="ifThenElse(Cpus == 7, undefined, Cpus)"), jobs=[job()])
    )
    assert not [charge for charge in evidence.charges(evidence.slot_classes[0]) if charge.trial.own]


def test_a_dynamic_slot_has_whole_units_and_a_cpu_and_a_mb_at_least() -> None:
    """create_dslot of 25.14: cpus and memory are cut, disk is rounded up."""
    taken = {"cpus": 0, "memory": 0.5, "disk": 10.2, "gpus": 0.5}
    assert handed_out(taken) == {"cpus": 1, "memory": 1, "disk": 11, "gpus": 0}
    assert handed_out({"cpus": 1.5, "memory": 100.5}) == {"cpus": 1, "memory": 100}
