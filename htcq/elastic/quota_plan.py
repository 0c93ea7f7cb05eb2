"""The plan of one step: the new quotas, their effect, and the id of the plan.

The id has the time of the plan and a digest of what decides: the declared quotas, the quotas in
force, the weight of the pool, and the file to be written. If the pool changes so far that another
file would be written, the plan is another one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone

from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota, number_text
from htcq.elastic.quota_target import QuotaTarget
from htcq.elastic.records import PARTS, WEIGHT, ElasticObservation, GroupClaim
from htcq.quota.elastic.declaration import ElasticQuotas

_ID_LENGTH = 12
_STAMP = "%Y%m%dT%H%M%SZ"
#: Weights that differ by less are the same.
_SLACK = 1e-6


@dataclass(frozen=True)
class GroupPlan:
    """One group; amounts in slot weight, times in seconds.

    ``target`` is the quota as of this observation, ``written`` the quota in the file, ``before``
    the quota that the negotiator has (None: none), ``rule`` why it is written or kept.
    ``used`` is the usage of the group and those below it, ``over`` the part of it above the quota.
    ``drains`` is an estimate of when that has ended by itself; None: perhaps never.
    """

    target: QuotaTarget
    written: WrittenQuota
    before: float | None
    rule: str = ""
    used: float = 0.0
    over: float = 0.0
    drains: float | None = 0.0

    @property
    def group(self) -> str:
        """The name of the group."""
        return self.target.group

    @property
    def change(self) -> float:
        """By how much the quota changes."""
        return self.written.quota - (self.before or 0.0)


@dataclass(frozen=True)
class QuotaPlan:
    """The quotas to be written for one negotiator; ``taken_at`` is in seconds since 1970.

    ``static_serves``: HTCondor keeps these promises with static quotas as well. ``ceilings`` are
    those of submitters, which are never changed. ``problems`` are sentences about what could not be
    counted.
    """

    id: str
    inputs: str
    taken_at: float
    negotiator: str
    pool_weight: float
    groups: tuple[GroupPlan, ...]
    file: QuotaKnobs
    changes: bool
    static_serves: bool = False
    ceilings: Mapping[str, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def over(self) -> tuple[GroupPlan, ...]:
        """The groups that would use more than their quota and accept no surplus."""
        return tuple(group for group in self.groups if group.over > 0)

    def beyond_max(self, group: GroupPlan) -> float:
        """Return by how much a group could exceed its max in one cycle, in slot weight.

        HTCondor hands out surplus up to all that is free.
        """
        most = group.target.most
        if most is None or not group.written.accept_surplus:
            return 0.0
        used = sum(each.used for each in self.groups if not each.target.parent)
        free = max(0.0, self.pool_weight - used)
        return max(0.0, group.used + free - most)


def plan_of(
    declared: ElasticQuotas,
    targets: Sequence[QuotaTarget],
    file: QuotaKnobs,
    rules: Mapping[str, str],
    observation: ElasticObservation,
    in_force: QuotaKnobs | None,
    settings_text: str = "",
    worklife: float = 0.0,
    ceilings: Mapping[str, float] | None = None,
    now: float = 0.0,
) -> QuotaPlan:
    """Return the plan, made at ``now``, by which ``file`` replaces the quotas ``in_force``.

    ``in_force`` is None where no quotas of ours are in force.
    """
    by_name = {each.group: each for each in targets}
    usage = _with_below(file, observation.weights)
    groups = []
    for each in file.groups:
        used = usage.get(each.group, 0.0)
        over = used - each.quota
        if over <= _SLACK or each.accept_surplus:
            over = 0.0
        claims = _claims_of(each.group, observation.claims)
        groups.append(
            GroupPlan(
                by_name[each.group],
                each,
                observation.configured.get(each.group),
                rules.get(each.group, ""),
                used,
                over,
                drain_seconds(claims, over, observation, worklife),
            )
        )
    inputs = _digest(_inputs(declared, observation, in_force, settings_text))
    written = file.knobs()
    return QuotaPlan(
        id=plan_id(now, inputs, file),
        inputs=inputs,
        taken_at=observation.taken_at,
        negotiator=observation.negotiator,
        pool_weight=observation.pool_weight,
        groups=tuple(groups),
        file=file,
        changes=in_force is None or in_force.knobs() != written,
        static_serves=_static_serves(declared, targets),
        ceilings=ceilings or {},
        problems=observation.problems,
    )


def _static_serves(declared: ElasticQuotas, targets: Sequence[QuotaTarget]) -> bool:
    """Return whether no max is below the pool, every group has a min, and lends all of it.

    No min may come before another either. Static quotas guarantee and lend within a cycle; a group
    without a min has no part of the surplus that others ask for.
    """
    lends = all(group.lend and not group.max_lent for group in declared.groups)
    ordered = any(group.priority for group in declared.groups)
    return lends and not ordered and all(each.most is None and each.least > 0 for each in targets)


def _with_below(file: QuotaKnobs, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the usage of each group with those below it; ``weights`` is that of its own jobs."""
    used = {each.group: 0.0 for each in file.groups}
    for name, weight in weights.items():
        place = name
        while place:
            if place in used:
                used[place] += weight
            place = place.rpartition(".")[0]
    return used


