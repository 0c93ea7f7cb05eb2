"""Access points of which no job can start anywhere, and whose transforms make it so.

A user's own mistake is his; a transform makes it for everybody who submits there. Follows
transformJob of src/condor_schedd.V6/job_transforms.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import MATCHLESS, JobKey, Observed, Unmet
from htcq.htcondor.starting import is_default
from htcq.pool.configuration import Configuration, Knob
from htcq.why import match_failure as wall
from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdict, Verdicts

_NAMES, _TRANSFORM = "JOB_TRANSFORM_NAMES", "JOB_TRANSFORM_"
#: A line of a transform that writes what a match looks at.
_WRITES = re.compile(
    r"^\s*(?:EVALSET|SET|DEFAULT|COPY\s+\w+|RENAME\s+\w+)\s+(Requirements|Require\w+|Request\w+)\b",
    re.IGNORECASE | re.MULTILINE,
)
#: Reasons of jobs that fit no slot, even an empty one.
_NOWHERE = frozenset((wall.REQUIREMENTS, wall.NO_SUCH_MACHINE, wall.REQUEST_UNDEFINED))


def matchless(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the access points of which no job runs or starts, because of what transforms write.

    ``found`` are the verdicts on all idle jobs.
    """
    pool, moment = verdicts.pool, settled_before(verdicts.pool)
    alive = {verdicts.access_point(job) for job in pool.jobs or () if job.running}
    waiting: dict[str, list[Verdict]] = {}
    for verdict in found:
        waiting.setdefault(verdict.access_point, []).append(verdict)
    for name, those in waiting.items():
        writes = list(_writing(pool.schedd_configuration(name)))
        if name in alive or not writes or moment is None:
            continue
        if all(_has_settled(each, moment) for each in those):
            walls = [_nowhere(verdicts, each) for each in those]
            if walls[0] is not None and None not in walls:
                yield _unmet(name, those, writes, walls[0])


def _writing(configuration: Configuration | None) -> Iterator[tuple[Knob, str]]:
    """Yield the transforms that write what a match looks at, each with the attributes."""
    if configuration is None:
        return
    for name in configuration.value(_NAMES).replace(",", " ").split():
        knob = configuration.knob(f"{_TRANSFORM}{name}")
        if knob is None or is_default(knob.bare, knob.value):
            continue
        written = [each.group(1) for each in _WRITES.finditer(knob.value)]
        if written:
            yield knob, ", ".join(dict.fromkeys(written))


def _has_settled(verdict: Verdict, moment: float) -> bool:
    """Return whether all of its jobs have waited for so long, and go on waiting."""
    if verdict.starts:
        return False
    return all(is_over(moment, job.queued_at, job.status_since) for job in verdict.jobs)


def _nowhere(verdicts: Verdicts, verdict: Verdict) -> MatchFailure | None:
    """Return why its jobs fit no slot, even an empty one; None where they would."""
    walls = verdicts.slots.walls(verdict.jobs[0])
    return next((each for each in (*verdict.walls, *walls) if each.id in _NOWHERE), None)


def _unmet(
    name: str, those: list[Verdict], writes: list[tuple[Knob, str]], first: MatchFailure
) -> Unmet:
    keys = tuple(JobKey(each.access_point, job.id) for each in those for job in each.jobs)
    knob, attributes = writes[0]
    return Unmet(
        MATCHLESS,
        f"access point {name}",
        f"none of {len(keys)} idle jobs of {name} fits any slot, and none of its jobs runs: "
        f"{first.text}; {knob.name} sets {attributes}",
        f"{knob.name} of {name}; for jobs that are in the queue condor_qedit.",
        tuple(Observed(each.name, each.value, each.place) for each, _ in writes),
        keys,
        len(keys),
        tuple(key.id for key in keys[:3]),
    )
