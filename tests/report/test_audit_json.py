"""An audit as JSON, and a former one as a baseline."""

from __future__ import annotations

import json

import pytest

from htcq.errors import InputError
from htcq.report.views.audit_json import audit_json, fingerprints
from tests.report.audits import QUOTA, SAMPLE


def test_the_names_are_those_of_the_contract() -> None:
    found = audit_json(SAMPLE)

    assert set(found) == {
        "schema",
        "source",
        "taken",
        "health",
        "gaps",
        "findings",
        "known",
        "gone",
        "failed",
        "not_checked",
        "checked",
        "incomplete",
    }
    assert (found["schema"], found["source"], found["taken"]) == (
        1,
        "cm.example.net",
        "2026-11-02T08:15:00+00:00",
    )
    assert found["findings"][1] == {
        "rule": "quota-of-nobody",
        "severity": "warning",
        "subject": QUOTA.subject,
        "message": QUOTA.message,
        "evidence": [
            {
                "attribute": "GROUP_QUOTA_group_physics.analysis",
                "value": "120",
                "place": "/etc/condor/config.d/30-quotas.config:17",
            },
            {
                "attribute": "GROUP_NAMES",
                "value": "group_physics, group_chemistry, group_biology",
                "place": "/etc/condor/config.d/30-quotas.config:3",
            },
        ],
        "fix": [
            {
                "role": "central manager",
                "nodes": [],
                "file": "/etc/condor/config.d/30-quotas.config",
                "knob": "GROUP_NAMES",
                "value": "group_physics, group_chemistry, group_biology, group_physics.analysis",
            }
        ],
        "advice": "Correct the name, or add the group to GROUP_NAMES.",
        "count": 1,
        "examples": ["group_physics.analysis"],
        "fingerprint": "quota-of-nobody: group_physics.analysis",
        "harm": {"shut": 0.0, "starved": [], "overrun": [], "jobs": 0},
        "caused": [
            {
                "rule": "users-of-nobody",
                "severity": "warning",
                "subject": "submitter group_physics.analysis.ada@site",
                "message": "there is no group group_physics.analysis",
                "count": 3,
                "fingerprint": "users-of-nobody: group_physics.analysis",
            }
        ],
    }
    assert found["not_checked"][0] == {"rule": "demand-of-nothing", "missing": "job ads (jobs.ads)"}
    assert (found["checked"], found["known"]) == (4, 0)
    assert found["incomplete"] == ["jobs of access2.example.net: no answer within 60 s"]


def test_what_was_printed_serves_as_a_baseline() -> None:
    known = fingerprints(json.dumps(audit_json(SAMPLE)), "base.json")

    assert known == set().union(*(finding.fingerprints for finding in SAMPLE.findings))
    assert SAMPLE.since(known).findings == ()
    assert SAMPLE.since(known).known == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "base.json is not JSON"),
        ("[" * 100_000, "base.json is not JSON"),
        ("[]", "base.json is no audit: it has no findings"),
        ('{"schema": 1, "weight": 8, "jobs": []}', "base.json is no audit: it has no findings"),
        ('{"schema": 1, "findings": {}}', "it has no findings"),
        ('{"schema": 2, "findings": []}', "an audit of schema 2, not 1"),
        ('{"findings": []}', "an audit of schema None, not 1"),
        ('{"schema": 1, "findings": ["x"]}', "a finding has no fingerprint"),
        ('{"schema": 1, "findings": [{"rule": "x"}]}', "a finding has no fingerprint"),
        ('{"schema": 1, "findings": [{"fingerprint": 5}]}', "a finding has no fingerprint"),
    ],
)
def test_what_is_no_audit_is_no_baseline(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        fingerprints(text, "base.json")

    assert said in str(refused.value)
    assert refused.value.hint


def test_a_baseline_knows_what_was_listed_under_a_root_cause() -> None:
    known = fingerprints(json.dumps(audit_json(SAMPLE)), "yesterday.json")

    assert "users-of-nobody: group_physics.analysis" in known
    assert not SAMPLE.since(known).findings
