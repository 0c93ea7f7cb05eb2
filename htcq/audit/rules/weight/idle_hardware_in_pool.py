"""Slots that nobody is given and that count for the pool's weight.

They make dynamic quotas larger than the hardware behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import Number, Slot
from htcq.poolquota.supply import OLD_POOLSIZE_CONSTRAINT, POOLSIZE_CONSTRAINT

#: A pool always has a few machines in repair: less than this part of its weight is not worth a
#: word.
_NOTEWORTHY = 0.05
_STATES = {"Owner": "in state Owner", "Drained": "drained", "Backfill": "in state Backfill"}
_BROKEN, _ATTACHED, _DATA, _OCU = "broken", "attached to one access point", "for data", "of an OCU"
#: What a constraint says that leaves such slots out.
_CLAUSES: Mapping[str, str] = {
    "in state Owner": 'State != "Owner"',
    "drained": 'State != "Drained"',
    "in state Backfill": 'State != "Backfill"',
    "offline": "Offline =!= true",
    "draining": "Draining =!= true",
    "for backfill": "BackfillSlot =!= true",
    _BROKEN: "SlotBrokenCode is undefined",
    _ATTACHED: "IsDirectAttach is undefined",
    _DATA: "IsDataSlot =!= true",
    _OCU: "OCU =!= true",
}
_EXAMPLES = 3


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    dynamic = [group.name for group in quotas.groups if not group.static and group.config_quota > 0]
    if not dynamic:
        return
    weights: dict[str, Number] = {}
    idle: list[Slot] = []
    frames: dict[int, str] = {}
    for slot in quotas.supply.in_pool():
        if slot.claimed and not _kept(slot.frame):
            continue
        if id(slot.frame) not in frames:
            frames[id(slot.frame)] = _always(slot.frame)
        why = frames[id(slot.frame)] or _STATES.get(str(slot.state), "")
        if why:
            idle.append(slot)
            weights[why] = weights.get(why, 0) + quotas.supply.weight_in_pool(slot)
    whole, lost = quotas.supply.pool_weight if idle else 0, sum(weights.values())
    if whole and lost / whole >= _NOTEWORTHY:
        parts = listed(f"{weight:g} {why}" for why, weight in weights.items())
        yield Found(
            cause="idle hardware",
            subject="pool",
            message=(
                f"{lost:g} of the pool's weight of {whole:g} is on slots that accept no jobs "
                f"({parts}), and the dynamic quotas of {counted(len(dynamic), 'group')} are "
                "shares of it too"
            ),
            facts=(
                Fact("pool weight", f"{whole:g}"),
                *(Fact(f"weight {why}", f"{weight:g}") for why, weight in weights.items()),
                knob_fact(evidence, POOLSIZE_CONSTRAINT),
            ),
            count=len(idle),
            examples=tuple(str(slot.name) for slot in idle[:_EXAMPLES]),
            settings=(_without_idle(evidence, weights),),
        )


def _without_idle(evidence: Evidence, reasons: Iterable[str]) -> Setting:
    """Return the present constraint without the slots that ``reasons`` keep from everybody."""
    own = evidence.setting(POOLSIZE_CONSTRAINT).strip()
    own = own or evidence.setting(OLD_POOLSIZE_CONSTRAINT).strip()
    clauses = [_CLAUSES[reason] for reason in reasons]
    if own:
        clauses.insert(0, f"({own})")
    return central(evidence, POOLSIZE_CONSTRAINT, " && ".join(clauses))


def _always(frame: SharedAttributes) -> str:
    """Return why the negotiator gives slots of this frame to nobody; empty where it may."""
    for name, why in (
        ("Offline", "offline"),
        ("Draining", "draining"),
        ("BackfillSlot", "for backfill"),
    ):
        if frame.value(name) is True:
            return why
    if "SlotBrokenCode" in frame or "SlotBrokenReason" in frame:
        return _BROKEN
    if "IsDirectAttach" in frame:
        return _ATTACHED
    return _kept(frame)


def _kept(frame: SharedAttributes) -> str:
    """Return what a claim of this frame is kept for while it runs no job of a group.

    Empty where it is kept for nothing.
    """
    if frame.value("IsDataSlot") is True:
        return _DATA
    if frame.value("OCU") is True:
        return _OCU
    return ""


RULE = Rule(
    id="idle-hardware-in-pool",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.CENTRAL, Input.POOL),
    summary=(
        "Slots that accept no jobs (Owner, offline, broken, backfill, data, OCU …) count for "
        "dynamic quotas"
    ),
    consequence=(
        "The pool's weight is the sum over all slot ads, whatever state they are in. Dynamic "
        "quotas are shares of it, so that groups have quota for slots that are not available, "
        "and groups that are negotiated first take slots from the others."
    ),
    advice=(
        "Exclude slots that accept no jobs from the pool's weight. Claims of an OCU and data "
        "slots are available only to their holders: exclude them if other groups should not have "
        "a share of them."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:sumSlotWeights, "
        "condor_startd.V6/Resource.cpp:update_collector (IsDirectAttach), claim.cpp:publish "
        "(OCU), 25.14"
    ),
    find=_find,
)
