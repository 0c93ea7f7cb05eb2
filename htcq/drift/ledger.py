"""The ledger of elastic quotas: what of each group's guarantee others used, and what nobody did.

It is about what is really used, whatever a runtime allows. A group's guarantee is its min, or its
part of that where the pool has less than all mins come to. What the group uses up to that is its
own, what it uses beyond is borrowed. What it leaves of its guarantee is lent as far as somebody
else uses it, else unused. So for every group and dimension, at every moment

    used = own + borrowed,    guarantee = own + lent + unused,

and together all groups, with whoever is outside of the quotas, have borrowed what all have lent
and what is spare: what nobody is guaranteed. Groups below one and the same group first have what
that is guaranteed; others come to it when nothing is spare.
"""

from __future__ import annotations

from dataclasses import dataclass

#: The amounts of an entry, as they stand in every record of the ledger.
AMOUNTS = ("min", "runtime", "used", "lent", "borrowed", "unused")


@dataclass(frozen=True)
class LedgerEntry:
    """One group in one dimension at one look, in whole units of the dimension.

    A group with groups below it stands here as they all do together: what they lend each other
    is not lent by it. ``<self>`` below a group is what its min leaves to its own jobs,
    ``<default>`` whatever is used outside of the quotas, ``<none>`` everything: its runtime is
    all that the pool has, its lent and borrowed are the sums of what groups with no others below
    them have lent and borrowed.
    """

    group: str
    dimension: str
    min: int = 0
    runtime: int = 0
    used: int = 0
    lent: int = 0
    borrowed: int = 0
    unused: int = 0


@dataclass(frozen=True)
class Booking:
    """The entries of one group in one dimension from ``since`` to ``until``.

    ``seconds`` of that time were observed.

    The amounts of ``sums`` are sums over time: units of the dimension times seconds.
    """

    sums: LedgerEntry
    since: int
    until: int
    seconds: int
