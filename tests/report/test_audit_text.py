"""An audit as text: everything that was found, how to fix it, and what was not looked at."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from htcq.audit.engine import Audit, Checked, NotChecked
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Fact, Severity
from htcq.report.views.audit_text import show_audit, summary
from tests.report.audits import NOTHING, QUOTA, SAMPLE, SCRIPT, WEIGHT
from tests.report.test_terminal import Terminal

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def _shown(audit: Audit, stream: io.StringIO | None = None, plain: bool = False) -> str:
    stream = stream or io.StringIO()
    show_audit(audit, stream, plain)
    return stream.getvalue()


@pytest.fixture
def _narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")


def test_findings_stand_before_their_fixes_and_the_summary_follows() -> None:
    shown = _shown(SAMPLE)
    landmarks = [
        "error  weight-not-a-number",
        "warning  quota-of-nobody",
        "info  memory-wasted",
        "How to fix it",
    ]
    landmarks += ["Write a weight that", QUOTA.settings[0].line, QUOTA.advice]
    landmarks += ["not checked without job ads", summary(SAMPLE)]
    places = [shown.index(each) for each in landmarks]

    assert places == sorted(places)


def test_evidence_comes_with_its_place() -> None:
    knob = "GROUP_QUOTA_group_physics.analysis = 120  # /etc/condor/config.d/30-quotas.config:17\n"

    assert knob in _shown(SAMPLE)


def test_a_finding_about_many_names_a_few() -> None:
    assert (
        "(412 such: slot1@node01.example.net, slot1@node02.example.net, "
        "slot1@node03.example.net, …)"
    ) in _shown(SAMPLE)
    assert "(2 such: <script>alert(1)</script>, slot1@node07)" in _shown(SAMPLE)
    assert "1 such" not in _shown(SAMPLE)


def test_what_could_only_be_read_in_part_is_told() -> None:
    assert "incomplete data: jobs of access2.example.net: no answer within 60 s\n" in _shown(SAMPLE)


def test_what_one_rule_lacks_of_many_machines_is_told_in_one_line() -> None:
    missing = tuple(
        NotChecked("memory-wasted", f"the jobs of schedd {number}") for number in range(9)
    )
    shown = _shown(replace(SAMPLE, not_checked=missing))

    assert (
        "the jobs of schedd 0, the jobs of schedd 1, the jobs of schedd 2 and 6 more: "
        "memory-wasted\n"
    ) in shown


def test_nothing_in_an_ad_steers_the_terminal() -> None:
    odd = replace(
        SCRIPT,
        evidence=(Fact("Name", "\x1b]0;owned\x07"),),
        examples=("\x1b[2J",),
        advice="A = \x1b[1m",
    )

    assert "\x1b" not in _shown(replace(SAMPLE, findings=(odd,), incomplete=("\x1b[3m",)))


def test_a_very_long_value_is_cut() -> None:
    long = replace(WEIGHT, evidence=(Fact("SlotWeight", "x" * 5000),))

    assert f"SlotWeight = {'x' * 400}…\n" in _shown(replace(SAMPLE, findings=(long,)))


def test_one_fix_for_several_findings_is_told_once() -> None:
    other = replace(WEIGHT, subject="slot slot1@other", cause="another")

    assert _shown(replace(SAMPLE, findings=(WEIGHT, other))).count(WEIGHT.advice) == 1


def test_several_fixes_of_one_rule_tell_what_they_mend() -> None:
    settings = (Setting(Role.CENTRAL, "GROUP_NAMES", "b"),)
    other = replace(QUOTA, subject="knob GROUP_QUOTA_b", settings=settings, cause="b")
    shown = _shown(replace(SAMPLE, findings=(QUOTA, other)))

    file = QUOTA.settings[0].file
    now = f"      On the central manager, now set in {file}:\n        {QUOTA.settings[0].line}\n"
    assert f"  quota-of-nobody ({QUOTA.subject})\n{now}      {QUOTA.advice}\n" in shown
    assert (
        "  quota-of-nobody (knob GROUP_QUOTA_b)\n      On the central manager:\n"
        "        GROUP_NAMES = b\n"
    ) in shown


@pytest.mark.usefixtures("_narrow_terminal")
def test_a_terminal_gets_colours_and_the_same_words() -> None:
    coloured = _shown(SAMPLE, Terminal())

    assert "\x1b[1;31merror" in coloured
    assert "".join(_ANSI.sub("", coloured).split()) == "".join(_shown(SAMPLE).split())


@pytest.mark.usefixtures("_narrow_terminal")
@pytest.mark.parametrize("colour", [True, False])
def test_sentences_are_broken_to_the_width_of_a_terminal(colour: bool) -> None:
    lines = _ANSI.sub("", _shown(SAMPLE, Terminal(), plain=not colour)).splitlines()
    sentences = [line for line in lines if " = " not in line]

    assert max(map(len, sentences)) <= 60
    assert (
        "        GROUP_NAMES = group_physics, group_chemistry, group_biology, "
        "group_physics.analysis"
    ) in lines


@pytest.mark.usefixtures("_narrow_terminal")
def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    assert _shown(SAMPLE, Terminal()) == _shown(SAMPLE, Terminal(), plain=True)
    assert "\x1b" not in _shown(SAMPLE, Terminal())


@pytest.mark.parametrize(
    ("audit", "line"),
    [
        (NOTHING, "no findings; 1 rule checked"),
        (
            SAMPLE,
            (
                "3 findings: 1 error, 1 warning, 1 info; 4 rules checked (1 on incomplete data), 2 "
                "checks skipped: no data"
            ),
        ),
        (replace(NOTHING, known=2), "no findings (2 known before); 1 rule checked"),
        (
            replace(SAMPLE, findings=(WEIGHT, WEIGHT), not_checked=()),
            "2 findings: 2 errors; 4 rules checked",
        ),
        (
            Audit((), (NotChecked("a", "x"),)),
            "no findings; 0 rules checked, 1 check skipped: no data",
        ),
        (
            Audit((QUOTA,), (), (Checked("a", Severity.INFO),)),
            "1 finding: 1 warning; 1 rule checked",
        ),
    ],
)
def test_the_summary_counts(audit: Audit, line: str) -> None:
    assert summary(audit) == line


def test_what_follows_from_a_root_cause_stands_below_it() -> None:
    shown = _shown(SAMPLE)
    follows = shown.index(
        "From this follows:\n      users-of-nobody: there is no group group_physics.analysis (3 "
        "such)"
    )
    assert shown.index("quota-of-nobody") < follows < shown.index("memory-wasted")
    assert summary(SAMPLE).startswith("3 findings")
