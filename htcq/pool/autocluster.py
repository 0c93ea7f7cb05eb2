"""Autoclusters: jobs that are equal in all that a match depends on, whoever submitted them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from htcq.classads import UNDEFINED, Ad, Value
from htcq.pool.job import IDLE, UNMATCHED_UNIVERSES, Job
from htcq.pool.job import OWN as JOB_OWN
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import Number
from htcq.pool.slot_class import requested
from htcq.pool.values import bytes_of
from htcq.units import attribute


@dataclass(frozen=True)
class Autocluster:
    """Jobs with the same shared attributes.

    ``idle`` counts the slots that they still want, ``running`` those that they hold, both by
    submitter.
    """

    frame: SharedAttributes
    first: Job
    idle: Counter[str]
    running: Counter[str]

    @property
    def name(self) -> str:
        """The id of its first job, or the name of a made-up autocluster."""
        if self.first.proc is UNDEFINED:
            return str(self.first.cluster)
        return self.first.id

    @property
    def access_point(self) -> str:
        """The access point of its first job; empty where no ad says, or of a made-up one."""
        return "" if self.first.proc is UNDEFINED else self.first.access_point

    @property
    def submitters(self) -> tuple[str, ...]:
        """Submitters that have jobs in the autocluster."""
        return tuple(dict.fromkeys([*self.idle, *self.running]))

    def ad(self, changed: Mapping[str, Value] | None = None) -> Ad:
        """Return the ad of the first job, with some attributes changed.

        It is valid until the next call for this autocluster.
        """
        return self.frame.ad_of(self.first, changed or {})

    @cached_property
    def request(self) -> dict[str, Number | None]:
        """What a job requests of cpus, memory, disk and whatever else it names."""
        named = [name[len("request") :] for name in self.frame.texts if name.startswith("request")]
        assets = ["cpus"]
        if named:
            assets = ["cpus", "memory", "disk", *named]
        return requested(self.ad(), dict.fromkeys(assets))


def autoclusters_of(jobs: Iterable[Job]) -> tuple[Autocluster, ...]:
    """Return the autoclusters of ``jobs``, without jobs that no negotiator ever sees."""
    found: dict[int, Autocluster] = {}
    for job in jobs:
        one = found.get(id(job.frame))
        if one is None:
            if job.universe in UNMATCHED_UNIVERSES:
                continue
            one = found[id(job.frame)] = Autocluster(job.frame, job, Counter(), Counter())
        if job.wanted:
            one.idle[job.submitter] += job.wanted
        elif job.running:
            one.running[job.submitter] += 1
    return tuple(one for one in found.values() if one.idle or one.running)


def made_up(name: str, amounts: Mapping[str, Number]) -> Autocluster:
    """Return the autocluster of one idle job that asks for ``amounts``.

    Its Requirements are those that condor_submit would write.
    """
    lines, needs = [], []
    for asset, amount in amounts.items():
        request = f"Request{attribute(asset)}"
        lines.append((request.encode(), str(amount).encode()))
        needs.append(f"TARGET.{attribute(asset)} >= {request}")
    requirements = " && ".join(needs) or "true"
    lines.append((b"Requirements", bytes_of(requirements)))
    frame = SharedAttributes(tuple(lines), Expressions())
    job = Job(frame, *[UNDEFINED] * len(JOB_OWN))
    return Autocluster(frame, job._replace(cluster=name, status=IDLE), Counter({"": 1}), Counter())
