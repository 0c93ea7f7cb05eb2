"""Access points of which no job can start anywhere, and whose transforms or defaults make it so.

A user's own mistake is his; a transform makes it for everybody who submits there, and so does
JOB_DEFAULT_REQUEST<asset>, which condor_submit writes into jobs that request nothing, and
SCHEDD_ROUND_ATTR_<attribute>, by which the schedd rounds up. Follows transformJob of
src/condor_schedd.V6/job_transforms.cpp, SetRequestMem of src/condor_utils/submit_utils.cpp and
SetAttribute of src/condor_schedd.V6/qmgmt.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from htcq.expected.settled import is_over, settled_before
from htcq.expected.unmet import MATCHLESS, JobKey, Unmet, observed_knobs
from htcq.htcondor.starting import is_default
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.set_by_access_point import transforms_of
from htcq.why import match_failure as wall
from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdict, Verdicts

_ROUNDS = re.compile(r"SCHEDD_ROUND_ATTR_(Request\w+)", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]{1,2}")
_DEFAULT = re.compile(r"JOB_DEFAULT_(REQUEST\w+)", re.IGNORECASE)
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
        access = pool.schedd_configuration(name)
        writes = [*_writing(access), *_defaults(access, those)]
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
    for knob in transforms_of(configuration):
        if is_default(knob.bare, knob.value, (), configuration.value):
            continue
        written = [each.group(1) for each in _WRITES.finditer(knob.value)]
        if written:
            yield knob, ", ".join(dict.fromkeys(written))


def _defaults(
    configuration: Configuration | None, those: Iterable[Verdict]
) -> Iterator[tuple[Knob, str]]:
    """Yield the knobs that give all of these jobs a request that they have.

    That is the default of a request, or the power of ten to which the schedd rounds it up.
    """
    jobs = [job for each in those for job in each.jobs]
    for knob in configuration or ():
        default, rounds = _DEFAULT.fullmatch(knob.bare), _ROUNDS.fullmatch(knob.bare)
        name, value = "", knob.value.strip()
        if default is not None and not is_default(knob.bare, value):
            name = default.group(1)
        elif rounds is not None and _DIGITS.fullmatch(value):
            name, value = rounds.group(1), str(10 ** int(value))
        if name and all(job.frame.text(name).split() == value.split() for job in jobs):
            yield knob, name


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
        observed_knobs(each for each, _ in writes),
        keys,
        len(keys),
        tuple(key.id for key in keys[:3]),
    )
