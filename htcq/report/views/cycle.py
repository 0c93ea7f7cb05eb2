"""One simulated cycle: the columns of matches, groups, submitters and differences; JSON.

The names in JSON, which htcq-simulate(1) lists, are a contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from htcq.pool.pool import Pool
from htcq.poolquota.health import ailments, health_json
from htcq.report.column import Column, shown, signed_number
from htcq.report.formats.json import finite
from htcq.report.printable import one_line
from htcq.report.table import Table
from htcq.simulate.as_version import VersionChange
from htcq.simulate.course.single import Single
from htcq.simulate.cycle.outcome import CycleDifference, Pair, compare_cycles
from htcq.simulate.cycle.trace import GroupUse, Match, Rejection, SubmitterUse, Trace

SCHEMA = 1
#: The unit of costs and usage, that of the pool.
_POOL = "pool"
#: What is compared of two cycles, by its heading.
_COMPARED: tuple[tuple[str, Callable[[CycleDifference], Pair]], ...] = (
    ("matches", lambda row: row.matches),
    ("used", lambda row: row.used),
    ("waiting", lambda row: row.waiting),
)


class MatchRow(NamedTuple):
    """One match and its place in the order of the cycle; 1 is the first.

    ``job`` is its job, with the access point where the cycle asks several.
    """

    number: int
    match: Match
    job: str


class RejectionRow(NamedTuple):
    """One rejection; ``job`` is its job, with the access point where the cycle asks several."""

    rejection: Rejection
    job: str


class SubmitterRow(NamedTuple):
    """The usage of one submitter and why its other jobs were rejected; empty if none was."""

    use: SubmitterUse
    rejected: str


MATCHES: tuple[Column[MatchRow], ...] = (
    Column("", lambda row: row.number, "MATCH", lambda row: str(row.number), right=True),
    Column("", lambda row: row.job, "JOB"),
    Column("", lambda row: row.match.submitter, "SUBMITTER", most=24),
    Column("", lambda row: row.match.slot, "SLOT", most=24),
    Column("", lambda row: row.match.cost, "COST", unit=_POOL, right=True),
)
REFUSED: Column[MatchRow] = Column(
    "", lambda row: row.match.refusal or "no", "REFUSED BY\nTHE STARTD", wide=True
)
REJECTIONS: tuple[Column[RejectionRow], ...] = (
    Column("", lambda row: row.job, "JOB"),
    Column("", lambda row: row.rejection.submitter, "SUBMITTER"),
    Column("", lambda row: row.rejection.reason, "REASON"),
)
GROUPS: tuple[Column[GroupUse], ...] = (
    Column("", lambda use: use.name, "GROUP"),
    Column("", lambda use: use.limit, "LIMIT", unit=_POOL, right=True),
    Column("", lambda use: use.used_before, "USED\nBEFORE", unit=_POOL, right=True),
    Column("", lambda use: use.used_after, "USED\nAFTER", unit=_POOL, right=True),
)
#: The numbers of a submitter.
SUBMITTERS: tuple[Column[SubmitterRow], ...] = (
    Column("", lambda row: row.use.name, "SUBMITTER", most=24),
    Column("", lambda row: row.use.group, "GROUP", wide=True),
    Column("", lambda row: row.use.idle, "IDLE\nJOBS", lambda row: str(row.use.idle), right=True),
    Column(
        "", lambda row: row.use.matches, "MATCHES", lambda row: str(row.use.matches), right=True
    ),
    Column("", lambda row: row.use.used_before, "USED\nBEFORE", unit=_POOL, right=True),
    Column("", lambda row: row.use.used_after, "USED\nAFTER", unit=_POOL, right=True),
    Column("", lambda row: row.use.standing, "CLAIMED", unit=_POOL, right=True, wide=True),
)
#: Why a submitter's jobs were rejected; nothing stands in a terminal's table if none was.
REJECTED: Column[SubmitterRow] = Column(
    "", lambda row: row.rejected or None, "REJECTED", lambda row: row.rejected, most=20
)
KIND: Column[CycleDifference] = Column("", lambda row: row.kind, headless=True)
NAME: Column[CycleDifference] = Column("", lambda row: row.name, "NAME", most=24)


def compared_numbers(unit: str = "") -> list[Column[CycleDifference]]:
    """Return the columns of each number before, after, and by how much it differs.

    ``unit`` is that of usage, which is part of the heading.
    """
    columns = []
    for what, pair in _COMPARED:
        heading = what
        if what == "used":
            heading = f"{what} {unit}"
        columns += _pair(heading, pair, wide=what == "waiting")
    return columns


def _pair(
    what: str, pair: Callable[[CycleDifference], Pair], *, wide: bool
) -> list[Column[CycleDifference]]:
    def signed(row: CycleDifference) -> str:
        return signed_number(pair(row).difference)

    return [
        Column(
            "", lambda row: float(pair(row).before), _heading(what, "before"), right=True, wide=wide
        ),
        Column(
            "", lambda row: float(pair(row).after), _heading(what, "after"), right=True, wide=wide
        ),
        Column(
            "",
            lambda row: float(pair(row).difference),
            _heading(what, "difference"),
            signed,
            right=True,
            wide=True,
        ),
    ]


def _heading(what: str, when: str) -> str:
    """Return a heading with one word a line."""
    return "\n".join(f"{what} {when}".upper().split())


def _before_and_after(before: str, after: str) -> str:
    """Return one word if both are the same."""
    if before == after:
        return after
    return f"{before} -> {after}"


def _reason(row: CycleDifference) -> str:
    before, after = row.why
    if before == after:
        return after
    return _before_and_after(before or "none", after or "none")


def _starved(row: CycleDifference) -> str:
    before, after = row.starved
    return _before_and_after(shown(before), shown(after))


#: Whether jobs wait though the limit leaves room, and the reason of the last rejection.
STARVED: Column[CycleDifference] = Column("", _starved, "STARVED", wide=True)
REASON: Column[CycleDifference] = Column("", _reason, "REJECTED", wide=True)


def pool_table(
    trace: Trace,
    columns: Sequence[Column[Any]],
    rows: Sequence[Any],
    title: str = "",
) -> Table[Any]:
    """Return a table of a cycle, whose amounts are in the unit of the pool."""
    return Table(columns, rows, title, repeat=0, units={_POOL: trace.unit})


def match_rows(trace: Trace) -> list[MatchRow]:
    """Return the matches in the order in which they were made."""
    several, every = _asks_several(trace), enumerate(trace.matches, 1)
    return [MatchRow(number, match, _job(match, several)) for number, match in every]


def rejection_rows(trace: Trace) -> list[RejectionRow]:
    """Return the rejections in the order in which they were made."""
    several = _asks_several(trace)
    return [RejectionRow(each, _job(each, several)) for each in trace.rejections]


def _asks_several(trace: Trace) -> bool:
    """Return whether jobs of several access points were asked for: their ids may be equal."""
    matched = {each.access_point for each in trace.matches}
    return len(matched | {each.access_point for each in trace.rejections}) > 1


def _job(each: Match | Rejection, several: bool) -> str:
    if several and each.access_point and each.job:
        return f"{each.access_point}#{each.job}"
    return each.job


def submitter_rows(trace: Trace) -> list[SubmitterRow]:
    """Return the submitters, each with why its jobs were rejected."""
    rejected = reasons(trace)
    return [SubmitterRow(use, rejected.get(use.name, "")) for use in trace.submitters]


def reasons(trace: Trace) -> dict[str, str]:
    """Return by submitter the reasons of its rejections, each with how often it was given."""
    found: dict[str, Counter[str]] = {}
    for rejection in trace.rejections:
        counts = found.setdefault(rejection.submitter, Counter())
        counts[rejection.reason] += 1
    return {name: _counted(counts.items()) for name, counts in found.items()}


def _counted(counts: Iterable[tuple[str, int]]) -> str:
    parts = []
    for reason, count in counts:
        if count > 1:
            reason = f"{reason} ({count}x)"
        parts.append(reason)
    return one_line("; ".join(parts))


def cycle_json(single: Single, pool: Pool) -> dict[str, Any]:
    """Return what ``json.dumps`` takes."""
    without_matches = asdict(replace(single.trace, matches=()))
    # Matches are named tuples, since a large pool has many.
    matches = [match._asdict() for match in single.trace.matches]
    printed: dict[str, Any] = finite(
        {
            "schema": SCHEMA,
            "source": pool.source,
            "taken": pool.taken_at,
            "health": health_json(ailments(pool)),
            **without_matches,
            "matches": matches,
            "fill": {"before": asdict(single.before), "after": asdict(single.after)},
            "incomplete": list(pool.incomplete),
        }
    )
    return printed


def what_if_cycle_json(
    before: Single,
    after: Single,
    pool: Pool,
    changes: Sequence[tuple[str, str]],
    versions: Sequence[VersionChange] = (),
) -> dict[str, Any]:
    """Return both cycles, the knobs that differ, and what differs for groups and submitters."""
    differences = compare_cycles(before.trace, after.trace)
    return {
        "schema": SCHEMA,
        "health": health_json(ailments(pool)),
        "changes": [{"knob": knob, "value": value} for knob, value in changes],
        "versions": [asdict(each) for each in versions],
        "before": cycle_json(before, pool),
        "after": cycle_json(after, pool),
        "differences": finite([asdict(each) for each in differences]),
    }
