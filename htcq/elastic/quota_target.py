"""The target of a group's quota, with what the next quotas are decided by."""

from __future__ import annotations

from dataclasses import dataclass

#: Why a group accepts no surplus: what is free could take it beyond its max; another group does not
#: lend what is left of its min; the group is below its min, and surplus that is allocated is not
#: there.
MAX, UNLENT, TURNS = "max", "unlent", "turns"


@dataclass(frozen=True)
class QuotaTarget:
    """The quota of one group, as it would be written now; amounts in slot weight.

    ``runtime`` is the weight of the runtime, ``headroom`` what the quota has beyond it for jobs to
    come, ``least`` the weight of the min in effect, ``guaranteed`` that of the declared min: it is
    more where mins exceed what there is, and then a higher ``priority`` comes first. ``most`` is
    the weight of the max (None: none below the pool). ``hungry``: the group asks for more than its
    runtime. ``in_need``: idle jobs of the group have a part of its runtime to wait for. ``binding``
    is the dimension of the runtime that is used up first, empty where there is none. ``held`` is
    why the group accepts no surplus: :data:`MAX`, :data:`UNLENT` or :data:`TURNS`, empty where it
    accepts some. ``parent`` is empty at the top level; the quota of a parent covers its children.
    """

    group: str
    parent: str
    leaf: bool
    quota: float
    accept_surplus: bool
    headroom: float = 0.0
    binding: str = ""
    runtime: float = 0.0
    least: float = 0.0
    most: float | None = None
    hungry: bool = False
    in_need: bool = False
    held: str = ""
    guaranteed: float = 0.0
    priority: int = 0
