"""Prometheus' own checker takes the metrics."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from htcq.audit.engine import Audit
from htcq.report.audit_metrics import audit_metrics
from tests.report.audits import NOTHING, SAMPLE


def _checked(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize(
    "audit", [SAMPLE, NOTHING, replace(SAMPLE, findings=(), rules=())], ids=["sample", "none", "no rule"]
)
def test_promtool_has_nothing_to_say(audit: Audit) -> None:
    done = _checked(audit_metrics(audit, 1_793_607_300.0))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_promtool_would_say_something() -> None:
    assert _checked("htcq_findings_total 1\n").returncode != 0
