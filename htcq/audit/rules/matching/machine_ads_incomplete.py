"""Ads of machines lack Arch or OpSys, which waiting jobs compare."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import INCOMPLETE


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, INCOMPLETE)


RULE = Rule(
    id="machine-ads-incomplete",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary="Ads of machines lack Arch or OpSys, which waiting jobs compare",
    consequence=(
        "A comparison with an attribute that is not there is undefined, and a job whose "
        "Requirements are undefined does not match. condor_submit compares both in each job whose "
        "Requirements name neither: the machine gets no such job, whatever it has free."
    ),
    advice=(
        "Ask the execution point for ARCH and OPSYS ('condor_config_val -startd -name MACHINE "
        "ARCH'): both have a value unless a file takes it away. STARTD_ATTRS must not name them."
    ),
    source="src/condor_startd.V6/ResAttributes.cpp, src/condor_utils/submit_utils.cpp, 25.13",
    find=_find,
)
