"""GPUs of slots: names and ids of devices keep no two nodes apart, what the devices are does."""

from __future__ import annotations

from htcq.claims.matching import Mismatch, wall
from htcq.pool.autocluster import autoclusters_of
from htcq.pool.devices import nameless_devices
from htcq.pool.pool import Pool
from htcq.pool.slot_class import slot_classes
from tests.audit.sites import job, pool, slot

SMALL = 'DeviceName = "GTX 480"; Capability = 2.0; GlobalMemoryMb = 1536'
LARGE = 'DeviceName = "TITAN RTX"; Capability = 7.5; GlobalMemoryMb = 24576'


def node(number: int, *devices: str, **changes: str) -> str:
    """A slot of node ``number``; every device of a real pool has an id of its own."""
    ids = [f"{number:04x}{place:04x}" for place in range(len(devices))]
    lines = {
        f"GPUs_GPU_{id_}": (
            f'[ Id = "GPU-{id_}"; DeviceUuid = "{id_}-77"; DevicePciBusId = "0000:{id_}"; '
            f"{device} ]"
        )
        for id_, device in zip(ids, devices)
    }
    return slot(f"slot1@node{number}", GPUs=len(devices), **lines, **changes)


def frames(found: Pool) -> set[int]:
    return {id(each.frame) for each in found.slots or ()}


def test_nodes_with_equal_devices_have_one_frame() -> None:
    assert len(frames(pool(*[node(number, SMALL, SMALL) for number in range(50)]))) == 1


def test_nodes_with_other_devices_have_another_frame() -> None:
    assert len(frames(pool(node(1, SMALL), node(2, LARGE)))) == 2


def test_different_devices_of_one_node_are_all_visible() -> None:
    (one,) = pool(node(1, SMALL, LARGE, SMALL, SMALL)).slots or ()

    assert "GPUs_Device3" not in one.frame
    assert "Capability = 2.0" in one.frame.text("GPUs_Device1") + one.frame.text("GPUs_Device2")
    assert "Capability = 7.5" in one.frame.text("GPUs_Device1") + one.frame.text("GPUs_Device2")


def test_devices_come_in_an_order_of_their_own() -> None:
    assert len(frames(pool(node(1, SMALL, LARGE), node(2, LARGE, SMALL)))) == 1


def test_a_device_that_an_expression_calls_by_name_stays() -> None:
    (one,) = (
        pool(
            node(1, SMALL), jobs=[job(Requirements="TARGET.GPUs_GPU_00010000.Capability > 1.5")]
        ).slots
        or ()
    )

    assert "GPUs_GPU_00010000" in one.frame


def test_lines_without_devices_are_untouched() -> None:
    lines = ((b"GPUs_Capability", b"7.5"), (b"SlotWeight", b"Cpus"))

    assert nameless_devices(lines, frozenset()) is lines


def test_devices_that_differ_say_how_many_are_alike() -> None:
    (one,) = pool(node(1, SMALL, LARGE, SMALL, SMALL)).slots or ()
    (other,) = pool(node(1, SMALL, SMALL)).slots or ()

    counts = {one.frame.text(f"GPUs_Device{number}").split(";")[0] for number in (1, 2)}
    assert counts == {"[ Devices = 3", "[ Devices = 1"}
    assert "Devices" not in other.frame.text("GPUs_Device1")


def test_jobs_count_the_free_devices_that_suit_them_by_whatever_name() -> None:
    """Three of the four are free, one of them a large one; as condor_submit writes require_gpus."""
    free = "{GPUs_GPU_00010000, GPUs_GPU_00010001, GPUs_GPU_00010003}"
    requirements = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"
    jobs = [
        job(
            f"{number}.0",
            RequestGPUs=count,
            RequireGPUs=f"Capability {which}",
            Requirements=requirements,
        )
        for number, (count, which) in enumerate(
            [(1, "> 7"), (2, "> 7"), (2, "< 7"), (3, "< 7"), (3, "> 1")]
        )
    ]
    given = pool(
        node(1, SMALL, LARGE, SMALL, SMALL, AvailableGPUs=free, TotalSlotGPUs="4"), jobs=jobs
    )
    (kind,) = slot_classes(given.slots or ())

    assert [wall(kind, each)[0] is Mismatch.NONE for each in autoclusters_of(given.jobs or ())] == [
        True,
        False,
        True,
        False,
        True,
    ]


def test_nodes_with_as_many_free_devices_of_a_kind_have_one_frame() -> None:
    free = ["{GPUs_GPU_00010000}", "{ GPUs_GPU_00020001 }"]
    jobs = [job(Requirements="countMatches(true, TARGET.AvailableGPUs) > 0")]
    nodes = [node(number, SMALL, SMALL, AvailableGPUs=each) for number, each in enumerate(free, 1)]

    assert len(frames(pool(*nodes, jobs=jobs))) == 1
