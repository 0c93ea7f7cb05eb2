"""The manual text of rules: as text, as a list by family, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from htcq.audit.rule import AnyRule
from htcq.report.column import Column
from htcq.report.fix import settings_json, settings_text
from htcq.report.formats.text import show
from htcq.report.table import Table
from htcq.report.terminal import Line, show_lines

SCHEMA = 1
_COLUMNS: tuple[Column[AnyRule], ...] = (
    Column("", lambda rule: rule.id, "RULE"),
    Column("", lambda rule: rule.severity.word, "SEVERITY"),
    Column("", lambda rule: rule.summary, "WHAT IS WRONG"),
)


def rules_json(rules: Iterable[AnyRule]) -> dict[str, Any]:
    """Return the rules as htcq-explain(1) describes them."""
    return {"schema": SCHEMA, "rules": [_rule_json(rule) for rule in rules]}


def _rule_json(rule: AnyRule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "family": rule.family,
        "severity": rule.severity.word,
        "needs": [need.value for need in rule.needs],
        "summary": rule.summary,
        "consequence": rule.consequence,
        "fix": settings_json(rule.settings),
        "advice": rule.advice,
        "source": rule.source,
    }


def show_rules(families: Mapping[str, Iterable[AnyRule]], stream: TextIO) -> None:
    """Write all rules as a table for each family that has any."""
    shown = False
    for family, rules in families.items():
        table = Table(_COLUMNS, list(rules), family, repeat=0)
        if not table.rows:
            continue
        if shown:
            print(file=stream)
        show(table, stream)
        shown = True


def show_rule(rule: AnyRule, stream: TextIO) -> None:
    """Write everything about one rule."""
    show_lines(_lines(rule), stream)


def needed(rule: AnyRule) -> str:
    """Return the evidence without which ``rule`` is not checked, as text."""
    return "; ".join(need.value for need in rule.needs) or "whatever of its evidence there is"


def _lines(rule: AnyRule) -> Iterator[Line]:
    word = rule.severity.word
    yield Line(((rule.id, "strong"), (f" ({rule.family}, ", ""), (word, word), (")", "")))
    yield Line(((rule.summary, ""),), indent=4)
    parts = (
        ("Consequence", rule.consequence),
        ("How to fix it", "\n".join([rule.advice, *settings_text(rule.settings)])),
        ("Needs", needed(rule)),
        ("Source", rule.source),
    )
    for title, text in parts:
        yield Line()
        yield Line(((title, "strong"),))
        for line in text.splitlines():
            yield Line(((line.rstrip(), ""),), indent=4)
