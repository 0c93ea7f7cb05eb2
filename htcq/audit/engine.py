"""The engine of the audit: runs rules on a subject and makes findings of what they find.

It merges what has one cause, applies the site's verdict on each rule, lists what follows from a
root cause under it, and sorts by severity. A subject is a pool, declared groups, or elastic
quotas.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic

from htcq.audit.causes import Cause, Occurrence, by_root, root_causes
from htcq.audit.fix import Setting, united
from htcq.audit.input import Input
from htcq.audit.rule import HARMLESS, Fact, Harm, Rule, Severity, Unchecked
from htcq.audit.subject import S, Subject
from htcq.errors import BindingsError
from htcq.units import counted

if TYPE_CHECKING:
    from htcq.poolquota.ailment import Ailment

#: The largest number of things of one cause that a finding names.
EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    It has what the rule found, the severity at this site, the settings that fix it, and in
    ``caused`` the findings that follow from it.
    """

    rule: str
    severity: Severity
    subject: str
    message: str
    evidence: tuple[Fact, ...]
    advice: str
    count: int
    examples: tuple[str, ...]
    cause: str
    settings: tuple[Setting, ...] = ()
    harm: Harm = HARMLESS
    caused: tuple[Finding, ...] = ()

    @property
    def fingerprint(self) -> str:
        """The text that stays the same from one audit to the next until the cause is fixed."""
        return f"{self.rule}: {self.cause}"

    @property
    def fingerprints(self) -> frozenset[str]:
        """The fingerprints of the finding and of those that follow from it."""
        return frozenset((self.fingerprint, *(each.fingerprint for each in self.caused)))


@dataclass(frozen=True)
class NotChecked:
    """A rule that was not checked, or only in part: data is missing, or the rule ``failed``."""

    rule: str
    missing: str
    failed: bool = False


@dataclass(frozen=True)
class Verdict:
    """A site's verdict on one rule.

    ``severity`` replaces the rule's own (None: it does not). ``only`` and ``ignore`` are patterns
    of the subjects that the rule is limited to, and of those that it skips.
    """

    severity: Severity | None = None
    only: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def admits(self, subject: str) -> bool:
        """Return whether ``subject`` is in the rule's scope; patterns are those of a shell."""
        if self.only and not _matches(subject, self.only):
            return False
        return not _matches(subject, self.ignore)


def _matches(subject: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(subject, pattern) for pattern in patterns)


@dataclass(frozen=True)
class Checked:
    """A rule that was checked, with the severity that its findings have here."""

    rule: str
    severity: Severity


