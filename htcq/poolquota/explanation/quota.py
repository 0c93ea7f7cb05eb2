"""Sentences on the quota of a group, the demand of its jobs, and its allocation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.poolquota.demand import Submitter
from htcq.poolquota.explanation.sections import (
    ALLOCATION,
    DEMAND,
    QUOTA,
    ExplainedQuotas,
    Sentence,
    few,
    listed,
    unused,
)
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.published import same
from htcq.units import show_number as shown


def quota_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield the configured quota of a group, and what the groups above it leave of that."""
    if group.group.parent is None:
        yield Sentence(QUOTA, _of_root(scene, group))
        return
    parent = scene.groups[group.group.parent]
    yield Sentence(QUOTA, _configured(scene, group, parent))
    if parent.subtree_quota <= 0:
        yield Sentence(QUOTA, f"{parent.name} has no quota that it could give to it")
    elif group.group.configured:
        for text in _handed_down(scene, group, parent):
            yield Sentence(QUOTA, text)
    yield Sentence(QUOTA, _kept(scene, group))


def _of_root(scene: ExplainedQuotas, root: GroupStatus) -> str:
    weight = f"the pool's {shown(scene.look.pool_weight)} ({scene.look.unit})"
    if not scene.look.grouped:
        return f"there are no groups and no quotas: submitters share {weight} by priority"
    given = sum(child.subtree_quota for child in scene.children(root))
    return (
        f"{root.name} is the root, for all submitters without a group: it passes on "
        f"{shown(given)} of {weight}, and its quota is the remaining {shown(root.quota)}"
    )


def _configured(scene: ExplainedQuotas, group: GroupStatus, parent: GroupStatus) -> str:
    static, dynamic = f"GROUP_QUOTA_{group.name}", f"GROUP_QUOTA_DYNAMIC_{group.name}"
    if not group.group.configured:
        return f"neither {static} nor {dynamic} is set: its share is 0"
    if group.group.static:
        return f"{static} is {shown(group.group.config_quota)}, an amount in {scene.look.unit}"
    part = shown(100 * group.group.config_quota)
    return (
        f"{dynamic} is {shown(group.group.config_quota)}: {part}% of what the amounts leave of "
        f"the quota of {parent.name}"
    )


def _handed_down(scene: ExplainedQuotas, group: GroupStatus, parent: GroupStatus) -> Iterator[str]:
    """Yield how a parent distributes its quota (GroupEntry.cpp:hgq_assign_quotas, 25.14)."""
    has = parent.subtree_quota
    statics, dynamics = scene.configured_below(parent)
    oversubscription = scene.look.settings.oversubscription
    if group.group.static:
        yield _static(group, parent, statics, oversubscription)
        return
    for_statics = statics
    if not oversubscription:
        for_statics = min(statics, has)
    left = max(0.0, has - for_statics)
    if statics > 0:
        yield (
            f"{parent.name} has {shown(has)}; amounts come first and take {shown(for_statics)}, "
            f"which leaves {shown(left)} for shares"
        )
    if dynamics > 1 and not same(dynamics, 1):
        yield (
            f"the shares of the children of {parent.name} add up to {shown(dynamics)}, so each is "
            "divided by that"
        )
    yield f"it gets {shown(group.subtree_quota)} of {shown(left)}"


def _static(group: GroupStatus, parent: GroupStatus, statics: float, oversubscription: bool) -> str:
    has = shown(parent.subtree_quota)
    below = f"the amounts of its children add up to {shown(statics)}"
    if statics <= parent.subtree_quota or same(statics, parent.subtree_quota):
        return f"it gets that in full: {parent.name} has {has}, and {below}"
    if oversubscription:
        return (
            f"{parent.name} has {has}, and {below}, which is more; each gets its amount in full "
            "because NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true"
        )
    return (
        f"{parent.name} has {has}, and {below}: all are reduced in proportion, and it gets "
        f"{shown(group.subtree_quota)}"
    )


def _kept(scene: ExplainedQuotas, group: GroupStatus) -> str:
    quota = shown(group.quota)
    given = sum(child.subtree_quota for child in scene.children(group))
    if given <= 0:
        return f"its quota is {quota}"
    if scene.look.settings.oversubscription:
        return (
            f"its quota is {quota}, although it passes {shown(given)} of that on to its children: "
            "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true"
        )
    return (
        f"it passes {shown(given)} of its {shown(group.subtree_quota)} on to its children: its "
        f"own quota is {quota}"
    )


def demand_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield the submitters of a group, their demand, and the usage of the group."""
    submitters, unit = scene.submitters(group), scene.look.demand_unit
    itself, used = "it", f"it uses {shown(group.usage)}"
    if scene.children(group):
        itself = "it itself"
        used += f", {shown(group.subtree_usage)} including its descendants"
    if not submitters:
        yield Sentence(DEMAND, f"{itself} has no submitters: it requests nothing")
    else:
        count = f"{len(submitters)} submitters have"
        if len(submitters) == 1:
            count = "1 submitter has"
        yield Sentence(
            DEMAND,
            f"{count} {shown(group.idle)} idle and {shown(group.running)} running ({unit}): "
            f"{itself} requests "
            f"{shown(group.requested)}{_multiplied(group)}",
        )
    for text in _oddities(group, submitters):
        yield Sentence(DEMAND, text)
    yield Sentence(DEMAND, used)


def _multiplied(group: GroupStatus) -> str:
    if same(group.requested, group.idle + group.running):
        return ""
    return ", because USE_GLOBAL_JOB_PRIOS counts a submitter once for each of its job priorities"


def _oddities(group: GroupStatus, submitters: Sequence[Submitter]) -> Iterator[str]:
    jobs = sum(each.idle for each in submitters)
    if jobs > 0 and group.idle <= 0:
        yield (
            f"the weight of its {jobs} idle jobs is {shown(group.idle)}: a schedd truncates the "
            "weight of each job to a whole number, and jobs without weight are allocated nothing"
        )
    lost = [each.name for each in submitters if each.defaulted]
    if lost:
        yield (
            "submitters of groups that do not exist count here, in the nearest existing ancestor: "
            f"{listed(few(lost))}"
        )


def allocation_story(scene: ExplainedQuotas, group: GroupStatus) -> Iterator[Sentence]:
    """Yield what a group is allocated, by its quota and beyond, and what it leaves to others."""
    if scene.round is None:
        return
    yield Sentence(ALLOCATION, _covered(group))
    whole = f"it is allocated {shown(group.own_allocated)}"
    if group.borrowed > 0:
        whole += f", {shown(group.borrowed)} of it borrowed beyond its quota"
    if group.lent > 0:
        whole += f"; other groups are allocated {shown(group.lent)} of its quota"
    yield Sentence(ALLOCATION, whole)


def _covered(group: GroupStatus) -> str:
    wanted, left = max(0.0, group.requested), unused(group)
    if wanted <= 0:
        return f"it leaves its whole quota of {shown(group.quota)} to other groups"
    if wanted <= group.quota:
        rest = ""
        if left > 0:
            rest = f" and leaves {shown(left)} to other groups"
        return (
            f"its quota of {shown(group.quota)} covers the {shown(wanted)} that it requests{rest}"
        )
    beyond = f"the other {shown(wanted - group.quota)} can only come from surplus"
    return (
        f"its quota covers {shown(group.quota)} of the {shown(wanted)} that it requests; {beyond}"
    )
