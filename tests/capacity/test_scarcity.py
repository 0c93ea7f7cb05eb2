"""Which asset is scarce for a mix of jobs, and the weights that say so."""

from __future__ import annotations

from fractions import Fraction

import pytest

from htcq.capacity.scarcity import FLOOR, scarcity
from htcq.capacity.shape import Shape

NODES = [{"cpus": 32, "memory": 65536, "disk": 10**8, "gpus": 0}] * 2 + [
    {"cpus": 16, "memory": 131072, "disk": 10**8, "gpus": 4}
]
HUNGRY = Shape({"cpus": 1, "memory": 8192, "disk": 1024}, 40)
WIDE = Shape({"cpus": 16, "memory": 1024, "disk": 1024}, 10)
CARD = Shape({"cpus": 1, "memory": 1024, "disk": 1024, "gpus": 1}, 40)


@pytest.mark.parametrize(
    ("shapes", "scarcest"), [([HUNGRY], "memory"), ([WIDE], "cpus"), ([CARD, HUNGRY], "gpus")]
)
def test_the_asset_with_the_largest_quotient_is_scarce(shapes: list[Shape], scarcest: str) -> None:
    found = scarcity(NODES, shapes)

    assert found is not None
    assert found.scarcest.asset == scarcest
    assert [each.ratio for each in found.demands] == sorted(
        (each.ratio for each in found.demands), reverse=True
    )


def test_what_is_asked_and_what_is_there() -> None:
    found = scarcity(NODES, [HUNGRY])

    assert found is not None
    amounts = {each.asset: (each.asked, each.there) for each in found.demands}
    assert amounts == {
        "memory": (40 * 8192, 262144),
        "cpus": (40, 80),
        "disk": (40 * 1024, 3 * 10**8),
    }


@pytest.mark.parametrize("shapes", [[HUNGRY], [WIDE], [CARD], [HUNGRY, WIDE, CARD]])
def test_weights_keep_a_floor_and_the_pool_weighs_its_cores(shapes: list[Shape]) -> None:
    found = scarcity(NODES, shapes)

    assert found is not None
    parts = {
        each.asset: float(found.prices.get(each.asset, 0) * each.there) / 80
        for each in found.demands
    }
    assert sum(parts.values()) == pytest.approx(1, rel=1e-4)
    assert parts.pop("disk") == 0
    assert min(parts.values()) == pytest.approx(float(FLOOR), rel=1e-4)
    assert max(parts, key=lambda asset: parts[asset]) == found.scarcest.asset


def test_assets_that_are_equally_scarce_share() -> None:
    found = scarcity(
        [{"cpus": 8, "memory": 16384, "disk": 10**9}],
        [Shape({"cpus": 1, "memory": 2048, "disk": 1}, 3)],
    )

    assert found is not None
    assert found.prices["cpus"] == Fraction(1, 2)
    assert found.prices["memory"] * 16384 == 4


def test_scarce_disk_has_a_weight() -> None:
    found = scarcity(NODES, [Shape({"cpus": 1, "memory": 128, "disk": 5 * 10**7}, 30)])

    assert found is not None
    assert found.scarcest.asset == "disk"
    assert float(found.prices["disk"] * 3 * 10**8) == pytest.approx(0.8 * 80, rel=1e-4)


def test_jobs_that_fit_on_no_node_are_not_counted() -> None:
    found = scarcity(NODES, [HUNGRY, Shape({"cpus": 33}, 7), Shape({"licences": 1}, 2)])

    assert found is not None
    assert found.unfit == 9
    assert {each.asset for each in found.demands} == {"cpus", "memory", "disk"}
    assert scarcity(NODES, [Shape({"cpus": 33}, 7)]) is None
