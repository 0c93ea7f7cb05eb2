"""A recorded pool of three kinds of node, full under a claim model that leaks, on its way to linear weights."""

from __future__ import annotations

import pytest

from htcq.operations.pool_source import pool_of
from htcq.simulate.migration.records import Amount, Migration
from htcq.store.snapshot import open_snapshot
from tests.docs.documents import ROOT
from tests.simulate.migration.pools import group_of, migrated

BUSY = ROOT / "tests/golden/mixed-site/claims-busy.tar.gz"
WEIGHTS = {"cpus": 1, "memory": "0.25/GiB", "gpus": 8}


@pytest.fixture(scope="module")
def found() -> Migration:
    pool = pool_of(open_snapshot(BUSY), str(BUSY))
    return migrated(pool, {"capacity": {"model": "linear", "weights": WEIGHTS}})


def test_the_pool_weighs_what_its_machines_do(found: Migration) -> None:
    """Claims of a cpu and 4 GiB: 16 + 16 + 64 + 16 fit. 144 cpus, 768 GiB and 4 GPUs are 144 + 192 + 32."""
    assert found.empty_weight == Amount(112, 144 + 192 + 32)
    assert found.pool_weight == Amount(214, 368)


def test_quotas_keep_their_shares(found: Migration) -> None:
    """40, 20 and 150 times 368 / 112 are 131.43, 65.71 and 492.86, which are 690 together."""
    quotas = [group_of(found, name).config_quota for name in ("biology", "chem", "physics")]

    assert quotas == [Amount(40, 131), Amount(20, 66), Amount(150, 493)]


def test_claims_weigh_what_they_hold(found: Migration) -> None:
    """14 claims of 2 cpus and 32 GiB were charged 8 each, 3 of 16 cpus and 4 GiB 16 each."""
    biology, chem = (group_of(found, name) for name in ("biology", "chem"))

    assert (biology.usage, biology.over) == (Amount(112, 14 * 10), 140 - 131)
    assert (chem.usage, chem.over, chem.cheapest) == (Amount(48, 3 * 17), 0, 17)
