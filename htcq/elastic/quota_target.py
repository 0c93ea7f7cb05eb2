"""What a group's quota should become."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QuotaTarget:
    """The quota of one group, in slot weight: what its runtime is worth, with ``headroom`` for a lender that wakes up.

    ``binding`` is the dimension of the runtime that is used up first, empty where there is none.
    ``parent`` is empty at the top level; that of groups with groups below them covers all of
    those. ``given`` is what a group that borrows has less of, because it is another's headroom.
    """

    group: str
    parent: str
    leaf: bool
    quota: float
    accept_surplus: bool
    headroom: float = 0.0
    binding: str = ""
    given: float = 0.0
