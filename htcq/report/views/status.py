"""The balance of a pool as one sentence, JSON, and the line of a monitoring plugin.

The names of the JSON keys, which htcq-status(1) lists, are a contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from htcq.balance.amounts import Amounts, total_of
from htcq.balance.balance import Balance, Todo, where
from htcq.balance.causes import RUNNING, STARTING, UNEXPLAINED, cause_type
from htcq.balance.demand import Demand, Reason
from htcq.balance.groups import GroupBalance
from htcq.balance.lifting import Gain
from htcq.balance.standing import CauseAmount, as_split
from htcq.expected.unmet import ERROR
from htcq.pool.pool import Pool
from htcq.pool.slot_state import CLAIMED_IDLE, DRAINED, RETIRING, VACATING
from htcq.poolquota.ailment import Ailment
from htcq.poolquota.health import health_json
from htcq.poolquota.negotiator_health import wait_text
from htcq.report.formats import nagios
from htcq.report.formats.json import finite
from htcq.report.moments import iso_or_none, since_words
from htcq.report.verdict import CRITICAL, OK, WARNING, Measure, Verdict
from htcq.report.views.held import held_json
from htcq.report.views.holders import holder_json
from htcq.report.views.nowhere import nowhere_json, nowhere_lines, nowhere_text
from htcq.report.views.unmet import unmet_json
from htcq.simulate.unmodelled import unmodelled
from htcq.units import CPUS, amount_of, counted, shortened, show_number
from htcq.why.match_failure import NO_DEMAND, NOT_ADVERTISED, WALLS
from htcq.why.sums import OF_NEGOTIATOR

SCHEMA, SUBJECT = 1, "HTCQ STATUS"
#: From this part of the pool on, what stands while jobs wait is critical.
_MUCH = 0.5
#: How many causes and groups a sentence names.
_NAMED = 3
#: How many machines a clause of the first sentence names.
_MACHINES = 2
#: How much of a reason that somebody wrote.
_REASON_LETTERS = 80
#: Reasons that ads of access points tell, which know nothing of the last jobs.
_OF_ADS = (NO_DEMAND, NOT_ADVERTISED)
SOUND, FINDINGS, UNKNOWN = "ok", "findings", "unknown"


def verdict_word(balance: Balance, health: Sequence[Ailment]) -> str:
    """Return ``ok``, ``findings`` or ``unknown``: never ``ok`` where something is not known."""
    if not balance.is_sound:
        return FINDINGS
    return UNKNOWN if balance.unknown or health else SOUND


# Sentences
# --------------------------------------------------------------------------------------------------


def headline(balance: Balance, zone: tzinfo | None = None) -> str:
    """Return the state of the pool: what stands idle while jobs wait, or what is in use."""
    nowhere = None if balance.demand is None else balance.demand.nowhere
    clauses = [
        *_failures(balance),
        _long_wait(balance),
        idle_while_jobs_wait(balance, zone),
        _below(balance),
        *(() if nowhere is None else nowhere_text(nowhere)),
    ]
    return "; ".join(filter(None, clauses)) or use_of(balance)


def _failures(balance: Balance) -> Iterator[str]:
    """Yield what failed, of the first; how many more there are."""
    failed = [each for each in balance.unmet if each.is_fault]
    for each in failed[:1]:
        yield each.text
    if len(failed) > 1:
        yield f"{counted(len(failed) - 1, 'more expectation')} not met"


def _long_wait(balance: Balance) -> str:
    """Return how far away the cycle is that would start jobs; empty where it comes soon."""
    if balance.long_wait is None or not balance.waits_for_cycle:
        return ""
    starting = 0 if balance.demand is None else balance.demand.starting
    return f"{wait_text(*balance.long_wait)}, which starts {counted(starting, 'job')}"


def idle_while_jobs_wait(balance: Balance, zone: tzinfo | None = None) -> str:
    """Return what stands idle for causes that somebody must lift; empty where nothing does."""
    faults = sorted(balance.faults, key=lambda each: -each.amounts.weight)
    if not faults:
        return ""
    amounts = total_of(each.amounts for each in faults)
    what, verb = amounts.in_words, "stand"
    if what.startswith(("1 ", "weight")) or not (amounts.cpus or amounts.gpus):
        verb = "stands"
    jobs = counted(balance.waiting, "job")
    wait = "waits" if balance.waiting == 1 else "wait"
    users = sum(each.behind for each in faults)
    if 2 * users < balance.waiting:
        wait += f" ({users} of these jobs would use them)"
    named = [told(each, balance.now, zone) for each in faults[:_NAMED]]
    more = len(faults) - _NAMED
    if more > 0:
        named.append(f"{counted(more, 'more cause')}")
    return f"{what} {verb} idle while {jobs} {wait}: {', '.join(named)}"


def told(standing: CauseAmount, now: float | None, zone: tzinfo | None = None) -> str:
    """Return a cause with its cores, since when, and by whom or why."""
    amount = show_number(standing.amounts.cpus)
    if not standing.amounts.cpus:
        amount = standing.amounts.in_words
    text = f"{amount} {cause_type(standing.cause).name}"
    if standing.since is not None and now is not None:
        text += f" {since_words(standing.since, now, zone)}"
    details = [shortened(detail, _REASON_LETTERS) for detail, _ in standing.details[:1]]
    if standing.cause == DRAINED and details:
        text += f" {details[0]}" if details[0].startswith("by ") else f" ({details[0]})"
    else:
        told_apart = ", ".join(filter(None, (*details, where(standing, _MACHINES))))
        text += f" ({told_apart})" if told_apart else ""
    return text


def _below(balance: Balance) -> str:
    if not balance.below:
        return ""
    named = []
    for each in balance.below[:_NAMED]:
        due, usage = show_number(each.due), show_number(each.usage_next)
        named.append(f"{each.name} uses {usage} of the {due} it is due")
    more = len(balance.below) - _NAMED
    if more > 0:
        named.append(f"{counted(more, 'more group')} below")
    return ", ".join(named)


def use_of(balance: Balance) -> str:
    """Return how many cores run jobs, and how many jobs wait and start."""
    total = balance.total.cpus
    # A job that retires runs on.
    cores = {each.cause: each.amounts.cpus for each in balance.by}
    ending = cores.get(RETIRING, 0)
    used = cores.get(RUNNING, 0) + ending
    text = f"{show_number(used)} of {amount_of(CPUS, total)} run jobs"
    if ending and ending == used:
        text = f"{show_number(used)} of {amount_of(CPUS, total)} are retiring"
    elif ending:
        text += f" ({show_number(ending)} of them retiring)"
    for cause, words in ((VACATING, "vacating"), (CLAIMED_IDLE, "claimed and idle")):
        if cores.get(cause):
            text += f", {show_number(cores[cause])} {'is' if cores[cause] == 1 else 'are'} {words}"
    if balance.demand is None:
        return f"{text}; the queues are unknown"
    starting = balance.demand.starting
    wait = "waits" if balance.waiting == 1 else "wait"
    text += f", {counted(balance.waiting, 'job')} {wait}"
    if starting:
        text += f", {starting} {'starts' if starting == 1 else 'start'} with the next cycle"
    fresh = sum(each.jobs for each in balance.demand.by if each.reason in _OF_ADS)
    if fresh:
        # Older ones are a finding.
        those = "" if fresh == balance.waiting else f"{fresh} of them "
        text += f", {those}not yet in the ads of the access points"
    return text


def standing_text(standing: CauseAmount) -> str:
    """Return what a cause is, and what of it is told apart."""
    text = cause_type(standing.cause).text
    named = [
        f"{shortened(detail, _REASON_LETTERS)} ({_worth(amounts)})"
        for detail, amounts in standing.details[:_NAMED]
    ]
    more = len(standing.details) - _NAMED
    if more > 0:
        named.append(f"{more} more")
    return f"{text.rstrip('.')}: {', '.join(named)}" if named else text.rstrip(".")


def _worth(amounts: Amounts) -> str:
    """Return the weight; the cores where these weigh nothing."""
    is_free = amounts.cpus and not amounts.weight
    return amounts.in_words if is_free else show_number(amounts.weight)


# JSON
# --------------------------------------------------------------------------------------------------


def status_json(balance: Balance, pool: Pool, health: Sequence[Ailment]) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    demand = None
    if balance.demand is not None:
        nowhere = nowhere_json(balance.demand.nowhere)
        demand = {**_demand(balance.demand), "fits_nowhere": nowhere}
    return {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "health": health_json(health),
        "verdict": verdict_word(balance, health),
        "sentence": headline(balance),
        "capacity": {
            "unit": balance.unit,
            "total": _amounts(balance.total),
            "by": [_standing(each) for each in balance.by],
            "kinds": [
                {
                    "kind": each.name,
                    "total": _amounts(each.total),
                    "by": [{"cause": one.cause, **_amounts(one.amounts)} for one in each.by],
                }
                for each in balance.kinds
            ],
        },
        "demand": demand,
        "held": held_json(balance.held),
        "groups": [_group(each) for each in balance.groups],
        "unmet": [unmet_json(each) for each in balance.unmet],
        "todo": [_todo(each) for each in balance.todo],
        "unknown": list(balance.unknown),
        "unmodelled": list(unmodelled(pool)),
        "incomplete": list(pool.incomplete),
    }


def _amounts(amounts: Amounts) -> Mapping[str, Any]:
    return finite(amounts._asdict())  # type: ignore[no-any-return]


def _standing(each: CauseAmount) -> dict[str, Any]:
    return {
        "cause": each.cause,
        **_amounts(each.amounts),
        "slots": each.slots,
        "examples": list(each.examples),
        "since": iso_or_none(each.since),
        "text": standing_text(each),
        "cure": each.lifted_by,
        "wanted": _amounts(each.gain.wanted),
        "jobs": each.gain.jobs,
        "starts": _starts(each.gain),
        "behind": each.behind,
    }


def _starts(gain: Gain) -> dict[str, Any]:
    return {**_amounts(gain.starts), "jobs": gain.started}


def _demand(demand: Demand) -> dict[str, Any]:
    return {"jobs": demand.jobs, "weight": demand.weight, "by": list(map(_reason, demand.by))}


def _reason(each: Reason) -> dict[str, Any]:
    return {
        "reason": each.reason,
        "jobs": each.jobs,
        "weight": each.weight,
        "example": each.example,
        "access_point": each.access_point,
        "text": each.text,
        "others": dict(each.others),
    }


def _group(each: GroupBalance) -> dict[str, Any]:
    keys = finite({
        "group": each.name,
        "usage": each.usage,
        "usage_next": each.usage_next,
        "quota": each.quota,
        "requested": each.requested,
        "below": each.below,
    })  # fmt: skip
    return {
        **keys,
        "held_by": [holder_json(one) for one in each.held_by],
        "demand": None if each.demand is None else _demand(each.demand),
        "by": [_of_group(one) for one in each.by],
    }


def _of_group(each: CauseAmount) -> dict[str, Any]:
    return {
        "cause": each.cause,
        **_amounts(each.amounts),
        "wanted": _amounts(each.gain.wanted),
        "jobs": each.gain.jobs,
    }


def _todo(each: Todo) -> dict[str, Any]:
    return {
        "cause": each.cause,
        "cure": each.cure,
        **_amounts(each.gain.wanted),
        "jobs": each.gain.jobs,
        "starts": _starts(each.gain),
    }


def lifted_by(reason: str) -> str:
    """Return what resolves a reason of demand, or a cause."""
    known = WALLS.get(reason)
    return cause_type(reason).lifted_by if known is None else known.lifted_by


# Monitoring plugin
# --------------------------------------------------------------------------------------------------


def plugin(balance: Balance, health: Sequence[Ailment]) -> tuple[int, str]:
    """Return the state and the text to print: never OK where something could not be looked at."""
    found = OK if balance.is_sound else WARNING
    lost = balance.lost
    failed = sum(len(each.jobs) for each in balance.unmet if each.severity == ERROR)
    jobs = 0 if balance.demand is None else balance.demand.jobs
    # What is in no slot weighs nothing, but has cores.
    parts = ((lost.weight, balance.total.weight), (lost.cpus, balance.total.cpus), (failed, jobs))
    without_slots = found is WARNING and not balance.by
    if without_slots or any(part and part >= _MUCH * whole for part, whole in parts):
        found = CRITICAL
    text = headline(balance)
    if balance.todo:
        text += f" -> {balance.todo[0].cure}"
    verdict = Verdict(
        SUBJECT, found, text, health, balance.unknown, list(_measures(balance)), _lines(balance)
    )
    return nagios.told(verdict)


def gain_text(each: Todo) -> str:
    """Return how many jobs would start once a cause is lifted: in all, and with the next cycle.

    It is empty where no job is known that something which failed keeps.
    """
    gain, cycle = each.gain, "first" if each.cause in OF_NEGOTIATOR else "next"
    if gain.of_failure:
        return counted(gain.jobs, "job") if gain.jobs else ""
    if not gain.jobs:
        return f"it keeps {counted(gain.behind, 'job')}, and something else does as well"
    used = f"weight {show_number(gain.wanted.weight)}"
    if not gain.wanted.weight:
        used = gain.wanted.in_words
    text = f"{counted(gain.jobs, 'job')} would start and use {used} of the slots"
    if 0 < gain.started < gain.jobs:
        text += f", {gain.started} of them with the {cycle} cycle"
    return text


def _measures(balance: Balance) -> Iterator[Measure]:
    total, _ = as_split(balance.total, balance.by)
    yield Measure("weight", total.weight, least=0)
    amounts = {each.cause: each.amounts.weight for each in balance.by}
    for cause in (RUNNING, STARTING, UNEXPLAINED):
        yield Measure(cause, amounts.get(cause, 0), most=total.weight)
    yield Measure("stands_while_jobs_wait", balance.lost.weight)
    yield Measure("cores_stand_while_jobs_wait", balance.lost.cpus)
    yield Measure("waiting_jobs", balance.waiting, least=0)
    nowhere = None if balance.demand is None else balance.demand.nowhere
    yield Measure("jobs_that_fit_nowhere", 0 if nowhere is None else nowhere.jobs, least=0)
    yield Measure("groups_below", len(balance.below), least=0)


def _lines(balance: Balance) -> Sequence[str]:
    lines = [f"{each.id}: {each.text}: {each.cure}" for each in balance.unmet if each.is_fault]
    lines += [
        f"{each.cause}: {gain_text(each)}: {each.cure}"
        for each in balance.todo if not each.gain.of_failure
    ]  # fmt: skip
    lines += nowhere_lines(None if balance.demand is None else balance.demand.nowhere)
    lines += [f"{group.name}: {group_text(group)}" for group in balance.below]
    return nagios.at_most(lines)


def group_text(group: GroupBalance) -> str:
    """Return what a group lacks, and who has it."""
    text = f"{show_number(group.below)} below {show_number(group.due)}"
    holders = [f"{each.name} {show_number(each.amount)}" for each in group.held_by[:_NAMED]]
    return f"{text}, held by {', '.join(holders)}" if holders else text
