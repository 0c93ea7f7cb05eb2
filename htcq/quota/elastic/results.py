"""What is computed for elastic quotas, as records; the fields of a standing are the names in every output."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

from htcq.quota.elastic.groups import Amounts, Caps, Options
from htcq.quota.elastic.share import Sharing


@dataclass(frozen=True)
class Standing:
    """One group, every amount by dimension.

    ``child_request`` is what its jobs and the groups below it ask for, each up to its max; ``request`` the same, or min
    where the group does not lend. ``scaled_min`` is the min in effect, ``floor`` what is kept for the group and never
    more than its max. ``runtime`` is what it may use now. ``lent`` and ``borrowed`` compare that with ``scaled_min``,
    ``waiting`` with ``child_request``, ``over`` with ``used``. ``guaranteed`` is empty unless usage is guaranteed.
    ``implied`` has the kinds that the group has without naming them.
    """

    name: str
    parent: str
    leaf: bool
    lends: bool
    min: Amounts
    max: Caps
    weight: Amounts
    child_request: Amounts
    request: Amounts
    limited: Amounts
    used: Amounts
    allocated: Amounts
    guaranteed: Amounts
    scaled_min: Amounts
    floor: Amounts
    runtime: Amounts
    lent: Amounts
    borrowed: Amounts
    waiting: Amounts
    over: Amounts
    implied: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """All groups, parents before their children, siblings by name; and how every number of theirs came about.

    ``undistributed`` is what of ``effective_total`` is nobody's runtime; negative where floors exceed it. ``sharings``
    are by the name of the group whose runtime is shared (empty: what all share) and the dimension.
    """

    total: Amounts
    effective_total: Amounts
    undistributed: Amounts
    groups: tuple[Standing, ...]
    sharings: Mapping[tuple[str, str], Sharing] = field(default_factory=dict, repr=False)
    options: Options = field(default_factory=Options)

    @functools.cached_property
    def _by_name(self) -> dict[str, Standing]:
        return {group.name: group for group in self.groups}

    def find(self, name: str) -> Standing | None:
        """Return the group of that name; None where there is none."""
        return self._by_name.get(name)

    def __getitem__(self, name: str) -> Standing:
        """Return the group of that name.

        Raises:
            KeyError: there is none.
        """
        return self._by_name[name]
