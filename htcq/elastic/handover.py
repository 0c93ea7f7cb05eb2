"""A plan that one process makes and another one writes, and the checks of the writer.

The process that makes plans evaluates ads, which anybody may write. The one that writes quotas
does not trust it: the groups must be the declared ones, the numbers possible, and the plan must
follow the last record of the journal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from htcq.elastic.gates import GateRefusal, foreign_file, grown
from htcq.elastic.journal import JournalState, PoolSeen
from htcq.elastic.journal_lines import look_from, look_keys
from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota
from htcq.elastic.quota_plan import made_at, plan_id
from htcq.elastic.records import PARTS, WEIGHT
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticGroup
from htcq.quota.group_tree import MAX_QUOTA
from htcq.settings.elastic_write import WriteSettings
from htcq.settings.tables import check_keys

SCHEMA = 1
_KIND = "htcq-elastic-plan"
_KEYS = (
    "kind",
    "schema",
    "plan",
    "inputs",
    "base",
    "negotiator",
    "groups",
    "static",
    "seen",
    "over",
)
_GROUP_KEYS = ("group", "quota", "accept_surplus")
_SEEN_KEYS = ("slots", "schedds", "pool_weight", "busy", "accepted", "usage")
_HINT = "'htcq elastic plan --save FILE' writes one"
_AGAIN = "the next observation makes a new plan"
#: What sums of numbers to a thousandth may be off by, of slot weight.
_SLACK = 1e-2


@dataclass(frozen=True)
class Handover:
    """A plan to be written, and what the journal keeps of its observation.

    ``base`` is the number of the journal's last record when the plan was made: a plan is written
    once, and only if nothing else was written in between. ``over`` counts the groups that would
    use more than their quota.
    """

    plan: str
    inputs: str
    base: int
    negotiator: str
    file: QuotaKnobs
    static: QuotaKnobs
    seen: PoolSeen
    over: int


def handover_json(given: Handover) -> dict[str, Any]:
    """Return ``given`` as a JSON object."""
    seen = given.seen
    return {
        "kind": _KIND,
        "schema": SCHEMA,
        "plan": given.plan,
        "inputs": given.inputs,
        "base": given.base,
        "negotiator": given.negotiator,
        "groups": _listed(given.file),
        "static": _listed(given.static),
        "seen": {**asdict(seen), "busy": list(seen.busy), "usage": look_keys(seen.usage)},
        "over": given.over,
    }


def _listed(file: QuotaKnobs) -> list[dict[str, Any]]:
    return [
        {"group": each.group, "quota": each.quota, "accept_surplus": each.accept_surplus}
        for each in file.groups
    ]


def handover_from(content: object, file: str) -> Handover:
    """Return the plan in the parsed JSON ``file``.

    Raises:
        InputError: it has another key, lacks one, or one has a value of another kind.
    """
    table = _table(content, _KEYS, "the whole", file)
    if table["kind"] != _KIND or table["schema"] != SCHEMA or isinstance(table["schema"], bool):
        raise InputError(f"{file} is not a plan of schema {SCHEMA}", _HINT)
    for key in ("plan", "inputs", "negotiator"):
        if not _is_short_text(table[key]):
            raise InputError(f"{file}: {key} is not a text of one line", _HINT)
    return Handover(
        plan=table["plan"],
        inputs=table["inputs"],
        base=_count(table["base"], "base", file),
        negotiator=table["negotiator"],
        file=_quotas(table["groups"], "groups", file),
        static=_quotas(table["static"], "static", file),
        seen=_seen(table["seen"], file),
        over=_count(table["over"], "over", file),
    )


def _is_short_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 1000 and value.isprintable()


def _seen(value: object, file: str) -> PoolSeen:
    if isinstance(value, Mapping):
        # Older plans have neither.
        value = {"accepted": 0, "usage": None, **value}
    table = _table(value, _SEEN_KEYS, "seen", file)
    busy = table["busy"]
    if not isinstance(busy, list) or not all(isinstance(each, str) for each in busy):
        raise InputError(f"{file}: seen.busy is not a list of names", _HINT)
    try:
        usage = look_from(table["usage"])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise InputError(f"{file}: seen.usage is not that of a look", _HINT) from None
    return PoolSeen(
        slots=_count(table["slots"], "seen.slots", file),
        schedds=_count(table["schedds"], "seen.schedds", file),
        pool_weight=_amount(table["pool_weight"], "seen.pool_weight", file),
        busy=tuple(busy),
        accepted=_amount(table["accepted"], "seen.accepted", file),
        usage=usage,
    )


def _table(value: object, keys: Sequence[str], where: str, file: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{file}: {where} is not an object", _HINT)
    prefix = f"{where}."
    if keys is _KEYS:
        prefix = ""
    check_keys(prefix, value, keys, file)
    for key in keys:
        if key not in value:
            raise InputError(f"{file}: {where} has no {key}", _HINT)
    return value


def _quotas(value: object, where: str, file: str) -> QuotaKnobs:
    if not isinstance(value, list):
        raise InputError(f"{file}: {where} is not a list", _HINT)
    found = []
    for each in value:
        table = _table(each, _GROUP_KEYS, where, file)
        if not isinstance(table["group"], str) or not isinstance(table["accept_surplus"], bool):
            raise InputError(
                f"{file}: {where} has a group without a name or without true or false", _HINT
            )
        quota = _amount(table["quota"], f"{where}.quota", file)
        found.append(WrittenQuota(table["group"], quota, table["accept_surplus"]))
    return QuotaKnobs(tuple(found))


def _amount(value: object, where: str, file: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        value = math.nan
    if 0 <= value <= MAX_QUOTA:
        return float(value)
    raise InputError(f"{file}: {where} is not an amount of slot weight", _HINT)


def _count(value: object, where: str, file: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
        return value
    raise InputError(f"{file}: {where} is not a count", _HINT)


def refusals(
    given: Handover,
    declared: Sequence[ElasticGroup],
    settings: WriteSettings,
    state: JournalState,
    present: str | None,
    now: float,
) -> Iterator[GateRefusal]:
    """Yield every reason not to write ``given`` that is known without reading the pool."""
    yield from _id_and_age(given, settings, now)
    if given.base != state.last:
        message = (
            f"the plan follows record {given.base} of the journal, but its last record is "
            f"{state.last}"
        )
        yield GateRefusal("replay", message, _AGAIN)
    weight = round(given.seen.pool_weight * PARTS)
    declared = [group.of({WEIGHT: weight}) for group in declared]
    unknown = list(wrong_groups(given, declared))
    yield from unknown
    if not unknown:
        yield from _maxima(given, declared)
        yield from _pool(given, settings, state)
        yield from _step(given, declared, settings, state)
        yield from _limits(given, declared)
    if state.unfinished is None:
        yield from foreign_file(state, present, settings)


def _id_and_age(given: Handover, settings: WriteSettings, now: float) -> Iterator[GateRefusal]:
    made = made_at(given.plan)
    if made is None or plan_id(made, given.inputs, given.file) != given.plan:
        yield GateRefusal("plan", f"{given.plan[:60]} is not the id of the plan's content", _AGAIN)
    elif now - made > settings.plan_age:
        message = f"the plan is {now - made:.0f} s old, more than {settings.plan_age} s"
        yield GateRefusal("plan-age", message, _AGAIN)
    elif made - now > settings.skew:
        message = f"the plan was made {made - now:.0f} s in the future"
        yield GateRefusal("plan-age", message, "set this machine's clock")


def wrong_groups(given: Handover, declared: Sequence[ElasticGroup]) -> Iterator[GateRefusal]:
    """Yield every group of ``given`` that is not declared, is missing, or is there twice."""
    wanted = sorted(group.name for group in declared)
    for what, file in (("plan", given.file), ("static quotas", given.static)):
        names = [each.group for each in file.groups]
        if sorted(names) != wanted:
            other = next((name for name in names if name not in wanted), None)
            missing = next((name for name in wanted if name not in names), None)
            why = f"a group is listed twice in the {what}"
            if other is not None:
                why = f"the {what} has the group {other!r}, which is not declared"
            elif missing is not None:
                why = f"the group {missing} is not in the {what}"
            yield GateRefusal("groups", why, "the groups must be those of the quotas' file")


def _limits(given: Handover, declared: Sequence[ElasticGroup]) -> Iterator[GateRefusal]:
    """Yield quotas above the parent group's or the pool, or below a min in slot weight."""
    hint = "no plan of htcq has such quotas"
    quotas = {each.group: each.quota for each in given.file.groups}
    # The top level has the empty name.
    quotas[""] = given.seen.pool_weight
    for group in declared:
        quota, above = quotas[group.name], quotas[group.parent]
        if quota > above + _SLACK:
            message = (
                f"{group.name} would have {quota:g}, more than {group.parent or 'the pool'}, "
                f"which has {above:g}"
            )
            yield GateRefusal("limits", message, hint)
        least = min(group.min.get(WEIGHT, 0) / PARTS, above)
        # Quotas are whole where the weights of slots are, see quota_targets.unit_of.
        if quota < math.floor(least) - _SLACK:
            message = f"{group.name} would have {quota:g}, below its min of {least:g}"
            yield GateRefusal("limits", message, hint)


