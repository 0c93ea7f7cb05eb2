"""A pool that does what it should must not be told that it is wrong: what ``htcq emit`` writes, and the defaults.

Left out is the preset memory-centric: it weighs memory alone, by its nature, and these jobs run
out of cpus."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.audit.catalog import family
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.capacity.choice import Choice
from htcq.node import Node
from htcq.pool.pool import Pool
from tests.audit.emitted import emitted_pool
from tests.audit.sites import (
    collector,
    dynamic_slot,
    job,
    negotiator,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
)

CHOICES = {
    "proposed": Choice(),
    "linear": Choice(
        weights={"cpus": Fraction(1), "memory": Fraction(1, 4096), "gpus": Fraction(8)}
    ),
    "minimum-charge": Choice(
        charges={"cpus": Fraction(1), "memory": Fraction(2048), "disk": Fraction(1048576)}
    ),
    "whole-charges": Choice(
        charges={"cpus": Fraction(1), "memory": Fraction(2048)}, whole_charges=True
    ),
    "scheduler": Choice(
        charges={"cpus": Fraction(1), "memory": Fraction(2048)}, splitting="scheduler"
    ),
    "quantized": Choice(levels={"cpus": 4, "memory": 8, "disk": 10}),
    "fixed": Choice(model="fixed", claims=3),
    **{
        preset: Choice(preset=preset)
        for preset in (
            "simple",
            "cpu-centric",
            "extensible",
            "missing-request",
            "static-slot",
            "multi-centric",
        )
    },
}


def worrying(given: Pool) -> list[tuple[str, str]]:
    findings = audit(Evidence(given), family("weight") + family("configuration")).findings
    return [
        (finding.rule, finding.message) for finding in findings if finding.severity > Severity.INFO
    ]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(
    "node", [Node(8, 16384, 20_000_000), Node(64, 257_000, 3_000_000_000, gpus=4)]
)
def test_what_htcq_writes_is_quiet(choice: str, node: Node) -> None:
    assert worrying(emitted_pool(CHOICES[choice], node)) == []


@pytest.mark.parametrize("memory_mb", [128, 2048, 8192])
def test_a_plain_pool_with_default_configuration_is_quiet(memory_mb: int) -> None:
    plain = "UID_DOMAIN = site\n"
    queue = [job(f"1.{number}", RequestMemory=memory_mb) for number in range(20)]
    running = job("2.0", JobStatus=2, RemoteHost='"slot1_1@node1"')
    given = pool(
        slot(Cpus=7, Memory=15360, NumDynamicSlots=1),
        dynamic_slot(),
        static_slot("slot1@node2"),
        collector("central"),
        negotiator("central"),
        schedd(),
        submitter(IdleJobs=20, RunningJobs=1, WeightedIdleJobs=20, WeightedRunningJobs="1.0"),
        jobs=[*queue, running],
        config=plain,
        access={"access1": plain},
        execute={"node1": plain, "node2": plain},
    )
    assert worrying(given) == []
