"""Findings on what should have happened in a pool and did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.audit.rule import Fact, Found, Harm, Severity
from htcq.expected.unmet import Unmet


def found_of(unmet: Iterable[Unmet], id_: str) -> Iterator[Found]:
    """Yield those of ``unmet`` that have the id of a rule as what it found."""
    for each in unmet:
        if each.id == id_:
            yield Found(
                cause=each.subject,
                subject=each.subject,
                message=each.text,
                facts=tuple(Fact(*one) for one in each.observed),
                advice=each.cure,
                count=each.count,
                examples=each.examples,
                harm=Harm(jobs=len(each.jobs)),
                severity=Severity[each.severity.upper()],
            )
