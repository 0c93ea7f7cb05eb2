"""Jobs that the simulated cycle starts have waited through cycles in which nothing was matched."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity, Unchecked
from htcq.expected.starts import has_statistics
from htcq.expected.unmet import MISSING
from htcq.pool.job import IDLE


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    idle = [job for job in evidence.pool.jobs or () if job.status == IDLE]
    waiting = any(job.wanted or job.managed_externally for job in idle)
    if not waiting or not evidence.pool.negotiators:
        return
    if not has_statistics(evidence.pool):
        yield Unchecked("statistics of three completed cycles in the negotiator's ad")
        return
    yield from found_of(evidence.balance.unmet, MISSING)


RULE = Rule(
    id="expected-starts-missing",
    severity=Severity.ERROR,
    needs=(Input.SLOTS, Input.JOBS, Input.CENTRAL, Input.BALANCE),
    summary="Jobs wait that should have started some completed cycles ago",
    consequence=(
        "Something that this simulation does not follow keeps the negotiator from matching them: "
        "a knob, an attribute, a network or a daemon. The jobs wait until it is found."
    ),
    advice=(
        "The knobs that are listed are set here and not followed: one of them may be the cause. "
        "NegotiatorLog at D_FULLDEBUG says what happens to each submitter."
    ),
    source=(
        "src/condor_negotiator.V6/matchmaker.cpp:publishNegotiationCycleStats, 25.14; "
        "docs/classad-attributes/negotiator"
    ),
    find=_find,
)
