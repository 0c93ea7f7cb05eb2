"""An audit as one HTML page, which needs no network and no JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from htcq.audit.engine import Audit, Finding
from htcq.audit.fix import Setting, by_place
from htcq.audit.rule import Fact, Severity
from htcq.claims.costs import Share
from htcq.report.charts.pictures import GroupBar, Pictures
from htcq.report.charts.svg import group_bar, share_bar
from htcq.report.fix import place_text
from htcq.report.formats.html import Link, page, unwell
from htcq.report.moments import as_people_write
from htcq.report.printable import one_line, printable
from htcq.report.views.audit_text import failures, such, summary, wanting

#: An expression that is longer has a short name, and its text is one click away.
_SHORT = 32


def audit_page(audit: Audit, pictures: Pictures, links: Sequence[Link] = ()) -> str:
    """Return the page; ``links`` lead to the others of its site.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    values: dict[str, Any] = {
        "health": unwell(audit.health),
        "links": links,
        "source": one_line(audit.pool or audit.source),
        "taken": one_line(audit.taken),
        "taken_words": one_line(as_people_write(audit.taken)),
        "summary": summary(audit),
        "counts": [(each.word, audit.count(each)) for each in sorted(Severity, reverse=True)],
        "known": audit.known,
        "checked": audit.checked,
        "findings": [_finding(finding) for finding in audit.findings],
        "incomplete": [one_line(each) for each in audit.incomplete] + failures(audit),
        "not_checked": [(one_line(missing), rules) for missing, rules in wanting(audit)],
        "shares": [_share(*each) for each in enumerate(pictures.shares, 1)],
        "more_shares": pictures.more_shares,
        "groups": list(_groups(pictures.groups)),
    }
    return page("audit", values)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.word,
        "rank": int(finding.severity),
        "subject": one_line(finding.subject),
        "message": printable(finding.message),
        "count": finding.count,
        "such": one_line(such(finding)),
        "facts": [_fact(fact) for fact in finding.evidence],
        "fix": [_settings(*place, found) for place, found in by_place(finding.settings).items()],
        "advice": printable(finding.advice).rstrip(),
        "caused": [_caused(each) for each in finding.caused],
    }


def _fact(fact: Fact) -> tuple[str, str, str]:
    return one_line(fact.attribute), printable(fact.value), one_line(fact.place)


def _caused(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, one_line(finding.subject), one_line(finding.message)


def _settings(whose: str, file: str, settings: list[Setting]) -> dict[str, str]:
    """Return where the settings belong, and their lines of configuration."""
    lines = [printable(setting.line) for setting in settings]
    return {"place": one_line(place_text(whose, file)), "text": "\n".join(lines)}


def _share(number: int, share: Share) -> dict[str, str]:
    amount = f"{share.share:.1%} of the pool's weight"
    expression = printable(share.expression) or "(none: counts as 1)"
    name = weight_name(number, expression)
    return {
        "name": name,
        "expression": expression,
        "slots": f"{share.slots:,}",
        "weight": f"{share.weight:,g}",
        "share": f"{share.share:.1%}",
        "bar": share_bar(f"{name}: {amount}", share.share),
    }


def weight_name(number: int, expression: str) -> str:
    """Return how a SLOT_WEIGHT expression is called in a page: as it is, unless it is long."""
    if len(expression) <= _SHORT:
        return expression
    return f"weight {number}"


def _groups(groups: tuple[GroupBar, ...]) -> Iterator[dict[str, Any]]:
    # One scale for all: on scales of its own a subgroup would look as large as its parent.
    scale = 0.0
    for each in groups:
        scale = max(scale, each.quota, each.usage, each.requested)
    for each in groups:
        name = one_line(each.name)
        quota, usage, requested = map(_amount, (each.quota, each.usage, each.requested))
        title = f"{name}: quota {quota}, uses {usage}, asks for {requested}"
        yield {
            "name": name,
            "depth": min(each.depth, 8),
            "quota": quota,
            "usage": usage,
            "requested": requested,
            "bar": group_bar(title, each.quota, each.usage, each.requested, scale),
        }


def _amount(amount: float) -> str:
    return f"{amount:,.1f}".removesuffix(".0")
