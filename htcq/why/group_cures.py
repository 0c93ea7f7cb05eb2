"""What gives a group more whose quota is nothing: the knobs that keep it so, of it or above it.

Follows GroupEntry.cpp (hgq_assign_quotas: a group's quota is a part of its parent's;
hgq_share_surplus: surplus comes down through groups that accept it) and matchmaker.cpp
(negotiateWithGroup: a limit below 1 is 0), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT, Group


def shut_cure(quotas: PoolQuotas, name: str) -> str:
    """Return what gives the group ``name`` anything; empty where its quota is 1 or more."""
    if name == ROOT or quotas.quota(name).quota >= 1:
        return ""
    if quotas.supply.emptied_by:
        return f"{quotas.supply.emptied_by} of the central manager, which is true for no slot"
    chain = [group for group in _upwards(quotas, name) if group.name != ROOT]
    cures = [_raised(quotas, chain), _surplus(quotas, chain)]
    return ", or ".join(filter(None, cures))


def _upwards(quotas: PoolQuotas, name: str) -> Iterator[Group]:
    yield quotas.tree[name]
    yield from quotas.tree.ancestors(name)


def _raised(quotas: PoolQuotas, chain: Sequence[Group]) -> str:
    """Return which quota is to be raised, of the first group of ``chain`` or of one above."""
    group = chain[0]
    nothing = [each for each in chain if quotas.quota(each.name).subtree_quota <= 0]
    if nothing:
        top = nothing[-1]
        if top.config_quota <= 0:
            return _enough(top)
        if top.static:
            return ""
        return f"smaller static quotas beside {top.name} ({_knob(top)} is a share of what is left)"
    if quotas.quota(group.name).quota <= 0:
        return f"{_knob(group)} above the sum of the quotas below {group.name}"
    return f"{_enough(group)} (a quota below 1 counts as 0)"


def _surplus(quotas: PoolQuotas, chain: Sequence[Group]) -> str:
    """Return which groups have to accept surplus; all that do get it."""
    refusing = []
    for group in chain:
        if group is not chain[0] and quotas.quota(group.name).subtree_quota > 0:
            # It has something that the groups below it may share.
            break
        if not group.accept_surplus:
            refusing.append(f"GROUP_ACCEPT_SURPLUS_{group.name} = True")
    return " and ".join(refusing) or "the end of jobs of groups that use the surplus"


def _enough(group: Group) -> str:
    if _is_share(group):
        return f"a larger {_knob(group)}"
    return f"{_knob(group)} of 1 or more"


def _is_share(group: Group) -> bool:
    return group.configured and not group.static


def _knob(group: Group) -> str:
    return f"GROUP_QUOTA_{'DYNAMIC_' if _is_share(group) else ''}{group.name}"
