"""An audit for people: findings, the worst first, how to fix them, and what was not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from htcq.audit.engine import EXAMPLES, Audit, Finding
from htcq.audit.fix import Setting, by_place
from htcq.audit.rule import Fact, Severity
from htcq.report.fix import place_text
from htcq.report.printable import one_line
from htcq.report.terminal import Line, line, show_lines
from htcq.units import counted, first_named

_LONGEST_VALUE = 400
_EMPTY = Line()
#: What fixes a finding: its settings and its advice.
_Mends = tuple[tuple[Setting, ...], str]


def show_audit(audit: Audit, stream: TextIO, plain: bool = False, skipped: bool = False) -> None:
    """Write the audit as text, in colour on a terminal unless ``plain`` is asked for.

    ``skipped``: rules that were not checked are named, however many they are.
    """
    show_lines(_lines(audit, skipped), stream, plain)


def summary(audit: Audit) -> str:
    """Return the audit in one line.

    Such as ``12 findings: 3 errors, …; 88 rules checked, 3 checks skipped: no data``.
    """
    counts = [(audit.count(severity), severity.word) for severity in sorted(Severity, reverse=True)]
    severities = ", ".join(counted(count, word) for count, word in counts if count)
    text = "no findings"
    if severities:
        text = f"{counted(len(audit.findings), 'finding')}: {severities}"
    if audit.known:
        text += f" ({audit.known} known before)"
    return f"{text}; {_checked(audit)}"


def _checked(audit: Audit) -> str:
    """Return how many rules were checked, and how many were not or on incomplete data."""
    checked = {each.rule for each in audit.rules}
    missed = {each.rule for each in audit.not_checked if not each.failed}
    text = f"{counted(len(checked), 'rule')} checked"
    if missed & checked:
        text += f" ({len(missed & checked)} on incomplete data)"
    if missed - checked:
        text += f", {counted(len(missed - checked), 'check')} skipped: no data"
    if audit.failed:
        text += f", {len(audit.failed)} failed"
    return text


def wanting(audit: Audit) -> list[tuple[str, tuple[str, ...]]]:
    """Return what data was missing, each with the rules that needed it."""
    rules: dict[str, list[str]] = {}
    for each in audit.not_checked:
        if not each.failed:
            rules.setdefault(each.missing, []).append(each.rule)
    # One rule may miss the same of a thousand machines.
    missing: dict[tuple[str, ...], list[str]] = {}
    for what, whose in rules.items():
        missing.setdefault(tuple(whose), []).append(what)
    return [(first_named(each, EXAMPLES), whose) for whose, each in missing.items()]


def failures(audit: Audit) -> list[str]:
    """Return the rules that failed, each with the error."""
    return [one_line(f"rule failed: {each.rule}: {each.missing}") for each in audit.failed]


def such(finding: Finding) -> str:
    """Return how many things a finding is about and the first of them; empty where it is one."""
    if finding.count < 2:
        return ""
    examples = list(finding.examples)
    if finding.count > len(examples):
        examples.append("…")
    return f"{finding.count} such: {', '.join(examples)}"


def caused_text(finding: Finding) -> str:
    """Return what follows from a root cause in one line: ``rule: message (5 such)``."""
    several = ""
    if finding.count > 1:
        several = f" ({finding.count} such)"
    return f"{finding.rule}: {finding.message}{several}"


def shown_value(value: str) -> str:
    """Return an attribute's value on one line, cut where it is very long."""
    line = one_line(value)
    if len(line) > _LONGEST_VALUE:
        return f"{line[:_LONGEST_VALUE]}…"
    return line


def _lines(audit: Audit, skipped: bool) -> Iterator[Line]:
    taken = ""
    if audit.taken:
        taken = f", taken {audit.taken}"
    yield line(f"{audit.source}{taken}", "strong")
    yield _EMPTY
    for finding in audit.findings:
        yield from _finding(finding)
        yield _EMPTY
    yield from _fixes(audit)
    for gone in audit.gone:
        yield Line((("no longer found", "strong"), (f": {one_line(gone)}", "")))
    for missing, rules in wanting(audit):
        names = ", ".join(rules)
        if len(rules) > EXAMPLES and not skipped:
            names = f"{len(rules)} rules"
        yield Line((("not checked", "strong"), (f" without {one_line(missing)}: {names}", "")))
    for failure in failures(audit):
        yield Line(((failure, "warning"),))
    for each in audit.incomplete:
        yield Line((("incomplete data", "warning"), (f": {one_line(each)}", "")))
    if audit.gone or audit.not_checked or audit.incomplete:
        yield _EMPTY
    # Last, where it is still seen when all else has scrolled away.
    yield line(summary(audit), "strong")


def _finding(finding: Finding) -> Iterator[Line]:
    word = finding.severity.word
    several = one_line(such(finding))
    pieces = [
        (word, word),
        ("  ", ""),
        (finding.rule, "strong"),
        ("  ", ""),
        (one_line(finding.subject), ""),
    ]
    if several:
        pieces.append((f"  ({several})", "quiet"))
    yield Line(tuple(pieces))
    yield line(finding.message, indent=4)
    for fact in finding.evidence:
        yield _fact(fact)
    if finding.caused:
        yield line("From this follows:", indent=4)
    for each in finding.caused:
        yield line(caused_text(each), "quiet", indent=6)


def _fact(fact: Fact) -> Line:
    pieces = [(f"{fact.attribute} = {shown_value(fact.value)}", "")]
    if fact.place:
        pieces.append((f"  # {one_line(fact.place)}", "quiet"))
    return Line(tuple(pieces), indent=6, verbatim=True)


def _fixes(audit: Audit) -> Iterator[Line]:
    whose: dict[_Mends, list[Finding]] = {}
    for finding in audit.findings:
        whose.setdefault(_mends(finding), []).append(finding)
    if not whose:
        return
    yield line("How to fix it", "strong")
    for (settings, advice), findings in whose.items():
        yield line(", ".join(dict.fromkeys(_mended(each, audit) for each in findings)), indent=2)
        for place, found in by_place(settings).items():
            yield line(place_text(*place), indent=6)
            for setting in found:
                yield Line(((one_line(setting.line), ""),), indent=8, verbatim=True)
        for text in advice.splitlines():
            yield Line(((text.rstrip(), ""),), 6)
    yield _EMPTY


def _mends(finding: Finding) -> _Mends:
    return finding.settings, finding.advice


def _mended(finding: Finding, audit: Audit) -> str:
    """Return the rule, with the subject if other findings of the rule have another fix."""
    others = any(
        each.rule == finding.rule and _mends(each) != _mends(finding) for each in audit.findings
    )
    if not others:
        return finding.rule
    return f"{finding.rule} ({one_line(finding.subject)})"
