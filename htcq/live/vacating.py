"""Running jobs, as their schedds see them now, and the vacating of jobs by id.

A vacated job is told to end softly and is idle afterwards; its claim is given up
(src/condor_schedd.V6/schedd.cpp:actOnJobs, HTCondor 25.14; seen with 23.9 too). Every question
to a schedd is asked in a process of its own with a deadline.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from htcq import time_limit
from htcq.classads import spelled
from htcq.elastic.reclaim.precheck import ClaimNow
from htcq.elastic.reclaim.reclaim_fields import JobKey
from htcq.errors import BindingsError
from htcq.live.ads import literal_number, literal_text, location_ad
from htcq.live.bindings import NO_BINDINGS, failures, load, reason
from htcq.live.deadline import Task, TaskOutcome, run_all

_RUNNING = 2
_FACTS = ("ClusterId", "ProcId", "JobUniverse")
_CLAIM = (
    "Name", "JobId", "RemoteScheddName", "JobStart", "AccountingGroup", "RemoteUser",
    "MyCurrentTime", "LastHeardFrom",
)  # fmt: skip


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

    ``pool`` is its collector (None: this machine's). ``timeout`` is in seconds, for each question.
    """

    places: Mapping[str, Mapping[str, str]]
    pool: str | None
    timeout: float

    def allowed_times(self, wall_time: str) -> dict[JobKey, float]:
        """Return for how many seconds running jobs may run, where their ``wall_time`` says it.

        ``wall_time`` is the name of an attribute.
        """
        if not wall_time:
            return {}
        constraint = f"JobStatus == {_RUNNING} && {wall_time} =!= undefined"
        tasks = [
            Task(name, _facts, (dict(place), constraint, wall_time))
            for name, place in self.places.items()
        ]
        found: dict[JobKey, float] = {}
        for outcome in run_all(tasks, self.timeout, seconds=time_limit.within(math.inf) / 4):
            if not outcome.done:
                continue
            times: Mapping[str, float | None] = outcome.value
            for job, seconds in times.items():
                if seconds is not None:
                    found[outcome.what, job] = seconds
        return found

    def universes(self, schedd: str, jobs: Iterable[str]) -> tuple[dict[str, int], str]:
        """Return the universe of those of ``jobs`` that run now, and why they are not known.

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
        constraint = f"JobStatus == {_RUNNING} && ({either})"
        outcome = self._asked(Task(schedd, _facts, (dict(place), constraint, "JobUniverse")))
        if not outcome.done:
            return {}, reason(outcome.why, outcome.complaint)
        return {job: int(universe or 0) for job, universe in outcome.value.items()}, ""

    def claims(self, slots: Iterable[str]) -> tuple[dict[str, ClaimNow], str]:
        """Return the claims of ``slots`` that the collector knows of now, and why it says none.

        The reason is empty where it answers.

        Raises:
            BindingsError: HTCondor's bindings are missing.
        """
        outcome = self._asked(Task("slots", _claims, (self.pool, list(slots))))
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


def queues_of(schedds: Iterable[Mapping[str, str]], pool: str | None, timeout: float) -> Queues:
    """Return the queues of the schedds at these locations.

    They are in the pool of the collector ``pool`` (None: this machine's).
    """
    return Queues({each["Name"]: each for each in schedds}, pool, timeout)


def _facts(place: dict[str, str], constraint: str, wanted: str) -> dict[str, float | None]:
    """Return the number ``wanted`` of the jobs for which ``constraint`` is true."""
    htcondor2 = load()
    found = htcondor2.Schedd(location_ad(place)).query(constraint, projection=[*_FACTS, wanted])
    return {f"{ad['ClusterId']}.{ad['ProcId']}": literal_number(ad, wanted) for ad in found}


def _claims(pool: str | None, slots: list[str]) -> dict[str, ClaimNow]:
    htcondor2 = load()
    either = " || ".join(f"Name == {spelled(name)}" for name in slots)
    found = htcondor2.Collector(pool).query(
        htcondor2.AdType.Startd, constraint=either, projection=list(_CLAIM)
    )
    now = time.time()
    return {literal_text(ad, "Name"): _claim(ad, now) for ad in found if literal_text(ad, "JobId")}


def _claim(ad: Any, now: float) -> ClaimNow:
    started = literal_number(ad, "JobStart") or 0.0
    own, heard = literal_number(ad, "MyCurrentTime"), literal_number(ad, "LastHeardFrom")
    ahead = 0.0 if own is None or heard is None else own - heard
    return ClaimNow(
        submitter=literal_text(ad, "AccountingGroup") or literal_text(ad, "RemoteUser"),
        job=(literal_text(ad, "RemoteScheddName"), literal_text(ad, "JobId")),
        started=started,
        ran=max(0.0, now + ahead - started),
    )


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