@dataclass(frozen=True)
class Audit:
    """The outcome: findings, the worst first; rules that could not be checked; and those that were.

    ``source`` and ``taken`` say which pool was checked, and when it was captured; ``pool`` is its
    name. ``incomplete`` lists the parts of it that could not be read. ``known`` is the number of
    findings that were left out because they were known before, and ``gone`` lists the fingerprints
    of known findings that are not found any more. ``health`` lists what is wrong with the pool's
    daemons. ``gaps`` lists data that the rules needed and a live pool has, but the
    capture lacks: with gaps, an audit without findings is no all-clear.
    """

    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    rules: tuple[Checked, ...] = ()
    incomplete: tuple[str, ...] = ()
    source: str = ""
    taken: str = ""
    known: int = 0
    gone: tuple[str, ...] = ()
    health: tuple[Ailment, ...] = ()
    gaps: tuple[str, ...] = ()
    pool: str = ""

    @property
    def failed(self) -> tuple[NotChecked, ...]:
        """The rules that failed; their findings are not known."""
        return tuple(each for each in self.not_checked if each.failed)

    @property
    def checked(self) -> int:
        """The number of rules that were checked."""
        return len(self.rules)

    def count(self, severity: Severity) -> int:
        """Return the number of findings of that severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def worst(self) -> Severity | None:
        """Return the highest severity; None where nothing was found."""
        return max((finding.severity for finding in self.findings), default=None)

    def since(self, fingerprints: Collection[str]) -> Audit:
        """Return the outcome without the known findings.

        A finding is known where ``fingerprints`` has its own and those of all that follows from it.
        A known one is gone only if its rule was checked on all that it needs.
        """
        known = frozenset(fingerprints)
        new = tuple(finding for finding in self.findings if not finding.fingerprints <= known)
        found = frozenset().union(*(finding.fingerprints for finding in self.findings))
        checked = {each.rule for each in self.rules} - {each.rule for each in self.not_checked}
        gone = sorted(each for each in known - found if each.partition(": ")[0] in checked)
        return replace(self, findings=new, known=len(self.findings) - len(new), gone=tuple(gone))

    def without(self, reasons: Iterable[str]) -> Audit:
        """Return the outcome with the reasons why some rules could not be loaded.

        They are gaps: without findings it is no all-clear.
        """
        return replace(self, gaps=(*self.gaps, *reasons))

    def joined(self, other: Audit) -> Audit:
        """Return the outcome with that of other rules on another subject of the same site."""
        return replace(
            self,
            findings=tuple(
                sorted(sorted((*self.findings, *other.findings), key=_by_rule), key=_rank)
            ),
            not_checked=(*self.not_checked, *other.not_checked),
            rules=(*self.rules, *other.rules),
            gaps=(*self.gaps, *other.gaps),
        )


def audit(subject: S, rules: Iterable[Rule[S]], site: Mapping[str, Verdict] | None = None) -> Audit:
    """Return the audit of ``subject`` by ``rules``, under the verdicts of ``site``."""
    verdicts = site or {}
    occurrences: list[Occurrence] = []
    not_checked: list[NotChecked] = []
    checked: list[Checked] = []
    needed: Counter[Input] = Counter()

    for rule in rules:
        verdict = verdicts.get(rule.id, Verdict())
        run: _Run[S] = _Run(rule, verdict)
        missing = ""
        try:
            missing = subject.missing(rule.needs)
            if not missing:
                run.take(subject)
        except BindingsError:
            raise
        except Exception as error:
            # One rule that fails hides neither what it found before nor what the others find.
            run.fail(error)
        if missing:
            not_checked.append(NotChecked(rule.id, missing))
            needed.update(need for need in rule.needs if subject.lacks(need))
            continue
        if not run.failed:
            checked.append(Checked(rule.id, verdict.severity or rule.severity))
        occurrences += run.occurrences
        not_checked += run.not_checked()

    findings = sorted(_findings(subject, occurrences, verdicts), key=_by_rule)
    findings.sort(key=_rank)
    return Audit(
        tuple(findings),
        tuple(not_checked),
        tuple(checked),
        subject.incomplete,
        subject.source,
        subject.taken,
        health=subject.ailments,
        gaps=(*_gaps(subject, not_checked, needed), *subject.unread),
        pool=subject.pool_name,
    )


def _gaps(
    subject: Subject, not_checked: Sequence[NotChecked], needed: Mapping[Input, int]
) -> Iterator[str]:
    """Yield the gaps that keep an audit from an all-clear.

    These are rules that failed, and data that the pool should have and rules lack.
    """
    for each in not_checked:
        if each.failed:
            yield f"the rule {each.rule} failed: {each.missing}"
    for need in Input:
        rules = needed.get(need, 0)
        if rules and subject.should_have(need):
            yield f"{counted(rules, 'rule')} not checked without {need.value}"


def _by_rule(finding: Finding) -> str:
    return finding.rule


def _rank(finding: Finding) -> tuple[float, ...]:
    """Return the place of a finding: the worst first, then by weight lost, then by jobs lost.

    What follows from it is lost by it as well. Of equal ones those that hurt more groups, and then
    more things, come first.
    """
    harms = [finding.harm, *(each.harm for each in finding.caused)]
    groups = len(finding.harm.starved) + len(finding.harm.overrun)
    shut, jobs = max(each.shut for each in harms), max(each.jobs for each in harms)
    return -finding.severity, -shut, -jobs, -groups, -finding.count


class _Run(Generic[S]):
    """The run of one rule on a subject."""

    def __init__(self, rule: Rule[S], verdict: Verdict) -> None:
        self.failed = ""
        self.occurrences: list[Occurrence] = []
        self._rule = rule
        self._verdict = verdict
        self._unchecked: list[str] = []

    def take(self, subject: S) -> None:
        """Collect what the rule finds."""
        for each in self._rule.find(subject):
            if isinstance(each, Unchecked):
                self._unchecked.append(each.missing)
            elif self._verdict.admits(each.subject):
                self.occurrences.append(Occurrence(self._rule, each))

    def fail(self, error: Exception) -> None:
        """Note that the rule ended in ``error``."""
        self.failed = f"{type(error).__name__}: {error}"

    def not_checked(self) -> list[NotChecked]:
        """Return the parts that the rule could not check, and its failure."""
        found = [NotChecked(self._rule.id, missing) for missing in dict.fromkeys(self._unchecked)]
        if self.failed:
            found.append(NotChecked(self._rule.id, self.failed, failed=True))
        return found


# Findings
# --------------------------------------------------------------------------------------------------


def _findings(
    subject: Subject, occurrences: Sequence[Occurrence], verdicts: Mapping[str, Verdict]
) -> Iterator[Finding]:
    """Yield one finding for each cause, with what follows from it."""
    owners = root_causes(subject, occurrences)
    following = by_root(occurrences, owners)
    own = [each for each in occurrences if each.mark not in owners]

    for cause, parts in _by_cause(own).items():
        caused = _by_cause(following.get(cause, ()))
        followers = [_finding(each, verdicts) for each in caused.values()]
        followers.sort(key=_by_rule)
        followers.sort(key=_rank)
        yield _finding(parts, verdicts, tuple(followers))


def _by_cause(occurrences: Iterable[Occurrence]) -> dict[Cause, list[Occurrence]]:
    found: dict[Cause, list[Occurrence]] = {}
    for each in occurrences:
        found.setdefault(each.cause, []).append(each)
    return found


def _finding(
    parts: Sequence[Occurrence], verdicts: Mapping[str, Verdict], caused: tuple[Finding, ...] = ()
) -> Finding:
    rule = parts[0].rule
    first = parts[0].found
    harm = HARMLESS
    examples: dict[str, None] = {}
    settings: list[Setting] = []
    for each in parts:
        harm += each.found.harm
        settings += each.found.settings
        for example in each.found.examples or (each.found.subject,):
            examples[example] = None

    severities = [first.severity or rule.severity, harm.severity]
    severities += [each.severity for each in caused]
    return Finding(
        rule=rule.id,
        severity=verdicts.get(rule.id, Verdict()).severity or max(severities),
        subject=first.subject,
        message=first.message,
        evidence=first.facts,
        advice=first.advice or rule.advice,
        count=sum(each.found.count for each in parts),
        examples=tuple(examples)[:EXAMPLES],
        cause=first.cause,
        settings=united(settings) or rule.settings,
        harm=harm,
        caused=caused,
    )
