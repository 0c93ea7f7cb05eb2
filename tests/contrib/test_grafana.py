"""The dashboard has the form that Grafana reads, and a real Prometheus answers each of its queries.

Its form is that of Grafana's own library for making dashboards: what the library does not know,
it loses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from htcq.report.views.audit import audit_metrics
from htcq.report.views.drift_record import drift_metrics
from tests.contrib.places import ROOT
from tests.contrib.scraped import RULES, Prometheus, scraping
from tests.report import observations
from tests.report.audits import SICK

DASHBOARD = json.loads((ROOT / "contrib/grafana/htcq-drift.json").read_text(encoding="utf-8"))
CHOSEN = {"$pool": "cm.example.net", "$negotiator": "NEGOTIATOR", "$group": ".*"}
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
VARIABLES = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
QUERIES = [
    (title, each["refId"], each["expr"])
    for title, panel in PANELS.items()
    for each in panel["targets"]
]


def chosen(text: str) -> str:
    """Return a query with the variables as somebody chose them."""
    for name, value in CHOSEN.items():
        text = text.replace(name, value)
    return text


def lost(ours: Any, theirs: Any, where: str = "") -> Iterator[str]:
    """Yield what is not in ``theirs``, or is something else there."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name, value in ours.items():
            yield from (
                lost(value, theirs[name], f"{where}/{name}")
                if name in theirs
                else [f"{where}/{name}"]
            )
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs)):
            yield from lost(one, other, f"{where}/{index}")
    elif ours != theirs:
        yield where


def read_back(dashboard: dict[str, Any]) -> Any:
    register_default_plugins()
    return json.loads(JSONEncoder().encode(Dashboard.from_json(dashboard)))


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    place, metrics = tmp_path_factory.mktemp("prometheus"), tmp_path_factory.mktemp("metrics")
    (metrics / "htcq.prom").write_text(drift_metrics(observations.SAMPLE, observations.NOW, 0.125))
    (metrics / "audit.prom").write_text(audit_metrics(SICK, observations.NOW))
    with scraping(metrics, place) as found:
        yield found


def test_grafana_s_library_knows_all_of_it() -> None:
    assert list(lost(DASHBOARD, read_back(DASHBOARD))) == []


def test_it_would_not_know_what_is_wrong() -> None:
    wrong = json.loads(
        json.dumps(DASHBOARD)
        .replace('"gridPos"', '"place"', 1)
        .replace('"mergeValues"', '"merge"', 1)
    )

    assert sorted(path.rpartition("/")[2] for path in lost(wrong, read_back(wrong))) == [
        "merge",
        "place",
    ]


@pytest.mark.parametrize(
    ("title", "query", "expression"), QUERIES, ids=[f"{title} {ref}" for title, ref, _ in QUERIES]
)
def test_prometheus_answers_each_query(
    title: str, query: str, expression: str, prometheus: Prometheus
) -> None:
    assert "$" not in chosen(expression)
    assert prometheus.values(chosen(expression)), f"{title} {query}"


def test_the_numbers_are_those_of_the_look(prometheus: Prometheus) -> None:
    def shown(title: str, query: int = 0) -> dict[str, float]:
        return prometheus.values(chosen(PANELS[title]["targets"][query]["expr"]))

    assert shown("Groups that drifted") == {"": 1}
    assert shown("Pool") == {"": 100}
    assert shown("Drifted") == {"<none>": 0, "chem": 0, "bio": 0, "physics": 1, "geo": 0}
    assert shown("Usage and quota (slot weight)")["physics"] == 12
    assert shown("Usage and quota (slot weight)", 1)["physics"] == 10
    assert shown("Borrowed (slot weight)") == {
        "<none>": 0,
        "chem": 0,
        "bio": 0,
        "physics": 2,
        "geo": 0,
    }
    assert shown("Unused quota (slot weight)") == {
        "<none>": 0,
        "chem": 0,
        "bio": 15,
        "physics": 0,
        "geo": 10,
    }
    assert shown("Usage as part of the quota")["bio"] == 0.25


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("pool", ["cm.example.net"]),
        ("negotiator", ["NEGOTIATOR"]),
        ("group", ["<none>", "bio", "chem", "geo", "physics"]),
    ],
)
def test_each_variable_offers_what_there_is(
    name: str, values: list[str], prometheus: Prometheus
) -> None:
    found = re.fullmatch(r"label_values\((.*), (\w+)\)", VARIABLES[name]["query"]["query"])
    assert found is not None
    series = prometheus.ask("series", match=chosen(found.group(1)))

    assert sorted({each[found.group(2)] for each in series}) == values


def test_panels_do_not_overlap() -> None:
    cells = [
        (x, y)
        for grid in (panel["gridPos"] for panel in PANELS.values())
        for x in range(grid["x"], grid["x"] + grid["w"])
        for y in range(grid["y"], grid["y"] + grid["h"])
    ]

    assert len(cells) == len(set(cells)) == 24 * (1 + max(y for _, y in cells))
    assert len(PANELS) == len(DASHBOARD["panels"])


def test_prometheus_takes_the_rules(prometheus: Prometheus) -> None:
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]

    assert {rule["name"] for rule in rules} == set(re.findall(r"- alert: (\w+)", RULES.read_text()))
    assert [rule["lastError"] for rule in rules if rule.get("lastError")] == []
