"""A site of three kinds of node: 2 of 32 cpus and 64 GiB, 1 of 64 cpus and 512 GiB, 1 of 16 cpus, 128 GiB and 4 GPUs.

The jobs of biology take memory, those of chem take cpus, those of physics are small, and four of
them take a GPU."""

from __future__ import annotations

from pathlib import Path

from broken import audited
from conftest import FAR_ABOVE
from filling import Crowd
from fleet import Fleet, Machine

MACHINES = {
    "a1": Machine(32, 65536),
    "a2": Machine(32, 65536),
    "b1": Machine(64, 524288),
    "g1": Machine(16, 131072, gpus=4),
}
LINEAR = (
    "--model",
    "linear",
    "--weight",
    "cpus=1",
    "--weight",
    "memory=0.25/GiB",
    "--weight",
    "gpus=8",
)
#: What each node weighs: its cpus, a quarter of its GiB, 8 times its GPUs.
WEIGHTS = {"a1": 32 + 16.0, "a2": 32 + 16.0, "b1": 64 + 128.0, "g1": 16 + 32.0 + 32.0}
#: The greatest match cost of each group's jobs.
COSTS = {"biology": 2 + 8.0, "chem": 16 + 1.0, "physics": 1 + 0.5 + 8}

GPU_JOBS = Crowd("physics.gil", 4, cpus=1, memory=2048, gpus=1)


def biology(count: int) -> Crowd:
    """Return jobs of little more than memory."""
    return Crowd("biology.ann", count, cpus=2, memory=32768)


def chem(user: str, count: int) -> Crowd:
    """Return jobs of many cpus and little memory."""
    return Crowd(f"chem.{user}", count, cpus=16, memory=4096)


def physics(count: int) -> Crowd:
    """Return small jobs."""
    return Crowd("physics.cat", count, cpus=1, memory=2048)


def configured(fleet: Fleet, directory: Path, model: tuple[str, ...], groups: str) -> None:
    """Let htcq write the file of every machine, and start the pool anew with it."""
    for member in (*fleet.members, "central"):
        fleet.emit(member, directory, *model)
    fleet.put("central", "60-groups.config", groups)
    fleet.empty_queues()
    fleet.start()


def above_info(fleet: Fleet, directory: Path) -> set[str]:
    """Return the rules of the audit that have warnings or errors now."""
    return {
        finding["rule"]
        for finding in audited(fleet.pool, directory)
        if finding["severity"] != "info" and finding["rule"] not in FAR_ABOVE
    }
