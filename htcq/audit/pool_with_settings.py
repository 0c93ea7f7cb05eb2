"""The same pool with other settings, such as those that remove a cause.

Knobs of the central manager and of access points are changed in their configurations; demand
that an access point weighs differently is weighed again. Of execution points the knobs that slots
publish count: START, SLOT_WEIGHT and CONSUMPTION_*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from htcq.audit.fix import Role, Setting
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.pool import Pool
from htcq.pool.record import SCHEDD, SUBMITTER, Record
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import Slot
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.simulate.reweighed import reweighed_but_running

#: The attribute of slots with the text of a knob.
_PUBLISHED = {"START": "Start", "SLOT_WEIGHT": "SlotWeight"}
_CONSUMPTION = "CONSUMPTION_"
#: The prefix of a knob for one type of slots.
_OF_SLOT_TYPE = re.compile("SLOT_TYPE_([0-9]+)_")
#: The attributes in which a schedd advertises knobs; in lower case, as in records.
ADVERTISED = {"MAX_JOBS_RUNNING": "maxjobsrunning", "CURB_MATCHMAKING": "curbmatchmaking"}
_RUNNING = "weightedrunningjobs"


def pool_with_settings(
    pool: Pool, settings: Iterable[Setting], quotas: PoolQuotas | None = None
) -> Pool:
    """Return ``pool`` with these settings; an empty value leaves the knob to HTCondor's default.

    ``quotas`` are those of ``pool``, if they are known.
    """
    by_role: dict[Role, list[Setting]] = {role: [] for role in Role}
    for each in settings:
        by_role[each.role].append(each)
    central, access, execute = by_role[Role.CENTRAL], by_role[Role.ACCESS], by_role[Role.EXECUTE]
    changed = pool
    if central and pool.central is not None:
        changed = replace(changed, central=_with(pool.central, central), changed=None)
    if access:
        points = {name: _with(own, _meant_for(name, access)) for name, own in pool.access.items()}
        changed = replace(changed, access=points, records=_schedds(pool, access))
    if execute:
        nodes = {name: _with(own, _meant_for(name, execute)) for name, own in pool.execute.items()}
        slots = _slots(pool, execute)
        frames = tuple({id(slot.frame): slot.frame for slot in slots}.values())
        changed = replace(changed, execute=nodes, slots=slots, slot_frames=frames)
    if not access and not execute:
        return changed
    return _with_running(reweighed_but_running(changed, pool, quotas), pool)


def _schedds(pool: Pool, settings: Sequence[Setting]) -> Mapping[str, tuple[Record, ...]] | None:
    """Return the records, with the schedds' ads without the limits that ``settings`` change."""
    if pool.records is None:
        return None
    schedds = []
    for record in pool.schedds:
        values = dict(record.values)
        for each in _meant_for(record.name, settings):
            values.pop(ADVERTISED.get(each.knob.upper(), ""), None)
        schedds.append(replace(record, values=values))
    return {**pool.records, SCHEDD: tuple(schedds)}


def _with_running(changed: Pool, pool: Pool) -> Pool:
    """Return ``changed`` with the weights of running jobs that schedds advertise in ``pool``.

    A schedd keeps the weight that a slot had when it was claimed, whatever the slot's ad says now.
    """
    if not pool.records:
        return changed
    before = [record.value(_RUNNING) for record in pool.submitters]
    submitters = tuple(
        replace(record, values={**record.values, _RUNNING: weight})
        for record, weight in zip(changed.submitters, before)
    )
    return replace(changed, records={**(changed.records or {}), SUBMITTER: submitters})


def _meant_for(name: str, settings: Iterable[Setting]) -> list[Setting]:
    return [each for each in settings if not each.nodes or name in each.nodes]


def _with(own: Configuration, settings: Iterable[Setting]) -> Configuration:
    changes: dict[str, Knob | None] = {}
    for each in settings:
        knob = Knob(each.knob, each.value, each.value, each.file)
        changes[each.knob] = knob if each.value else None
    return own.with_knobs(changes)


def _slots(pool: Pool, settings: Iterable[Setting]) -> tuple[Slot, ...]:
    """Return the slots with the attributes that their nodes would publish."""
    texts = _published(settings)
    expressions = Expressions(pool.moment)
    frames: dict[tuple[int, str], SharedAttributes] = {}
    slots = list(pool.slots or ())
    nodes = {node for node, _ in texts}
    for number, slot in enumerate(slots):
        if "" not in nodes and str(slot.machine) not in nodes:
            continue
        wanted: dict[str, str] = {}
        for place in product(("", str(slot.machine)), ("", str(slot.frame.value("SlotTypeID")))):
            wanted.update(texts.get(place, {}))
        # A slot that does not change stays the same object: others recognise it by that.
        if wanted:
            slot = slot._replace(frame=_frame(slot.frame, wanted, expressions, frames))
        # A slot whose START lets nobody in belongs to its owner.
        if "Start" in wanted and slot.state == "Owner":
            slot = slot._replace(state="Unclaimed", activity="Idle")
        slots[number] = slot
    return tuple(slots)


def _published(settings: Iterable[Setting]) -> dict[tuple[str, str], dict[str, str]]:
    """Return the texts of attributes by machine and slot type; empty names stand for all."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for each in settings:
        knob, slot_type = each.knob.upper(), ""
        typed = _OF_SLOT_TYPE.match(knob)
        if typed:
            knob, slot_type = knob[typed.end() :], typed[1]
        attribute = attribute_of(knob)
        if not attribute:
            continue
        for node in each.nodes or ("",):
            texts.setdefault((node, slot_type), {})[attribute] = each.value
    return texts


def attribute_of(knob: str) -> str:
    """Return the attribute that publishes the text of ``knob``; empty where none does."""
    if knob.startswith(_CONSUMPTION):
        return f"Consumption{knob[len(_CONSUMPTION) :].capitalize()}"
    return _PUBLISHED.get(knob, "")


def _frame(
    frame: SharedAttributes,
    texts: Mapping[str, str],
    expressions: Expressions,
    known: dict[tuple[int, str], SharedAttributes],
) -> SharedAttributes:
    key = (id(frame), repr(sorted(texts.items())))
    if key not in known:
        known[key] = frame.changed(texts, expressions)
    return known[key]
