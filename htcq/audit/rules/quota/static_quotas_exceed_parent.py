"""The static quotas of the groups right below a group add up to more than it has itself."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.declared_groups import DUST, DeclaredGroups, fact_of, on_declared
from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.policies import number
from htcq.audit.rule import Found, Input, Rule, Severity, Unchecked
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import Group

_POOL_WEIGHT = "the pool's slot weight (--snapshot or --pool)"


def _exceeds(below: float, amount: float) -> bool:
    """Return whether static quotas that add up to ``below`` exceed their parent's ``amount``."""
    return below > amount * (1 + DUST)


def _message(name: str, below: float, amount: float) -> str:
    return (
        f"the quotas of the groups directly below {name} add up to {below:g}, more than the "
        f"{amount:g} of {name}"
    )


def _amount(evidence: Evidence, quotas: PoolQuotas, parent: Group) -> float | None:
    """Return what the group above has.

    None where it has a share of a pool whose weight is not known.
    """
    if parent.static:
        return parent.config_quota
    if evidence.lacks(Input.SLOTS):
        return None
    return quotas.quota(parent.name).subtree_quota


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    quotas = evidence.quotas
    unknown = []
    for parent in quotas.groups:
        statics = [group for group in quotas.tree.children(parent.name) if group.static]
        below = sum(group.config_quota for group in statics)
        # A group without any quota is another rule's.
        if not parent.configured or below <= 0:
            continue
        amount = _amount(evidence, quotas, parent)
        if amount is None:
            unknown.append(parent.name)
        elif _exceeds(below, amount):
            knob = "GROUP_QUOTA" if parent.static else "GROUP_QUOTA_DYNAMIC"
            yield Found(
                cause=parent.name,
                subject=f"group {parent.name}",
                message=_message(parent.name, below, amount),
                facts=(
                    knob_fact(evidence, f"{knob}_{parent.name}"),
                    *(knob_fact(evidence, f"GROUP_QUOTA_{group.name}") for group in statics),
                ),
                examples=(parent.name, *(group.name for group in statics)),
                count=1,
                settings=_raised(evidence, parent, below),
            )
    if unknown:
        yield Unchecked(
            f"{Input.SLOTS.value}: whether quotas below {', '.join(unknown)} fit its share"
        )


def _raised(evidence: Evidence, parent: Group, below: float) -> tuple[Setting, ...]:
    """Return what the group above needs to have.

    Which share of the pool that is, is for the site to decide.
    """
    if not parent.static:
        return ()
    return (central(evidence, f"GROUP_QUOTA_{parent.name}", number(below)),)


def _find_declared(declared: DeclaredGroups) -> Iterator[Found | Unchecked]:
    unknown = []
    for parent in declared.groups:
        total, amount = declared.static_sum(parent.name), declared.amounts[parent.name]
        if amount is None:
            if total > 0:
                unknown.append(parent.name)
        elif parent.configured and _exceeds(total, amount):
            statics = [group for group in declared.below(parent.name) if group.static]
            yield Found(
                cause=parent.name,
                subject=f"group {parent.name}",
                message=_message(parent.name, total, amount),
                facts=(fact_of(parent), *(fact_of(group) for group in statics)),
                examples=tuple(group.name for group in statics),
            )
    if unknown:
        yield Unchecked(f"{_POOL_WEIGHT}: whether quotas below {', '.join(unknown)} fit its share")


RULE = Rule(
    id="static-quotas-exceed-parent",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL,),
    summary="The quotas of child groups add up to more than the quota of their parent",
    consequence=(
        "With oversubscription, which is the default, all of them are allocated nevertheless; "
        "without it, each is reduced. In declared groups this is an error."
    ),
    advice="Raise the quota of the parent group, or lower those of its children, until they fit.",
    source="src/condor_negotiator.V6/GroupEntry.cpp:hgq_assign_quotas, 25.14",
    find=_find,
)
DECLARED = on_declared(RULE, _find_declared, Severity.ERROR)
