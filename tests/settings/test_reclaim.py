"""``[elastic.reclaim]`` of the file with the quotas."""

from __future__ import annotations

from typing import Any

import pytest

from htcq.errors import InputError
from htcq.settings.elastic import quotas_from
from htcq.settings.pool_share import PoolShare, limit_in
from htcq.settings.reclaim import GroupLimits, ReclaimLimits, reclaim_limits_from


def limits(**table: Any) -> ReclaimLimits:
    return reclaim_limits_from(table, "q.toml")


def test_nothing_said_is_careful() -> None:
    """Ten minutes over, two in need, ten of running; a fifth of the claims at first."""
    found = limits()
    assert (found.over_for, found.need_for, found.min_runtime, found.pool_percent) == (
        600,
        120,
        600,
        20,
    )
    assert found.vacates == 1


def test_every_key() -> None:
    found = limits(
        journal="/j", over_for="0s", need_for="5s", max_gap="1h", settle_time="90s", min_runtime="2h", grace="1d",
        wall_time="MaxWall", vacates=1, pool_percent=0.5, group_jobs=2, user_jobs=3, day_jobs=4, batch=5, lease="30min",
        release=0.9, day_hours=6, group_hours=7.5, user_hours=0, protectors=["hep"],
        protected_jobs=8, min_cost=0.5, max_cost=2, groups={"hep": {"grace": "2d", "hours": 1}},
    )  # fmt: skip
    assert found == ReclaimLimits(
        "/j", 0, 5, 3600, 90, 7200, 86400, "MaxWall", 1, 0.5, 2, 3, 4, 6.0, 7.5, 0.0, 5, 1800, 0.9,
        ("hep",), 8, 0.5, 2.0, {"hep": GroupLimits(7200, 172800, 1.0)},
    )  # fmt: skip


def test_limits_may_be_shares_of_the_pool() -> None:
    found = limits(day_jobs="50%", user_hours=" 2.5% ", groups={"hep": {"hours": "10%"}})
    assert found.day_jobs == PoolShare(50, least=1)
    assert found.user_hours == PoolShare(2.5)
    assert found.of("hep").hours == PoolShare(10)
    assert [limit_in(found.day_jobs, claims) for claims in (1, 2000)] == [1, 1000]
    assert limit_in(found.user_hours, 48000) == 1200
    assert limit_in(limits(day_jobs="0%").day_jobs, 2000) == 0


def test_the_defaults_follow_the_size_of_the_pool() -> None:
    """A small pool has the numbers that it always had."""
    found = ReclaimLimits()
    assert [limit_in(found.day_jobs, claims) for claims in (24, 2000)] == [200, 2000]
    assert [limit_in(found.group_hours, cpus * 24) for cpus in (24, 2000)] == [200, 12000]


def test_a_group_has_the_limits_of_the_nearest_group_above_it() -> None:
    found = limits(groups={"hep": {"min_runtime": "2h"}, "hep.cms": {"hours": 3}})

    assert found.of("hep.atlas.one") == GroupLimits(7200, 600, PoolShare(25, least=200))
    assert found.of("hep.cms.two") == GroupLimits(600, 600, 3.0)
    assert found.of("bio") == GroupLimits(600, 600, PoolShare(25, least=200))


def test_it_stands_beside_the_quotas() -> None:
    groups = {"hep": {"max": {"cpus": 1}}}
    file = quotas_from({"elastic": {"reclaim": {"batch": 3}}, "groups": groups}, "q.toml")
    assert file.reclaims[""].batch == 3
    several = quotas_from(
        {"trees": {"cm": {"elastic": {"reclaim": {"batch": 4}}, "groups": groups}}}, "q.toml"
    )
    assert several.reclaims["cm"].batch == 4


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"over": "10min"}, "q.toml: elastic.reclaim.over is unknown (did you mean over_for?)"),
        ({"over_for": 600}, "q.toml: elastic.reclaim.over_for is 600"),
        ({"grace": "soon"}, "q.toml: elastic.reclaim.grace is 'soon'"),
        ({"batch": 0}, "q.toml: elastic.reclaim.batch is 0 (it must be a whole number, 1 or more)"),
        ({"day_jobs": True}, "q.toml: elastic.reclaim.day_jobs is True"),
        ({"day_jobs": -1}, "q.toml: elastic.reclaim.day_jobs is -1"),
        (
            {"pool_percent": 0},
            "q.toml: elastic.reclaim.pool_percent is 0 (it must be a number above 0, 100 at most)",
        ),
        (
            {"day_jobs": "half"},
            "q.toml: elastic.reclaim.day_jobs is 'half' (it must be a whole number, 0 or more, or "
            'a percentage of the pool, such as "25%")',
        ),
        ({"day_jobs": "101%"}, "q.toml: elastic.reclaim.day_jobs is '101%'"),
        ({"day_hours": "nan%"}, "q.toml: elastic.reclaim.day_hours is 'nan%'"),
        ({"day_hours": -1}, "q.toml: elastic.reclaim.day_hours is -1"),
        ({"groups": {"hep": {"hour": 1}}}, "q.toml: elastic.reclaim.groups.hep.hour is unknown"),
        ({"groups": {"hep": 1}}, "q.toml: elastic.reclaim.groups.hep is 1"),
        ({"pool_percent": 101}, "q.toml: elastic.reclaim.pool_percent is 101"),
        (
            {"release": 1.1},
            "q.toml: elastic.reclaim.release is 1.1 (it must be a number above 0, 1 at most)",
        ),
        ({"wall_time": "a b"}, "q.toml: elastic.reclaim.wall_time is 'a b'"),
        ({"journal": "here"}, "q.toml: elastic.reclaim.journal is 'here'"),
        (
            {"max_gap": "1s"},
            "q.toml: elastic.reclaim.max_gap is shorter than elastic.reclaim.need_for (120s)",
        ),
        (
            {"lease": "1s"},
            "q.toml: elastic.reclaim.lease is shorter than elastic.reclaim.settle_time (120s)",
        ),
    ],
)
def test_what_cannot_be_is_told(table: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        reclaim_limits_from(table, "q.toml")
    assert f"{refused.value} ({refused.value.hint})".startswith(said)
