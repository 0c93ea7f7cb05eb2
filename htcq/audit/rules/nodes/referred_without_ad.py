"""Ads refer to a startd or a schedd that has no ad, or one of a later start."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import NO_AD
from htcq.expected.without_ads import without_ads


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(without_ads(evidence.pool), NO_AD)


RULE = Rule(
    id="referred-without-ad",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS),
    summary=(
        "Jobs, claims or submitters refer to a startd or a schedd of which the collector has no "
        "ad, or that has begun anew"
    ),
    consequence=(
        "What the collector does not know gets no job, is in no sum, and no command finds it. Jobs "
        "and claims of a startd that is no more hold nothing; their schedds wait for it. In a "
        "large pool one machine or two of them are information."
    ),
    advice=(
        "The daemon, if it does not run; else what refuses its ads: COLLECTOR_REQUIREMENTS and "
        "ALLOW_ADVERTISE_* of the central manager, and how often it sends them."
    ),
    source="src/condor_collector.V6/collector_engine.cpp, src/condor_startd.V6/ResMgr.cpp, 25.14",
    find=_find,
)
