"""Seen on 25.14.1: RequestMemory = 100 without rounding costs 100 at the match and counts 128 afterwards."""

from __future__ import annotations

from tests.audit.sites import found, job, lines, look, policy_slot, pool

RULE = "request-modified-differently"


BARE = {"ConsumptionMemory": "TARGET.RequestMemory"}
UNCHANGED = "".join(
    f"MODIFY_REQUEST_EXPR_REQUEST{asset} = UNDEFINED\n" for asset in ("CPUS", "MEMORY", "DISK")
)


def test_the_measured_difference_is_found_with_htcondors_default() -> None:
    given = pool(
        policy_slot(**BARE),
        jobs=[job("8.0", RequestMemory=100)],
        execute={"node1": "NUM_CPUS = 8\n"},
    )
    (finding,) = found(RULE, given)
    assert finding.message.startswith("job 8.0 consumes 100 of memory at the match, but 128 after")
    assert finding.evidence[1].value == "quantize(RequestMemory,{128})"
    assert lines(finding) == ["MODIFY_REQUEST_EXPR_REQUESTMEMORY = UNDEFINED"]


def test_leaving_the_request_alone_is_the_cure() -> None:
    assert not found(
        RULE, pool(policy_slot(**BARE), jobs=[job(RequestMemory=100)], execute={"node1": UNCHANGED})
    )


def test_rounding_twice_to_the_same_quantum_changes_nothing() -> None:
    defaults = {
        "ConsumptionCpus": "quantize(target.RequestCpus,{ 1 })",
        "ConsumptionMemory": "quantize(target.RequestMemory,{ 128 })",
        "ConsumptionDisk": "quantize(target.RequestDisk,{ 1024 })",
    }
    given = pool(
        policy_slot(**defaults), jobs=[job(RequestMemory=100)], execute={"node1": "NUM_CPUS = 8\n"}
    )
    assert not found(RULE, given)


def test_the_knob_of_the_slot_type_comes_first() -> None:
    text = f"{UNCHANGED}SLOT_TYPE_1_MODIFY_REQUEST_EXPR_REQUESTCPUS = RequestCpus + 1\n"
    (finding,) = found(RULE, pool(policy_slot(), jobs=[job()], execute={"node1": text}))
    assert "consumes 1 of cpus at the match, but 2" in finding.message
    assert finding.evidence[1].attribute == "SLOT_TYPE_1_MODIFY_REQUEST_EXPR_REQUESTCPUS"


def test_some_kib_of_disk_do_no_harm_and_gigabytes_do() -> None:
    bare = policy_slot(ConsumptionDisk="TARGET.RequestDisk")
    assert not found(
        RULE, pool(bare, jobs=[job(RequestDisk=1)], execute={"node1": "NUM_CPUS = 8\n"})
    )
    large = "MODIFY_REQUEST_EXPR_REQUESTDISK = quantize(RequestDisk, {1048576})\n"
    assert found(RULE, pool(bare, jobs=[job(RequestDisk=1)], execute={"node1": large}))


def test_a_change_that_makes_the_consumption_undefined_is_found() -> None:
    strict = policy_slot(
        ConsumptionMemory="ifThenElse(TARGET.RequestMemory > 1000, undefined, 128)"
    )
    given = pool(strict, jobs=[job(RequestMemory=1000)], execute={"node1": "NUM_CPUS = 8\n"})
    (finding,) = found(RULE, given)
    assert "but no number after" in finding.message


def test_without_a_nodes_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot(**BARE))).not_checked
