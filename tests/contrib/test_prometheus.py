"""Prometheus' own checker takes the alert rules and tests when each of them fires."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from htcq.elastic.activity import FOLLOWS, NEVER, OFF, ON, WORDS
from htcq.report.views.audit import audit_metrics
from htcq.report.views.drift_record import drift_metrics
from htcq.report.views.elastic_metrics import METRICS
from tests.contrib.places import ROOT
from tests.report import observations
from tests.report.audits import SICK

RULES = ROOT / "contrib/prometheus/htcq.rules.yml"
TESTS = Path(__file__).with_name("rules_test.yml")


def promtool(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = ["promtool", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=cwd)


def rules_tried(place: Path, rules: str) -> subprocess.CompletedProcess[str]:
    (place / RULES.name).write_text(rules)
    shutil.copy(TESTS, place)
    return promtool("test", "rules", TESTS.name, cwd=place)


def test_the_rules_are_rules() -> None:
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES.name, cwd=RULES.parent)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{RULES.read_text().count('- alert:')} rules found" in done.stdout


def test_each_alert_fires_when_it_should(tmp_path: Path) -> None:
    done = rules_tried(tmp_path, RULES.read_text())

    assert done.returncode == 0, done.stdout + done.stderr
    alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
    assert [name for name in alerts if f"alertname: {name}" not in TESTS.read_text()] == []


def test_one_that_fires_too_early_would_be_noticed(tmp_path: Path) -> None:
    assert (
        rules_tried(tmp_path, RULES.read_text().replace("for: 30m", "for: 29m", 1)).returncode != 0
    )


def test_every_metric_in_them_is_written() -> None:
    written = drift_metrics(observations.SAMPLE, observations.NOW, 0.125) + audit_metrics(
        SICK, observations.NOW
    )
    elastic = {each.name for each in METRICS}
    named = set(re.findall(r"\bhtcq_\w+", RULES.read_text()))

    assert named & elastic
    missing = [name for name in named - elastic if f"# TYPE {name} " not in written]
    assert missing == []


def test_every_state_of_elastic_quotas_in_them_is_one() -> None:
    """Those that are alerted, those that a person wants, and the one that has an alert of its own are all."""
    alerted = re.findall(r'htcq_elastic_state\{state=~?"([^"]+)"\}', RULES.read_text())

    words = [word for each in alerted for word in each.split("|")]
    assert sorted([*words, ON, NEVER, OFF, FOLLOWS]) == sorted(WORDS)
