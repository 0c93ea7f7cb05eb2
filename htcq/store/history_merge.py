"""The merging of several samples of a group into one, in SQL, for pruning and for coarse readers.

Means are weighted by time; samples that cover no time count only where there are no others. All
numbers are whole, so that sums over time do not depend on the order in which samples are merged.
"""

from __future__ import annotations

from htcq.drift.ledger import AMOUNTS

#: The numbers of a sample, as they stand in the table.
NUMBERS = (
    "span",
    "looks",
    "effective",
    "computed",
    "usage",
    "usage_most",
    "idle",
    "requested",
    "allocated",
    "starved",
    "over",
    "lending",
)
#: The same of the ledger, where every row covers time.
BOOKED = ("span", *AMOUNTS)


def _sum(column: str) -> str:
    """Return the sum over rows that cover time, or over all where none does."""
    return (
        f"CASE WHEN SUM(span) THEN SUM(CASE WHEN span THEN {column} ELSE 0 END) ELSE "
        f"SUM({column}) END"
    )


def _mean(column: str) -> str:
    """Return the mean of a quota over the rows in which it is known, in whole parts."""
    by_time, by_looks = (
        f"TOTAL({column} * {weight}) / SUM(CASE WHEN {column} IS NULL THEN 0 ELSE {weight} END)"
        for weight in ("span", "looks")
    )
    return f"CAST(ROUND(CASE WHEN SUM(span) THEN {by_time} ELSE {by_looks} END) AS INTEGER)"


_MERGED = {
    "effective": _mean("effective"),
    "computed": _mean("computed"),
    "usage_most": "MAX(usage_most)",
    **{column: _sum(column) for column in ("usage", "idle", "requested", "allocated")},
}
#: The same numbers of several rows.
MERGED = ", ".join(_MERGED.get(column, f"SUM({column})") for column in NUMBERS)
#: The sums of several rows of the ledger.
BOOKED_TOGETHER = ", ".join(f"SUM({column})" for column in BOOKED)


def bin_end(width: int) -> str:
    """Return the end of the bin of ``width`` seconds that a sample is in; the end is inclusive."""
    return f"(time + {width - 1}) / {width} * {width}"
