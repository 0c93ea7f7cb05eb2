"""condor_defrag drains machines for a target that none of them can reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from htcq.audit.evidence import Evidence
from htcq.audit.expected import found_of
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.expected.draining import endless_draining
from htcq.expected.unmet import NEVER_DONE


def _find(evidence: Evidence) -> Iterator[Found]:
    for found in found_of(endless_draining(evidence.pool), NEVER_DONE):
        yield replace(found, is_root=True)


RULE = Rule(
    id="defrag-never-done",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.SLOTS),
    summary="DEFRAG_WHOLE_MACHINE_EXPR is true on no machine, even an empty one",
    consequence=(
        "condor_defrag counts no whole machine, so that DEFRAG_MAX_WHOLE_MACHINES never stops it, "
        "and DEFRAG_CANCEL_REQUIREMENTS, which is the same expression by default, ends no draining "
        "early. It drains machine after machine: their cores stand idle until the last job ends."
    ),
    advice=(
        "Compare with what the machines have, as in 'Cpus == TotalSlotCpus' (the default) or "
        "'Cpus >= 8'."
    ),
    source="src/defrag/defrag.cpp:poll, 25.14",
    find=_find,
)
