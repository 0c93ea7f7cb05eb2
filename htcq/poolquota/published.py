"""What a negotiator publishes of its groups and submitters, and how far it can be believed.

Follows Accountant.cpp (ReportState, publishing accounting ads) and matchmaker.cpp
(forwardGroupAccounting), HTCondor 25.14. There is one ad for each group and each submitter, in the
pool's unit, after every cycle. NaN and negative numbers have been seen in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import Number
from htcq.poolquota.leases import restored
from htcq.quota.cycle_quotas import GroupQuota
from htcq.quota.group_tree import ROOT, name_key

#: Ads older than this many seconds say what was: the collector keeps none for longer
#: (CLASSAD_LIFETIME).
MAX_AGE = 900
#: Numbers that differ by less than this part of the greater one are the same.
SAME = 1e-6
_NAMELESS = "(nameless)"


@dataclass(frozen=True)
class Mark:
    """One attribute of a group that is published other than it should have been computed."""

    attribute: str
    published: float | str
    computed: float | str


class Published:
    """The accounting ads of one negotiator.

    ``negotiator`` names it; empty: the one that most ads of groups come from. A collector may
    have several.
    """

    def __init__(self, pool: Pool, negotiator: str = "") -> None:
        self._pool = pool
        by_negotiator: dict[str, list[Record]] = {}
        for record in pool.accounting:
            by_negotiator.setdefault(record.text("NegotiatorName"), []).append(record)
        groups = {name: sum(map(_is_group, records)) for name, records in by_negotiator.items()}
        self.negotiators = tuple(
            sorted(groups, key=lambda name: (-groups[name], -len(by_negotiator[name]), name))
        )
        self.negotiator = negotiator
        if self.negotiators and not negotiator:
            self.negotiator = self.negotiators[0]
        found = by_negotiator.get(self.negotiator, [])
        #: The ads by name, of groups and of submitters.
        self.accounts: Mapping[str, Record] = {
            record.name: restored(record, self.moment) for record in reversed(found)
        }
        if len(self.negotiators) < 2 or negotiator:
            # Ads are published after a cycle, and by 23.9 of nobody who never used anything: what
            # the negotiator says of a submitter when it is asked is newer.
            asked = (record for record in pool.priorities if not _is_group(record))
            renewed = (self._renewed(record) for record in asked)
            self.accounts = {
                **self.accounts,
                **{each.name: restored(each, self.moment) for each in renewed},
            }
        self._by_key = {name_key(name): record for name, record in self.accounts.items()}

    def _renewed(self, record: Record) -> Record:
        """Return what is published of a submitter with what ``record`` says of it."""
        published = self.accounts.get(record.name)
        if published is None:
            return record
        return replace(record, values={**published.values, **record.values})

    def account(self, name: str) -> Record | None:
        """Return the ad of a submitter, or of a group whatever the case of its name.

        It is None where there is none. Submitters whose names differ in case are several
        (Accountant.cpp, 23.9 and 25.14).
        """
        if "@" in name:
            return self.accounts.get(name)
        return self._by_key.get(name_key(name))

    def usage(self, name: str) -> Number | None:
        """Return the published usage.

        It is None where there is none that can be believed: it is 0 or more.
        """
        record = self.account(name)
        if record is None:
            return None
        used = record.number("WeightedResourcesUsed")
        if used is None or not 0 <= used < math.inf:
            return None
        return used

    @property
    def pool_weight(self) -> float | None:
        """What the negotiator's last cycle shared out: the root's subtree quota.

        It is None where that is not known.
        """
        root = self.account(ROOT)
        if root is None:
            return None
        weight = root.number("SubtreeQuota")
        if weight is None or not 0 < weight < math.inf:
            return None
        return float(weight)

    @cached_property
    def age(self) -> float | None:
        """How many seconds before the capture the collector last heard of the groups.

        It is None where nobody says.
        """
        root = self.account(ROOT)
        if root is None:
            return None
        heard, now = root.number("LastHeardFrom"), self.moment
        if heard is None or now is None:
            return None
        return max(0.0, now - heard)

    @cached_property
    def moment(self) -> float | None:
        """When the pool was captured, in seconds since 1970."""
        return self._pool.moment

    def marks(self, groups: Sequence[GroupQuota]) -> Mapping[str, tuple[Mark, ...]]:
        """Return by group the published values that differ from ``groups`` (same pool weight).

        Who publishes the root publishes all groups: one that is missing is not known to the
        negotiator.
        """
        none = self.account(ROOT) is None
        marks: dict[str, tuple[Mark, ...]] = {}
        for group in groups:
            record = self.account(group.name)
            if record is not None:
                marks[group.name] = tuple(_differences(record, group))
            elif none:
                marks[group.name] = ()
            else:
                marks[group.name] = (Mark("EffectiveQuota", "nothing", group.quota),)
        return marks

    def doubts(self, names: Sequence[str], max_age: float = MAX_AGE) -> Iterator[str]:
        """Yield, as sentences, why published values of the groups ``names`` are not reliable."""
        if len(self.negotiators) > 1:
            others = [name or _NAMELESS for name in self.negotiators if name != self.negotiator]
            verb = "is"
            if len(others) > 1:
                verb = "are"
            hidden = f"{' and '.join(others)} {verb} not"
            shown = f"{self.negotiator or _NAMELESS} is shown, {hidden}"
            yield f"this collector has {len(self.negotiators)} negotiators: {shown}"
        if self.age is not None and self.age > max_age:
            yield (
                f"the negotiator last published its groups {self.age:.0f} s before: more than "
                f"{max_age:g} s"
            )
        for name in names:
            record = self.account(name)
            if record is None:
                continue
            used = _number(record, "WeightedResourcesUsed")
            if used is not None and self.usage(name) is None:
                yield (
                    f"the published usage of {name} is {used:g}: what its claimed slots weigh "
                    "counts instead"
                )


def _differences(record: Record, group: GroupQuota) -> Iterator[Mark]:
    numbers = {
        "ConfigQuota": group.group.config_quota,
        "EffectiveQuota": group.quota,
        "SubtreeQuota": group.subtree_quota,
    }
    for attribute, computed in numbers.items():
        published = _number(record, attribute)
        if published is not None and not same(published, computed):
            yield Mark(attribute, published, computed)
    policy = record.text("SurplusPolicy")
    expected = "no"
    if group.group.autoregroup:
        expected = "regroup"
    elif group.group.accept_surplus:
        expected = "byquota"
    if policy and policy != expected:
        yield Mark("SurplusPolicy", policy, expected)


def _is_group(record: Record) -> bool:
    return record.value("IsAccountingGroup") is True


def _number(record: Record, attribute: str) -> float | None:
    """Return a published number as it is, NaN and infinities too; None where there is none."""
    value = record.value(attribute)
    if not isinstance(value, (int, float)):
        return None
    return float(value)


def same(one: float, other: float) -> bool:
    """Return whether two amounts are the same but for rounding; NaN is the same as nothing."""
    return math.isclose(one, other, rel_tol=SAME, abs_tol=1e-9)