def _claims_of(group: str, claims: Iterable[GroupClaim]) -> list[GroupClaim]:
    """Return the claims of a group and those below it."""
    below = f"{group}."
    return [claim for claim in claims if f"{claim.group}.".startswith(below)]


def drain_seconds(
    claims: Sequence[GroupClaim], over: float, observation: ElasticObservation, worklife: float
) -> float | None:
    """Estimate after how many seconds claims of ``over`` slot weight have ended by themselves.

    None: perhaps never.

    A schedd keeps a claim for more jobs of its user until it is ``worklife`` seconds old (less
    than 0: forever); its job then runs on, as long as a job of these has run on average.
    """
    if over <= 0:
        return 0.0
    now = observation.taken_at
    ages = [now - claim.started for claim in claims if claim.started is not None]
    if not ages:
        return None
    typical = sum(ages) / len(ages)
    waiting = {each.submitter for each in observation.idle if each.count > 0}
    ends: list[tuple[float, float]] = []
    for claim in claims:
        weight = claim.amounts.get(WEIGHT, 0) / PARTS
        if claim.submitter not in waiting:
            ends.append((typical, weight))
        elif worklife >= 0:
            age = 0.0
            if claim.started is not None:
                age = now - claim.started
            ends.append((typical + max(0.0, worklife - age), weight))
    freed = 0.0
    for seconds, weight in sorted(ends):
        freed += weight
        if freed >= over - _SLACK:
            return seconds
    return None


def _inputs(
    declared: ElasticQuotas,
    observation: ElasticObservation,
    in_force: QuotaKnobs | None,
    settings: str,
) -> object:
    groups = []
    for each in declared.groups:
        amounts = [dict(each.min), dict(each.max), dict(each.weight)]
        groups.append([each.name, each.parent, *amounts, each.lend, str(each.scale_min)])
        if each.priority:
            groups[-1].append(each.priority)
    knobs = None
    if in_force is not None:
        knobs = _listed(in_force)
    return [
        sorted(groups, key=str),
        repr(declared.options),
        settings,
        observation.negotiator,
        number_text(observation.pool_weight),
        knobs,
    ]


def _listed(file: QuotaKnobs) -> list[list[str]]:
    return [list(knob) for knob in file.knobs()]


def plan_id(made: float, inputs: str, file: QuotaKnobs) -> str:
    """Return the id of a plan that was ``made`` at that time.

    ``inputs`` is the digest of what decided, ``file`` the outcome.
    """
    stamp = datetime.fromtimestamp(int(made), tz=timezone.utc).strftime(_STAMP)
    return f"{stamp}-{_digest([inputs, _listed(file)])[:_ID_LENGTH]}"


def made_at(plan_id: str) -> float | None:
    """Return when the plan with that id was made, in seconds since 1970; None: it is no id."""
    stamp, _, digest = plan_id.partition("-")
    try:
        made = datetime.strptime(stamp, _STAMP).replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    if len(digest) != _ID_LENGTH:
        return None
    return made.timestamp()


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def differences(plan: QuotaPlan) -> Iterator[GroupPlan]:
    """Yield the groups whose quotas change."""
    for group in plan.groups:
        if group.before is None or abs(group.change) > _SLACK:
            yield group
