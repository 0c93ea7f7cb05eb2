"""The accountant's usage of a group is less than what the group's submitters use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Optional

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity

#: Sums of slot weights that are no whole numbers differ by less.
_ROUNDING = 1e-3
#: The negotiator, and the time of the accountant's last update.
_Report = tuple[Optional[str], Optional[float]]


def _find(evidence: Evidence) -> Iterator[Found]:
    of_groups = {}
    of_submitters: defaultdict[tuple[str, _Report], float] = defaultdict(float)
    for record in evidence.pool.accounting:
        used = record.number("WeightedResourcesUsed")
        # A submitter without claims is in no later report: its last ad stays in the collector.
        report = (record.text("NegotiatorName"), record.number("LastUpdate"))
        if used is None:
            continue
        if record.value("IsAccountingGroup") is True:
            of_groups[record.name, report] = used
        else:
            # The negotiator says itself which group it assigns a submitter to.
            of_submitters[record.text("AccountingGroup") or "", report] += used
    for (name, report), used in of_groups.items():
        held = of_submitters[name, report]
        # The other way round tells nothing: a submitter whose schedd is silent is in no report.
        if held - used <= _ROUNDING * max(1, held):
            continue
        yield Found(
            cause="usage",
            subject=f"group {name}",
            message=(
                f"the negotiator counts {used:g} as used by {name}, and {held:g} by its "
                f"submitters: it can get more than its quota until the negotiator restarts"
            ),
            facts=(
                Fact("WeightedResourcesUsed", f"{used:g}"),
                Fact("of its submitters", f"{held:g}"),
            ),
            examples=(name,),
        )


RULE = Rule(
    id="group-usage-wrong",
    severity=Severity.WARNING,
    needs=(Input.POOL,),
    summary="The usage of a group is less than the sum of what its submitters use",
    consequence=(
        "The negotiator charges a claim to the group that it knows when the claim begins, and "
        "subtracts it from the group that it knows when the claim ends. If GROUP_NAMES changes "
        "in between, one group keeps usage that nobody has, and another one has too little. "
        "Quotas, surplus and the order of groups follow the wrong number."
    ),
    advice=(
        "Restart the negotiator (condor_restart -negotiator) on the central manager: at its start "
        "it counts the claims of each group anew. Running jobs go on."
    ),
    source=(
        "src/condor_negotiator.V6/Accountant.cpp:AddMatch, RemoveMatch and CheckResources, 23.9 "
        "and 25.8; NegotiatorLog of 23.9.6 after groups were declared while jobs ran"
    ),
    find=_find,
)
