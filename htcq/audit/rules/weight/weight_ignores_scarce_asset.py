"""SlotWeight counts an asset of which there is much left when another one is used up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.claims import SlotPolicy, slot_policies, taken
from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.linear import LINEAR_WEIGHTS, prices
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.audit.trials import fits
from htcq.classads import as_number
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import PARTITIONABLE, Number
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute, show_amount

#: Some remnant is left of every slot: less than this part of its weight is not worth a word.
_NOTEWORTHY = 1 / 3
#: Most autoclusters that are tried: those with most jobs.
_MAX_CLASSES = 30


@dataclass(frozen=True)
class _Filled:
    """A slot filled with jobs of one class.

    ``left`` is the part of its weight that is left, ``scarce`` the asset that ran out.
    """

    jobs: Autocluster
    count: int
    claims: float
    left: float
    scarce: str


def _find(evidence: Evidence) -> Iterator[Found]:
    counts = {
        id(each): sum(each.idle.values()) + sum(each.running.values())
        for each in evidence.autoclusters
    }
    classes = sorted(evidence.autoclusters, key=lambda each: -counts[id(each)])[:_MAX_CLASSES]
    for policy in slot_policies(evidence):
        kind = policy.usual
        full = as_number(kind.full_weight)
        none = as_number(kind.weight(dict.fromkeys(kind.total, 0)))
        # A weight that does not fall at all is another fault.
        if kind.type != PARTITIONABLE or full is None or none is None or full <= max(0, none):
            continue
        filled: list[_Filled] = []
        for jobs in classes:
            if evidence.fits(kind, jobs):
                filled += _fill(evidence, kind, jobs, full, counts[id(jobs)])
        every = sum(one.count for one in filled)
        if every and sum(one.count * one.left for one in filled) / every >= _NOTEWORTHY:
            yield _found(evidence, policy, full, filled)


def _fill(
    evidence: Evidence, kind: SlotClass, jobs: Autocluster, full: Number, count: int
) -> Iterator[_Filled]:
    """Yield what is left when jobs of one class have used up an asset.

    Parts of claims count, remnants do not.
    """
    amounts = taken(evidence, kind, jobs)
    if amounts is None or not fits(kind.total, amounts):
        return
    claims, scarce = min(
        (kind.total[asset] / amount, asset) for asset, amount in amounts.items() if amount
    )
    remnants = {}
    for asset, whole in kind.total.items():
        used = claims * amounts.get(asset, 0)
        remnants[asset] = max(0, whole - used)
    left = as_number(kind.weight(remnants))
    if left is not None:
        yield _Filled(jobs, count, claims, max(0, left) / full, scarce)


def _found(evidence: Evidence, policy: SlotPolicy, full: Number, filled: list[_Filled]) -> Found:
    kind = policy.usual
    every = sum(one.count for one in filled)
    left = sum(one.count * one.left for one in filled) / every
    scarce = Counter[str]()
    for one in filled:
        scarce[one.scarce] += one.count
    asset = scarce.most_common(1)[0][0]
    alike = [one for one in filled if one.scarce == asset]
    example = max(alike, key=lambda one: one.count * one.left)
    facts = [Fact("SlotWeight", kind.weight_text)]
    for each, whole in kind.total.items():
        if whole:
            facts.append(Fact(f"TotalSlot{attribute(each)}", show_amount(each, whole)))
    severity: Severity | None = None
    settings: tuple[Setting, ...] = ()
    if _deliberate(kind, asset):
        severity = Severity.INFO
    else:
        settings = sound_weights(evidence, (asset,))
    return Found(
        cause=kind.weight_text,
        subject=f"slot {kind.first.name}",
        message=(
            f"when {example.claims:.3g} jobs such as {example.jobs.name} have used up the {asset} "
            f"of a slot of weight {full:g}, a weight of {full * example.left:.3g} is left "
            f"({100 * left:.0f} % on average)"
        ),
        facts=tuple(facts),
        count=policy.count,
        examples=kind.examples,
        severity=severity,
        settings=settings,
    )


def _deliberate(kind: SlotClass, scarce: str) -> bool:
    """Return whether the weight is what it should be.

    It is HTCondor's default, or linear with a price for the scarce asset.
    """
    # Cpus is the default: most sites never chose it, and live with it.
    if kind.weight_text.lower() == "cpus":
        return True
    linear = prices(kind)
    # The other assets stay unsold then, and nobody is charged for them.
    return linear is not None and linear.get(scarce, 0) > 0


RULE = Rule(
    id="weight-ignores-scarce-asset",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary="SlotWeight does not count the asset that the pool's jobs use up first",
    consequence=(
        "Slots have weight left that no job can use, because another asset is used up. The "
        "pool's weight, and with it dynamic quotas and fair shares, is more than can ever be "
        "used: quotas are never reached. A linear weight that counts the scarce asset too also "
        "leaves weight unused, but charges every job for what it takes: the finding is then "
        "information only."
    ),
    advice=LINEAR_WEIGHTS,
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:sumSlotWeights, 25.14; a pool of weight 64 with "
        "32 cpus was seen"
    ),
    find=_find,
)
