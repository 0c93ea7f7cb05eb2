"""Machines that are drained while jobs wait that would start on them."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.idle_capacity import idle_for
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.pool.slot_state import DRAINED


def _find(evidence: Evidence) -> Iterator[Found]:
    yield from idle_for(evidence, DRAINED)


RULE = Rule(
    id="drained-while-jobs-wait",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.JOBS, Input.BALANCE),
    summary="Machines are drained while jobs wait that would start on them",
    consequence=(
        "A machine that condor_drain has drained takes no job until somebody cancels the drain, "
        "or restarts its startd: a drain has no end of its own, and HTCondor does not report it. "
        "More than a tenth of the pool is a warning, and half of it an error."
    ),
    advice="condor_drain -cancel MACHINE, when the work on the machine is done.",
    source=(
        "src/condor_tools/drain.cpp, src/condor_startd.V6/ResMgr.cpp, 25.14; seen on 25.14.1: "
        "State = Drained, DrainReason, Requirements = false"
    ),
    find=_find,
)
