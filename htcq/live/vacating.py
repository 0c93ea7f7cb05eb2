"""Jobs that run, as their schedds see them just now, and their vacating by number.

A vacated job is told to end softly and is idle afterwards; its claim is given up
(src/condor_schedd.V6/schedd.cpp:actOnJobs, HTCondor 25.14; seen with 23.9 too). Every question
to a schedd is asked in a process of its own with a deadline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from htcq.errors import BindingsError
from htcq.live.ads import LOCATION, location_ad
from htcq.live.bindings import NO_BINDINGS, load, reason
from htcq.live.deadline import Task, TaskOutcome, run_all
from htcq.pool.record import Record

Key = tuple[str, str]
_RUNNING = 2
_FACTS = (
    "ClusterId", "ProcId", "JobStatus", "JobUniverse", "RemoteHost", "User", "AccountingGroup", "Owner",
    "JobCurrentStartDate", "ServerTime", "HtcqProtected",
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """A job that runs; ``ran`` and ``left`` (None: it does not say) are in seconds by its schedd's own clock."""

    submitter: str
    slot: str
    started: float
    ran: float
    universe: int
    protected: bool
    left: float | None = None


@dataclass(frozen=True)
class Done:
    """What became of jobs: those that the schedd took, and why others were not vacated; ``doubt``: nobody knows."""

    vacated: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    doubt: str = ""


@dataclass(frozen=True)
class Queues:
    """The schedds of a pool, by name, with where they are; ``timeout`` is in seconds, for each question."""

    places: Mapping[str, Mapping[str, str]]
    timeout: float

    def ends(self, wall_time: str) -> dict[Key, float]:
        """Return in how many seconds running jobs end by themselves, where their attribute ``wall_time`` tells."""
        if not wall_time:
            return {}
        constraint = f"JobStatus == {_RUNNING} && {wall_time} =!= undefined"
        tasks = [
            Task(name, _facts, (dict(place), constraint, wall_time))
            for name, place in self.places.items()
        ]
        found: dict[Key, float] = {}
        for outcome in run_all(tasks, self.timeout):
            facts: Mapping[str, Facts] = outcome.value if outcome.done else {}
            found.update(
                ((outcome.what, job), each.left)
                for job, each in facts.items()
                if each.left is not None
            )
        return found

    def running(
        self, schedd: str, jobs: Iterable[str], wall_time: str
    ) -> tuple[dict[str, Facts], str]:
        """Return those of ``jobs`` that run now, and why nothing is known; that is empty where the schedd answers.

        Raises:
            BindingsError: HTCondor's bindings are missing.
        """
        place = self.places.get(schedd)
        if place is None:
            return {}, f"nobody knows where the schedd {schedd} is"
        ids = [each.split(".") for each in jobs]
        either = " || ".join(
            f"(ClusterId == {int(cluster)} && ProcId == {int(proc)})" for cluster, proc in ids
        )
        outcome = self._asked(
            Task(schedd, _facts, (dict(place), f"JobStatus == {_RUNNING} && ({either})", wall_time))
        )
        return (outcome.value, "") if outcome.done else ({}, reason(outcome.why, outcome.complaint))

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
        told = reason("", outcome.complaint).strip()
        return Done(
            tuple(vacated),
            {job: f"{why}: {told}"[:300] if told else why for job, why in failed.items()},
        )

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
    names = [*_FACTS, *((wall_time,) if wall_time else ())]
    found = htcondor2.Schedd(location_ad(place)).query(constraint, projection=names)
    return {f"{ad['ClusterId']}.{ad['ProcId']}": _facts_of(ad, wall_time) for ad in found}


def _facts_of(ad: Any, wall_time: str) -> Facts:
    started, now = _number(ad, "JobCurrentStartDate") or 0.0, _number(ad, "ServerTime")
    ran = max(0.0, now - started) if now is not None else 0.0
    wall = _number(ad, wall_time) if wall_time else None
    domain = str(ad.get("User", "")).rpartition("@")[2]
    who = ad.get("AccountingGroup") or ad.get("Owner", "")
    return Facts(
        submitter=f"{who}@{domain}",
        slot=str(ad.get("RemoteHost", "")),
        started=started,
        ran=ran,
        universe=int(_number(ad, "JobUniverse") or 0),
        protected=ad.get("HtcqProtected") is True,
        left=None if wall is None else wall - ran,
    )


def _number(ad: Any, name: str) -> float | None:
    value = ad.get(name)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _vacate(place: dict[str, str], jobs: list[str]) -> tuple[list[str], dict[str, str]]:
    htcondor2 = load()
    schedd = htcondor2.Schedd(location_ad(place))
    vacated, failed = [], {}
    for job in jobs:
        try:
            told = schedd.act(htcondor2.JobAction.Vacate, [job])
        except htcondor2.HTCondorException as error:
            failed[job] = " ".join(str(error).split())
            continue
        if told.get("TotalSuccess") == 1:
            vacated.append(job)
        else:
            failed[job] = _refusal(told)
    return vacated, failed


def _refusal(told: Any) -> str:
    for name, why in (
        ("TotalNotFound", "it is not in the queue any more"),
        ("TotalBadStatus", "it does not run any more"),
        ("TotalPermissionDenied", "the schedd refuses: QUEUE_SUPER_USERS must have this user"),
        ("TotalAlreadyDone", "it is being vacated already"),
    ):
        if told.get(name):
            return why
    return "the schedd did not say why"
