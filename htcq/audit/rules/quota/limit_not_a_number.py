"""A group's limit is no number, so that it gets nothing in this cycle."""

from __future__ import annotations

import math
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.sound_weights import sound_weights

_KNOB = "NEGOTIATOR_USE_WEIGHTED_DEMAND"


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    for name, limit in quotas.limits.items():
        waiting = quotas.waiting(name)
        if not math.isnan(limit) or not waiting:
            continue
        group = quotas.quota(name)
        yield Found(
            cause="no number",
            subject=f"group {name}",
            message=(
                f"the limit of {name} is 0/0: it requests {group.requested:g} and uses "
                f"{group.usage:g} of its quota of {group.quota:g}, and "
                f"{counted(sum(each.idle for each in waiting), 'job')} are idle"
            ),
            facts=(
                Fact("Requested", f"{group.requested:g}"),
                Fact("WeightedResourcesUsed", f"{group.usage:g}"),
            ),
            examples=(name,),
            settings=_weighed(evidence),
        )


def _weighed(evidence: Evidence) -> tuple[Setting, ...]:
    """Return what counts demand in the unit of usage."""
    if not evidence.quotas.truth(_KNOB, True):
        return (central(evidence, _KNOB, "True"),)
    return sound_weights(evidence)


RULE = Rule(
    id="limit-not-a-number",
    severity=Severity.WARNING,
    needs=(Input.CENTRAL, Input.SLOTS, Input.SUBMITTERS),
    summary="The limit of a group with idle jobs is not a number",
    consequence=(
        "If no group can grow in a cycle, the negotiator divides 0 by 0 for groups that use less "
        "than their quota; the log has 'quota limit of -nan'. As a whole number this is far "
        "below 0: such a group gets no match although its quota is not used up. The cause is "
        "that demand is in another unit than usage."
    ),
    advice=(
        "Use the same unit of weight on schedds and slots: see demand-in-other-units and "
        "unweighted-demand."
    ),
    source=(
        "src/condor_negotiator.V6/GroupEntry.cpp:hgq_negotiate_with_all_groups, 25.14; seen in "
        "logs of 25.14.1"
    ),
    find=_find,
)
