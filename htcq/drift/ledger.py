"""The ledger of elastic quotas: how much of each group's guarantee is used, lent and unused.

It counts real usage, whatever a runtime allows. A group's guarantee is its min, or its part of that
where the pool has less than the sum of all mins. Usage up to the guarantee is the group's own,
usage beyond it is borrowed. The rest of the guarantee is lent as far as others use it, and
otherwise unused. So for every group and dimension, at every moment

    used = own + borrowed,    guarantee = own + lent + unused,

and all groups together, with the usage outside of the quotas, have borrowed what all have lent and
what is spare: the part that no group is guaranteed. The children of a group use its guarantee
first; others get it only when nothing is spare.
"""

from __future__ import annotations

from dataclasses import dataclass

#: The amounts of an entry, as they stand in every record of the ledger.
AMOUNTS = ("min", "runtime", "used", "lent", "borrowed", "unused")


@dataclass(frozen=True)
class LedgerEntry:
    """One group in one dimension at one observation, in whole units of the dimension.

    The entry of a parent group covers its children: what these lend each other is not lent by it.
    ``<self>`` below a group is what its min leaves to its own jobs, ``<default>`` the usage outside
    of the quotas, ``<none>`` everything: its runtime is the whole pool, its lent and borrowed are
    the sums over the groups without children.
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
