"""The match-cost audit: the columns of its tables, the CSV and the JSON.

htcq-cost(1) lists the names. Weights are in the unit of the slots' own expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TextIO, TypeVar

from htcq.claims.costs import Charge, Conservation, Costs, Customer, Share, tidy
from htcq.claims.matching import Mismatch
from htcq.pool.autocluster import Autocluster
from htcq.pool.files import JOBS_ADS
from htcq.pool.pool import Pool
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.poolquota.health import ailments, health_json
from htcq.report.column import Column
from htcq.report.formats import csv
from htcq.report.formats.json import row_json
from htcq.report.printable import one_line
from htcq.units import amounts_of

SCHEMA = 1
_Row = TypeVar("_Row")


class SlotsRow(NamedTuple):
    """One kind of slots, with its place among all kinds, counted from 0."""

    place: int
    kind: SlotClass


class ChargeRow(NamedTuple):
    """One charge, with the place of its kind of slots."""

    place: int
    charge: Charge


class ConservationRow(NamedTuple):
    """The sums of one kind of slots, with the place of the kind."""

    place: int
    sums: Conservation


# Values
# --------------------------------------------------------------------------------------------------


def short(number: Number | None) -> str:
    """Return a weight with at most six digits; empty where there is none."""
    if number is None:
        return ""
    return f"{number:g}"


def _idle(jobs: Autocluster) -> int:
    return sum(jobs.idle.values())


def _running(jobs: Autocluster) -> int:
    return sum(jobs.running.values())


def wanted_and_running(jobs: Autocluster) -> int:
    """Return how many slots an autocluster wants or has."""
    return _idle(jobs) + _running(jobs)


def _matches(charge: Charge) -> bool:
    return charge.wall is Mismatch.NONE


def _why(charge: Charge) -> str:
    """Return why they do not match; empty where they do."""
    if _matches(charge):
        return ""
    if charge.asset:
        return f"{charge.wall.value}: {charge.asset}"
    return charge.wall.value


def _takes(row: ChargeRow) -> str:
    """Return what a claim takes, or why there can be none."""
    if _matches(row.charge):
        return one_line(amounts_of(row.charge.consumption))
    return one_line(_why(row.charge))


def _sum_of_gaps(row: ConservationRow) -> str:
    if not row.sums.broken:
        return "0"
    return f"{tidy(row.sums.gap):+g}"


def _broken_on(row: ConservationRow) -> str:
    if not row.sums.broken:
        return "none"
    return f"{row.sums.broken} of {row.sums.kind.count}"


def _worst(row: ConservationRow) -> str:
    if not row.sums.broken:
        return ""
    return one_line(f"{row.sums.worst:+g} on {row.sums.examples[0]}")


def _published(row: Customer) -> str:
    if row.published is None:
        return "unknown"
    return short(row.published)


# Columns
# --------------------------------------------------------------------------------------------------


def _count(
    name: str,
    read: Callable[[_Row], int],
    heading: str = "",
    about: str = "",
    *,
    wide: bool = False,
) -> Column[_Row]:
    """Return the column of a number of slots or jobs, which has no separators of thousands."""
    return Column(name, read, heading, lambda row: str(read(row)), about, wide=wide)


def _weight(
    name: str,
    read: Callable[[_Row], Number | None],
    heading: str = "",
    about: str = "",
    *,
    wide: bool = False,
) -> Column[_Row]:
    """Return the column of a weight."""
    return Column(name, read, heading, lambda row: short(read(row)), about, wide=wide)


def _place(row: SlotsRow | ChargeRow | ConservationRow) -> int:
    return row.place + 1


KIND: tuple[Column[SlotsRow], ...] = (
    _count("count", lambda row: row.kind.count, "SLOTS",
           "How many slots there are of this class."),
    Column("examples", lambda row: row.kind.examples,
           about="The names of up to three of them."),
    Column("type", lambda row: row.kind.type, "TYPE", lambda row: one_line(row.kind.type.lower()),
           "The type of the slots, such as Partitionable or Static."),
    Column("policy", lambda row: row.kind.supports_policy, "POLICY",
           about="Whether the negotiator matches by consumption policy.", wide=True),
)  # fmt: skip
SLOT_WEIGHT: Column[SlotsRow] = Column(
    "weight", lambda row: row.kind.weight_text, "SLOT WEIGHT",
    lambda row: one_line(row.kind.weight_text or "(none)"), "The expression SlotWeight.",
    wide=True,
)  # fmt: skip
FULL_WEIGHT: Column[SlotsRow] = _weight(
    "full_weight", lambda row: row.kind.plain_weight(), "WEIGHT",
    "What the accountant would charge for the full slot.",
)  # fmt: skip
SLOTS: tuple[Column[SlotsRow], ...] = (
    _count("", _place, "#"),
    *KIND,
    Column("", lambda row: one_line(amounts_of(row.kind.total)), "EACH HAD", wide=True),
    FULL_WEIGHT,
    SLOT_WEIGHT,
    Column("", lambda row: row.kind.examples[0], "SUCH AS", most=40),
)
JOB: Column[Autocluster] = Column(
    "job", lambda jobs: jobs.name, "JOB",
    about="The id of the first job, or the shape that --job gave.", most=32,
)  # fmt: skip
ACCESS_POINT: Column[Autocluster] = Column(
    "access_point", lambda jobs: jobs.access_point, "ACCESS POINT",
    about="The access point of that job; empty where no ad says, and of a shape.", most=20,
)  # fmt: skip
JOBS: tuple[Column[Autocluster], ...] = (
    _count("idle", _idle, "IDLE", "How many slots the class still wants.", wide=True),
    _count("running", _running, "RUNNING", "How many slots the class has.", wide=True),
)
MATCH: tuple[Column[Charge], ...] = (
    Column("matches", _matches, about="Whether a job of the class matches the full slot."),
    Column("why", _why, about="What keeps them apart; empty where they match."),
)
CHARGES: tuple[Column[Charge], ...] = (
    _weight("match_cost", lambda charge: charge.match_cost, "MATCH COST",
            "What the negotiator charges for the match; null where they do not match."),
    _weight("standing_charge", lambda charge: charge.standing_charge, "STANDING CHARGE",
            "What the accountant charges for the claim; null where they do not match."),
    _weight("gap", lambda charge: charge.gap, "GAP",
            "The standing charge less the match cost; null where they do not match."),
    _count("claims", lambda charge: charge.claims,
           about="How many running jobs of the class are on such slots."),
    _weight("held", lambda charge: charge.held, "HELD",
            "What each of these is charged now, on average; null where there is none.", wide=True),
)  # fmt: skip
#: A row for each autocluster and kind of slots, in tables and CSV.
COLUMNS: tuple[Column[ChargeRow], ...] = (
    Column("slots", lambda row: str(row.charge.kind.first.name)),
    Column("slot_count", lambda row: row.charge.kind.count),
    Column("weight_expression", lambda row: row.charge.kind.weight_text),
    *(column.of(lambda row: row.charge.jobs) for column in (JOB, ACCESS_POINT, *JOBS)),
    _count("", _place, "ON"),
    *(column.of(lambda row: row.charge) for column in MATCH),
    Column("", _takes, "TAKES", wide=True),
    *(column.of(lambda row: row.charge) for column in CHARGES),
)
CONSERVATION: tuple[Column[ConservationRow], ...] = (
    _count("", _place, "#"),
    _weight("full", lambda row: row.sums.full, "FULL", "What the full slots weigh."),
    _weight("left", lambda row: row.sums.left, "LEFT", "What is left of the slots weighs.",
            wide=True),
    _weight("charged", lambda row: row.sums.charged, "CHARGED",
            "What the claims on the slots are charged.", wide=True),
    Column("gap", lambda row: tidy(row.sums.gap), "GAP", _sum_of_gaps,
           "What is left and charged, less what the full slots weigh."),
    Column("broken", lambda row: row.sums.broken, "BROKEN ON", _broken_on,
           "How many slots do not add up."),
    Column("worst", lambda row: row.sums.worst, "WORST", _worst,
           "The largest gap of one slot.", most=36),
    Column("examples", lambda row: row.sums.examples,
           about="The names of up to three slots that do not add up, the worst first."),
)  # fmt: skip
EXPRESSION: Column[Share] = Column(
    "expression", lambda row: row.expression, "SLOT WEIGHT",
    lambda row: one_line(row.expression or "(none: counts as 1)"), "The expression.",
    most=48,
)  # fmt: skip
WEIGHTS: tuple[Column[Share], ...] = (
    _count("slots", lambda row: row.slots, "SLOTS", "How many slots have it."),
    _weight("weight", lambda row: row.weight, "WEIGHT", "What these slots weigh together."),
    Column("share", lambda row: row.share, "SHARE", lambda row: f"{row.share:.1%}",
           "The share of the pool's weight that this is, from 0 to 1."),
)  # fmt: skip
CUSTOMERS: tuple[Column[Customer], ...] = (
    Column("name", lambda row: row.name, "SUBMITTER", about="The name of the submitter.",
           most=40),
    Column("published", lambda row: row.published, "ACCOUNTANT", _published,
           "WeightedResourcesUsed, as the negotiator publishes it; null where it does not."),
    _weight("claimed", lambda row: row.claimed, "CLAIMED SLOTS",
            "What the slots that the submitter has claimed weigh."),
)  # fmt: skip


# Rows
# --------------------------------------------------------------------------------------------------


def places(costs: Costs) -> dict[int, int]:
    """Return the place of each kind of slots by its identity."""
    return {id(kind): place for place, kind in enumerate(costs.kinds)}


def charge_rows(costs: Costs) -> list[ChargeRow]:
    """Return the charges with the places of their kinds of slots."""
    place_of = places(costs)
    return [ChargeRow(place_of[id(charge.kind)], charge) for charge in costs.charges]


def conservation_rows(costs: Costs) -> list[ConservationRow]:
    """Return the sums with the places of their kinds of slots."""
    place_of = places(costs)
    return [ConservationRow(place_of[id(sums.kind)], sums) for sums in costs.conservation]


def missing(costs: Costs, pool: Pool) -> tuple[str, ...]:
    """Return what the audit lacks, as sentences."""
    jobs_are_unknown = pool.jobs is None and not costs.classes
    if not jobs_are_unknown or any(each.startswith(JOBS_ADS) for each in pool.incomplete):
        return tuple(pool.incomplete)
    return (*pool.incomplete, f"there is no {JOBS_ADS}: the jobs of the pool are not known")


# CSV and JSON
# --------------------------------------------------------------------------------------------------


def write_csv(costs: Costs, stream: TextIO) -> None:
    """Write the charges: a row for each autocluster and kind of slots."""
    csv.write(list(map(_in_csv, COLUMNS)), charge_rows(costs), stream)


def _in_csv(column: Column[ChargeRow]) -> Column[ChargeRow]:
    """Return a column as CSV has it: yes and no, and weights with six digits."""
    if column.name == "matches":
        return replace(column, read=column.cell)
    if column.name in {each.name for each in CHARGES}:
        return replace(column, read=lambda row: csv.Figure(column.cell(row)))
    return column


def cost_json(costs: Costs, pool: Pool) -> dict[str, Any]:
    """Return the audit: amounts in MB, KiB and counts, None where there is no number."""
    return {
        "schema": SCHEMA,
        "source": pool.source,
        "taken": pool.taken_at,
        "health": health_json(ailments(pool)),
        "incomplete": list(missing(costs, pool)),
        "slots": [_slots_json(SlotsRow(*each)) for each in enumerate(costs.kinds)],
        "jobs": [_jobs_json(jobs) for jobs in costs.classes],
        "charges": [_charge_json(row) for row in charge_rows(costs)],
        "conservation": [_conservation_json(row) for row in conservation_rows(costs)],
        "weights": [row_json((EXPRESSION, *WEIGHTS), share) for share in costs.shares],
        "customers": [row_json(CUSTOMERS, customer) for customer in costs.customers],
    }


def _slots_json(row: SlotsRow) -> dict[str, Any]:
    return {
        **row_json((*KIND, SLOT_WEIGHT), row),
        "consumption": dict(row.kind.consumption),
        "total": dict(row.kind.total),
        **row_json((FULL_WEIGHT,), row),
    }


def _jobs_json(jobs: Autocluster) -> dict[str, Any]:
    return {
        **row_json((JOB, ACCESS_POINT), jobs),
        "request": dict(jobs.request),
        **row_json(JOBS, jobs),
        "submitters": list(jobs.submitters),
    }


def _charge_json(row: ChargeRow) -> dict[str, Any]:
    charge = row.charge
    return {
        "slots": row.place,
        **row_json((JOB, ACCESS_POINT), charge.jobs),
        **row_json(MATCH, charge),
        "consumption": dict(charge.consumption),
        **row_json(CHARGES, charge),
    }


def _conservation_json(row: ConservationRow) -> dict[str, Any]:
    return {"slots": row.place, **row_json(CONSERVATION, row)}
