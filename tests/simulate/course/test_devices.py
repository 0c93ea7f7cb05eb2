"""Which of a machine's GPUs a job gets, and which are left for the next one.

That a consumption policy hides require_gpus from the startd was seen on 25.14.1 and 23.9.6: of two
GPUs, the first of which did not match, the job got the first one.
"""

from __future__ import annotations

from random import Random

import pytest

from htcq.simulate.course.claims import Base
from htcq.simulate.course.course import Course, Plan, run_course
from htcq.simulate.course.devices import Devices
from htcq.simulate.course.runtimes import run_time
from htcq.simulate.course.suiting import Suiting
from tests.audit.sites import job, policy_slot, pool, schedd, slot, submitter

SMALL, LARGE = "Capability = 2.0", "Capability = 7.5"
EIGHT = {"Cpus": 8, "TotalSlotCpus": 8, "TotalSlotGPUs": '"3"'}
SUITS = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"


def node(policy: bool, *devices: str, claims: int = 1) -> str:
    """Return a slot with GPUs in this order; ids do not follow it."""
    ids = [f"{9 - place:04x}" for place in range(len(devices))]
    names = [f"GPUs_GPU_{id_}" for id_ in ids]
    own = {name: f'[ Id = "{id_}"; {text} ]' for name, id_, text in zip(names, ids, devices)}
    own |= {"GPUs": str(len(devices)), "AvailableGPUs": f"{{{', '.join(names)}}}"}
    own |= {"MachineResources": '"Cpus Memory Disk Swap GPUs"'}
    if not policy:
        return slot(**EIGHT, **own)
    return policy_slot(NumClaims=claims, ConsumptionGPUs="TARGET.RequestGPUs ?: 0", **EIGHT, **own)


def asks(number: int, require: str = "") -> str:
    if not require:
        return job(f"1.{number}", RequestGPUs=1)
    return job(f"1.{number}", RequestGPUs=1, RequireGPUs=require, Requirements=SUITS)


def course(one: str, jobs: list[str], run_seconds: str = "1000000") -> Course:
    asked = submitter(IdleJobs=len(jobs), WeightedIdleJobs=len(jobs))
    given = pool(one, schedd(), asked, jobs=jobs)
    return run_course(given, Plan(4, 60.0), run_time(run_seconds), Random(0))


def starts(found: Course) -> dict[str, float]:
    return {start.job.id: start.at for start in found.starts}


@pytest.mark.parametrize(("policy", "others"), [(True, ["1.1"]), (False, [])])
def test_with_a_policy_the_first_device_is_taken_whatever_the_job_requires(
    policy: bool, others: list[str]
) -> None:
    """The large one is still free for the next job, if the first job got the small one."""
    large = "Capability > 7"

    found = course(node(policy, SMALL, LARGE), [asks(0, large), asks(1, large), asks(2, large)])

    assert list(starts(found)) == ["1.0", *others]


@pytest.mark.parametrize(("devices", "runs"), [((SMALL, LARGE), True), ((LARGE, SMALL), False)])
def test_devices_are_handed_out_in_the_order_of_availablegpus(
    devices: tuple[str, str], runs: bool
) -> None:
    found = course(node(False, *devices), [asks(0), asks(1, "Capability > 7")])

    assert ("1.1" in starts(found)) is runs


def test_the_rest_of_a_slot_has_the_devices_of_claims_that_are_not_made_yet() -> None:
    """Seen on 23.9.6: with the first claim one GPU is left, so 1.2 is for that rest, and in vain.

    1.3 is the first one for the rest after the second claim.
    """
    queue = [asks(0), asks(1), asks(2, "Capability > 7"), job("1.3"), job("1.4")]

    found = course(node(True, LARGE, LARGE, claims=2), queue)

    assert list(starts(found)) == ["1.0", "1.1", "1.3", "1.4"]


def test_what_comes_back_has_its_place_again() -> None:
    given = pool(node(False, LARGE, SMALL, LARGE), jobs=[asks(0, "Capability > 1")])
    (captured,) = given.slots or ()
    base, devices = Base(captured, {}), Devices()
    request = Suiting(given, 0.0).request((given.jobs or ())[0])
    devices.move_in(base)

    def free() -> str:
        return base.slot.frame.text("AvailableGPUs")

    before = free()
    one, two = (devices.take(base, request, 1) for _ in range(2))
    assert one is not None
    devices.give_back(base, one)
    assert free() == "{ GPUs_Device2, GPUs_Device2 }"
    assert two is not None
    devices.give_back(base, two)

    assert free() == before == "{ GPUs_Device2, GPUs_Device1, GPUs_Device2 }"
