"""The page htcq-rules(7) for the browser, from the rules themselves; for man 'htcq explain --man' writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from manual_source import Page, parsed

from htcq.audit.catalog import by_family
from htcq.audit.rule import AnyRule
from htcq.report.fix import settings_text
from htcq.report.views.rules import needed

_SUMMARY = "what htcq audit, htcq quota lint and htcq elastic look for"


def rules_page() -> Page:
    """Return the page with every rule, by family."""
    text = "\n\n".join(_families())
    return Page("htcq-rules", "7", _SUMMARY, parsed(text), "the rules")


def _families() -> Iterator[str]:
    for name, rules in by_family().items():
        yield f"## {name.upper()}"
        for rule in rules:
            yield from _rule(rule)


def _rule(rule: AnyRule) -> Iterator[str]:
    yield f"### {rule.id}"
    yield f"{_text(rule.summary)} ({rule.severity.word})."
    yield _text(rule.consequence)
    yield _text(rule.advice)
    settings = [_text(line) for line in settings_text(rule.settings)]
    if settings:
        yield "* " + "\n* ".join(settings)
    yield f"Needs: {_text(needed(rule))}. Source: {_text(rule.source)}."


def _text(text: str) -> str:
    """Return ``text`` so that nothing of it is markup; each of its lines is one."""
    escaped = re.sub(r"([\\`*_\[\]<>&#+|~-])", r"\\\1", text)
    return "\n\n".join(line.strip() for line in escaped.splitlines())
