"""One expectation that the pool did not meet, with the evidence of its daemons.

The ids are permanent; rules of the audit have the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from htcq.htcondor.starting import is_default, rank_on_the_way
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import Job

#: How many knobs one of them shows, and the name of how many more are set.
_SHOWN, OTHERS = 6, "other knobs that are set"
#: Stages on the way from a match to a job that runs (starting.tsv).
SUBMIT, CLAIM, START, LAST, HOLD = "submit", "claim", "start", "last", "hold"

MISSING, STARTS, LASTS = (
    "expected-starts-missing",
    "matched-jobs-do-not-start",
    "starts-do-not-last",
)
IDLE_CLAIMS, SUSPENDED = "claims-stay-idle", "claims-suspended"
VANISH, STOPPED = "submitted-jobs-vanish", "submissions-stopped"
CUT_OFF, FAILS = "negotiation-cut-off", "negotiation-fails"
NEVER_DONE, MATCHLESS = "defrag-never-done", "transformed-jobs-fit-nothing"
FRAGMENTED, HELD_BY_FAULTS = "machines-fragmented", "jobs-held-by-faults"
SCHEDD_REFUSES, GRID_DOWN = "schedd-starts-refused", "grid-resource-unavailable"
DELAYED, INCOMPLETE = "job-starts-delayed", "machine-ads-incomplete"
OUTLASTING = "claims-outlast-priorities"
VACATE_LONG, UNASKED = "claims-in-vacating", "cores-unused-in-claims"
ODD, TWINS = "machines-unlike-others", "startds-of-one-name"
NO_AD = "referred-without-ad"
IDS = (
    MISSING, STARTS, LASTS, IDLE_CLAIMS, SUSPENDED, VANISH, STOPPED, CUT_OFF, FAILS, NEVER_DONE,
    MATCHLESS, FRAGMENTED, HELD_BY_FAULTS, SCHEDD_REFUSES, GRID_DOWN, DELAYED, INCOMPLETE,
    VACATE_LONG, UNASKED, ODD, TWINS, OUTLASTING, NO_AD,
)  # fmt: skip
_NO_PEERS: Mapping[str, Configuration] = {}
ERROR, WARNING, INFO = "error", "warning", "info"


class Observed(NamedTuple):
    """An attribute or a knob with its value, and file and line where they are known."""

    name: str
    value: str
    place: str = ""


class JobKey(NamedTuple):
    """A job of a pool: its access point and its id."""

    access_point: str
    id: str


@dataclass(frozen=True)
class Unmet:
    """One thing that should have happened and did not.

    ``subject`` is what failed, such as ``machine m1.example.net``; ``text`` a sentence with the
    amounts, ``cure`` what to do. ``observed`` is the evidence, then the knobs that are set there
    and that no simulation follows. ``jobs`` are those that it keeps from running; ``count`` is how
    many jobs or slots it concerns. ``severity`` is ERROR, WARNING or INFO. ``cause`` is the reason
    of jobs that it explains, for which capacity stands as well; empty where there is none.
    """

    id: str
    subject: str
    text: str
    cure: str
    observed: tuple[Observed, ...] = ()
    jobs: tuple[JobKey, ...] = ()
    count: int = 1
    examples: tuple[str, ...] = ()
    severity: str = ERROR
    cause: str = ""
    #: The startds where nothing starts, or nothing that starts lasts.
    machines: tuple[str, ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether it is more than information."""
        return self.severity != INFO

    def concerns(self, access_point: str, job: str) -> bool:
        """Return whether it keeps this job from running."""
        return JobKey(access_point, job) in self._jobs

    @cached_property
    def _jobs(self) -> frozenset[JobKey]:
        return frozenset(self.jobs)


def keys_of(jobs: Iterable[Job]) -> tuple[JobKey, ...]:
    """Return the keys of ``jobs``."""
    return tuple(JobKey(job.access_point, job.id) for job in jobs)


def observed_knobs(knobs: Iterable[Knob | None]) -> tuple[Observed, ...]:
    """Return the knobs that are set, with their places; None stands for one that is not."""
    return tuple(Observed(each.name, each.value, each.place) for each in knobs if each is not None)


def knobs_on_the_way(
    configuration: Configuration | None,
    daemon: str,
    *stages: str,
    version: tuple[int, ...] = (),
    most: int = _SHOWN,
    peers: Mapping[str, Configuration] = _NO_PEERS,
) -> tuple[Observed, ...]:
    """Return ``most`` of the knobs of a daemon that are set and that no simulation follows.

    Those that may decide at one of the ``stages`` that failed come first; of these the ones that
    most of its ``peers`` have otherwise, then those that few sites set. How many others are set is
    the last. Without a stage all of them may.
    """
    found: list[tuple[bool, int, int, Knob]] = []
    others = 0
    for knob in configuration or ():
        if rank_on_the_way(knob.bare, daemon) is None or configuration is None:
            continue
        if is_default(knob.bare, knob.value, version, configuration.value):
            continue
        ranks = [rank_on_the_way(knob.bare, daemon, stage) for stage in stages or ("",)]
        known = [(rank, place) for place, rank in enumerate(ranks) if rank is not None]
        others += not known
        usual = known and not is_unlike(peers, knob)
        found += [(bool(usual), *min(known), knob)] if known else []
    found.sort(key=lambda each: each[:3])
    others += max(0, len(found) - most)
    rest = (Observed(OTHERS, str(others)),) if others else ()
    return (*observed_knobs(knob for *_, knob in found[:most]), *rest)


def is_unlike(peers: Mapping[str, Configuration], knob: Knob) -> bool:
    """Return whether most ``peers`` have one value of a knob, and it is another.

    What each has for itself, such as its own name, is unlike nothing.
    """
    values = Counter(tuple(each.value(knob.name).split()) for each in peers.values())
    usual, number = max(values.items(), key=lambda each: each[1], default=((), 0))
    return number > 1 and 2 * number > len(peers) and usual != tuple(knob.value.split())


def deciding(observed: Iterable[Observed], daemon: str, stage: str) -> tuple[str, ...]:
    """Return the knobs of ``observed`` that may decide at a stage, and that few sites set."""
    return tuple(each.name for each in observed if rank_on_the_way(each.name, daemon, stage) == 0)
