"""One match hands over a whole partitionable slot that weighs more than the group may use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import access, execute
from htcq.audit.linear import LINEAR_WEIGHTS
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Number, Slot
from htcq.pool.slot_class import SlotClass
from htcq.quota.group_limits import truncated
from htcq.quota.group_tree import ROOT

_LEFTOVERS = "CLAIM_PARTITIONABLE_LEFTOVERS"
#: Of what other groups are due: with less they starve until the jobs of the slot end.
_MIN_LEFT = 0.5


def _leftovers(evidence: Evidence) -> Fact | None:
    """Return where an access point fills a matched slot by itself; None where none does."""
    if not evidence.access:
        return knob_fact(evidence, _LEFTOVERS, "true")
    for configuration in evidence.access.values():
        if configuration.truth(_LEFTOVERS, True):
            knob = configuration.knob(_LEFTOVERS)
            place = "" if knob is None else knob.place
            return Fact(_LEFTOVERS, configuration.value(_LEFTOVERS, "true"), place)
    return None


def _no_leftovers(evidence: Evidence) -> tuple[Setting, ...]:
    """Return what makes a match one claim."""
    access_points = evidence.access.items()
    names = [name for name, each in access_points if each.truth(_LEFTOVERS, True)]
    plain: list[Slot] = []
    for kind in evidence.partitionable:
        if not kind.supports_policy:
            plain += kind.slots
    return (
        *access(evidence, _LEFTOVERS, "False", names),
        *execute(evidence, plain, _LEFTOVERS, "False"),
    )


def _usable(
    evidence: Evidence, group: str, kinds: Sequence[tuple[Number, SlotClass]]
) -> tuple[Number, SlotClass] | None:
    """Return the heaviest of ``kinds`` that an idle job of ``group`` fits.

    Where the jobs are not known, every kind counts.
    """
    if evidence.pool.jobs is None:
        return next(iter(kinds), None)
    waiting: list[Autocluster] = []
    for submitter in evidence.quotas.waiting(group):
        waiting += evidence.waiting.get(submitter.name, ())
    for weight, kind in kinds:
        if any(evidence.fits(kind, jobs) for jobs in waiting):
            return weight, kind
    return None


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    leftovers = _leftovers(evidence)
    if not quotas.settings.use_slot_weights or leftovers is None or not quotas.limits:
        return
    whole = [
        (kind.plain_weight(), kind) for kind in evidence.partitionable if not kind.supports_policy
    ]
    whole.sort(key=lambda each: -each[0])
    settings: tuple[Setting, ...] = ()
    for group in quotas.tree.groups:
        if group.name == ROOT and group.autoregroup:
            continue
        limit = truncated(quotas.limits.get(group.name, 0.0))
        if limit < 1 or quotas.requested(group.name) <= limit or not quotas.waiting(group.name):
            continue
        larger = [each for each in whole if each[0] > limit]
        found = _usable(evidence, group.name, larger)
        if found is not None:
            weight, kind = found
            number = sum(each.count for _, each in larger)
            slots, verb = counted(number, "slot"), "weighs" if number == 1 else "weigh"
            # The same for every group; on a large pool it takes a look at every slot.
            settings = settings or _no_leftovers(evidence)
            yield Found(
                cause="whole slots",
                subject=f"group {group.name}",
                message=(
                    f"one match can give {group.name} (limit {limit}) the whole of "
                    f"{kind.first.name}, which weighs {weight:g}; {slots} {verb} more than {limit}"
                ),
                facts=(Fact("SlotWeight", kind.weight_text), leftovers),
                examples=(group.name,),
                settings=settings,
                severity=_severity(evidence, group.name, weight),
                harm=Harm(overrun=(group.name,)),
            )


def _severity(evidence: Evidence, group: str, weight: Number) -> Severity:
    """Return ERROR where one such match leaves others less than half of what they are due.

    What others are due is the lesser of quota and demand. Otherwise ``group`` has more than its
    quota for a while, and nobody starves for it.
    """
    quotas = evidence.quotas
    pool = quotas.supply.pool_weight
    due = sum(
        min(quotas.quota(each.name).quota, quotas.requested(each.name))
        for each in quotas.tree.groups
        if each.name not in (group, ROOT) and quotas.waiting(each.name)
    )
    starves = pool - weight < _MIN_LEFT * due
    return Severity.ERROR if starves else Severity.WARNING


RULE = Rule(
    id="slot-exceeds-quota",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary=(
        "A partitionable slot weighs more than a group may use, and one match gives the group "
        "the whole slot"
    ),
    consequence=(
        "Without a consumption policy a match takes the whole slot. The first match of a "
        "submitter is allowed at any cost, and the access point then fills the slot with the "
        "submitter's other jobs: the group exceeds its quota by up to one slot, and other groups "
        "get no match there. It is an error where such a slot leaves the other groups less than "
        "half of what quota and demand give them; otherwise a warning."
    ),
    advice=(
        "Use a consumption policy on these nodes, so that a match costs what it consumes instead "
        "of a whole slot. Without one, turn leftovers off on execution and access points ('htcq "
        f"emit --splitting none' writes that): a match then makes one claim. {LINEAR_WEIGHTS}"
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:SubmitterLimitPermits, 25.14; 8 jobs on a quota "
        "of 2 on 25.14.1"
    ),
    find=_find,
)
