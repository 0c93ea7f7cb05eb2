"""Group quotas as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from htcq.poolquota.report import PoolQuotaReport
from htcq.report.column import names
from htcq.report.views.quota import COLUMNS, write_csv
from tests.audit.rules.quota.groups import PHYSICS, uses, wants
from tests.poolquota.looks import BUSY, busy, group_ad, look


def _read_back(*looks: tuple[PoolQuotaReport, PoolQuotaReport | None]) -> list[dict[str, str]]:
    stream = io.StringIO()
    write_csv(looks, stream)
    return list(csv.DictReader(io.StringIO(stream.getvalue())))


def test_there_is_a_row_for_each_group_under_columns_that_stay() -> None:
    rows = _read_back((busy(), None))

    assert list(rows[0]) == names(COLUMNS)
    assert [row["group"] for row in rows] == [
        "<none>",
        "chem",
        "physics",
        "physics.hep",
        "physics.lep",
    ]
    assert {row["configuration"] for row in rows} == {"current"}


def test_a_row_has_every_number_of_its_group() -> None:
    hep = _read_back((busy(), None))[3]

    assert hep == {
        "pool": "test",
        "taken": "",
        "negotiator": "",
        "configuration": "current",
        "group": "physics.hep",
        "parent": "physics",
        "depth": "2",
        "kind": "static",
        "configured": "15",
        "accept_surplus": "true",
        "autoregroup": "false",
        "unit": "slot weight",
        "demand_unit": "schedd slot weight",
        "pool_weight": "107",
        "effective_weight": "15",
        "subtree_weight": "15",
        "submitters": "1",
        "idle_demand": "60",
        "running_demand": "7",
        "requested_demand": "67",
        "usage_weight": "7",
        "subtree_usage_weight": "7",
        "allocated_weight": "38",
        "limit_weight": "20",
        "computed_limit_weight": "20",
        "headroom_weight": "13",
        "obtainable_weight": "13",
        "below_weight": "8",
        "held_by": "free 100: the next cycle, for jobs that fit",
        "borrowed_weight": "23",
        "lent_weight": "0",
        "turn": "3",
        "sort_key": repr(7 / 15),
        "marks": "",
    }


def test_what_a_group_does_not_have_is_empty_and_what_is_no_number_is_nan() -> None:
    rows = _read_back((look(PHYSICS, wants("physics.hep", 0, 3), *uses("physics.hep", 7)), None))
    physics, hep = rows[2], rows[3]

    assert (physics["turn"], physics["limit_weight"], physics["computed_limit_weight"]) == (
        "",
        "",
        "",
    )
    assert (hep["limit_weight"], hep["computed_limit_weight"]) == ("nan", "nan")
    assert (rows[0]["kind"], rows[0]["configured"], rows[0]["parent"]) == ("none", "", "")


def test_numbers_have_all_their_digits() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.29\n"
    a = _read_back((look(config, wants("a", 50)), None))[1]

    assert (a["kind"], a["configured"], a["effective_weight"]) == (
        "dynamic",
        "0.29",
        "28.999999999999996",
    )
    assert (a["limit_weight"], a["computed_limit_weight"]) == ("28", "28.999999999999996")


def test_marks_stand_in_one_field() -> None:
    ads = (
        group_ad("<none>", SubtreeQuota="107.0"),
        group_ad("chem", EffectiveQuota="9.0", SurplusPolicy='"regroup"'),
    )

    assert _read_back((busy("", *ads), None))[1]["marks"] == (
        "chem: EffectiveQuota published 9, computed 10; chem: SurplusPolicy published regroup, "
        "computed no"
    )


def test_several_pools_and_a_what_if_share_one_table() -> None:
    changed = look(f"{PHYSICS}GROUP_QUOTA_chem = 12\n", *BUSY)
    rows = _read_back((busy(), changed), (replace(look("GROUP_NAMES = z\n"), source="other"), None))

    assert [
        (row["pool"], row["configuration"], row["effective_weight"])
        for row in rows
        if row["group"] != "<none>"
    ] == [
        ("test", "current", "10"),
        ("test", "current", "20"),
        ("test", "current", "15"),
        ("test", "current", "5"),
        ("test", "changed", "12"),
        ("test", "changed", "20"),
        ("test", "changed", "15"),
        ("test", "changed", "5"),
        ("other", "current", "0"),
    ]


def test_names_stay_in_their_field_and_steer_nothing() -> None:
    odd = replace(busy(), source='a,"b"\nc\x1b[2J')

    assert {row["pool"] for row in _read_back((odd, None))} == {'a,"b" c\\x1b[2J'}
