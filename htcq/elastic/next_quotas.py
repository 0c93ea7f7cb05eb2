"""The next quotas: a function of the targets of this observation and of the previous quotas.

A quota takes nothing from a running job: HTCondor only matches no further slots to a group that
uses it up. So quotas are not damped: where a rule says that the previous quotas harm somebody, all
groups get their targets in one step, and otherwise nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.quota_target import QuotaTarget

#: Why a group's quota is written: there are no elastic quotas yet; the quota is outside of min and
#: max; the group may have more and waits; another group waits for what this one may take; much more
#: may be lent than before. And why it is not: nothing of that holds.
FIRST, BOUNDS, WITHHELD, EXPOSED, OFFER = "first", "bounds", "withheld", "exposed", "offer"
KEPT = "kept"
#: Weights that differ by less are the same.
_SLACK = 1e-6


@dataclass(frozen=True)
class NextQuotas:
    """The quotas of the next step by group.

    ``why`` has the rule by which a group's quota is written, or :data:`KEPT` for a group whose
    quota is not its target.
    """

    quotas: Mapping[str, float]
    why: Mapping[str, str]


def next_quotas(
    targets: Iterable[QuotaTarget],
    previous: Mapping[str, float] | None,
    pool_weight: float,
    offer_step: float,
) -> NextQuotas:
    """Return the next quotas.

    ``previous`` are the elastic quotas in force, None where there are none. ``offer_step`` is the
    part of the pool by which an offer that nobody waits for must grow to be written.
    """
    known = list(targets)
    targeted = {each.group: each.quota for each in known}
    if previous is None:
        return NextQuotas(targeted, dict.fromkeys(targeted, FIRST))
    due = dict(_due(known, previous, max(1.0, offer_step * pool_weight)))
    if due or previous.keys() != targeted.keys():
        return NextQuotas(targeted, due)
    kept = {each.group: KEPT for each in known if abs(each.quota - previous[each.group]) > _SLACK}
    return NextQuotas({name: previous[name] for name in targeted}, kept)


def _due(
    known: Sequence[QuotaTarget], previous: Mapping[str, float], step: float
) -> Iterator[tuple[str, str]]:
    """Yield the groups whose quotas must be written, and the rule that says so."""
    somebody_waits = any(each.in_need for each in known)
    for each in known:
        quota = previous.get(each.group)
        if quota is None or _outside(each, quota):
            yield each.group, BOUNDS
        elif quota < each.runtime - _SLACK:
            yield each.group, WITHHELD
        elif somebody_waits and each.hungry and quota > each.quota + _SLACK:
            yield each.group, EXPOSED
        elif each.quota - quota > step - _SLACK:
            yield each.group, OFFER


def _outside(target: QuotaTarget, quota: float) -> bool:
    if quota < target.least - _SLACK:
        return True
    return target.most is not None and quota > target.most + _SLACK
