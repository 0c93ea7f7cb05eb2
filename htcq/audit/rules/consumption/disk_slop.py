"""Startds before 25.4 take more disk for a dynamic slot than the policy says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from htcq.audit.charges import CLOSE
from htcq.audit.evidence import Evidence
from htcq.audit.policies import amounts_text, consumption_fact, number, on_slots
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.trials import Trial, fits
from htcq.classads import as_number
from htcq.htcondor.releases import ABSOLUTE_DISK
from htcq.policy.defaults import disk_slop
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.pool.versions import version, version_text
from htcq.units import DISK


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        slop = _slop(kind)
        if not slop or DISK not in kind.total:
            continue
        for trial in evidence.trials.typical(kind):
            lost = _lost(kind, trial, slop)
            if lost:
                yield on_slots(
                    kind,
                    cause=f"{slop}: {kind.weight_text} {kind.consumption[DISK]}",
                    message=(
                        f"for {trial.job} ({amounts_text(trial.taken)}) the startd allocates "
                        f"{slop} KiB of disk more than the policy consumes: {lost}"
                    ),
                    facts=(
                        Fact(
                            "CondorVersion", version_text(kind.first.frame.value("CondorVersion"))
                        ),
                        consumption_fact(kind, DISK),
                    ),
                )
                break


def _slop(kind: SlotClass) -> int:
    """Return the KiB of disk that the startds of ``kind`` add to each dynamic slot."""
    text = kind.first.frame.value("CondorVersion")
    machine = as_number(kind.first.total_disk_kb)
    known = version(text)
    if ABSOLUTE_DISK.holds(known):
        return 0
    return disk_slop(machine or 0, known)


def _lost(kind: SlotClass, trial: Trial, slop: int) -> str:
    """Return what the slot has lost when it is full; empty where the loss is negligible."""
    amounts = trial.amounts
    room = trial.fits(kind)
    if not room:
        return ""
    real: dict[str, Number] = {**amounts, DISK: amounts[DISK] + slop}
    fewer = fits(kind.total, real)
    if fewer < room:
        return f"{fewer} fit instead of {room}"
    expected = _weight_after(kind, amounts, room)
    found = _weight_after(kind, real, room)
    if expected is not None and found is not None and abs(expected - found) > CLOSE:
        return f"with {room} of them SlotWeight is {number(found)} instead of {number(expected)}"
    return ""


def _weight_after(kind: SlotClass, taken: Mapping[str, Number], times: int) -> Number | None:
    left = {asset: amount - times * taken.get(asset, 0) for asset, amount in kind.total.items()}
    return as_number(kind.weight(left))


RULE = Rule(
    id="disk-slop",
    severity=Severity.WARNING,
    needs=(Input.SLOTS,),
    summary=(
        "A startd before 25.4 adds so much disk to its dynamic slots that fewer jobs fit than "
        "the policy allows"
    ),
    consequence=(
        "Up to 25.3 the startd keeps disk as a fraction of the machine's disk and adds 1 MiB, or "
        "a millionth of the disk, to every dynamic slot. The negotiator does not know this: the "
        "slot's disk, and a weight that counts it, drops faster than was charged."
    ),
    advice=(
        "Update the node to 25.4 or later, or write a consumption of disk that leaves some of it "
        "free."
    ),
    source="src/condor_startd.V6/Resource.cpp:create_dslot, 25.3 and 25.4.0",
    find=_find,
)
