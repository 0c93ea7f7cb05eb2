"""Jobs of a history, and how long they ran.

``condor_history -long`` prints them. Times follow src/condor_schedd.V6/schedd.cpp
(update_remote_wall_clock) and docs/classad-attributes/job-classad-attributes.rst, HTCondor
25.14; they are in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from htcq.classads import Value, as_number
from htcq.pool.ad_lines import AdSchema
from htcq.pool.job import COMPLETED, JOB, Job

_LAST, _DONE, _BEGUN, _IN_ALL = (
    "lastremotewallclocktime", "completiondate", "jobcurrentstartdate", "remotewallclocktime",
)  # fmt: skip
#: Attributes that say how long a job ran, besides those of any job.
TIMES = tuple(name for name in (_LAST, _DONE, _BEGUN, _IN_ALL) if name not in JOB.own)
PAST_JOB = AdSchema((*JOB.own, *TIMES), JOB.shared, JOB.apart)
#: A run of no whole second counts as one: nothing is shorter to a schedd.
_SHORTEST = 1.0


class Past(NamedTuple):
    """One job, and the seconds for which it held its slot; None where it did not complete."""

    job: Job
    seconds: float | None


@dataclass(frozen=True)
class Arrival:
    """A job that arrives ``at`` seconds after the capture.

    It runs for ``seconds``, if that is known.
    """

    at: float
    job: Job
    seconds: float | None = None


@dataclass(frozen=True)
class PlannedDrain:
    """A machine that is drained gracefully ``at`` so many seconds after the capture.

    It takes jobs again after ``until`` seconds; inf: never.
    """

    machine: str
    at: float
    until: float


def seconds_run(job: Job, times: Sequence[Value]) -> float | None:
    """Return how long the last run of a job held its slot, in seconds.

    ``times`` are its :data:`TIMES`; None where the run did not end well.

    That run is the one that a simulated job has. RemoteWallClockTime includes earlier runs that
    were interrupted. From JobCurrentStartExecutingDate on, the transfer of the
    input would be missing, during which the slot is held.
    """
    if job.status != COMPLETED:
        return None
    known = {name.lower(): value for name, value in job.own()}
    known.update(zip(TIMES, times))
    last, done, begun, in_all = (as_number(known[name]) for name in (_LAST, _DONE, _BEGUN, _IN_ALL))
    if last is None and done and begun and done >= begun:
        last = done - begun
    if last is None:
        last = in_all
    # A job that is taken for done without having run has 0 in all.
    if last is None or last < 0 or in_all == 0:
        return None
    return max(_SHORTEST, float(last))
