"""An access point that takes leftovers of partitionable slots beside consumption policies."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.fix_settings import access
from htcq.audit.nodes import effective
from htcq.audit.policies import on_knob
from htcq.audit.rule import Found, Input, Rule, Severity, Unchecked

_KNOB = "CLAIM_PARTITIONABLE_LEFTOVERS"


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    if not evidence.with_policy:
        return
    unknown = [
        record.name for record in evidence.pool.schedds if record.name not in evidence.access
    ]
    if unknown:
        yield Unchecked(f"the configuration of {listed(unknown)} (access/NAME.txt)")
    for name, configuration in evidence.access.items():
        if configuration.truth(_KNOB, True):
            yield on_knob(
                effective(configuration, _KNOB),
                f"schedd {name} starts further jobs in the rest of a matched slot, and the "
                "negotiator does not charge them",
                subject=f"access point {name}",
                settings=access(evidence, _KNOB, "False", [name]),
            )


RULE = Rule(
    id="leftovers-with-policy",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.ACCESS),
    summary=(
        "An access point has CLAIM_PARTITIONABLE_LEFTOVERS on while slots have consumption policies"
    ),
    consequence=(
        "After a match the access point carves the rest of the slot for its own jobs. The "
        "negotiator does not know them, and no quota limits them; moreover, the next match "
        "deletes the claim on which they depend. With a consumption policy only the setting of "
        "the access point counts, not that of the execution point."
    ),
    advice="Turn it off at every access point; the setting of execution points does not matter.",
    source=(
        "src/condor_startd.V6/command.cpp:request_claim, 25.14; seen on 25.14.1: one match, "
        "eight jobs on a quota of 2"
    ),
    find=_find,
)
