"""Sentences of all reports of group quotas: units, totals, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.poolquota.comparison import AmountDifference, GroupDifference
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.kept_back import KeptBack
from htcq.poolquota.published import Mark, same
from htcq.poolquota.report import JOBS, SCHEDD_WEIGHT, PoolQuotaReport
from htcq.poolquota.supply import SLOTS, WEIGHT
from htcq.quota.knobs import TreeProblem
from htcq.report.column import signed_number
from htcq.report.views.holders import holders_text
from htcq.units import counted, first_named, show_number

#: The maximum of weight expressions in a legend.
_MAX_WEIGHTS = 3
#: The most groups below their due that are named.
_MAX_SHORT = 8


def own_name(standing: GroupStatus) -> str:
    """Return a group's name without that of its parent."""
    parent = standing.group.parent
    if standing.depth <= 1 or parent is None:
        return standing.name
    return standing.name[len(parent) + 1 :]


def not_offered(found: KeptBack) -> str:
    """Return a sentence about the idle jobs of a group that count as demand and are not offered."""
    reasons = ", ".join(f"{count} by {reason}" for reason, count in found.reasons.items())
    return (
        f"{found.jobs} of {found.idle} idle jobs of {found.group} count as demand and are not "
        f"offered now: {reasons}"
    )


def marked(standing: GroupStatus, mark: Mark) -> str:
    """Return in which way the negotiator published something else of a group."""
    return f"{standing.name}: {published(mark)}"


def published(mark: Mark) -> str:
    """Return what was published, and what is computed."""
    return f"{mark.attribute} published {_value(mark.published)}, computed {_value(mark.computed)}"


def fate(row: GroupDifference) -> str:
    """Return whether a group comes or goes; empty if it stays."""
    if row.fate == "stays":
        return ""
    return row.fate


def difference(one: AmountDifference) -> str:
    """Return a difference with its sign; empty where there is none."""
    if not one.changed or one.difference is None:
        return ""
    return signed_number(one.difference)


def _value(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return show_number(value)


def units(look: PoolQuotaReport) -> Iterator[str]:
    """Yield what the units of the numbers mean."""
    if look.unit == SLOTS:
        yield (
            f"{SLOTS}: NEGOTIATOR_USE_SLOT_WEIGHTS is false: a claimed slot counts 1 whatever its "
            "size, a free partitionable one its cpus"
        )
    elif look.cores:
        yield f"{WEIGHT}: SlotWeight is Cpus on every slot, so these are cores"
    else:
        yield f"{WEIGHT}: what SlotWeight makes of each slot{_expressions(look)}, not cores"
    if look.demand_unit == SCHEDD_WEIGHT:
        yield (
            f"{SCHEDD_WEIGHT}: what jobs weigh by the schedds' own SCHEDD_SLOT_WEIGHT or "
            "SLOT_WEIGHT"
        )
    else:
        yield f"{JOBS}: NEGOTIATOR_USE_WEIGHTED_DEMAND is false: a job counts 1 whatever it weighs"


def _expressions(look: PoolQuotaReport) -> str:
    if not look.weights:
        return ""
    return f" ({first_named(look.weights, _MAX_WEIGHTS)})"


def totals(look: PoolQuotaReport) -> str:
    """Return the weight of the pool, and the quotas, usage and allocations of its groups."""
    amounts = {
        "pool": look.pool_weight,
        "quotas": look.promised,
        "used": look.used,
        "allocated": look.allocated,
    }
    if not look.grouped:
        del amounts["quotas"], amounts["allocated"]
    text = ", ".join(f"{name} {show_number(amount)}" for name, amount in amounts.items())
    return f"in {look.unit}: {text}"


def oversubscribed(look: PoolQuotaReport) -> str:
    """Return that quotas or allocations exceed the pool; empty where they do not."""
    pool = look.pool_weight
    why = "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true"
    for what, amount in (("allocations", look.allocated), ("quotas", look.promised)):
        if look.grouped and amount > pool and not same(amount, pool):
            sums = f"{what} add up to {show_number(amount)}; the pool has {show_number(pool)}"
            return f"{sums} ({why})"
    return ""


def short_of(look: PoolQuotaReport) -> Iterator[str]:
    """Yield which groups use less than the lesser of quota and demand, and who has it."""
    short = sorted((each for each in look.standings if each.below), key=lambda each: -each.below)
    for each in short[:_MAX_SHORT]:
        usage, due = show_number(each.usage), show_number(each.due)
        yield (
            f"group {each.name} uses {usage} of the {due} that it is due; held by "
            f"{holders_text(each.held_by)}"
        )
    more = len(short) - _MAX_SHORT
    if more > 0:
        yield f"{counted(more, 'more group')} below the lesser of quota and demand"


def wrong(problem: TreeProblem) -> str:
    """Return what is wrong with the configuration, and whether the negotiator bears it."""
    if problem.fatal:
        return f"{problem.message}: the negotiator exits on it"
    return problem.message


def other_weight(look: PoolQuotaReport) -> str:
    """Return that the negotiator counted a pool of another weight; empty where it did not."""
    weight = look.published_weight
    if weight is None or not look.grouped or same(weight, look.pool_weight):
        return ""
    shared = show_number(weight)
    return (
        f"the negotiator's last cycle shared out {shared}: what it published is compared with "
        "quotas of such a pool"
    )
