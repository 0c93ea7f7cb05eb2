"""The access points with a known configuration: how each weighs idle jobs, and which jobs wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact
from htcq.classads import Ad, as_number, parsed
from htcq.policy.claim import request_of
from htcq.policy.defaults import DEFAULT_REQUEST
from htcq.pool.autocluster import Autocluster
from htcq.pool.demand import ScheddWeight
from htcq.poolquota.access.access_points import access_points_of


@dataclass(frozen=True)
class AccessPoint:
    """One access point by the name of its schedd."""

    name: str
    weight: ScheddWeight

    def fact(self, knob: str) -> Fact:
        """Return a knob as the schedd sees it, with file and line where they are known."""
        found = self.weight.knob(knob)
        if found is None:
            return Fact(knob, self.weight.text(knob) or "(not set)")
        return Fact(found.name, found.value or "(empty)", found.place)

    def ordinary_job(self) -> Ad:
        """Return the ad of a job that says nothing of what it needs, as it lies in the queue."""
        job = Ad({"TransferInputSizeMB": 0})
        for asset, usual in DEFAULT_REQUEST.items():
            name = request_of(asset)
            amount = _value(self.weight.text(f"JOB_DEFAULT_{name.upper()}"), job)
            if amount is None:
                job[name] = usual
            else:
                job[name] = amount
        return job


def _value(text: str, job: Ad) -> int | None:
    expression = parsed(text)
    if expression is None:
        return None
    number = as_number(expression.evaluate(job))
    if number is None:
        return None
    return int(number)


def access_points(evidence: Evidence) -> Iterator[AccessPoint]:
    """Yield the access points whose configuration is known."""
    for name, configuration in evidence.access.items():
        yield AccessPoint(name, ScheddWeight(configuration))


def demand_counts(evidence: Evidence) -> bool:
    """Return whether the negotiator gives slots by weighted demand.

    It does once there are groups. Without the central manager's configuration the answer is yes.
    Source: matchmaker.cpp:negotiationTime and GroupEntry.cpp:hgq_prepare_for_matchmaking, 25.14.
    """
    if evidence.pool.central is None:
        return True
    return evidence.quotas.grouped and evidence.quotas.truth("NEGOTIATOR_USE_WEIGHTED_DEMAND", True)


@dataclass(frozen=True)
class Queue:
    """The idle jobs of one submitter at one access point.

    ``classes`` has each class with the number of slots that its jobs still want. ``kept_back``
    counts the jobs that the schedd counts in its demand and does not offer now, by the id of the
    reason.
    """

    classes: tuple[tuple[Autocluster, int], ...]
    kept_back: Mapping[str, int] = field(default_factory=dict)

    @property
    def idle(self) -> int:
        """The number of slots that the jobs want."""
        return sum(wanted for _, wanted in self.classes)

    def weighted_idle(self, weight: ScheddWeight) -> int:
        """Return the weighted demand of the jobs; one job stands for all jobs of its class."""
        return sum(weight.idle(each.ad(), 1) * wanted for each, wanted in self.classes)


def queues(evidence: Evidence) -> Mapping[tuple[str, str], Queue]:
    """Return the queue of each schedd and submitter.

    The name of the schedd is empty where the jobs do not give it.
    """
    points = access_points_of(evidence.pool, evidence.quotas)
    wanted: dict[tuple[str, str], Counter[int]] = {}
    kept_back: dict[tuple[str, str], Counter[str]] = {}
    for job in evidence.pool.jobs or ():
        if not job.wanted:
            continue
        key = (points.name_of(job), job.submitter)
        wanted.setdefault(key, Counter())[id(job.frame)] += job.wanted
        why = points.kept_back(job)
        if why is not None:
            kept_back.setdefault(key, Counter())[why.id] += job.wanted

    classes = {id(each.frame): each for each in evidence.autoclusters}
    found = {}
    for key, counts in wanted.items():
        by_class = tuple((classes[frame], count) for frame, count in counts.items())
        found[key] = Queue(by_class, kept_back.get(key, {}))
    return found
