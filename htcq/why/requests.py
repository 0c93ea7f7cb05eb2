"""Requests as the job's ad has them: expressions, and those that come to no number.

A request that is undefined meets no slot's Requirements (src/condor_utils/classad_helpers.cpp and
the Requirements that condor_submit writes, HTCondor 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.classad.names import as_written, visible
from htcq.classad.parser import parse
from htcq.classad.tree import Reference
from htcq.classads import Missing, as_number, literal, spelled
from htcq.policy.claim import request_of
from htcq.pool.shared_attributes import SharedAttributes
from htcq.simulate.cycle.job_table import JobTable
from htcq.units import attribute, shortened
from htcq.why import match_failure as wall
from htcq.why.match_failure import MatchFailure

_OF_ASSETS = frozenset((wall.NO_SUCH_MACHINE, wall.NO_ROOM))
_MAX_LETTERS = 120


def with_expressions(job: JobTable, walls: Iterable[MatchFailure]) -> Iterator[MatchFailure]:
    """Yield ``walls``, those about a request that is an expression with what it comes from."""
    frame = job.request.frame
    for each in walls:
        asset = each.amounts.get("asset")
        if each.id not in _OF_ASSETS or not isinstance(asset, str):
            yield each
            continue
        name = request_of(asset)
        text = frame.text(name)
        if not text or literal(text) is not None:
            yield each
        elif as_number(job.value(name)) is None:
            yield _undefined(job, frame, asset, text)
        else:
            yield _following(job, frame, each, asset, text)


def _undefined(job: JobTable, frame: SharedAttributes, asset: str, text: str) -> MatchFailure:
    name, value = f"Request{attribute(asset)}", job.value(request_of(asset))
    unknown = [each for each, known in _named(job, frame, text) if known is None]
    shown = spelled(value) if isinstance(value, Missing) else f"{spelled(value)}, no number"
    what = f"{name} of the job is {shown}: {_short(text)}"
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        what += f"; {', '.join(unknown)} {verb} undefined"
    return MatchFailure(
        wall.REQUEST_UNDEFINED,
        what,
        {"asset": asset, "expression": text, "undefined": ", ".join(unknown)},
        f"condor_qedit of {name} to a number; request_{asset} in the submit file without "
        "attributes that neither the job nor the slots have",
    )


def _following(
    job: JobTable, frame: SharedAttributes, each: MatchFailure, asset: str, text: str
) -> MatchFailure:
    name = f"Request{attribute(asset)}"
    known = [f"{named} is {value}" for named, value in _named(job, frame, text) if value]
    follows = f"{name} follows an expression: {_short(text)}"
    if known:
        follows += f" ({', '.join(known)})"
    advice = f"condor_qedit of {name} to a number; {each.lifted_by}"
    return MatchFailure(
        each.id, f"{each.text}; {follows}", {**each.amounts, "expression": text}, advice
    )


def _named(job: JobTable, frame: SharedAttributes, text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each attribute that ``text`` names, with its value in the job; None without one."""
    seen = set[str]()
    for part in visible(parse(text)):
        if not isinstance(part, Reference) or part.name in seen:
            continue
        seen.add(part.name)
        name = as_written(text, part)
        value = job.value(part.name)
        yield name, None if isinstance(value, Missing) else spelled(value)


def _short(text: str) -> str:
    return shortened(text, _MAX_LETTERS)
