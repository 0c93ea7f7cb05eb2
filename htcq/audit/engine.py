"""Runs rules on evidence: merges what has one cause, applies what the site says of a rule, and sorts by severity."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Rule, Severity, Unchecked

#: Most things of one cause that a finding names.
EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: what the rule found, with the rule's severity (or the site's) and its advice."""

    rule: str
    severity: Severity
    subject: str
    message: str
    evidence: tuple[Fact, ...]
    fix: str
    count: int
    examples: tuple[str, ...]
    cause: str

    @property
    def fingerprint(self) -> str:
        """What stays the same from one audit to the next while the cause is not mended."""
        return f"{self.rule}: {self.cause}"


@dataclass(frozen=True)
class NotChecked:
    """A rule that could not be checked, or only in part, for want of evidence."""

    rule: str
    missing: str


@dataclass(frozen=True)
class Verdict:
    """What a site says of one rule: another severity (None: the rule's own), only or not these subjects."""

    severity: Severity | None = None
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def admits(self, subject: str) -> bool:
        """Tell whether ``subject`` is in the rule's scope; patterns are those of a shell."""
        if self.only and not any(fnmatch.fnmatchcase(subject, pattern) for pattern in self.only):
            return False
        return not any(fnmatch.fnmatchcase(subject, pattern) for pattern in self.ignore)


@dataclass(frozen=True)
class Checked:
    """A rule that was checked, with the severity that its findings have here."""

    rule: str
    severity: Severity


@dataclass(frozen=True)
class Audit:
    """The outcome: findings, the worst first; rules that could not be checked; and those that were.

    ``source`` and ``taken`` tell which pool, and when; ``incomplete`` what of it could not be read; ``known`` how many
    findings were left out because they were known before.
    """

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    rules: tuple[Checked, ...] = ()
    incomplete: tuple[str, ...] = ()
    source: str = ""
    taken: str = ""
    known: int = 0

    @property
    def checked(self) -> int:
        """How many rules were checked."""
        return len(self.rules)

    def count(self, severity: Severity) -> int:
        """Return how many findings are of that severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def worst(self) -> Severity | None:
        """Return the highest severity; None where nothing was found."""
        return max((finding.severity for finding in self.findings), default=None)

    def since(self, fingerprints: Collection[str]) -> Audit:
        """Return the outcome without the findings that have one of these fingerprints."""
        new = tuple(finding for finding in self.findings if finding.fingerprint not in fingerprints)
        return replace(self, findings=new, known=len(self.findings) - len(new))


@dataclass
class _Merged:
    first: Found
    count: int
    examples: list[str] = field(default_factory=list)


def audit(evidence: Evidence, rules: Iterable[Rule], site: Mapping[str, Verdict] | None = None) -> Audit:
    """Return what ``rules`` find in ``evidence``, each as ``site`` wants it."""
    findings: list[Finding] = []
    not_checked: list[NotChecked] = []
    checked: list[Checked] = []
    for rule in rules:
        verdict = (site or {}).get(rule.id, Verdict())
        missing = [need.value for need in rule.needs if evidence.lacks(need)]
        if missing:
            not_checked.append(NotChecked(rule.id, "; ".join(missing)))
            continue
        checked.append(Checked(rule.id, verdict.severity or rule.severity))
        found, unchecked = _run(rule, evidence, verdict)
        findings += found
        not_checked += [NotChecked(rule.id, missing) for missing in unchecked]
    findings.sort(key=lambda finding: (-finding.severity, finding.rule))
    pool = evidence.pool
    return Audit(tuple(findings), tuple(not_checked), tuple(checked), pool.incomplete, pool.source, pool.taken_at)


def _run(rule: Rule, evidence: Evidence, verdict: Verdict) -> tuple[list[Finding], list[str]]:
    merged: dict[str, _Merged] = {}
    unchecked: list[str] = []
    for each in rule.find(evidence):
        if isinstance(each, Unchecked):
            unchecked.append(each.missing)
        elif verdict.admits(each.subject):
            one = merged.setdefault(each.cause, _Merged(each, 0))
            one.count += each.count
            one.examples += each.examples or (each.subject,)
    return [_finding(rule, verdict, one) for one in merged.values()], list(dict.fromkeys(unchecked))


def _finding(rule: Rule, verdict: Verdict, one: _Merged) -> Finding:
    first = one.first
    return Finding(
        rule=rule.id,
        severity=verdict.severity or first.severity or rule.severity,
        subject=first.subject,
        message=first.message,
        evidence=first.facts,
        fix=first.fix or rule.fix,
        count=one.count,
        examples=tuple(dict.fromkeys(one.examples))[:EXAMPLES],
        cause=first.cause,
    )
