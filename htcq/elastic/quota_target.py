"""The target of a group's quota."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QuotaTarget:
    """The quota of one group in slot weight, with its ``headroom`` if it is a lender.

    The quota is the weight of the runtime and the headroom. ``binding`` is the dimension of the
    runtime that is used up first, empty where there is none. ``parent`` is empty at the top level;
    the quota of a parent covers its children. ``given`` is what a borrowing group gave to others as
    headroom.
    """

    group: str
    parent: str
    leaf: bool
    quota: float
    accept_surplus: bool
    headroom: float = 0.0
    binding: str = ""
    given: float = 0.0
