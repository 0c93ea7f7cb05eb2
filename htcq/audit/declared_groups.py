"""Declared groups as a tree, and the quota of each group with the groups below it.

Follows GroupEntry::hgq_assign_quotas of src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14:
amounts come first, shares are parts of the rest. Amounts are slot weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from htcq.audit.input import Input
from htcq.audit.rule import AnyRule, Fact, Results, Rule, Severity
from htcq.audit.subject import Subject
from htcq.settings import DeclaredGroup, GroupSettings
from htcq.settings.tables import SITE_FILE

#: Sums of decimal fractions miss by less than this part.
DUST = 1e-9


@dataclass(frozen=True)
class DeclaredGroups(Subject):
    """The declared groups, the day of the check, and the slot weight of the pool if it is known."""

    settings: GroupSettings
    today: date
    pool_weight: float | None = None

    @property
    def groups(self) -> tuple[DeclaredGroup, ...]:
        """Every group, parents before their children."""
        return self.settings.groups

    @cached_property
    def _below(self) -> Mapping[str, Sequence[DeclaredGroup]]:
        below: dict[str, list[DeclaredGroup]] = {}
        for group in self.groups:
            below.setdefault(group.parent, []).append(group)
        return below

    def below(self, name: str) -> Sequence[DeclaredGroup]:
        """Return the children of a group; the empty name has the top-level groups."""
        return self._below.get(name, ())

    def static_sum(self, name: str) -> float:
        """Return the sum of the amounts of the children of a group."""
        return sum(group.config_quota for group in self.below(name) if group.static)

    def share_sum(self, name: str) -> float:
        """Return the sum of the shares of the children of a group."""
        return sum(group.config_quota for group in self.below(name) if not group.static)

    @cached_property
    def amounts(self) -> Mapping[str, float | None]:
        """The quota of each group with the groups below it, by name, in slot weight.

        The quota is None where it depends on a pool's weight that is not known. The top level
        has the empty name.
        """
        amounts: dict[str, float | None] = {"": self.pool_weight}
        for group in self.groups:
            above = amounts[group.parent]
            if group.static or not group.config_quota:
                amounts[group.name] = group.config_quota
            elif above is None:
                amounts[group.name] = None
            else:
                left = max(0.0, above - self.static_sum(group.parent))
                amounts[group.name] = (
                    group.config_quota * left / max(self.share_sum(group.parent), 1.0)
                )
        return amounts


def fact_of(group: DeclaredGroup) -> Fact:
    """Return the declared quota or share of a group as evidence."""
    key, value = "share", "(not given)"
    if group.static:
        key = "quota"
    if group.configured:
        value = f"{group.config_quota:g}"
    return Fact(f"groups.{group.name}.{key}", value, SITE_FILE)


def those_below(name: str) -> str:
    """Return the words for the children of a group; the empty name has the top-level groups."""
    if name:
        return f"the groups right below {name}"
    return "the top-level groups"


def on_declared(
    rule: AnyRule, find: Callable[[DeclaredGroups], Results], severity: Severity | None = None
) -> Rule[DeclaredGroups]:
    """Return a rule on pools as a rule on declared groups.

    ``severity`` replaces the rule's own: a mild finding in a pool may be an error in a declaration.
    """
    return replace(rule, needs=(Input.DECLARED,), find=find, severity=severity or rule.severity)
