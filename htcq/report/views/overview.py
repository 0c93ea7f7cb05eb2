"""The state of a pool in one sentence, and how fresh each number is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from htcq.audit.engine import Audit, Finding
from htcq.audit.rule import Severity
from htcq.balance.balance import Balance
from htcq.drift.explanation import DriftExplanation
from htcq.drift.windows import Point
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.poolquota.shortfall import LEAST, SLACK
from htcq.quota.group_tree import ROOT
from htcq.report.moments import since_words
from htcq.report.printable import one_line
from htcq.report.views.status import idle_while_jobs_wait, use_of
from htcq.units import counted


def groups_over(
    look: PoolQuotaReport, story: DriftExplanation | None = None
) -> tuple[tuple[GroupStatus, float | None], ...]:
    """Return the groups that use more than they may, the worst first, and since when.

    A group above its quota that accepts surplus uses what others leave. Since when is known from
    the history alone.
    """
    over = [each for each in look.standings if each.name != ROOT and _is_over(each)]
    over.sort(key=lambda each: (each.quota - each.usage, each.name))
    return tuple((each, _since(each.name, True, story)) for each in over)


def _is_over(group: GroupStatus) -> bool:
    above = group.usage - group.quota
    return above > max(LEAST, SLACK * group.quota) and not group.group.accept_surplus


def _since(name: str, over: bool, story: DriftExplanation | None) -> float | None:
    """Return the beginning of the time in which the history shows the group like this until now."""
    if story is None:
        return None
    key = name.lower()
    window = next((each for each in story.windows if each.group.lower() == key), None)
    since: float | None = None
    for point in reversed(window.points if window is not None else ()):
        if not _is_so(point, over):
            break
        since = point.since
    return since


def _is_so(point: Point, over: bool) -> bool:
    share = point.starved
    if over:
        share = point.over
    return share >= 0.5


@dataclass(frozen=True)
class Seen:
    """What the sentence is made of; ``now`` is the time of the capture, None if not known."""

    look: PoolQuotaReport
    balance: Balance
    audit: Audit
    story: DriftExplanation | None = None
    now: float | None = None
    zone: tzinfo | None = None


def verdict(seen: Seen) -> str:
    """Return one sentence on the state of the pool; what could not be read is said first."""
    idle = idle_while_jobs_wait(seen.balance, seen.zone)
    clauses = [*_unknown(seen), *filter(None, [idle]), *_below(seen), *_over(seen)]
    errors = seen.audit.count(Severity.ERROR)
    if errors:
        clauses.append(f"the audit found {counted(errors, 'error')}")
    if not clauses:
        groups = ", every group has what quota and demand give" if seen.look.grouped else ""
        clauses = [f"{use_of(seen.balance)}{groups} and the audit found no error"]
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}."


def _unknown(seen: Seen) -> Iterator[str]:
    if seen.audit.health:
        more = len(seen.audit.health) - 1
        text = f"the pool is not healthy: {one_line(seen.audit.health[0].text)}"
        if more:
            text += f" (and {more} more)"
        yield text
    missing = dict.fromkeys((*seen.audit.incomplete, *seen.audit.gaps))
    if missing:
        yield f"{counted(len(missing), 'part')} of the pool could not be read"
    elif not seen.audit.health:
        yield from seen.balance.unknown[:1]


def _below(seen: Seen) -> Iterator[str]:
    below = seen.balance.below
    if not below:
        return
    worst = below[0]
    usage, due = short_amount(worst.usage_next), short_amount(worst.due)
    text = f"group {one_line(worst.name)} has {usage} of the {due} {unit_of(seen.look)} that quota "
    yield f"{text}and demand give{_told_since(_since(worst.name, False, seen.story), seen)}"
    if len(below) > 1:
        yield f"{counted(len(below) - 1, 'more group')} below"


def _over(seen: Seen) -> Iterator[str]:
    over = groups_over(seen.look, seen.story)
    if not over:
        return
    worst, since = over[0]
    usage, above = short_amount(worst.usage), short_amount(worst.usage - worst.quota)
    text = f"group {one_line(worst.name)} uses {usage} {unit_of(seen.look)}, {above} more than its "
    yield f"{text}quota{_told_since(since, seen)}"
    if len(over) > 1:
        yield f"{counted(len(over) - 1, 'more group')} above"


def _told_since(since: float | None, seen: Seen) -> str:
    if since is None or seen.now is None:
        return ""
    return f" {since_words(since, seen.now, seen.zone)}"


def unit_of(look: PoolQuotaReport) -> str:
    """Return what amounts of groups are called: cores where a slot weighs its cpus."""
    return "cores" if look.cores else look.unit


def short_amount(amount: float) -> str:
    """Return an amount as a sentence has it: ``30``, ``2.5``, ``12,000``."""
    return f"{amount:,.1f}".removesuffix(".0")


def worst_findings(audit: Audit, most: int = 5) -> Sequence[Finding]:
    """Return the findings that matter most, in the audit's own order."""
    return audit.findings[:most]
