"""Differences between declared, configured, published and computed quotas at one moment.

Published quotas are compared for the pool weight that the negotiator counted itself: a pool that
has changed since is no difference. Amounts are in the pool's unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Union

from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting
from htcq.poolquota.published import same
from htcq.quota.group_tree import ROOT

#: What can differ. Of what is declared (one) and configured (the other): ``kind`` (static or
#: dynamic), ``quota``, ``accept-surplus``, ``autoregroup``, a group that is ``not-configured`` or
#: ``not-declared``. Of what the negotiator published (one) and what it should have (the other):
#: ``effective`` and, with all groups below, ``subtree``; where nothing that is a number is
#: published of a group it is ``not-published``.
What = Literal[
    "not-configured",
    "not-declared",
    "kind",
    "quota",
    "accept-surplus",
    "autoregroup",
    "not-published",
    "effective",
    "subtree",
]
Side = Union[float, bool, str, None]
STATIC, DYNAMIC = "static", "dynamic"


@dataclass(frozen=True)
class QuotaDifference:
    """One difference: the values of the two sources, None where a source has none."""

    group: str
    what: What
    one: Side
    other: Side


def differences(observation: DriftObservation) -> tuple[QuotaDifference, ...]:
    """Return every difference, group by group.

    Groups that are not declared are differences only if the site declares any.
    """
    declares = any(group.declared is not None for group in observation.groups)
    publishes = any(group.effective is not None for group in observation.groups)
    found: list[QuotaDifference] = []
    for group in observation.groups:
        found += settings_differ(group.name, group.declared, group.configured, declares)
        found += _published(group, publishes)
    return tuple(found)


def settings_differ(
    group: str, declared: QuotaSetting | None, configured: QuotaSetting | None, declares: bool
) -> Iterator[QuotaDifference]:
    """Yield how the two settings of ``group`` differ.

    ``declares``: the site declares groups.
    """
    if configured is None:
        if declared is not None:
            yield QuotaDifference(group, "not-configured", declared.quota, None)
        return
    if declared is None:
        if declares and group != ROOT:
            yield QuotaDifference(group, "not-declared", None, configured.quota)
        return
    if declared.static is not configured.static:
        yield QuotaDifference(group, "kind", kind(declared), kind(configured))
    if not same(declared.quota, configured.quota):
        yield QuotaDifference(group, "quota", declared.quota, configured.quota)
    if declared.accept_surplus is not configured.accept_surplus:
        yield QuotaDifference(
            group, "accept-surplus", declared.accept_surplus, configured.accept_surplus
        )
    if declared.autoregroup is not configured.autoregroup:
        yield QuotaDifference(group, "autoregroup", declared.autoregroup, configured.autoregroup)


def kind(setting: QuotaSetting) -> str:
    """Return HTCondor's word for an amount or for a share."""
    if setting.static:
        return STATIC
    return DYNAMIC


def _published(group: GroupObservation, publishes: bool) -> Iterator[QuotaDifference]:
    """Yield where the published quotas differ from the expected ones.

    Where nothing is published, nothing is known: that is no difference.
    """
    if group.computed is None or not publishes:
        return
    if group.effective is None:
        yield QuotaDifference(group.name, "not-published", None, group.computed)
        return
    if not same(group.effective, group.computed):
        yield QuotaDifference(group.name, "effective", group.effective, group.computed)
    one, other = group.effective_subtree, group.computed_subtree
    if one is None or other is None or same(one, other):
        return
    # Of a group without children both are the same number, which is reported once.
    if not (same(one, group.effective) and same(other, group.computed)):
        yield QuotaDifference(group.name, "subtree", one, other)
