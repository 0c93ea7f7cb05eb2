"""A pool that does what it should must not be told that it is wrong: what ``htcq emit`` writes, and the defaults.

The models are run on a real pool, with these numbers, in tests/condor. Left out are those that
leak or overcommit by their nature and say so in htcq-models(7): the rule max of the quantized
model, and fixed claims that share nothing. Models that weigh a claim by its dominant asset
charge jobs of other proportions than the node's more than their match costs: that is true of
them, and all that may be found."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.audit.catalog import family
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.capacity.choice import Choice
from htcq.capacity.quantized import greatest_divisor
from htcq.node import Node
from tests.audit.emitted import emitted_pool
from tests.audit.sites import collector, job, policy_slot, pool, schedd

NODES = {
    "small": Node(8, 16384, 20_000_000),
    "uneven": Node(7, 15_997, 99_999_999),
    "with-gpus": Node(64, 257_000, 3_000_000_000, gpus=4),
}
#: Models that weigh a claim by the asset of which it takes most.
DOMINANT = ("minimum-charge", "half-cpus", "whole-charges", "quantized", "multi-centric")
CHOICES = {
    "proposed": Choice(),
    "linear": Choice(weights={"cpus": Fraction(1), "memory": Fraction(1, 4096), "gpus": Fraction(8)}),
    "scaled": Choice(weights={"cpus": Fraction(1, 3), "memory": Fraction(1, 10000)}, scale=Fraction(100)),
    "minimum-charge": Choice(charges={"cpus": Fraction(1), "memory": Fraction(2048), "disk": Fraction(1048576)}),
    "half-cpus": Choice(charges={"cpus": Fraction(1, 2), "memory": Fraction(1024)}),
    "whole-charges": Choice(charges={"cpus": Fraction(1), "memory": Fraction(2048)}, whole_charges=True),
    "scheduler": Choice(charges={"cpus": Fraction(1), "memory": Fraction(2048)}, splitting="scheduler"),
    "quantized": Choice(model="quantized"),
    "fixed": Choice(model="fixed", claims=3),
    "fixed-request": Choice(model="fixed", claims=5, share="request"),
    **{
        preset: Choice(preset=preset)
        for preset in (
            "simple", "cpu-centric", "memory-centric", "extensible", "missing-request", "static-slot", "multi-centric",
        )
    },
}  # fmt: skip


def fitting_levels(node: Node) -> dict[str, int]:
    """About as many levels as a model of claims would have, of which each asset of the node is a multiple."""
    total = node.assets()
    return {asset: greatest_divisor(total[asset], 20) for asset in ("cpus", "memory", "disk")}


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("choice", CHOICES)
def test_what_htcq_writes_has_no_finding_above_info(choice: str, node: str) -> None:
    chosen = CHOICES[choice]
    if choice == "quantized":
        chosen = Choice(levels=fitting_levels(NODES[node]))
    outcome = audit(
        Evidence(emitted_pool(chosen, NODES[node], literal=choice == "half-cpus")),
        family("consumption"),
    )
    allowed = ("weight-overcharges",) if choice in DOMINANT else ()
    findings = [finding for finding in outcome.findings if finding.rule not in allowed]
    assert [finding for finding in findings if finding.severity > Severity.INFO] == []
    assert not outcome.not_checked


def test_htcondors_own_default_policy_has_no_finding_above_info() -> None:
    """CONSUMPTION_POLICY = True and nothing else, with leftovers off where jobs are submitted."""
    defaults = {
        "ConsumptionCpus": "quantize(target.RequestCpus,{ 1 })",
        "ConsumptionMemory": "quantize(target.RequestMemory,{ 128 })",
        "ConsumptionDisk": "quantize(target.RequestDisk,{ 1024 })",
        "ConsumptionGPUs": "ifthenelse(target.RequestGPUs =?= undefined,0,target.RequestGPUs)",
    }
    given = pool(
        policy_slot(**defaults),
        schedd("access1"),
        collector("central"),
        jobs=[job(), job("2.0", RequestCpus=3, RequestMemory=100, RequestDisk=1)],
        config="NUM_CPUS = 8\n",
        access={"access1": "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"},
        execute={"node1": "CONSUMPTION_POLICY = True\n"},
    )
    outcome = audit(Evidence(given), family("consumption"))
    assert [finding for finding in outcome.findings if finding.severity > Severity.INFO] == []
    assert not outcome.not_checked