def _maxima(given: Handover, declared: Sequence[ElasticGroup]) -> Iterator[GateRefusal]:
    """Yield quotas above a max in slot weight.

    The weight of other dimensions is known only from the pool.
    """
    quotas = {each.group: each.quota for each in given.file.groups}
    for group in declared:
        cap = group.max.get(WEIGHT)
        if cap is not None and quotas[group.name] > cap / PARTS + _SLACK:
            message = (
                f"{group.name} would have {quotas[group.name]:g}, above its max of {cap / PARTS:g}"
            )
            yield GateRefusal("max", message, "the file of the quotas limits what may be written")


def _pool(given: Handover, settings: WriteSettings, state: JournalState) -> Iterator[GateRefusal]:
    before, now = state.seen, given.seen
    if before is None or not before.pool_weight > 0:
        return
    ratio = now.pool_weight / before.pool_weight
    lowest = 1 - settings.capacity_drop
    # A pool that has shrunk by as much as is allowed may grow to its former size again.
    highest = 1 / (1 - min(settings.capacity_drop, 0.99))
    if ratio < lowest or ratio > highest:
        message = (
            f"the pool's weight would be {now.pool_weight:g}; it was {before.pool_weight:g} at "
            "the last step"
        )
        hint = "if this is correct, run 'htcq elastic apply --plan ID --accept-loss' to accept it"
        yield GateRefusal("capacity", message, hint)
    yield from grown(now.pool_weight, before, settings)


