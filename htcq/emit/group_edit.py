"""The changes that a new set of groups makes in a pool, and the losses of groups in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.facts import counted, listed
from htcq.pool.configuration import Configuration, Knob
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import Group
from htcq.quota.knobs import Knobs
from htcq.settings import DeclaredGroup, GroupSettings
from htcq.settings.quota_knobs import QUOTA_KNOBS

ABSENT = "-"
_NOT_SET = "(not set)"


@dataclass(frozen=True)
class Change:
    """One group or knob that changes, as it was and as it will be.

    :data:`ABSENT` stands for a missing group.
    """

    what: str
    before: str
    after: str


def changes(before: PoolQuotas, after: PoolQuotas) -> tuple[Change, ...]:
    """Return the changed groups with new ones, then the dropped groups, then changed knobs."""
    found = [_change(group.name, before.tree.find(group.name), group) for group in after.groups]
    found += [_change(group.name, group, None) for group in dropped(before, after)]
    old, new = Knobs(before.knobs), Knobs(after.knobs)
    found += [
        Change(knob, old.text(knob) or _NOT_SET, new.text(knob) or _NOT_SET)
        for knob in QUOTA_KNOBS.values()
    ]
    return tuple(each for each in found if each.before.lower() != each.after.lower())


def dropped(before: PoolQuotas, after: PoolQuotas) -> tuple[Group, ...]:
    """Return the groups that there will not be any more."""
    return tuple(group for group in before.groups if after.tree.find(group.name) is None)


def _change(name: str, before: Group | None, after: Group | None) -> Change:
    return Change(name, _told(before), _told(after))


def _told(group: Group | None) -> str:
    if group is None:
        return ABSENT
    quota = f"{group.config_quota!r}" if group.static else f"share {group.config_quota!r}"
    words = [quota.removesuffix(".0") if group.configured else "no quota"]
    if group.accept_surplus:
        words.append("accepts surplus")
    if group.autoregroup:
        words.append("regroups")
    return ", ".join(words)


def losses(before: PoolQuotas, after: PoolQuotas) -> tuple[str, ...]:
    """Return each dropped group that is still in use, with usage and jobs, as half a sentence."""
    told = []
    for group in dropped(before, after):
        still = list(_still_there(before, group.name))
        if still:
            told.append(f"group {group.name}, which has {listed(still)}")
    return tuple(told)


def _still_there(pool: PoolQuotas, name: str) -> Iterator[str]:
    usage = pool.usage.get(name, 0.0)
    if usage > 0:
        yield f"a usage of {usage:g}"
    running = sum(each.running for each in pool.of(name))
    idle = sum(each.idle for each in pool.of(name))
    if running > 0:
        yield counted(running, "running job")
    if idle > 0:
        yield counted(idle, "idle job")


def staying(
    settings: GroupSettings, own: Configuration, emitted: Configuration, file_name: str
) -> tuple[Knob, ...]:
    """Return the pool's knobs that stay in force beside the new file and contradict it.

    They stand in another file than the one that is replaced, and the new one does not set them:
    a static quota, which wins over a share; a truth value of a group that declares none;
    anything for the negotiator alone, which wins over what is for all daemons. Only knobs with a
    known place are returned.
    """
    for_the_negotiator = [own.knob(knob.bare) for knob in emitted]
    beside = [knob for knob in for_the_negotiator if knob is not None and knob.prefix]
    for name in (name for group in settings.groups for name in _others(group)):
        knob = own.knob(name)
        if knob is not None and name not in emitted:
            beside.append(knob)
    return tuple(
        knob
        for knob in beside
        if knob.name not in emitted and knob.value.strip() and _elsewhere(knob, file_name)
    )


def _others(group: DeclaredGroup) -> Iterator[str]:
    if group.share is not None:
        yield f"GROUP_QUOTA_{group.name}"
    if group.accept_surplus is None:
        yield f"GROUP_ACCEPT_SURPLUS_{group.name}"
    if group.autoregroup is None:
        yield f"GROUP_AUTOREGROUP_{group.name}"


def _elsewhere(knob: Knob, file_name: str) -> bool:
    path = knob.place.rpartition(":")[0] or knob.place
    return bool(path) and path.rpartition("/")[2] != file_name
