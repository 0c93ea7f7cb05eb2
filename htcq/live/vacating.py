"""Running jobs, as their schedds see them now, and the vacating of jobs by id.

A vacated job is told to end softly and is idle afterwards; its claim is given up
(src/condor_schedd.V6/schedd.cpp:actOnJobs, HTCondor 25.14; seen with 23.9 too). Every question
to a schedd is asked in a process of its own with a deadline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from htcq import time_limit
from htcq.errors import BindingsError
from htcq.live.ads import LOCATION, location_ad
from htcq.live.bindings import NO_BINDINGS, failures, load, reason
from htcq.live.deadline import Task, TaskOutcome, run_all
from htcq.pool.record import Record

Key = tuple[str, str]
_RUNNING = 2
_FACTS = (
    "ClusterId", "ProcId", "JobStatus", "JobUniverse", "RemoteHost", "User", "AccountingGroup",
    "Owner", "JobCurrentStartDate", "ServerTime",
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """A running job.

    ``ran`` and ``left`` (None: its ad does not say) are in seconds by its schedd's own clock.
    """

    submitter: str
    slot: str
    started: float
    ran: float
    universe: int
    left: float | None = None


@dataclass(frozen=True)
class Done:
    """The result of vacating jobs.

    ``vacated`` are those that the schedd accepted, ``failed`` has the reason of each other one.
    ``doubt`` says why the result is not known.
    """

    vacated: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    doubt: str = ""


@dataclass(frozen=True)
class Queues:
    """The schedds of a pool, by name, with their locations.

    ``timeout`` is in seconds, for each question.
    """

    places: Mapping[str, Mapping[str, str]]
    timeout: float

    def ends(self, wall_time: str) -> dict[Key, float]:
        """Return the seconds until running jobs end, where their ``wall_time`` says it.

        ``wall_time`` is the name of an attribute.
        """
        if not wall_time:
            return {}
        constraint = f"JobStatus == {_RUNNING} && {wall_time} =!= undefined"
        tasks = [
            Task(name, _facts, (dict(place), constraint, wall_time))
            for name, place in self.places.items()
        ]
        found: dict[Key, float] = {}
        for outcome in run_all(tasks, self.timeout, seconds=time_limit.within(math.inf) / 4):
            if not outcome.done:
                continue
            facts: Mapping[str, Facts] = outcome.value
            for job, each in facts.items():
                if each.left is not None:
                    found[outcome.what, job] = each.left
        return found

    def running(
        self, schedd: str, jobs: Iterable[str], wall_time: str
    ) -> tuple[dict[str, Facts], str]:
        """Return those of ``jobs`` that run now, and why they are not known.

        The reason is empty where the schedd answers.

        Raises:
            BindingsError: HTCondor's bindings are missing.
        """
        place = self.places.get(schedd)
        if place is None:
            return {}, f"schedd {schedd} is not in the collector"
        ids = [each.split(".") for each in jobs]
        either = " || ".join(
            f"(ClusterId == {int(cluster)} && ProcId == {int(proc)})" for cluster, proc in ids
        )
        outcome = self._asked(
            Task(schedd, _facts, (dict(place), f"JobStatus == {_RUNNING} && ({either})", wall_time))
        )
        if not outcome.done:
            return {}, reason(outcome.why, outcome.complaint)
        return outcome.value, ""

    def vacate(self, schedd: str, jobs: Sequence[str]) -> Done:
        """Vacate ``jobs``, one after the other.

        Raises:
            BindingsError: HTCondor's bindings are missing.
        """
        outcome = self._asked(Task(schedd, _vacate, (dict(self.places[schedd]), list(jobs))))
        if not outcome.done:
            return Done(doubt=reason(outcome.why, outcome.complaint))
        vacated, failed = outcome.value
        # The bindings log why, and raise nothing that tells.
        logged = reason("", outcome.complaint).strip()
        if logged:
            failed = {job: f"{why}: {logged}"[:300] for job, why in failed.items()}
        return Done(tuple(vacated), failed)

    def _asked(self, task: Task) -> TaskOutcome:
        outcome = run_all([task], self.timeout)[0]
        if outcome.why.startswith(NO_BINDINGS):
            raise BindingsError("htcondor2")
        return outcome


def queues_of(schedds: Iterable[Record], timeout: float) -> Queues:
    """Return the queues of ``schedds``."""
    places = {
        each.name: {name: each.text(name) for name in LOCATION if each.text(name)}
        for each in schedds
    }
    return Queues(places, timeout)


def _facts(place: dict[str, str], constraint: str, wall_time: str) -> dict[str, Facts]:
    htcondor2 = load()
    names = list(_FACTS)
    if wall_time:
        names.append(wall_time)
    found = htcondor2.Schedd(location_ad(place)).query(constraint, projection=names)
    return {f"{ad['ClusterId']}.{ad['ProcId']}": _facts_of(ad, wall_time) for ad in found}


def _facts_of(ad: Any, wall_time: str) -> Facts:
    started, now = _number(ad, "JobCurrentStartDate") or 0.0, _number(ad, "ServerTime")
    ran, left = 0.0, None
    if now is not None:
        ran = max(0.0, now - started)
    if wall_time:
        wall = _number(ad, wall_time)
        if wall is not None:
            left = wall - ran
    domain = str(ad.get("User", "")).rpartition("@")[2]
    who = ad.get("AccountingGroup") or ad.get("Owner", "")
    return Facts(
        submitter=f"{who}@{domain}",
        slot=str(ad.get("RemoteHost", "")),
        started=started,
        ran=ran,
        universe=int(_number(ad, "JobUniverse") or 0),
        left=left,
    )


def _number(ad: Any, name: str) -> float | None:
    value = ad.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _vacate(place: dict[str, str], jobs: list[str]) -> tuple[list[str], dict[str, str]]:
    htcondor2 = load()
    schedd = htcondor2.Schedd(location_ad(place))
    vacated, failed = [], {}
    for job in jobs:
        try:
            counts = schedd.act(htcondor2.JobAction.Vacate, [job])
        except failures(htcondor2) as error:
            failed[job] = " ".join(str(error).split())
            continue
        if counts.get("TotalSuccess") == 1:
            vacated.append(job)
        else:
            failed[job] = _refusal(counts)
    return vacated, failed


def _refusal(counts: Any) -> str:
    for name, why in (
        ("TotalNotFound", "it is not in the queue any more"),
        ("TotalBadStatus", "it does not run any more"),
        ("TotalPermissionDenied", "the schedd refuses: QUEUE_SUPER_USERS must have this user"),
        ("TotalAlreadyDone", "it is being vacated already"),
    ):
        if counts.get(name):
            return why
    return "the schedd did not say why"
