"""Autoclusters with their charges on all kinds of slots together, for pools of many kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from htcq.claims.costs import Charge, Costs
from htcq.pool.autocluster import Autocluster
from htcq.pool.slot import Number
from htcq.report.column import Column
from htcq.report.views.cost import ACCESS_POINT, JOB, JOBS, short


class ChargeSum(NamedTuple):
    """The charges of one autocluster on all kinds of slots that it matches."""

    jobs: Autocluster
    charges: Sequence[Charge]

    @property
    def slots(self) -> int:
        """How many slots these are."""
        return sum(each.kind.count for each in self.charges)


def charge_sums(costs: Costs, classes: Iterable[Autocluster]) -> list[ChargeSum]:
    """Return ``classes``, each with its charges where it matches the full slot."""
    found: dict[int, list[Charge]] = {id(jobs): [] for jobs in classes}
    for charge in costs.charges:
        if id(charge.jobs) in found and charge.match_cost is not None:
            found[id(charge.jobs)].append(charge)
    return [ChargeSum(jobs, found[id(jobs)]) for jobs in costs.classes if id(jobs) in found]


def _range(amounts: Iterable[Number | None]) -> str:
    """Return the least and the greatest amount: ``1.25`` or ``1 to 4``."""
    known = [each for each in amounts if each is not None]
    if not known:
        return ""
    least, most = short(min(known)), short(max(known))
    return least if least == most else f"{least} to {most}"


SUMS: tuple[Column[ChargeSum], ...] = (
    *(column.of(lambda row: row.jobs) for column in (JOB, ACCESS_POINT, *JOBS)),
    Column("", lambda row: str(row.slots), "SLOTS", right=True),
    Column("", lambda row: _range(each.match_cost for each in row.charges), "MATCH COST"),
    Column("", lambda row: _range(each.standing_charge for each in row.charges), "STANDING CHARGE",
           wide=True),
    Column("", lambda row: _range(each.gap for each in row.charges), "GAP"),
)  # fmt: skip
