"""Who set what keeps a job from slots where its owner did not: knobs of its access point.

The schedd puts START_VANILLA_UNIVERSE into requests, its transforms and condor_submit write into
Requirements (transformJob of src/condor_schedd.V6/job_transforms.cpp, and APPEND_REQ_VANILLA,
APPEND_REQ_VM and APPEND_REQUIREMENTS in SetRequirements of src/condor_utils/submit_utils.cpp), and
a request lacks what is not significant, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Callable

from htcq.classad.clauses import conjuncts, same
from htcq.classad.names import as_written, visible
from htcq.classad.parser import parse
from htcq.classad.tree import Reference
from htcq.classads import UNDEFINED, Ad, Missing, Value, parsed, spelled
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import PLACES, Job
from htcq.pool.set_by_access_point import transforms_of
from htcq.poolquota.access.access_point import AccessPoint
from htcq.poolquota.access.significant_lists import ONLY
from htcq.why.match_failure import REQUIREMENTS, START, START_VANILLA_UNIVERSE, MatchFailure

#: What condor_submit appends to Requirements, by universe; the last of all others, and where the
#: one of the universe is not set.
_OF_UNIVERSE = {5: "APPEND_REQ_VANILLA", 13: "APPEND_REQ_VM"}
_APPENDED = "APPEND_REQUIREMENTS"
#: What a transform writes into Requirements, and macros in that, of which a capture shows nothing.
_WRITES = re.compile(
    r"^\s*(?:EVALSET|SET|DEFAULT)\s+Requirements\s+(.+)$", re.IGNORECASE | re.MULTILINE
)
_MACRO = re.compile(r"\$\([^()]*\)")

#: Returns the knob, with its daemon, that leaves an attribute of jobs out of requests; else empty.
LeftOutBy = Callable[[str], str]


def with_writers(
    walls: Iterable[MatchFailure], job: Job, access: AccessPoint
) -> Iterator[MatchFailure]:
    """Yield ``walls``, naming the knob of the access point that wrote a clause of Requirements."""
    start = access.start
    condition = "" if start is None or job.parallel else start.condition(job)
    own = job.frame.text("Requirements")
    for each in walls:
        clause = each.amounts.get("clause")
        if each.id != REQUIREMENTS or not isinstance(clause, str):
            yield each
        elif start is not None and clause in condition and clause not in own:
            text = (
                f"START_VANILLA_UNIVERSE of the schedd is false on {each.amounts['slots']} of "
                f"{each.amounts['of']} slots: {start.text}"
            )
            amounts = {**each.amounts, "expression": start.text}
            yield MatchFailure(START_VANILLA_UNIVERSE, text, amounts)
        else:
            yield with_writer(each, job, access)


def with_writer(each: MatchFailure, job: Job, access: AccessPoint) -> MatchFailure:
    """Return a reason with the knob that writes its clause into Requirements of ``job``."""
    clause, configuration = each.amounts.get("clause"), access.configuration
    if each.id != REQUIREMENTS or configuration is None:
        return each
    for knob, text in _writers(configuration, job):
        if any(same(part, str(clause)) for part in conjuncts(text)):
            return _written_by(each, knob.name, access.name)
    return each


def _writers(configuration: Configuration, job: Job) -> Iterator[tuple[Knob, str]]:
    """Yield the knobs that write into Requirements of ``job``, each with an expression."""
    own = _OF_UNIVERSE.get(job.universe) if isinstance(job.universe, int) else None
    knobs = [configuration.knob(name) for name in (own, _APPENDED) if name]
    appended = [each for each in knobs if each is not None and each.value]
    yield from ((each, each.value) for each in appended[:1])
    for knob in transforms_of(configuration):
        for written in _WRITES.finditer(knob.value):
            yield knob, _MACRO.sub("", written.group(1)).strip("&| ")


def _written_by(each: MatchFailure, knob: str, where: str) -> MatchFailure:
    return replace(
        each,
        text=f"{each.text}; {knob} of {where} writes this clause into Requirements of its jobs",
        amounts={**each.amounts, "knob": knob},
        advice=f"{knob} of {where}; then condor_qedit of Requirements for jobs in the queue",
    )


# Attributes that requests lack
# --------------------------------------------------------------------------------------------------


def as_requested(
    walls: Iterable[MatchFailure], job: Job, sent: Job, left_out_by: LeftOutBy
) -> Iterator[MatchFailure]:
    """Yield ``walls``, naming the knob for which the request ``sent`` shows another value.

    ``job`` is the one that waits.
    """
    for each in walls:
        for name in _named(each):
            own, shown = _value(job, name.lower()), _value(sent, name.lower())
            knob = left_out_by(name) if own not in ("", shown) else ""
            if knob and _refuses(each, job):
                # What the job has suits no more than what its request shows.
                text = each.text.replace(f"{name} of the job is {shown or 'undefined'}",
                                         f"{name} of the job is {own}")  # fmt: skip
                each = replace(each, text=text)
            elif knob:
                each = _left_out(each, name, own, knob)
        yield each


def _refuses(each: MatchFailure, job: Job) -> bool:
    """Return whether a clause of START is false of a job itself, whatever the slot has."""
    expression = parsed(str(each.amounts["clause"]))
    if each.id != START or expression is None:
        return False
    return expression.evaluate(Ad(), job.ad()) is False


def _named(each: MatchFailure) -> Iterator[str]:
    """Yield the attributes of the job of which a reason says what they are."""
    clause = each.amounts.get("clause")
    if each.id not in (START, REQUIREMENTS) or not isinstance(clause, str):
        return
    parts = [part for part in visible(parse(clause)) if isinstance(part, Reference)]
    for name in dict.fromkeys(as_written(clause, part) for part in parts):
        if f"{name} of the job" in each.text:
            yield name


def _value(job: Job, name: str) -> str:
    """Return an attribute of a job as text; empty where the job lacks it."""
    if name not in PLACES:
        return job.frame.text(name)
    value: Value = job[PLACES[name]]  # type: ignore[assignment]  # only the first is a frame
    return "" if value is UNDEFINED or isinstance(value, Missing) else spelled(value)


def _left_out(each: MatchFailure, name: str, own: str, knob: str) -> MatchFailure:
    list_, _, where = knob.partition(" of ")
    cure = f"{list_} of {where} without {name}"
    if list_ == ONLY:
        cure = (
            f"{name} in {list_} of {where}; without that knob HTCondor finds the significant "
            "attributes itself"
        )
    return replace(
        each,
        text=f"{each.text.replace(f'{name} of the job', f'{name} of the request')}; the job itself "
        f"has {name} = {own}, but {knob} leaves it out: all jobs that differ only in it are one "
        "request",
        amounts={**each.amounts, "knob": list_},
        advice=cure,
    )
