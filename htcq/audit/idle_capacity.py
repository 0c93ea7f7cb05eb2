"""Findings on capacity that stands while jobs wait that would use it, from the pool's balance."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Harm, Severity
from htcq.balance.amounts import Amounts
from htcq.balance.balance import Balance, cure_of
from htcq.balance.causes import cause_type
from htcq.balance.standing import CauseAmount
from htcq.pool.slot import Number
from htcq.pool.slot_state import utc
from htcq.units import counted, shortened, show_number

#: What waiting jobs would use of a cause: less than this part of the pool is information only.
_NOTEWORTHY = 0.01
_NAMED = 3
#: How much of a reason that somebody wrote is shown.
_LETTERS = 80


def idle_for(evidence: Evidence, cause: str) -> Iterator[Found]:
    """Yield the capacity that stands for ``cause`` though waiting jobs would use it."""
    found = evidence.balance.of(cause)
    if found is not None and found.behind:
        yield _found(evidence.balance, found)


def part_of(balance: Balance, each: CauseAmount) -> float:
    """Return which part of the pool stands for a cause, the largest by weight, cpus or GPUs."""
    return _largest_share(each.amounts, balance.total)


def _largest_share(part: Amounts, whole: Amounts) -> float:
    found = _share(part.weight, whole.weight), _share(part.cpus, whole.cpus)
    return max(*found, _share(part.gpus, whole.gpus))


def _share(part: Number, whole: Number) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


def _of_the_pool(balance: Balance, each: CauseAmount) -> str:
    """Return which part of the cores it is, and of the weight where that differs."""
    if not each.amounts.cpus and each.amounts.gpus:
        return f"{100 * _share(each.amounts.gpus, balance.total.gpus):.0f} % of the GPUs"
    cores = f"{100 * _share(each.amounts.cpus, balance.total.cpus):.0f} %"
    weight = f"{100 * _share(each.amounts.weight, balance.total.weight):.0f} %"
    if cores == weight:
        return f"{cores} of the pool"
    return f"{cores} of the cores and {weight} of the weight of the pool"


def _jobs(each: CauseAmount) -> str:
    if each.jobs:
        return f"{counted(each.jobs, 'job')} would start there"
    return f"it keeps {counted(each.behind, 'job')}, and something else does as well"


def _found(balance: Balance, each: CauseAmount) -> Found:
    part, kind = part_of(balance, each), cause_type(each.cause)
    since = "" if each.since is None else f" since {utc(each.since)}"
    details = [shortened(detail, _LETTERS) for detail, _ in each.details[:_NAMED]]
    facts = [
        Fact(
            "weight", f"{show_number(each.amounts.weight)} of {show_number(balance.total.weight)}"
        ),
        Fact("cpus", f"{show_number(each.amounts.cpus)} of {show_number(balance.total.cpus)}"),
        Fact("weight that waiting jobs would use", show_number(each.wanted.weight)),
    ]
    if details:
        by = " by" if all(detail.startswith("by ") for detail in details) else ""
        told = "; ".join(detail.removeprefix("by ") if by else detail for detail in details)
        facts.append(Fact(f"{each.cause}{by}", told))
    used = _largest_share(each.wanted, balance.total)
    if not each.jobs:
        # Something else keeps the jobs as well: what it holds counts, not what would start.
        used = part
    severity = None if used >= _NOTEWORTHY else Severity.INFO
    waiting = balance.waiting
    return Found(
        cause=each.cause,
        subject="the pool",
        message=(
            f"{counted(each.slots, 'slot')} with {each.amounts.in_words}, "
            f"{_of_the_pool(balance, each)}, {'stands' if each.slots == 1 else 'stand'} idle "
            f"while {counted(waiting, 'job')} {'waits' if waiting == 1 else 'wait'}: {kind.name}"
            f"{since}; {_jobs(each)}"
        ),
        facts=tuple(facts),
        advice=f"{cure_of(each)}.",
        count=each.slots,
        examples=each.examples,
        severity=severity,
        harm=Harm(shut=part if severity is None else 0.0, jobs=each.jobs),
    )
