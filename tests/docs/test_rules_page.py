"""htcq-rules(7) is what the rules say of themselves today, whatever characters they use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from htcq.audit.catalog import all_rules, by_family, rule
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found
from htcq.report.views.rules_page import rules_page
from tests.docs.documents import ROOT, plain
from tests.docs.test_man import rendered

PAGE = ROOT / "man/man7/htcq-rules.7"


def test_the_page_is_fresh() -> None:
    """'htcq explain --man > man/man7/htcq-rules.7' makes it so."""
    written = rules_page(by_family())

    assert PAGE.read_text(encoding="utf-8") == written


def test_every_rule_has_its_paragraph() -> None:
    titles = re.findall(r"^\.SS (.*)$", plain(PAGE.read_text(encoding="utf-8")), re.MULTILINE)

    assert titles == [each.id for each in all_rules()]


@pytest.mark.parametrize(
    "text",
    [
        ".SH at the beginning",
        "'apostrophe first, `grave`, ^caret, ~tilde",
        "a back\\slash, \\fBno bold\\fP, \\n",
        "Write it so:\nSLOT_WEIGHT = max({Cpus, Memory/2048})\nThen reconfigure.",
        "an expression without a blank: " + "ifThenElse(RequestMemory>Memory/Cpus," * 9 + "x",
    ],
)
def test_whatever_a_rule_says_is_text(text: str, tmp_path: Path) -> None:
    def find(evidence: Evidence) -> Iterator[Found]:
        yield from ()

    page = tmp_path / "htcq-rules.7"
    page.write_text(
        rules_page({"odd": [replace(rule("weight-not-a-number"), consequence=text, find=find)]})
    )
    done = rendered(page, "--warnings=w")

    assert (done.returncode, done.stderr) == (0, "")
    assert "".join(text.split()) in "".join(done.stdout.split())
