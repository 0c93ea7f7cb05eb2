"""The tree of accounting groups: names, quotas, what the negotiator makes of them, and its configuration.

Quotas follow GroupEntry::hgq_assign_quotas with NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION
(HTCondor 25.14): static quotas as configured, dynamic ones as fractions of what those leave of
the parent's quota."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tests.invented.ads import COMMON, FOLDER

ROOT_NAME = "<none>"
_WORDS = (
    "physics",
    "bio",
    "chem",
    "astro",
    "grid",
    "ml",
    "geo",
    "med",
    "eng",
    "stat",
    "climate",
    "math",
)
_CHILDREN = ("higgs", "top", "sim", "reco", "prod", "users", "dev", "calib", "express", "student")
_MAX_LEVELS = 3
_GROUPS_PER_TOP_GROUP = 12


@dataclass(eq=False)
class Group:
    """One node of the tree; ``share`` is its part of the parent's quota, the rest is what the negotiator publishes.

    ``config_quota`` is a number of slot weights where ``static``, else a fraction.
    """

    name: str
    parent: Group | None = None
    children: list[Group] = field(default_factory=list)
    static: bool = False
    accepts_surplus: bool = False
    share: float = 0.0
    config_quota: float = 0.0
    subtree_quota: float = 0.0
    effective_quota: float = 0.0
    used: int = 0
    weighted_used: int = 0
    requested: int = 0

    @property
    def level(self) -> int:
        """How many groups stand above it, the root not counted."""
        return self.name.count(".")

    def all(self) -> Iterator[Group]:
        """Yield the group and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.all()


def plant(rng: Random, count: int) -> Group:
    """Return the root of a tree of ``count`` groups, up to three levels deep."""
    root = Group(ROOT_NAME, accepts_surplus=True)
    tops = max(1, count // _GROUPS_PER_TOP_GROUP)
    possible: list[Group] = []
    for number in range(count):
        if number < tops:
            parent = root
            name = _WORDS[number % len(_WORDS)] + (
                str(number // len(_WORDS)) if number >= len(_WORDS) else ""
            )
        else:
            parent = rng.choice(possible)
            order = len(parent.children)
            name = _CHILDREN[order % len(_CHILDREN)] + (
                str(order) if order >= len(_CHILDREN) else ""
            )
            name = f"{parent.name}.{name}"
        group = Group(name, parent, static=rng.random() < 0.5, accepts_surplus=rng.random() < 0.4)
        parent.children.append(group)
        if group.level < _MAX_LEVELS - 1:
            possible.append(group)
    for parent in root.all():
        _share_out(rng, parent)
    return root


def _share_out(rng: Random, parent: Group) -> None:
    """Promise the children 90% of the parent's quota, in unequal shares."""
    parts = [rng.uniform(0.2, 1.0) for _ in parent.children]
    for child, part in zip(parent.children, parts):
        child.share = 0.9 * part / sum(parts)


def settle(root: Group, pool_weight: int) -> None:
    """Turn shares into quotas, now that the weight of the pool is known."""
    root.subtree_quota = float(pool_weight)
    given = _settle_children(root)
    root.effective_quota = max(0.0, pool_weight - given)


def _settle_children(parent: Group) -> float:
    quota = parent.subtree_quota
    for child in parent.children:
        child.static = child.static and int(quota * child.share) > 0
        child.config_quota = (
            float(int(quota * child.share)) if child.static else round(child.share, 4)
        )
    static = sum(child.config_quota for child in parent.children if child.static)
    dynamic = sum(child.config_quota for child in parent.children if not child.static)
    left = max(0.0, quota - static)
    given = 0.0
    for child in parent.children:
        own = (
            child.config_quota if child.static else child.config_quota * (left / max(dynamic, 1.0))
        )
        child.subtree_quota = child.effective_quota = own
        given += own
        _settle_children(child)
    return given


def configuration(root: Group) -> str:
    """Return the text of ``condor_config_val -dump`` on the central manager, as far as it is of interest."""
    groups = [group for group in root.all() if group is not root]
    lines = ((FOLDER / "config.txt").read_text(encoding="ascii") % COMMON).splitlines()
    lines.append(f"GROUP_NAMES = {', '.join(group.name for group in groups)}")
    for group in groups:
        if group.static:
            lines.append(f"GROUP_QUOTA_{group.name} = {group.config_quota:g}")
        else:
            lines.append(f"GROUP_QUOTA_DYNAMIC_{group.name} = {group.config_quota}")
        if group.accepts_surplus:
            lines.append(f"GROUP_ACCEPT_SURPLUS_{group.name} = True")
    dump = sorted(lines, key=str.lower)
    return "\n".join((f"# Configuration from machine: {COMMON['negotiator']}", *dump)) + "\n"
