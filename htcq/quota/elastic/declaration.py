"""Groups with elastic quotas as a site declares them: min, max and weight in several dimensions.

The words are those of Koordinator's elastic quota (koordinator-sh/koordinator, commit a7a1b76:
apis/extension and pkg/scheduler/plugins/elasticquota/core/quota_info.go). Amounts are whole
numbers of whatever a dimension counts.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Optional

#: The group above all others; its runtime is the total without usage outside of the quotas.
ROOT = "<none>"
#: The jobs of a group that has groups below it, as a group among these.
SELF = "<self>"
#: Jobs that no quota limits: their usage is not shared.
SYSTEM = "<system>"
#: Jobs that belong to no group: their usage is not shared either.
DEFAULT = "<default>"
RESERVED = (ROOT, SELF, SYSTEM, DEFAULT)

Amounts = Mapping[str, int]
#: Caps; None is an explicit statement that there is none.
Caps = Mapping[str, Optional[int]]
#: Parts of the pool, from 0 to 1: by min, max, weight or max_lent, and by dimension.
PoolParts = Mapping[str, Mapping[str, Fraction]]


class Rounding(enum.Enum):
    """Rounding of shares to whole numbers.

    ``HAMILTON``: largest remainder, ties by name, exact (Koordinator since 2026-05-06).
    ``LEGACY``: each share by itself, half up, in floating point (its releases up to 1.8.0): may
    lose units or hand out more than there is.
    """

    HAMILTON = "hamilton"
    LEGACY = "legacy"


@dataclass(frozen=True)
class Options:
    """Options of a whole tree.

    ``scale_min``: where the mins of siblings exceed what there is, they shrink in proportion.
    ``guarantee_usage``: no group lends, and what a group uses is kept for it.
    ``same_dimensions``: a group must name the dimensions of the group above it, not only some of
    them.
    """

    scale_min: bool = True
    guarantee_usage: bool = False
    rounding: Rounding = Rounding.HAMILTON
    same_dimensions: bool = False


@dataclass(frozen=True)
class ElasticGroup:
    """One group. ``parent`` is empty at the top level.

    A dimension that ``max`` lacks is not managed here: demand for it is not looked at. One that
    ``min`` lacks is guaranteed nothing, one that ``weight`` lacks has its max for weight.
    ``max_lent`` limits what of its min others may use, in the dimensions that it names.
    ``scale_min`` None follows the options. ``strict`` names dimensions whose max must not be
    below what is used; ``users`` are those whose jobs belong here if they name no group.
    ``back_within`` is in how many seconds the site wants all of its min back; nothing is computed
    from it. Where the mins of siblings exceed what there is, those of a higher ``priority`` come
    first. ``parts`` are amounts that are known only with the size of the pool, see :meth:`of`.
    """

    name: str
    parent: str = ""
    min: Amounts = field(default_factory=dict)
    max: Caps = field(default_factory=dict)
    weight: Amounts = field(default_factory=dict)
    lend: bool = True
    scale_min: bool | None = None
    strict: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    max_lent: Amounts = field(default_factory=dict)
    back_within: float | None = None
    priority: int = 0
    parts: PoolParts = field(default_factory=dict)

    def of(self, total: Amounts) -> ElasticGroup:
        """Return the group in a pool with ``total``: parts of it are amounts, rounded down."""
        if not self.parts:
            return self
        amounts: dict[str, Any] = {}
        for key, parts in self.parts.items():
            amounts[key] = dict(getattr(self, key))
            for name, part in parts.items():
                amounts[key][name] = math.floor(total.get(name, 0) * part)
        return replace(self, parts={}, **amounts)

    def names(self) -> set[str]:
        """Return the dimensions in which the group has a min, a max or a weight."""
        found = {*self.max, *self.min, *self.weight}
        return found.union(*self.parts.values())


@dataclass(frozen=True)
class ElasticQuotas:
    """The groups of one tree, in any order, and what holds for all of them."""

    groups: tuple[ElasticGroup, ...] = ()
    options: Options = field(default_factory=Options)

    def of(self, total: Amounts) -> ElasticQuotas:
        """Return the quotas in a pool with ``total``: parts of it are amounts, rounded down."""
        return replace(self, groups=tuple(group.of(total) for group in self.groups))


@dataclass(frozen=True)
class ElasticDemand:
    """The total, and the request and usage of each group's own jobs.

    Jobs of groups below a group are not among its own.

    ``request`` is everything that its jobs want, what they use included. ``guarantee`` is kept
    for a group besides its min. ``system_used`` and ``default_used`` are what jobs use that no
    quota binds and that no group takes.
    """

    total: Amounts = field(default_factory=dict)
    request: Mapping[str, Amounts] = field(default_factory=dict)
    used: Mapping[str, Amounts] = field(default_factory=dict)
    guarantee: Mapping[str, Amounts] = field(default_factory=dict)
    system_used: Amounts = field(default_factory=dict)
    default_used: Amounts = field(default_factory=dict)

    @property
    def effective_total(self) -> dict[str, int]:
        """The total of the groups: without what jobs use that belong to none of them."""
        total = {}
        for name, amount in self.total.items():
            used = self.system_used.get(name, 0) + self.default_used.get(name, 0)
            total[name] = max(0, amount - used)
        return total


def least(amount: int, cap: int | None) -> int:
    """Return ``amount``, or ``cap`` where that is less."""
    if cap is None:
        return amount
    return min(amount, cap)
