"""condor_defrag counts machines for which DEFRAG_WHOLE_MACHINE_EXPR is true (src/defrag/defrag.cpp:poll, 25.14)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, pool, slot

RULE = "defrag-never-done"
DRAINS = "DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR DEFRAG\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 2\n"


def test_a_target_that_no_machine_reaches() -> None:
    config = f"{DRAINS}DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\n"
    (finding,) = found(RULE, pool(slot(Cpus=3), config=config))
    assert finding.severity is Severity.ERROR
    assert "none of 1 machine makes it true when empty" in finding.message
    assert "the largest has 8 cores" in finding.message


@pytest.mark.parametrize(
    "more",
    [
        "",
        "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 8\n",
        "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\nDEFRAG_MAX_WHOLE_MACHINES = 0\n",
        "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\nDEFRAG_DRAINING_MACHINES_PER_HOUR = 0\n",
        "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\nDAEMON_LIST = MASTER\n",
        'DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\nDEFRAG_REQUIREMENTS = Machine == "other"\n',
        "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\nDEFRAG.DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 4\n",
    ],
)
def test_what_is_reached_or_never_drains_is_not(more: str) -> None:
    assert not found(RULE, pool(slot(Cpus=3), config=DRAINS + more))
