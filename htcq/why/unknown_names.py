"""Names in expressions that the daemon which evaluates them does not know, with who should.

The negotiator has the maps of NEGOTIATOR_CLASSAD_USER_MAP_NAMES alone, whatever maps the startd has
whose START calls userMap() (reconfig_user_maps of src/condor_utils/classad_usermap.cpp). A slot is
dedicated to the scheduler that its DedicatedScheduler names (src/condor_schedd.V6/
dedicated_scheduler.cpp), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from htcq.classad.names import as_written
from htcq.classad.parser import parse
from htcq.classad.tree import Call, Literal, Reference, every
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC, startd_in
from htcq.spelling import nearest
from htcq.units import first_named
from htcq.why.match_failure import DEDICATED_SCHEDULER, REQUIREMENTS, START, MatchFailure

_USER_MAP, _FILE = "usermap", "CLASSAD_USER_MAPFILE_"
_MAPS = "NEGOTIATOR_CLASSAD_USER_MAP_NAMES"
_SCHEDULER = "DedicatedScheduler"
_NAMED = 3


def with_unknown_names(each: MatchFailure, pool: Pool) -> MatchFailure:
    """Return a reason with the names of its clause that the negotiator, or no daemon, knows."""
    if each.id == DEDICATED_SCHEDULER and "clause" in each.amounts:
        return _with_schedulers(each, pool)
    if each.id not in (START, REQUIREMENTS) or pool.central is None:
        return each
    known = {name.lower() for name in pool.central.value(_MAPS).replace(",", " ").split()}
    for name in _maps_of(str(each.amounts.get("clause", ""))):
        if name.lower() not in known:
            return _without_map(each, name, pool)
    return each


def _maps_of(clause: str) -> Iterator[str]:
    """Yield the names of the maps that a clause asks; what follows a dot is no part of one."""
    for part in every(parse(clause)):
        if isinstance(part, Call) and part.function == _USER_MAP and part.arguments:
            first = part.arguments[0]
            if isinstance(first, Literal) and isinstance(first.value, str):
                yield first.value.partition(".")[0]


def _without_map(each: MatchFailure, name: str, pool: Pool) -> MatchFailure:
    there = [where for where, own in pool.execute.items() if own.value(f"{_FILE}{name}")]
    has = f"; {first_named(there, _NAMED)} has a file for it" if there else ""
    return replace(
        each,
        text=f'{each.text}; {_MAPS} of the negotiator does not list "{name}", so that userMap() is '
        f"undefined to it{has}",
        amounts={**each.amounts, "knob": _MAPS},
        advice=f'{_MAPS} with "{name}", and {_FILE}{name}, at the negotiator; startds need both as '
        "STARTD_CLASSAD_USER_MAP_NAMES",
    )


def _with_schedulers(each: MatchFailure, pool: Pool) -> MatchFailure:
    """Return that no slot is dedicated, with the slots that name a scheduler nobody has."""
    known = {f"{_SCHEDULER}@{record.name}".lower() for record in pool.schedds}
    wrong: dict[str, list[str]] = {}
    for slot in pool.slots or ():
        name = slot.frame.value(_SCHEDULER)
        if isinstance(name, str) and slot.type != DYNAMIC and name.lower() not in known:
            wrong.setdefault(name, []).append(str(slot.name))
    if not wrong:
        return each
    name, slots = next(iter(wrong.items()))
    machine = startd_in(slots[0])
    verb = "is" if len(slots) == 1 else "are"
    return replace(
        each,
        text=f"{each.text}; {first_named(slots, _NAMED)} {verb} dedicated to {name}, of which the "
        "pool has no access point",
        advice=f"{_SCHEDULER} of {machine} (STARTD_ATTRS)",
    )


def unknown_to(text: str, names: Iterable[str], of_job: Iterable[str]) -> tuple[str, str]:
    """Return a name in ``text`` that neither ad has, and the known one that is meant; else empty.

    ``names`` are those of the ad with the expression, ``of_job`` those of the job.
    """
    known = tuple(names)
    there = {each.lower() for each in (*known, *of_job)}
    for part in every(parse(text)):
        if isinstance(part, Reference) and part.name not in there:
            meant = nearest(part.name, known)
            if meant:
                return as_written(text, part), meant
    return "", ""