def with_known_weight(given: Handover, state: JournalState) -> Handover:
    """Return ``given`` with the pool's weight that the journal has accepted, whatever it says."""
    before = state.seen
    known = given.seen.pool_weight if before is None else before.known_weight
    return replace(given, seen=replace(given.seen, accepted=known))


def _step(
    given: Handover, declared: Sequence[ElasticGroup], settings: WriteSettings, state: JournalState
) -> Iterator[GateRefusal]:
    """Yield that the weights of the mins have grown by more than a pool may change."""
    if not state.fallback_quotas:
        return
    mins = _own(given.static.quotas, declared)
    former_mins = _own(state.fallback_quotas, declared)
    step = max(1.0, settings.capacity_drop * given.seen.pool_weight)
    granted = sum(max(0.0, mins[name] - former_mins[name]) for name in mins)
    if granted > step + _SLACK * len(mins):
        message = f"the plan raises the weight of mins by {granted:g}, more than {step:g}"
        hint = "if this is intended, run 'htcq elastic apply --plan ID'"
        yield GateRefusal("step", message, hint)


def _own(
    quotas: Mapping[str, tuple[float, bool]], declared: Sequence[ElasticGroup]
) -> dict[str, float]:
    """Return each group's quota without those of the groups right below it."""
    own = {group.name: quotas.get(group.name, (0.0, False))[0] for group in declared}
    for group in declared:
        if group.parent in own:
            own[group.parent] -= quotas.get(group.name, (0.0, False))[0]
    return {name: amount if math.isfinite(amount) else 0.0 for name, amount in own.items()}
