"""A pool at rest: empty partitionable slots with a consumption policy, and jobs that all wait.

What a negotiation cycle has the most to do with. Every fifth machine is of another kind; memory
and disk differ from machine to machine, as they do in real pools, unless all are ``alike``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.invented.ads import COMMON, NOW, AdFile, address, whole
from tests.invented.demand import Queue, Schedd, Work, distinct_autoclusters
from tests.invented.jobs import IDLE, waiting_job
from tests.invented.kinds import KINDS
from tests.invented.machines import Machine, Slot
from tests.invented.policies import Shape
from tests.invented.slots import machine_ads

_KINDS = tuple(
    kind for kind in KINDS if kind.policy.name in ("cp", "quanta", "minimum") and not kind.gpus
)
_SCHEDD = Schedd(0, True)


@dataclass(frozen=True)
class Size:
    """How large the pool is; each submitter has jobs of as many autoclusters, whose jobs follow each other."""

    slots: int
    autoclusters: int
    jobs: int
    submitters: int
    alike: bool = False


def write(directory: Path, size: Size, seed: int = 1) -> None:
    """Write a snapshot of such a pool; ``directory`` is made where it is missing."""
    dice = Random(seed)
    directory.mkdir(parents=True, exist_ok=True)
    works = list(_works(dice, size))
    with (directory / "jobs.ads").open("wb") as file:
        jobs = AdFile(file)
        for number in range(size.jobs):
            work = works[number * len(works) // size.jobs]
            work.queue.idle += 1
            work.queue.weighted_idle += work.autocluster.request.cpus
            jobs.add(waiting_job(dice, work, IDLE))
        jobs.flush()
    with (directory / "collector.ads").open("wb") as file:
        ads = AdFile(file)
        for number in range(size.slots):
            for text in machine_ads(_machine(dice, number, size.alike)):
                ads.add(text)
        for text in _asking(works):
            ads.add(text)
        ads.flush()
    (directory / "config.txt").write_text("NEGOTIATOR_INTERVAL = 60\n", encoding="ascii")


def _machine(dice: Random, number: int, alike: bool) -> Machine:
    kind = _KINDS[dice.randrange(len(_KINDS))]
    less = (0, 0) if alike else (dice.randrange(2048), dice.randrange(kind.disk_kb // 20))
    had = Shape(kind.cpus, kind.memory_mb - less[0], kind.disk_kb - less[1], 0)
    return Machine(number, kind, had, (Slot(1, had, had, (), True),), dice.random())


def _works(dice: Random, size: Size) -> Iterator[Work]:
    queues = [Queue(_SCHEDD, f"user{number:04d}", None) for number in range(size.submitters)]
    for number, autocluster in enumerate(distinct_autoclusters(dice, size.autoclusters)):
        queue = queues[number * len(queues) // size.autoclusters]
        yield Work(queue, autocluster, number + 1, number + 1, 0)


def _asking(works: list[Work]) -> Iterator[str]:
    for queue in dict.fromkeys(work.queue for work in works):
        yield whole("submitter") % {
            **COMMON,
            "host": _SCHEDD.name,
            "ip": address(4_000_000),
            "booted": NOW - 900_000,
            "name": queue.submitter,
            "idle": queue.idle,
            "running": 0,
            "held": 0,
            "flocked": 0,
            "weighted_idle": queue.weighted_idle,
            "weighted_running": "0.0",
        }
