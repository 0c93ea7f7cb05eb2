"""A slot with a consumption policy lists an asset of which its ad says no amount."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.listed_attributes import unlisted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import as_number
from htcq.pool.slot import PLACES, Slot
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        for asset in kind.assets:
            lacking = _lacking(kind, asset)
            if lacking:
                name, resources = attribute(asset), str(kind.first.frame.value("MachineResources"))
                yield Found(
                    cause=f"without {name}",
                    subject=f"slot {lacking[0].name}",
                    message=(
                        f"MachineResources lists {asset}, but {name} is not a number: the "
                        "negotiator crashes when it tries a job on the slot"
                    ),
                    facts=(
                        Fact("MachineResources", resources),
                        Fact(name, lacking[0].frame.text(name) or "(absent)"),
                    ),
                    settings=unlisted(evidence, lacking, name),
                    count=len(lacking),
                    examples=tuple(str(slot.name) for slot in lacking[:3]),
                )


def _lacking(kind: SlotClass, asset: str) -> list[Slot]:
    """Return the slots that advertise no amount of ``asset``.

    An attribute that slots share is read once for each frame.
    """
    place = PLACES.get(asset)
    if place is not None:
        wrong = set()
        for amount in {slot[place] for slot in kind.slots}:
            if as_number(amount) is None:  # type: ignore[arg-type]
                wrong.add(amount)
        if not wrong:
            return []
        return [slot for slot in kind.slots if slot[place] in wrong]
    frames = set()
    for slot in kind.variants:
        if as_number(slot.ad().value(attribute(asset))) is None:
            frames.add(id(slot.frame))
    if not frames:
        return []
    return [slot for slot in kind.slots if id(slot.frame) in frames]


RULE = Rule(
    id="asset-without-amount",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary=(
        "A slot with a consumption policy lists an asset in MachineResources whose amount is not "
        "a number in its ad"
    ),
    consequence=(
        "To check whether a job fits, the negotiator needs the amount of every asset. If one is "
        "missing it exits with 'Missing … resource asset'; the master restarts it, and it exits "
        "again at the same slot: no job of the pool is matched any more."
    ),
    advice=(
        "Remove the asset from STARTD_ATTRS and from the output of STARTD_CRON jobs; then run "
        "condor_reconfig."
    ),
    source="src/condor_utils/consumption_policy.cpp:cp_sufficient_assets, 25.14; seen on 25.14.1",
    find=_find,
)
