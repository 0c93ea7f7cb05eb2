"""A group that must keep to its quota and can use far more.

Its claims are charged more than their match costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from htcq.audit.charges import BY_HALF, Charge, is_above
from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact
from htcq.audit.linear import LINEAR_WEIGHTS
from htcq.audit.policies import amounts_text, number, weight_fact
from htcq.audit.reach import Demand, Filling, Reach, filling, reach
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot_class import SlotClass
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import Group, GroupTree, assigned_group

#: Less than this part above the quota is not worth a word.
_SLIGHT = 0.05
#: Most charges of one kind of slot that are followed: those of the jobs of which there are most.
_MAX_CHARGES = 30


def _strict(quotas: PoolQuotas) -> Iterator[tuple[Group, float]]:
    """Yield each group that accepts no surplus, and its limit.

    The limit is what the group and those below it may use together.
    """
    # Without strict enforcement nothing holds those below a group: another rule says so.
    if quotas.settings.strict_enforce:
        yield from quotas.refusing()
    for group in quotas.groups:
        if not group.children and not group.accept_surplus:
            yield group, quotas.quota(group.name).quota


def _exceeding(evidence: Evidence, kind: SlotClass) -> Iterator[Charge]:
    """Yield the charges of the pool's own jobs that can be more than what the match costs."""
    # Where a claim takes more or less as the slot fills, nothing is predicted.
    if evidence.trials.looks_at_slot(kind):
        return
    own = [charge for charge in evidence.charges(kind) if charge.trial.own and charge.trial.whole]
    for charge in own[:_MAX_CHARGES]:
        if is_above(charge.standing, min(charge.cost, charge.mean)):
            yield charge


def _fillings(evidence: Evidence) -> Iterator[Filling]:
    """Yield how claims that can exceed their match cost fill the slots of each kind."""
    for kind in evidence.with_policy:
        for charge in _exceeding(evidence, kind):
            filled = filling(kind, charge)
            if filled is not None:
                yield filled


def _jobs_of(evidence: Evidence, filled: Filling) -> Iterator[Autocluster]:
    """Yield the pool's own jobs that fill slots so."""
    for trial in evidence.trials.own(filled.kind):
        if trial.amounts == filled.charge.trial.amounts:
            for jobs in trial.alike:
                if evidence.fits(filled.kind, jobs):
                    yield jobs


def _demands(evidence: Evidence, tree: GroupTree) -> dict[str, list[Demand]]:
    """Return by group which of its jobs fill slots at less than they are charged."""
    group_of: dict[str, str] = {}
    for jobs in evidence.autoclusters:
        for submitter in jobs.submitters:
            if submitter not in group_of:
                group_of[submitter] = assigned_group(tree, submitter).group
    found: dict[str, list[Demand]] = {}
    for filled in _fillings(evidence):
        for jobs in _jobs_of(evidence, filled):
            counts: Counter[str] = Counter()
            for submitter, count in (*jobs.idle.items(), *jobs.running.items()):
                counts[group_of[submitter]] += count
            for group, count in counts.items():
                found.setdefault(group, []).append(Demand(filled, jobs, count))
    return found


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    # Where groups regroup, or slots count one each, quotas are not kept anyway: other rules say so.
    if not quotas.grouped or quotas.tree.root.autoregroup or not quotas.settings.use_slot_weights:
        return
    demands = _demands(evidence, quotas.tree)
    if not demands:
        return
    whole = float(sum(kind.count * kind.plain_weight() for kind in evidence.offered))
    exceeding: list[tuple[Group, Reach]] = []
    for group, cap in _strict(quotas):
        subtree = list(quotas.subtree(group.name))
        own: list[Demand] = []
        for name in subtree:
            own += demands.get(name, ())
        if not own or cap <= 0:
            continue
        requested = sum(quotas.requested(name) for name in subtree)
        found = reach(cap, own, requested, whole)
        if found is not None and found.factor > 1 + _SLIGHT:
            exceeding.append((group, found))
    if exceeding:
        exceeding.sort(key=lambda each: -each[1].factor)
        yield _found(evidence, exceeding)


def _found(evidence: Evidence, exceeding: list[tuple[Group, Reach]]) -> Found:
    group, worst = exceeding[0]
    filled = worst.worst.filling
    kind, standing = filled.kind, filled.standing
    shape = amounts_text({asset: whole for asset, whole in kind.total.items() if asset != "disk"})
    others = ""
    if len(exceeding) > 1:
        others = f"; {counted(len(exceeding), 'group')} can exceed their quotas"
    knob = "GROUP_QUOTA" if group.static else "GROUP_QUOTA_DYNAMIC"
    severity = Severity.ERROR if worst.factor >= BY_HALF else None
    return Found(
        cause="quotas do not hold",
        subject="the pool",
        message=(
            f"group {group.name} can use {worst.usage:.4g} with a quota of {worst.quota:.4g}, a "
            f"factor of {worst.factor:.2g}: {counted(worst.claims, 'match', 'matches')} of jobs "
            f"such as {evidence.pool.job_name(worst.worst.jobs.first)} with "
            f"{counted(kind.count, 'slot')} such as {kind.first.name} ({shape}) cost "
            f"{worst.spent:.4g}, and the claims are charged "
            f"{worst.claims * standing:.4g} while they run{others}"
        ),
        facts=(
            knob_fact(evidence, f"{knob}_{group.name}"),
            weight_fact(kind),
            Fact("match cost", f"{worst.spent / worst.claims:.4g}"),
            Fact("standing charge", number(filled.charge.standing)),
            Fact("factor", f"{worst.factor:.4g}"),
        ),
        count=len(exceeding),
        examples=tuple(each.name for each, _ in exceeding),
        severity=severity,
        settings=sound_weights(evidence),
    )


RULE = Rule(
    id="quotas-do-not-hold",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.JOBS),
    summary="A group that accepts no surplus can use more than its quota",
    consequence=(
        "The negotiator admits matches by their cost, and charges claims by the weight of their "
        "dynamic slots. If the weight is larger than the cost, a group exceeds its quota in one "
        "cycle, and keeps its claims. The usage is computed for the pool's own jobs on its own "
        "slots, all of them empty at first, with the lowest match costs first. If it exceeds the "
        "quota by half or more, this is an error."
    ),
    advice=LINEAR_WEIGHTS,
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:SubmitterLimitPermits, "
        "Accountant.cpp:CheckMatches, 25.14; measured on 25.14.1: 112 used on a quota of 40, and "
        "48 to 64 on one of 20"
    ),
    find=_find,
)
