"""Machines that stand idle since one attribute of theirs is not what all others have.

Waiting jobs compare it, and would fit but for that. ARCH, FILESYSTEM_DOMAIN and UID_DOMAIN are
knobs that somebody may write wrong (ResAttributes.cpp, ResMgr.cpp, HTCondor 25.14). What a startd
detects is what the machine is: a machine with another system or processor is no fault. What
CondorPlatform says is of the programs themselves, which run there: an Arch that contradicts it is
wrong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from htcq.classads import Value
from htcq.expected.unmet import (
    INFO,
    ODD,
    WARNING,
    JobKey,
    Observed,
    Unmet,
    keys_of,
    observed_knobs,
)
from htcq.htcondor.attributes import KNOWN, SLOT, names
from htcq.pool.pool import of_startd
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.slot_state import machine_of, used_as
from htcq.poolquota.closings import Closings
from htcq.simulate.course.claims import amounts_of
from htcq.units import CPUS, amount_of, counted
from htcq.why.other_amounts import Takers, times, waiting_for_room
from htcq.why.verdict import Verdict, Verdicts

_ARCH, _PLATFORM = "arch", "CondorPlatform"
#: What administrators set, by the knob.
_KNOBS: Mapping[str, str] = {
    _ARCH: "ARCH", "filesystemdomain": "FILESYSTEM_DOMAIN", "uiddomain": "UID_DOMAIN",
}  # fmt: skip
_SPELLED = {name.lower(): name for name in names(SLOT, KNOWN)}
#: So many machines must be alike, and for each odd one so many.
_ALIKE, _FOR_EACH = 3, 4
#: Where so many slots of one odd value refuse jobs for something else, the others do as well.
_TRIED, _NAMED = 50, 3


class _Attribute(NamedTuple):
    """An attribute that most machines have with the ``usual`` value, and some with ``odd``."""

    name: str
    odd: Value
    usual: Value
    machines: frozenset[str]
    alike: int


@dataclass
class _Kept:
    """The slots that stand idle for an attribute, with what is left of them, and the jobs."""

    slots: dict[str, Slot] = field(default_factory=dict)
    left: dict[str, Mapping[str, Number]] = field(default_factory=dict)
    jobs: list[JobKey] = field(default_factory=list)


def odd_machines(verdicts: Verdicts, found: Iterable[Verdict]) -> Iterator[Unmet]:
    """Yield the attributes for which machines stand idle; ``found`` are those on idle jobs."""
    waiting = list(waiting_for_room(found))
    slots = [slot for slot in verdicts.cycle.quotas.supply.slots if slot.type != DYNAMIC]
    named = {id(each): _named(each) for each in waiting}
    odd = list(_odd(slots, {name for own in named.values() for name in own}))
    if not odd:
        return
    closings = Closings(verdicts.pool)
    idle = [slot for slot in slots if not (used_as(slot) or closings.first(slot))]
    for each in odd:
        own = [slot for slot in idle if machine_of(slot) in each.machines]
        asking = [one for one in waiting if each.name in named[id(one)]]
        kept = _kept(verdicts, each, own, asking)
        if kept.jobs:
            yield _unmet(verdicts, each, kept)


def _named(verdict: Verdict) -> frozenset[str]:
    requirements = verdict.jobs[0].frame.expression("Requirements")
    return frozenset() if requirements is None else frozenset(requirements.words())


def _odd(slots: Sequence[Slot], attributes: Iterable[str]) -> Iterator[_Attribute]:
    """Yield the attributes of which the pool has two values, one of them hardly anywhere."""
    frames, machines = {}, defaultdict[int, set[str]](set)
    for slot in slots:
        frames[id(slot.frame)] = slot.frame
        machines[id(slot.frame)].add(machine_of(slot))
    for name in sorted(attributes):
        if name in _SPELLED and name not in _KNOBS:
            continue
        values = defaultdict[Value, set[str]](set)
        for key, frame in frames.items():
            values[frame.value(name)] |= machines[key]
        if len(values) != 2:
            continue
        (usual, many), (odd, few) = sorted(values.items(), key=lambda each: -len(each[1]))
        if not isinstance(usual, (str, bool)) or many & few:
            continue
        if len(many) < max(_ALIKE, _FOR_EACH * len(few)):
            continue
        those = [slot for slot in slots if machine_of(slot) in few]
        if name != _ARCH or all(_is_contradicted(slot, odd, usual) for slot in those):
            yield _Attribute(name, odd, usual, frozenset(few), len(many))


def _is_contradicted(slot: Slot, odd: Value, usual: Value) -> bool:
    """Return whether the programs of HTCondor that run there are for the usual architecture."""
    platform = str(slot.frame.value(_PLATFORM)).lower()
    return str(usual).lower() in platform and str(odd).lower() not in platform


def _kept(
    verdicts: Verdicts, each: _Attribute, slots: Sequence[Slot], asking: Iterable[Verdict]
) -> _Kept:
    """Return which slots waiting jobs would take if they had the usual value, and do not take."""
    kept = _Kept()
    for slot in slots:
        name = str(slot.name)
        kept.left[name] = verdicts.after.left.get(name, amounts_of(slot))
    usual, as_is = Takers({each.name: each.usual}), Takers()
    for verdict in asking:
        first, number = verdict.jobs[0], 0
        requested = verdicts.slots.requested(verdicts.slots.meeting(first))
        large = (slot for slot in slots if times(kept.left[str(slot.name)], requested))
        for slot in list(islice(large, _TRIED)):
            left = kept.left[str(slot.name)]
            if number >= len(verdict.jobs) or as_is.takes(slot, left, first):
                break
            if usual.takes(slot, left, first):
                most = min(len(verdict.jobs) - number, times(left, requested))
                kept.left[str(slot.name)] = {
                    asset: amount - most * requested.get(asset, 0) for asset, amount in left.items()
                }
                kept.slots[str(slot.name)] = slot
                number += most
        kept.jobs += keys_of(verdict.jobs[:number])
    return kept


def _unmet(verdicts: Verdicts, each: _Attribute, kept: _Kept) -> Unmet:
    pool, first = verdicts.pool, next(iter(kept.slots.values()))
    machines = tuple(dict.fromkeys(map(machine_of, kept.slots.values())))
    machine, name = machines[0], _SPELLED.get(each.name, each.name)
    cores = sum(amounts_of(slot).get(CPUS, 0) for slot in kept.slots.values())
    knob = _KNOBS.get(each.name, "")
    more = f" and {len(machines) - 1} more" if len(machines) > 1 else ""
    own = of_startd(pool.execute, first)
    observed = [Observed(name, _shown(each.odd)), Observed(f"{name} of others", _shown(each.usual))]
    if each.name == _ARCH:
        observed.append(Observed(_PLATFORM, str(first.frame.value(_PLATFORM))))
    if own is not None and knob:
        observed += observed_knobs([own.knob(knob)])
    in_use = Counter(machine_of(slot) for slot in pool.slots or () if used_as(slot))
    is_idle = not any(in_use[one] for one in machines)
    return Unmet(
        ODD,
        f"machine {machine}",
        f"{name} of {machine}{more} is {_shown(each.odd)}, of {each.alike} other machines "
        f"{_shown(each.usual)}: {amount_of(CPUS, cores)} {'stands' if cores == 1 else 'stand'} "
        f"idle that {counted(len(kept.jobs), 'waiting job')}, such as {kept.jobs[0].full_id}, "
        "would use but for that",
        f"{knob or f'{name} (STARTD_ATTRS)'} of {machine}, unless the machine is meant to differ.",
        tuple(observed),
        tuple(kept.jobs),
        len(kept.slots),
        tuple(kept.slots)[:_NAMED],
        WARNING if knob and is_idle else INFO,
    )


def _shown(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
