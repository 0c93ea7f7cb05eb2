"""Read in Resource.cpp of 25.3 and 25.4: before 25.4 a dynamic slot's disk is what it takes plus at least 1 MiB."""

from __future__ import annotations

from tests.audit.sites import VERSION, found, job, policy_slot, pool, slot

RULE = "disk-slop"


OLD = f'"{VERSION.replace("25.14.1", "23.9.6")}"'
#: 8 claims of an eighth each fill the 20,000,000 KiB exactly.
EIGHTH = {"ConsumptionDisk": "2500000", "CondorVersion": OLD}


def test_disk_that_would_just_do_does_not() -> None:
    (finding,) = found(RULE, pool(policy_slot(**EIGHTH), jobs=[job("2.0")]))
    assert "allocates 1024 KiB of disk more" in finding.message
    assert finding.message.endswith("7 fit instead of 8")


def test_a_weight_that_counts_disk_falls_faster() -> None:
    """After 8 claims of 1,000,000 KiB 12,000,000 are left, or 11,991,808 with 1024 KiB more each."""
    weight = {
        "SlotWeight": "floor(Disk / 1000000)",
        "ConsumptionDisk": "1000000",
        "CondorVersion": OLD,
    }
    (finding,) = found(RULE, pool(policy_slot(**weight), jobs=[job()]))
    assert finding.message.endswith("with 8 of them SlotWeight is 11 instead of 12")


def test_where_there_is_disk_enough_nobody_notices() -> None:
    assert not found(RULE, pool(policy_slot(CondorVersion=OLD), jobs=[job()]))


def test_since_25_4_disk_is_exact() -> None:
    assert not found(RULE, pool(policy_slot(ConsumptionDisk="2500000"), jobs=[job()]))


def test_without_a_policy_the_negotiator_expects_nothing() -> None:
    assert not found(RULE, pool(slot(CondorVersion=OLD), jobs=[job()]))
