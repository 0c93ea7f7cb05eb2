"""The state of a pool in one sentence, and how fresh each number is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from htcq.audit.engine import Audit, Finding
from htcq.audit.facts import listed
from htcq.audit.rule import Severity
from htcq.audit.stock import PoolStock
from htcq.drift.explanation import DriftExplanation
from htcq.drift.windows import Point
from htcq.poolquota.group_status import GroupStatus
from htcq.poolquota.report import PoolQuotaReport
from htcq.quota.group_tree import ROOT
from htcq.report.moments import since_words
from htcq.report.printable import one_line
from htcq.units import CPUS, GPUS, counted

#: A group is off its quota by more than this part of it, and by more than one slot's weight.
_SLACK, _LEAST = 0.05, 1.0
#: Less of an asset than this part of the pool is not worth a sentence.
_NOTEWORTHY = 0.01
_CORES = {CPUS: "core", GPUS: "GPU"}


@dataclass(frozen=True)
class GroupNews:
    """A group that is off its quota: by ``distance`` above it, or below while its jobs wait."""

    name: str
    usage: float
    quota: float
    over: bool
    since: float | None = None

    @property
    def distance(self) -> float:
        """How far its usage is from its quota."""
        return abs(self.usage - self.quota)


def groups_off_quota(
    look: PoolQuotaReport, story: DriftExplanation | None = None
) -> tuple[GroupNews, ...]:
    """Return the groups that use more than they may, or less while they want it; the worst first.

    A group above its quota that accepts surplus uses what others leave, and is not off. Since when
    is known from the history alone.
    """
    found = []
    for standing in look.standings:
        news = _news(standing, story)
        if news is not None:
            found.append(news)
    return tuple(sorted(found, key=lambda each: (-each.distance, each.name)))


def _news(standing: GroupStatus, story: DriftExplanation | None) -> GroupNews | None:
    quota, usage = standing.quota, standing.usage
    slack = max(_LEAST, _SLACK * quota)
    over = usage - quota > slack and not standing.group.accept_surplus
    lacking = min(quota, standing.requested) - usage > slack
    if standing.name == ROOT or not (over or lacking):
        return None
    return GroupNews(standing.name, usage, quota, over, _since(standing.name, over, story))


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
    stock: PoolStock
    audit: Audit
    story: DriftExplanation | None = None
    now: float | None = None
    zone: tzinfo | None = None


def verdict(seen: Seen) -> str:
    """Return one sentence on the state of the pool; what could not be read is said first."""
    clauses = [*_unknown(seen), *_off_quota(seen), *_stranded(seen.stock)]
    errors = seen.audit.count(Severity.ERROR)
    if errors:
        clauses.append(f"the audit found {counted(errors, 'error')}")
    if not clauses:
        clauses = [f"{_use(seen.stock)}, every group has its quota and the audit found no error"]
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}."


def _unknown(seen: Seen) -> Iterator[str]:
    if seen.audit.health:
        more = len(seen.audit.health) - 1
        text = f"the pool is not healthy: {one_line(seen.audit.health[0].text)}"
        if more:
            text += f" (and {more} more)"
        yield text
    missing = len(dict.fromkeys((*seen.audit.incomplete, *seen.audit.gaps)))
    if missing:
        yield f"{counted(missing, 'part')} of the pool could not be read"


def _off_quota(seen: Seen) -> Iterator[str]:
    news = groups_off_quota(seen.look, seen.story)
    if not news:
        return
    worst = news[0]
    unit = "slot weight"
    if seen.look.cores:
        unit = "cores"
    usage, quota = short_amount(worst.usage), short_amount(worst.quota)
    text = f"{one_line(worst.name)} uses {usage} of its {quota} {unit}"
    if worst.over:
        text = f"{one_line(worst.name)} uses {usage} {unit}, more than its quota of {quota}"
    else:
        text += " while its jobs wait"
    if worst.since is not None and seen.now is not None:
        text += f" {since_words(worst.since, seen.now, seen.zone)}"
    yield text
    if len(news) > 1:
        yield f"{counted(len(news) - 1, 'more group')} off quota"


def _stranded(stock: PoolStock) -> Iterator[str]:
    for each in stock.stranded:
        for asset, word in _CORES.items():
            amount = each.amounts[asset]
            if amount >= max(1.0, _NOTEWORTHY * stock.stocks[asset].whole):
                cores = counted(int(amount), word)
                verb = "stand"
                if int(amount) == 1:
                    verb = "stands"
                yield f"{cores} {verb} idle for lack of {listed(each.short)}"


def _use(stock: PoolStock) -> str:
    cpus = stock.stocks[CPUS]
    if not cpus.whole:
        return "the pool has no cores"
    return f"{short_amount(cpus.used)} of {short_amount(cpus.whole)} cores are in use"


def short_amount(amount: float) -> str:
    """Return an amount as a sentence has it: ``30``, ``2.5``, ``12,000``."""
    return f"{amount:,.1f}".removesuffix(".0")


def worst_findings(audit: Audit, most: int = 5) -> Sequence[Finding]:
    """Return the findings that matter most: by severity, harm, and count."""
    return sorted(audit.findings, key=_rank)[:most]


def _rank(finding: Finding) -> tuple[float, ...]:
    harm = finding.harm
    groups = len(harm.starved) + len(harm.overrun)
    return (-finding.severity, -harm.shut, -groups, -finding.count)
