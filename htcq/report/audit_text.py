"""An audit for people: findings, the worst first, how to mend them, and what was not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import EXAMPLES, Audit, Finding
from htcq.audit.rule import Fact, Severity
from htcq.report.printable import one_line
from htcq.report.terminal import Line, show_lines

KNOB = re.compile(r"[A-Za-z0-9_.]+ *@?=")
_LONGEST_VALUE = 400
_EMPTY = Line()


def show_audit(audit: Audit, stream: TextIO, plain: bool = False) -> None:
    """Write the audit as text, in colour on a terminal unless ``plain`` is asked for."""
    show_lines(_lines(audit), stream, plain)


def summary(audit: Audit) -> str:
    """Return the audit in one line: ``12 findings: 3 errors, …; 88 rules checked, 3 not for want of evidence``."""
    counts = [(audit.count(severity), severity.word) for severity in sorted(Severity, reverse=True)]
    told = ", ".join(counted(count, word) for count, word in counts if count)
    found = f"{counted(len(audit.findings), 'finding')}: {told}" if told else "no findings"
    known = f" ({audit.known} known before)" if audit.known else ""
    checked = {each.rule for each in audit.rules}
    missed = {each.rule for each in audit.not_checked}
    partly = f" ({len(missed & checked)} in part)" if missed & checked else ""
    wanting = f", {len(missed - checked)} not for want of evidence" if missed - checked else ""
    return f"{found}{known}; {counted(len(checked), 'rule')} checked{partly}{wanting}"


def counted(count: int, noun: str) -> str:
    """Return ``1 error``, ``2 errors``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def wanting(audit: Audit) -> list[tuple[str, tuple[str, ...]]]:
    """Return what was missing, and the rules that were not checked for want of it, or only in part."""
    rules: dict[str, list[str]] = {}
    for each in audit.not_checked:
        rules.setdefault(each.missing, []).append(each.rule)
    # One rule may miss the same of a thousand machines.
    missing: dict[tuple[str, ...], list[str]] = {}
    for what, whose in rules.items():
        missing.setdefault(tuple(whose), []).append(what)
    return [(_first(each), whose) for whose, each in missing.items()]


def _first(texts: list[str]) -> str:
    more = len(texts) - EXAMPLES
    return ", ".join(texts[:EXAMPLES]) + (f" and {more} more" if more > 0 else "")


def such(finding: Finding) -> str:
    """Return how many things a finding is about and the first of them; empty where it is one."""
    if finding.count < 2:
        return ""
    more = ", …" if finding.count > len(finding.examples) else ""
    return f"{finding.count} such: {', '.join(finding.examples)}{more}"


def shown_value(value: str) -> str:
    """Return an attribute's value on one line, cut where it is very long."""
    line = one_line(value)
    return line if len(line) <= _LONGEST_VALUE else f"{line[:_LONGEST_VALUE]}…"


def _lines(audit: Audit) -> Iterator[Line]:
    taken = f", taken {audit.taken}" if audit.taken else ""
    yield _line(f"{audit.source}{taken}", "strong")
    yield _EMPTY
    for finding in audit.findings:
        yield from _finding(finding)
        yield _EMPTY
    yield from _fixes(audit)
    for missing, rules in wanting(audit):
        yield Line((("not checked", "strong"), (f" without {one_line(missing)}: {', '.join(rules)}", "")))
    for each in audit.incomplete:
        yield Line((("read in part", "warning"), (f": {one_line(each)}", "")))
    if audit.not_checked or audit.incomplete:
        yield _EMPTY
    # Last, where it is still seen when all else has scrolled away.
    yield _line(summary(audit), "strong")


def _finding(finding: Finding) -> Iterator[Line]:
    word = finding.severity.word
    several = such(finding)
    pieces = [(word, word), ("  ", ""), (finding.rule, "strong"), ("  ", ""), (one_line(finding.subject), "")]
    yield Line((*pieces, (f"  ({one_line(several)})", "quiet")) if several else tuple(pieces))
    yield _line(one_line(finding.message), indent=4)
    for fact in finding.evidence:
        yield _fact(fact)


def _fact(fact: Fact) -> Line:
    place = ((f"  # {one_line(fact.place)}", "quiet"),) if fact.place else ()
    return Line(((f"{fact.attribute} = {shown_value(fact.value)}", ""), *place), indent=6, verbatim=True)


def _fixes(audit: Audit) -> Iterator[Line]:
    whose: dict[str, list[Finding]] = {}
    for finding in audit.findings:
        whose.setdefault(finding.fix, []).append(finding)
    if not whose:
        return
    yield _line("How to mend it", "strong")
    for fix, findings in whose.items():
        yield _line(", ".join(dict.fromkeys(_mended(each, audit) for each in findings)), indent=2)
        for text in fix.splitlines():
            yield Line(((text.rstrip(), ""),), indent=6, verbatim=bool(KNOB.match(text.strip())))
    yield _EMPTY


def _mended(finding: Finding, audit: Audit) -> str:
    """Return the rule, with the subject where other findings of the rule are mended otherwise."""
    others = any(each.rule == finding.rule and each.fix != finding.fix for each in audit.findings)
    return f"{finding.rule} ({one_line(finding.subject)})" if others else finding.rule


def _line(text: str, style: str = "", indent: int = 0) -> Line:
    return Line(((text, style),), indent)
