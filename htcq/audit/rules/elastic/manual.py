"""What the rules on elastic quotas have in common: no pool can break them, and validation finds what does."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Input, Rule, Severity

UPSTREAM = "koordinator-sh/koordinator pkg/webhook/elasticquota/quota_topology_check.go, commit a7a1b76"
COMPUTED = "koordinator-sh/koordinator pkg/scheduler/plugins/elasticquota/core, commit a7a1b76"
OURS = "a convention of htcq; Koordinator accepts it"


def _find(_: Evidence) -> Iterator[Found]:
    yield from ()


def manual(id_: str, severity: Severity, summary: str, consequence: str, advice: str, source: str = UPSTREAM) -> Rule:
    """Return a rule that is run with what is wrong with one file of quotas, and by itself finds nothing."""
    return Rule(id_, severity, (Input.ELASTIC,), summary, consequence, advice, source, _find)
