"""Writes snapshots of pools that never were, as large as you like: the same seed gives the same bytes.

``python tests/large_pool.py DIR --seed 1 --slots 500000 --submitters 5000 --groups 300 --jobs
200000``

``collector.ads`` is what ``condor_status -any -long`` would print, ``jobs.ads`` what ``condor_q
-global -allusers
-long`` would, ``config.txt`` the interesting part of ``condor_config_val -dump``. Ads are as complete as those of
HTCondor 25.14.1. Everything goes to disk as it is made: memory grows with the submitters, not with
slots or jobs.

A pool that has more claims than jobs gets the others from access points elsewhere, which flock
to it: their submitters have ads here, their jobs and schedds have not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.invented.ads import AdFile
from tests.invented.daemons import Totals, summary_ads
from tests.invented.demand import Demand, Work
from tests.invented.groups import Group, configuration, plant, settle
from tests.invented.jobs import HELD, IDLE, running_job, waiting_job
from tests.invented.machines import Machine, machines
from tests.invented.slots import machine_ads

#: What a snapshot consists of.
FILES = ("collector.ads", "jobs.ads", "config.txt")
#: The part of all jobs that runs, as far as there are claims for them, and of the others that is
#: held.
_RUNNING, _HELD = 0.6, 0.03
#: About how many of all slots are claimed.
_CLAIMED = 0.93


@dataclass(frozen=True)
class Size:
    """How large a pool is; ``submitters`` are distinct names, a few of them on two access points."""

    slots: int = 500_000
    submitters: int = 5000
    groups: int = 300
    jobs: int = 200_000
    autoclusters: int = 500


class Pool:
    """A pool in the making."""

    def __init__(self, size: Size, seed: int) -> None:
        self.size = size
        self._rng = Random(seed)
        self._root = plant(self._rng, size.groups)
        groups = [group for group in self._root.all() if group is not self._root]
        self._demand = Demand(self._rng, groups, size.submitters, size.autoclusters)
        self._totals = Totals()
        self._running = 0
        self._picked = 0

    def write(self, directory: Path) -> None:
        """Write the snapshot; ``directory`` must exist."""
        with (
            (directory / "collector.ads").open("wb") as ads,
            (directory / "jobs.ads").open("wb") as jobs,
        ):
            collector, queue = AdFile(ads), AdFile(jobs)
            for machine in machines(self._rng, self._pick, self.size.slots):
                for text in machine_ads(machine):
                    collector.add(text)
                for text in self._count(machine):
                    queue.add(text)
            for text in self._waiting():
                queue.add(text)
            self._settle()
            for text in summary_ads(self._rng, self._demand, self._root, self._totals):
                collector.add(text)
            collector.flush()
            queue.flush()
        (directory / "config.txt").write_text(configuration(self._root), encoding="ascii")

    def _pick(self, system: str, gpus: bool) -> Work | None:
        """Return work for a claim: local jobs in such a part that they last to the end, and not one too many."""
        left = int(self.size.jobs * _RUNNING) - self._picked
        local = self._rng.random() * (self.size.slots - self._totals.slots) * _CLAIMED < left
        work = self._demand.pick(self._rng, system, gpus, local)
        if work is None and (local or left > 0):
            work = self._demand.pick(self._rng, system, gpus, not local)
        if work and work.queue.schedd.local:
            self._picked += 1
        return work

    def _count(self, machine: Machine) -> Iterator[str]:
        """Charge the claims of ``machine`` to their queues, and yield the ads of the local jobs in them."""
        self._totals.slots += machine.ads
        self._picked = self._running
        weigh = machine.kind.policy.weigh
        for slot in machine.slots:
            self._totals.owner += slot.owner
            if slot.partitionable or not slot.claims:
                self._totals.weight += _charge(
                    weigh(slot.left.cpus, slot.left.memory_mb, slot.left.gpus, False)
                )
            for order, claim in enumerate(slot.claims, 1):
                charge = _charge(claim.weight)
                queue = claim.work.queue
                queue.running += 1
                queue.weighted_running += charge
                self._totals.claimed += 1
                self._totals.weight += charge
                if queue.schedd.local:
                    self._running += 1
                    self._picked += 1
                    yield running_job(machine, slot, order if slot.partitionable else 0, claim)

    def _waiting(self) -> Iterator[str]:
        """Yield the ads of jobs that do not run: each autocluster once, then as users are diligent."""
        local = self._demand.local
        if local is None:
            return
        first = {work.autocluster: work for work in reversed(local.works)}
        left = max(0, self.size.jobs - self._running)
        for number in range(left):
            if number < len(first):
                work, status = first[self._demand.autoclusters[number]], IDLE
            else:
                work = local.pick(self._rng)
                status = HELD if self._rng.random() < _HELD else IDLE
            self._wait(work, status)
            yield waiting_job(self._rng, work, status)
        for work in self._demand.works:
            if not work.queue.schedd.local:
                for _ in range(self._rng.randrange(20)):
                    self._wait(work, IDLE)

    def _wait(self, work: Work, status: int) -> None:
        if status == HELD:
            work.queue.held += 1
        else:
            work.queue.idle += 1
            work.queue.weighted_idle += work.autocluster.request.cpus

    def _settle(self) -> None:
        """Work out quotas and usage of the groups."""
        settle(self._root, self._totals.weight)
        for queue in self._demand.queues:
            group: Group = queue.group or self._root
            group.used += queue.running
            group.weighted_used += queue.weighted_running
            group.requested += queue.weighted_running + queue.weighted_idle


def _charge(weight: int | None) -> int:
    return 1 if weight is None else weight


def write_snapshot(directory: Path, size: Size, seed: int = 1) -> None:
    """Write a snapshot of a pool of this size to ``directory``, which is made where it is missing.

    Raises:
        OSError: it cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    Pool(size, seed).write(directory)


def add_size_options(parser: argparse.ArgumentParser) -> None:
    """Let a command line say how large the pool shall be, and from which seed."""
    for field in fields(Size):
        parser.add_argument(f"--{field.name}", type=int, default=field.default)
    parser.add_argument("--seed", type=int, default=1)


def size_of(given: argparse.Namespace) -> Size:
    """Return the size that a command line gives."""
    return Size(**{field.name: getattr(given, field.name) for field in fields(Size)})


def main() -> None:
    """Write one snapshot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    add_size_options(parser)
    given = parser.parse_args()
    write_snapshot(given.directory, size_of(given), given.seed)


if __name__ == "__main__":
    main()
