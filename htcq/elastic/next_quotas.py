"""The next quotas: a function of the targets of this observation and of the quotas in force.

A quota takes nothing from a running job: HTCondor only matches no further slots to a group that
uses it up. So quotas are not damped: where a rule says that the quotas in force harm somebody, all
groups get their targets in one step, and otherwise nothing is written. A claim that begins or ends
changes who is below its min and who has its max; that alone harms nobody: the cycles in which a
step is tried (:mod:`htcq.elastic.step_simulation`) are computed with the quotas in force as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota, elastic_file
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.step_simulation import Demands, broken_by, forecast, returned

#: Why a group's quota is written: there are no elastic quotas yet; the quota is outside of min and
#: max, or above the pool; the group may have more and waits; with the quotas in force it could take
#: the min of another group, or exceed its max; it would be matched much more. And why it is not:
#: nothing of that.
FIRST, BOUNDS, WITHHELD, EXPOSED, OFFER = "first", "bounds", "withheld", "exposed", "offer"
KEPT = "kept"
#: Weights that differ by less are the same.
_SLACK = 1e-6
#: The part of what is borrowed that may end until quotas are looked at again.
_ENDING = 0.5


@dataclass(frozen=True)
class NextQuotas:
    """The file of the next step.

    ``why`` has by group the rule by which its quota is written, or :data:`KEPT` for a group whose
    quota is not its target.
    """

    file: QuotaKnobs
    why: Mapping[str, str]


def next_quotas(
    targets: Sequence[QuotaTarget],
    in_force: QuotaKnobs | None,
    found: Demands,
    offer_step: float,
) -> NextQuotas:
    """Return the next quotas.

    ``in_force`` are the elastic quotas in force, None where there are none. ``offer_step`` is the
    part of the pool that a group must gain, where no min and no max is at stake.
    """
    wanted = elastic_file(targets, {each.group: each.quota for each in targets})
    if in_force is None:
        return NextQuotas(wanted, {each.group: FIRST for each in targets})
    present = {each.group: each for each in in_force.groups}
    step = max(1.0, offer_step * found.pool_weight)
    due = dict(_unfit(targets, present, found.pool_weight, found.free > step - _SLACK))
    if due or present.keys() != {each.group for each in targets}:
        return NextQuotas(wanted, due)
    differing = {each.group for each in wanted.groups if each != present[each.group]}
    if not differing:
        return NextQuotas(in_force, {})
    for broken in broken_by(in_force, targets, found):
        due[broken.other] = EXPOSED
    if not due:
        due = dict.fromkeys(_gaining(wanted, in_force, targets, found, step), OFFER)
    if due:
        return NextQuotas(wanted, due)
    return NextQuotas(in_force, dict.fromkeys(sorted(differing), KEPT))


def _unfit(
    targets: Sequence[QuotaTarget], present: Mapping[str, WrittenQuota], pool: float, there: bool
) -> Iterator[tuple[str, str]]:
    """Yield the groups whose quotas in force do not fit them, and the rule that says so.

    A quota above the weight of the ``pool`` is one of a pool that was larger.
    ``there``: slots are free. A group that waits all the same is not lent what it may have.
    """
    for each in targets:
        written = present.get(each.group)
        if written is None or _outside(each, written.quota, pool):
            yield each.group, BOUNDS
        elif written.accept_surplus and each.held:
            yield each.group, EXPOSED
        elif written.quota < min(each.runtime, each.quota) - _SLACK and (
            not each.accept_surplus or (there and each.in_need)
        ):
            yield each.group, WITHHELD


def _outside(target: QuotaTarget, quota: float, pool: float) -> bool:
    if quota < target.least - _SLACK or quota > max(pool, target.quota) + _SLACK:
        return True
    return target.most is not None and quota > target.most + _SLACK


def _gaining(
    wanted: QuotaKnobs,
    in_force: QuotaKnobs,
    targets: Sequence[QuotaTarget],
    found: Demands,
    step: float,
) -> Iterator[str]:
    """Yield the leaves that would be matched more: together by ``step``, or as claims end."""
    leaves = [each.group for each in targets if each.leaf]
    pool, demand, settings = found.pool_weight, found.demand, found.settings
    for usage in (found.usage, returned(targets, found.usage, _ENDING)):
        then = forecast(wanted, pool, demand, usage, settings=settings).after
        now = forecast(in_force, pool, demand, usage, settings=settings).after
        gained = {name: then[name] - now[name] for name in leaves}
        if sum(gained.values()) > step - _SLACK:
            yield from (name for name, more in gained.items() if more > _SLACK)
        yield from (name for name, more in gained.items() if more > step - _SLACK)
