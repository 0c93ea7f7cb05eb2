"""The negotiator's version adds to unweighted usage in each cycle and never takes away."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Rule, Severity, Unchecked
from htcq.pool.versions import version, version_text

_FIRST, _LAST = (25, 10, 1), (25, 13, 2)


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    # Where the negotiator has no ad, the collector that lists itself runs the same HTCondor.
    texts = [
        record.text("CondorVersion")
        for record in evidence.pool.negotiators or evidence.pool.collectors
    ]
    versions = [(text, version(text)) for text in texts if version(text)]
    if not versions:
        yield Unchecked("negotiator or collector ads (collector.ads)")
    claimed = evidence.quotas.supply.claims
    for text, running in versions:
        if not _FIRST <= running <= _LAST:
            continue
        wrong = [
            (record.name, used)
            for record in evidence.pool.accounting
            for used in (record.number("ResourcesUsed"),)
            if record.value("IsAccountingGroup") is not True
            and used
            and used > claimed.get(record.name, 0)
        ]
        seen = (
            f"; {wrong[0][0]} has {wrong[0][1]} for {claimed.get(wrong[0][0], 0)} slots"
            if wrong
            else ""
        )
        yield Found(
            cause="version",
            subject="the negotiator",
            message=f"HTCondor {version_text(text)} never resets ResourcesUsed{seen}",
            facts=(Fact("CondorVersion", text),),
            examples=tuple(name for name, _ in wrong),
        )


RULE = Rule(
    id="usage-grows",
    severity=Severity.WARNING,
    needs=(),
    summary="This version's ResourcesUsed and HierWeightedResourcesUsed grow in each cycle",
    consequence=(
        "From 25.10.1 to 25.13.2 both are increased in every cycle. AccumulatedUsage and the "
        "priorities of group records follow them; the weighted usage that is compared with "
        "quotas is correct. In 25.10.1 to 25.11.0 the accountant's log also grows without limit."
    ),
    advice="Upgrade the central manager to 25.14 or later.",
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:CheckMatches, 25.10 to 25.14; Accountantnew.log "
        "of 25.14.1"
    ),
    find=_find,
)
