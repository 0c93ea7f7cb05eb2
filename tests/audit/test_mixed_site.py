"""The audit of captured pools with three kinds of node; tests/golden/mixed-site/README.md says where they come from."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from htcq.audit.catalog import rules_of_pools
from htcq.audit.engine import Audit, audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Severity
from htcq.capacity.choice import Choice
from htcq.operations.pool_source import pool_of
from htcq.store.snapshot import open_snapshot
from tests.audit.emitted import mixed_pool
from tests.audit.sites import job, negotiator, submitter

#: Submitters, their jobs, and what each job asks for: cpus, MB, GPUs.
CROWDS = (
    ("biology.ann", 60, 2, 32768, 0),
    ("chem.ben", 30, 16, 4096, 0),
    ("chem.eve", 10, 1, 24105, 0),
    ("physics.cat", 200, 1, 100, 0),
    ("physics.gil", 4, 1, 2048, 1),
)
#: The machine of the recorded pools is a small one, whose cores and memory were set far above it.
FAR_ABOVE = {"cpus-above-machine", "memory-above-machine"}
SNAPSHOTS = Path(__file__).resolve().parents[1] / "golden" / "mixed-site"


def checked(name: str) -> Audit:
    path = SNAPSHOTS / f"{name}.tar.gz"
    return audit(Evidence(pool_of(open_snapshot(path), name)), rules_of_pools())


@pytest.mark.parametrize("name", ["linear-idle", "linear-busy"])
def test_a_pool_with_the_linear_model_is_sound(name: str) -> None:
    found = {each.rule for each in checked(name).findings if each.severity > Severity.INFO}
    assert found - FAR_ABOVE == set()


def test_the_weight_that_the_used_up_cpus_leave_is_told() -> None:
    """condor_status showed 71 that nobody had."""
    (finding,) = [
        finding for finding in checked("linear-busy").findings if finding.rule == "stranded-weight"
    ]
    assert (
        "2 of 4 slots have too few free cores for any idle job: weight 71 (19 % of the pool's 368) "
        "stays unused"
    ) in finding.message


@pytest.mark.parametrize(
    "prices", [(1.0, 1 / 4096, 8.0, 1), (1 / 3, 1 / 12288, 4.0, 1), (0.25, 1 / 8192, 2.0, 100)]
)
def test_a_pool_whose_jobs_all_wait_is_sound(prices: tuple[float, float, float, int]) -> None:
    """Demand is what SCHEDD_SLOT_WEIGHT makes of the requests: rounded up, and 1 at least."""
    cpus_price, memory_price, gpus_price, scale = prices
    weights = {"cpus": cpus_price, "memory": memory_price, "gpus": gpus_price}
    choice = Choice(
        weights={asset: Fraction(price) for asset, price in weights.items()}, scale=Fraction(scale)
    )
    queue: list[str] = []
    demand: list[str] = []
    for cluster, (name, count, cpus, memory, gpus) in enumerate(CROWDS, 1):
        group, _, user = name.partition(".")
        who = {
            "User": f'"{user}@site"',
            "AccountingGroup": f'"{name}"',
            "AcctGroup": f'"{group}"',
            "RequestGPUs": gpus,
        }
        queue += [
            job(f"{cluster}.{proc}", **who, RequestCpus=cpus, RequestMemory=memory)
            for proc in range(count)
        ]
        weight = max(
            1, math.ceil(scale * (cpus * cpus_price + memory * memory_price + gpus * gpus_price))
        )
        demand.append(submitter(f"{name}@site", IdleJobs=count, WeightedIdleJobs=count * weight))
    quotas = "".join(
        f"GROUP_QUOTA_{group} = {30 * scale}\n" for group in ("biology", "chem", "physics")
    )
    groups = f"GROUP_NAMES = biology, chem, physics\nUID_DOMAIN = site\n{quotas}"
    outcome = audit(
        Evidence(mixed_pool(choice, *demand, negotiator("central"), jobs=queue, groups=groups)),
        rules_of_pools(),
    )
    assert [finding.rule for finding in outcome.findings if finding.severity > Severity.INFO] == []


def test_the_claim_model_exceeds_quotas_by_no_more_than_is_predicted() -> None:
    """biology used 112 of 40."""
    errors = {
        finding.rule: finding
        for finding in checked("claims-busy").findings
        if finding.severity > Severity.INFO and finding.rule not in FAR_ABOVE
    }
    assert {rule: finding.severity for rule, finding in errors.items()} == {
        "weight-overcharges": Severity.ERROR,
        "quotas-do-not-hold": Severity.ERROR,
        "quota-held-by-others": Severity.WARNING,
    }
    assert "group biology can use 120 with a quota of 40" in errors["quotas-do-not-hold"].message
