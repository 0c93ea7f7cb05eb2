"""Seen on 25.14.1: two GTX 480 and a TITAN RTX, a job that requires capability 7 or more got a GTX 480."""

from __future__ import annotations

from tests.audit.sites import found, policy_slot, pool, slot

RULE = "heterogeneous-gpus-with-policy"


def _gpu(number: int, name: str, capability: float) -> dict[str, str]:
    text = (
        f'[ Id = "GPU-0000000{number}"; DeviceName = "{name}"; Capability = {capability}; '
        "GlobalMemoryMb = 1024 ]"
    )
    return {f"GPUs_GPU_0000000{number}": text}


OLD, NEW = _gpu(1, "GeForce GTX 480", 2.0), _gpu(2, "TITAN RTX", 7.5)


def test_two_models_in_one_slot_are_found() -> None:
    (finding,) = found(
        RULE, pool(policy_slot(GPUs=3, **OLD, **NEW, **_gpu(3, "GeForce GTX 480", 2.0)))
    )
    assert "differ in DeviceName" in finding.message
    assert {fact.attribute for fact in finding.evidence} == {"GPUs DeviceName", "GPUs Capability"}


def test_machines_of_the_same_mix_are_one_finding() -> None:
    (finding,) = found(
        RULE,
        pool(*[policy_slot(f"slot1@node{number}", GPUs=2, **OLD, **NEW) for number in range(4)]),
    )
    assert finding.count == 4


def test_equal_gpus_are_fine() -> None:
    assert not found(RULE, pool(policy_slot(GPUs=2, **OLD, **_gpu(2, "GeForce GTX 480", 2.0))))


def test_different_machines_may_have_different_gpus() -> None:
    assert not found(
        RULE, pool(policy_slot("slot1@a", GPUs=1, **OLD), policy_slot("slot1@b", GPUs=1, **NEW))
    )


def test_without_a_policy_devices_are_bound_as_required() -> None:
    assert not found(RULE, pool(slot(GPUs=2, **OLD, **NEW)))
