"""The negotiator's version adds to unweighted usage in each cycle and never takes away."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.htcondor.releases import USAGE_GROWS
from htcq.pool.versions import version, version_text


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    # Where the negotiator has no ad, the collector that lists itself runs the same HTCondor.
    daemons = evidence.pool.negotiators or evidence.pool.collectors
    texts = [record.text("CondorVersion") for record in daemons]
    versions = [(text, version(text)) for text in texts if version(text)]
    if not versions:
        yield Unchecked("negotiator or collector ads (collector.ads)")
    claimed = evidence.quotas.supply.claims
    for text, running in versions:
        if not USAGE_GROWS.holds(running):
            continue
        wrong = []
        for record in evidence.pool.accounting:
            used, slots = record.number("ResourcesUsed"), claimed.get(record.name, 0)
            is_group = record.value("IsAccountingGroup") is True
            if not is_group and used and used > slots:
                wrong.append((record.name, used, slots))
        seen = ""
        if wrong:
            name, used, slots = wrong[0]
            seen = f"; {name} has {used} for {slots} slots"
        yield Found(
            cause="version",
            subject="the negotiator",
            message=f"HTCondor {version_text(text)} never resets ResourcesUsed{seen}",
            facts=(Fact("CondorVersion", text),),
            examples=tuple(name for name, _, _ in wrong),
        )


RULE = Rule(
    id="usage-grows",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
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
