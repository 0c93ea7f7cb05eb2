"""A story as JSON and CSV."""

from __future__ import annotations

import csv
import io
import json

from htcq.report.column import names
from htcq.report.views.drift import COLUMNS, drift_json, write_csv
from tests.report.stories import LONG, ODD, QUIET, STORY, UNSEEN


def test_json_has_everything_with_times_in_utc() -> None:
    whole = json.loads(json.dumps(drift_json([STORY, UNSEEN])))
    told, unseen = whole["pools"]

    assert (whole["schema"], told["pool"], told["unit"]) == (1, "cm.example.net", "slot weight")
    assert (told["since"], told["until"]) == (
        "2026-11-01T23:00:00+00:00",
        "2026-11-08T23:00:00+00:00",
    )
    assert told["last_look"] == "2026-11-08T23:00:00+00:00"
    assert {
        "time": "2026-11-03T23:00:00+00:00",
        "kind": "configured",
        "name": "physics",
        "before": "static 100",
        "after": "static 60 accept_surplus",
    } in told["changes"]
    assert {
        "group": ODD,
        "what": "effective",
        "one": 5.0,
        "other": 10.0,
        "since": "2026-11-06T23:15:00+00:00",
        "until": None,
    } in told["disagreements"]
    assert (unseen["last_look"], unseen["groups"], unseen["coverage"]) == (None, [], 0)


def test_json_has_the_numbers_of_each_group_and_its_series() -> None:
    groups = {group["group"]: group for group in drift_json([STORY])["pools"][0]["groups"]}
    physics = groups["physics"]

    assert (physics["usage"], physics["max_usage"], round(physics["quota"], 6)) == (
        50,
        50,
        73.333333,
    )
    assert (round(physics["distance"], 6), round(physics["bias"], 6)) == (23.333333, -23.333333)
    assert (physics["series"][0]["quota"], physics["series"][-1]["quota"]) == (100, 60)
    assert 200 < len(physics["series"]) <= 300
    assert (groups[LONG]["quota"], groups[LONG]["distance"], groups[LONG]["bias"]) == (
        None,
        None,
        None,
    )


def test_csv_has_a_row_for_each_group() -> None:
    stream = io.StringIO()
    write_csv([STORY, UNSEEN, QUIET], stream)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))

    assert list(rows[0]) == names(COLUMNS)
    assert [row["group"] for row in rows] == ["physics", "chem", ODD, LONG, "physics"]
    assert (rows[0]["since"], rows[0]["usage"], rows[3]["quota"]) == (
        "2026-11-01T23:00:00+00:00",
        "50",
        "",
    )
