"""Negotiation cycles recorded from a real negotiator: the pool before, and what was matched, in its order.

In ``negotiation`` of jobs that are alike those are kept that the record names; ``jobs`` in
expected.json counts all of each cluster. In ``negotiation-2`` all jobs are there, and what the
accountant held; knobs and attributes that no cycle depends on were left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from htcq.classads import as_number
from htcq.pool.adtext import Chunks
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.pool import Pool
from htcq.pool.reading import Texts, read_pool
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from tests.pool.parsed_once import read_dump

DIRECTORY = Path(__file__).resolve().parents[1] / "golden" / "negotiation"
CYCLES = sorted(DIRECTORY.iterdir())
#: By families of their own: user priorities, what schedds offer, START, several machines, random
#: sites.
FAMILIES = sorted(DIRECTORY.with_name("negotiation-2").iterdir())


def expected(cycle: Path) -> dict[str, Any]:
    """Return what the negotiator did."""
    found: dict[str, Any] = json.loads((cycle / "expected.json").read_text(encoding="utf-8"))
    return found


def whole_pool(cycle: Path) -> Pool:
    """Return the pool before the cycle with all jobs of each cluster: those that are alike stand there again."""
    if cycle in FAMILIES:
        return pool(cycle)
    text = (cycle / "jobs.ads").read_text(encoding="utf-8")
    by_id = {
        (_whole("ClusterId", ad), _whole("ProcId", ad)): ad
        for ad in text.split("\n\n")
        if ad.strip()
    }
    ads = [
        by_id.get((int(cluster), proc), _numbered(by_id[int(cluster), 0], proc))
        for cluster, count in expected(cycle)["jobs"].items()
        for proc in range(count)
    ]
    return pool(cycle, "\n\n".join(ads) + "\n\n")


def _whole(name: str, ad: str) -> int:
    found = re.search(rf"^{name} = (\d+)$", ad, re.MULTILINE)
    assert found is not None
    return int(found.group(1))


def _numbered(ad: str, proc: int) -> str:
    return re.sub(r"^ProcId = \d+$", f"ProcId = {proc}", ad, flags=re.MULTILINE)


def pool(cycle: Path, queue: str = "") -> Pool:
    """Return the pool before the cycle, with another text of jobs if one is given."""
    collector, jobs = ((cycle / name).read_bytes() for name in ("collector.ads", "jobs.ads"))
    config = (cycle / "config.txt").read_text(encoding="utf-8")
    jobs = queue.encode() or jobs
    priorities, users = (_chunks(cycle / name) for name in ("priorities.ads", "users.ads"))
    texts = Texts(
        cycle.name, lambda: [collector], lambda: [jobs], config, priorities=priorities, users=users
    )
    return read_pool(texts, read_dump)


def _chunks(path: Path) -> Chunks | None:
    return (lambda: [path.read_bytes()]) if path.is_file() else None


@dataclass
class Machine:
    """One slot while it is matched: what it has left and how many more claims it can make."""

    kind: SlotClass
    left: dict[str, Number]
    claims: int
    taken: bool = False

    def take(self, jobs: Autocluster) -> Number:
        """Match a job and return what it costs: HTCondor's arithmetic on what the slot has left."""
        if not self.kind.supports_policy:
            self.taken = True
            return self.kind.plain_weight(self.left)
        consumed = self.kind.consumed(jobs.ad(), self.left)
        cost = self.kind.cost(consumed, self.left)
        assert cost is not None
        self.left = {asset: amount - (consumed[asset] or 0) for asset, amount in self.left.items()}
        self.claims -= 1
        return cost


@dataclass
class Cycle:
    """A recorded cycle that is gone through again."""

    record: Mapping[str, Any]
    machines: dict[str, Machine]
    classes: dict[str, Autocluster]
    usage: dict[str, Number] = field(default_factory=dict)

    def again(self) -> Iterator[tuple[Machine, Autocluster]]:
        """Yield slot and job of each match just before it is made."""
        for match in self.record["matches"]:
            machine, jobs = self.machines[match["slot"]], self.classes[match["request"]]
            yield machine, jobs
            submitter = match["submitter"]
            self.usage[submitter] = self.usage.get(submitter, 0) + machine.take(jobs)


def cycle(path: Path) -> Cycle:
    """Return the recorded cycle at ``path``, before its first match."""
    before = pool(path)
    machines = {
        str(slot.name): Machine(
            SlotClass((slot,)),
            {asset: amount or 0 for asset, amount in slot.left().items()},
            int(as_number(slot.value("NumClaims")) or 1),
        )
        for slot in before.slots or ()
    }
    by_frame = {id(jobs.frame): jobs for jobs in autoclusters_of(before.jobs or ())}
    classes = {job.id: by_frame[id(job.frame)] for job in before.jobs or ()}
    return Cycle(expected(path), machines, classes)
