"""Looks for what is wrong with elastic quotas: their rules, run as those of the audit are.

A file of quotas is no pool. What validation finds is bound to the rules, which then find it, so that severities, what a
site says of a rule, and every output are those of the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from htcq.audit.catalog import FAMILIES
from htcq.audit.engine import Audit, Verdict, audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Rule
from htcq.pool.pool import Pool
from htcq.quota.elastic.quota_issue import QuotaIssue

_RULES: tuple[Rule, ...] = FAMILIES["elastic"].RULES
MALFORMED = "elastic-amount-malformed"


def checked(source: str, flaws: Iterable[QuotaIssue], site: Mapping[str, Verdict] | None = None) -> Audit:
    """Return what ``flaws`` are by the rules; ``source`` is the file in which they stand."""
    by_rule: dict[str, list[QuotaIssue]] = {rule.id: [] for rule in _RULES}
    for flaw in flaws:
        by_rule[flaw.rule].append(flaw)
    rules = (replace(rule, needs=(), find=_finder(by_rule[rule.id], source)) for rule in _RULES)
    return audit(Evidence(Pool(source)), rules, site)


def _finder(flaws: Iterable[QuotaIssue], source: str) -> Callable[[Evidence], Iterator[Found]]:
    def found(_: Evidence) -> Iterator[Found]:
        for flaw in flaws:
            facts = tuple(Fact(key, value, source) for key, value in flaw.facts)
            subject = f"group {flaw.group}" if flaw.group else "the top-level groups"
            yield Found(flaw.message, subject, flaw.message, facts, flaw.fix, examples=(flaw.group or subject,))

    return found
