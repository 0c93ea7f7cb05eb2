"""An audit as SARIF and as annotations of GitHub: what the published schema and GitHub's own rules ask for."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft4Validator

from htcq.audit.engine import Audit
from htcq.audit.rule import Fact, Rule
from htcq.report.views.audit_github import workflow_lines
from htcq.report.views.audit_sarif import audit_sarif
from tests.docs.documents import ROOT
from tests.report.audits import NOTHING, QUOTA, SAMPLE, SCRIPT, SICK

#: tests/golden/sarif/README.md says where it comes from.
_SCHEMA = json.loads((ROOT / "tests/golden/sarif/sarif-2.1.0-rtm.5.json").read_text())
#: Invented, as the audits are.
_RULE = Rule(
    QUOTA.rule, QUOTA.severity, (), "A quota of no group.", "No effect.", "Fix it.", "", iter
)
_VALIDATOR = Draft4Validator(_SCHEMA)
#: What GitHub's runner takes for a command (actions/runner, ActionCommand.TryParseV2).
_COMMAND = re.compile(
    r"::(?P<level>error|warning|notice) (?P<properties>[^:]*)::(?P<text>[^\r\n]*)"
)
_SIGNS = (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def _run(audit: Audit, directory: str = "") -> dict[str, Any]:
    log = audit_sarif(audit, [_RULE], directory)
    errors = [error.message for error in _VALIDATOR.iter_errors(log)]

    assert errors == []
    (run,) = log["runs"]
    return dict(run)


def _read(line: str) -> tuple[str, dict[str, str], str]:
    found = _COMMAND.fullmatch(line)
    assert found is not None, line
    pairs = [each.partition("=") for each in found["properties"].split(",")]
    return (
        found["level"],
        {name: _unescaped(value) for name, _, value in pairs},
        _unescaped(found["text"]),
    )


def _unescaped(text: str) -> str:
    for escape, sign in _SIGNS:
        text = text.replace(escape, sign)
    return text


@pytest.mark.parametrize("audit", [SAMPLE, SICK, NOTHING, replace(NOTHING, gone=("a: b",))])
def test_every_audit_is_sarif(audit: Audit) -> None:
    run = _run(audit)

    assert [each["ruleId"] for each in run["results"]] == [each.rule for each in audit.findings]


def test_the_schema_refuses_what_is_no_sarif() -> None:
    log = audit_sarif(SAMPLE, [])
    log["runs"][0]["results"][0]["level"] = "bad"

    assert list(_VALIDATOR.iter_errors(log))


def test_a_result_has_file_and_line_rule_and_fingerprint() -> None:
    run = _run(SAMPLE)
    result = run["results"][1]
    (location,) = result["locations"]

    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "file:///etc/condor/config.d/30-quotas.config"},
        "region": {"startLine": 17},
    }
    assert result["level"] == "warning"
    assert result["partialFingerprints"] == {"htcq/v1": QUOTA.fingerprint}
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == QUOTA.rule


def test_a_result_without_a_file_has_its_subject_or_the_directory() -> None:
    (location,) = _run(SAMPLE)["results"][0]["locations"]
    (below,) = _run(SAMPLE, "site/config.d")["results"][0]["locations"]

    assert "physicalLocation" not in location
    assert location["logicalLocations"][0]["fullyQualifiedName"] == SAMPLE.findings[0].subject
    assert below["physicalLocation"] == {"artifactLocation": {"uri": "site/config.d"}}


def test_a_value_of_no_file_is_no_location() -> None:
    default = replace(QUOTA, evidence=(Fact("A", "1", "<Default>"), Fact("B", "2", "a b.config:3")))
    (result,) = _run(replace(SAMPLE, findings=(default,)))["results"]

    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b.config"},
        "region": {"startLine": 3},
    }


def test_what_was_not_checked_or_failed_is_a_notification() -> None:
    incomplete = _run(replace(SAMPLE, gaps=("2 rules not checked without job ads",)))
    (invocation,) = incomplete["invocations"]
    told = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]

    assert not invocation["executionSuccessful"]
    assert _run(NOTHING)["invocations"][0]["executionSuccessful"]
    assert "2 rules not checked without job ads" in told
    assert "not checked without job ads (jobs.ads): demand-of-nothing, demand-too-small" in told


def test_an_annotation_has_file_line_title_and_message() -> None:
    level, properties, text = _read(list(workflow_lines(SAMPLE))[1])

    assert level == "warning"
    assert properties == {
        "file": "/etc/condor/config.d/30-quotas.config",
        "line": "17",
        "title": QUOTA.rule,
    }
    assert text.startswith(f"{QUOTA.subject}: {QUOTA.message}\nFrom this follows: ")


def test_what_strangers_wrote_ends_no_annotation() -> None:
    odd = replace(
        SCRIPT,
        subject="a\n::error file=x::b",
        message="100%0A\r\n::stop-commands::x",
        evidence=(Fact("x", "y", "/etc/a,line=9::b%:7"),),
    )
    lines = list(workflow_lines(replace(SAMPLE, findings=(odd,), not_checked=(), incomplete=())))
    level, properties, text = _read(lines[0])

    assert level == "notice"
    assert properties == {"file": "/etc/a,line=9::b%", "line": "7", "title": SCRIPT.rule}
    assert text.splitlines()[0] == r"a ::error file=x::b: 100%0A\x0d ::stop-commands::x"
    assert all("\n" not in line and "\r" not in line for line in lines)


def test_the_worst_come_first_and_what_was_not_checked_is_told() -> None:
    *lines, last = workflow_lines(replace(SAMPLE, gone=("a: b",)))
    told = [_read(line) for line in lines]

    assert [level for level, _, _ in told[:3]] == ["error", "warning", "notice"]
    assert ("notice", {"title": "no longer found"}, "a: b") in told
    assert [title["title"] for _, title, _ in told].count("not checked") == 2
    assert last.startswith("3 findings: ")
