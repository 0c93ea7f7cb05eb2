"""Jobs are on hold for faults of an access point or a machine."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.unmet import HELD_BY_FAULTS


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from found_of(evidence.balance.unmet, HELD_BY_FAULTS)


RULE = Rule(
    id="jobs-held-by-faults",
    severity=Severity.ERROR,
    needs=(Input.JOBS, Input.BALANCE),
    summary="Jobs are on hold for faults of an access point or a machine: a full disk, a policy",
    consequence=(
        "A job on hold is in no negotiation and waits until somebody releases it. Its user cannot "
        "fix the fault, and each further job that comes there goes on hold as well. Fewer than "
        "three jobs are a warning. Jobs that a schedd cannot materialize never come."
    ),
    advice="Repair the disk, the quota, the hook or the account; then condor_release of the jobs.",
    source="src/condor_utils/condor_holdcodes.h, docs/codes-other-values/hold-table.rst, 25.14",
    find=_find,
)
