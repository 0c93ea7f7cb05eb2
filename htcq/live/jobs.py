"""Simulations as jobs of this machine's schedd: submission, queries of its queue, and exit states.

Each question is asked in a process of its own with a deadline. Jobs carry the token of their
sweep, so that they are found again whoever was killed, before or after the schedd took them.
What ended a job stands in its event log: once it has left the queue, that is the one place which
needs no history. Seen with HTCondor 25.14 and 23.9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.errors import BindingsError, InputError, PoolError
from htcq.live.bindings import NO_BINDINGS, failures, load, reason
from htcq.live.deadline import Task, TaskOutcome, run_all, signal_name
from htcq.live.job_files import log_of

#: JobStatus of a job that was removed, and of one that is held.
_REMOVED, _HELD = 3, 5
#: A submission writes thousands of jobs in one transaction; in seconds.
_SUBMISSION = 600.0


@dataclass(frozen=True)
class Job:
    """One job of a sweep: the key of its item, its id in the queue, and its hold reason, if any."""

    key: str
    id: str
    held: str = ""


@dataclass(frozen=True)
class Ended:
    """The end of a job.

    ``exit_status`` is None where the job did not end by itself; ``how`` says what ended it then.
    """

    exit_status: int | None = None
    how: str = ""
    tries: int = 1
    removed: bool = False


@dataclass(frozen=True)
class Queue:
    """This machine's schedd as one sweep sees it; ``timeout`` is in seconds, for each question."""

    token: str
    timeout: float

    def jobs(self) -> dict[str, Job]:
        """Return the jobs of the sweep by their items' keys.

        Raises:
            PoolError: the schedd does not answer.
            BindingsError: HTCondor's bindings are missing.
        """
        found: list[Job] = _answer(Task("queue", _query, (self.token,)), self.timeout)
        return {job.key: job for job in found}

    def submit(self, commands: Mapping[str, str], items: Sequence[Mapping[str, str]]) -> int:
        """Submit one job for each of ``items``, with what differs in it, and return the cluster.

        Raises:
            InputError: the schedd does not take them.
        """
        outcome = run_all(
            [Task("submission", _submit, (dict(commands), list(items)))], _SUBMISSION
        )[0]
        if not outcome.done:
            why = reason(outcome.why, outcome.complaint)
            raise InputError(
                f"the jobs cannot be submitted: {why}", "see [submit] of the sweep, if it has one"
            )
        cluster: int = outcome.value
        return cluster

    def remove(self, jobs: Sequence[Job]) -> None:
        """Remove ``jobs`` from the queue.

        Raises:
            PoolError: the schedd does not answer.
        """
        if jobs:
            _answer(Task("removal", _remove, ([job.id for job in jobs],)), self.timeout)


def endings(directory: Path, keys: Sequence[str]) -> dict[str, Ended]:
    """Return how jobs ended, by key, as their logs in ``directory`` say.

    A job whose log has no end is left out.

    Raises:
        BindingsError: HTCondor's bindings are missing.
    """
    found: dict[str, Ended] = _answer(
        Task("event logs", _endings, (str(directory), list(keys))), _SUBMISSION
    )
    return found


def _answer(task: Task, timeout: float) -> Any:
    outcome = run_all([task], timeout)[0]
    if not outcome.done:
        raise _unreachable(outcome)
    return outcome.value


def _unreachable(outcome: TaskOutcome) -> Exception:
    if outcome.why.startswith(NO_BINDINGS):
        return BindingsError("htcondor2")
    return PoolError(
        f"this machine's schedd cannot be asked: {reason(outcome.why, outcome.complaint)}",
        "jobs are submitted where condor_submit works; those that are in the queue go on",
    )


def _query(token: str) -> list[Job]:
    htcondor2 = load()
    names = ["HtcqKey", "ClusterId", "ProcId", "JobStatus", "HoldReason"]
    found = htcondor2.Schedd().query(f'HtcqSweep == "{token}"', projection=names)
    jobs = []
    for ad in found:
        if ad["JobStatus"] == _REMOVED:
            continue
        held = ""
        if ad["JobStatus"] == _HELD:
            held = " ".join(str(ad.get("HoldReason", "no reason given")).split())
        jobs.append(Job(str(ad["HtcqKey"]), f"{ad['ClusterId']}.{ad['ProcId']}", held))
    return jobs


def _submit(commands: dict[str, str], items: list[Mapping[str, str]]) -> int:
    htcondor2 = load()
    done = htcondor2.Schedd().submit(htcondor2.Submit(commands), itemdata=iter(items))
    return int(done.cluster())


def _remove(ids: list[str]) -> None:
    htcondor2 = load()
    htcondor2.Schedd().act(htcondor2.JobAction.Remove, ids)


def _endings(directory: str, keys: list[str]) -> dict[str, Ended]:
    htcondor2 = load()
    found = {}
    for key in keys:
        ended = _ended(htcondor2, log_of(Path(directory), key))
        if ended is not None:
            found[key] = ended
    return found


def _ended(htcondor2: Any, log: Path) -> Ended | None:
    """Return how the last job in ``log`` ended; None where the log has no end of it."""
    kinds = htcondor2.JobEventType
    ended, tries, job = None, 1, None
    try:
        for event in htcondor2.JobEventLog(str(log)).events(0):
            if event.type == kinds.SUBMIT:
                ended, tries, job = None, 1, (event.cluster, event.proc)
            elif (event.cluster, event.proc) != job:
                # The end of a removed job may follow the submission of the next.
                continue
            elif event.type == kinds.JOB_EVICTED and event.get("TerminatedAndRequeued") is True:
                tries += 1
            elif event.type == kinds.JOB_TERMINATED:
                ended = _terminated(event, tries)
            elif event.type == kinds.JOB_ABORTED:
                why = " ".join(f"removed: {event.get('Reason', 'no reason given')}".split())
                ended = Ended(None, why, tries, removed=True)
    except failures(htcondor2):
        # Of a damaged or missing log the events that were read count.
        return ended
    return ended


def _terminated(event: Any, tries: int) -> Ended:
    if event.get("TerminatedNormally") is True:
        return Ended(int(event["ReturnValue"]), tries=tries)
    return Ended(None, f"killed by {signal_name(int(event.get('TerminatedBySignal', 0)))}", tries)
