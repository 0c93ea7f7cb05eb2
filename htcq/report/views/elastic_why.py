"""What elastic quotas give one group now, who has what it lends, and what brings it back."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.elastic.activity import ON
from htcq.elastic.fitted_runtime import held_back
from htcq.elastic.reclaim.borrowed import SLACK
from htcq.elastic.status import Status
from htcq.quota.elastic.group_runtime import GroupRuntime
from htcq.report.moments import moment
from htcq.report.views.elastic_back import back_sentence
from htcq.report.views.elastic_status import amount_of


def elastic_why(status: Status, name: str) -> Iterator[str]:
    """Yield sentences about the group ``name``, in any case; none where there is no such group."""
    groups = status.outcome.groups
    group = next((each for each in groups if each.name.lower() == name.lower()), None)
    if group is None:
        return
    for dimension in sorted(group.declared(group.runtime)):
        yield _standing(group, dimension)
        yield from _lent(status, group, dimension)
        yield from _below(status, group, dimension)
    yield from (
        f"{group.name}: {back_sentence(each)}"
        for each in status.mins_back
        if each.group == group.name
    )
    for sentence in held_back(status.outcome, status.observation):
        if sentence.startswith(f"jobs of {group.name} "):
            yield sentence
    if status.activity.word != ON:
        yield status.activity.sentence


def _standing(group: GroupRuntime, name: str) -> str:
    cap = group.max[name]
    most = "unlimited"
    if cap is not None:
        most = amount_of(name, cap)
    return (
        f"{group.name}: {name}: may use {amount_of(name, group.runtime[name])} now (min "
        f"{amount_of(name, group.scaled_min[name])}, max {most}), uses "
        f"{amount_of(name, group.used[name])} and asks for "
        f"{amount_of(name, group.child_request[name])}"
    )


def _lent(status: Status, group: GroupRuntime, name: str) -> Iterator[str]:
    """Yield who uses what the group lends."""
    unused = group.scaled_min[name] - group.used[name]
    borrowers = _borrowers(status, group, name)
    if unused > 0 and borrowers:
        yield f"{amount_of(name, unused)} {name} of its min are unused; beyond their own mins " + (
            f"{', '.join(borrowers)}"
        )


def _borrowers(status: Status, group: GroupRuntime, name: str) -> list[str]:
    found = []
    for each in status.outcome.groups:
        if each.parent != group.parent or each.name == group.name or name not in each.runtime:
            continue
        more = each.used[name] - each.scaled_min[name]
        if more > 0:
            found.append(f"{each.name} uses {amount_of(name, more)}")
    return found


def _below(status: Status, group: GroupRuntime, name: str) -> Iterator[str]:
    """Yield who has the rest of the min, if jobs wait for it.

    In what time slot weight comes back is said by ``status.mins_back``.
    """
    wanted = min(group.scaled_min[name], group.child_request[name]) - group.used[name]
    if wanted <= 0:
        return
    over = {each.name for each in status.outcome.groups if each.over.get(name, 0) > 0}
    claims = [each for each in status.observation.claims if each.group in over]
    amount = f"{amount_of(name, wanted)} {name}"
    if not claims:
        yield f"{amount} of its min are missing and free: the next negotiation cycle matches them"
        return
    names = ", ".join(sorted(over))
    oldest = min((each.started for each in claims if each.started is not None), default=None)
    since = ""
    if oldest is not None:
        since = f", the oldest since {moment(int(oldest))}"
    if any(each.group == group.name and each.lent > SLACK for each in status.mins_back):
        yield (
            f"{amount} of its min are missing; claims of groups that use more than they may: "
            f"{len(claims)} of {names}{since}"
        )
        return
    yield (
        f"{amount} of its min are missing: they come back as the {len(claims)} claims of "
        f"{names} end{since}, or as reclaim, where it runs, vacates some of them after "
        f"{status.limits.need_for:.0f} s of need"
    )
