"""Prometheus' own checker takes the metrics."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from htcq.audit.engine import Audit
from htcq.drift.observation import DriftObservation
from htcq.report.views.audit import audit_metrics
from htcq.report.views.drift_record import drift_metrics
from tests.report import observations
from tests.report.audits import NOTHING, SAMPLE


def _checked(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", "check", "metrics"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "audit",
    [SAMPLE, NOTHING, replace(SAMPLE, findings=(), rules=())],
    ids=["sample", "none", "no rule"],
)
def test_promtool_has_nothing_to_say(audit: Audit) -> None:
    done = _checked(audit_metrics(audit, 1_793_607_300.0))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "observation",
    [
        observations.SAMPLE,
        observations.looked_at(),
        observations.looked_at(
            replace(observations.BIO, name='a "b\\\n\udcff ä', computed=float("nan"))
        ),
    ],
    ids=["sample", "no group", "odd name"],
)
def test_promtool_has_nothing_to_say_of_a_look_at_quotas(observation: DriftObservation) -> None:
    done = _checked(drift_metrics(observation, 1_793_607_300.0, 0.125))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_promtool_would_say_something() -> None:
    assert _checked("htcq_findings_total 1\n").returncode != 0
