"""Lines that end HTCondor's parser (config.cpp:Parse_macros, 25.14); tests/pool/test_config_lines.py asks it."""

from __future__ import annotations

from htcq.audit.rule import Severity
from tests.audit.sites import collector, found, look, pool

RULE = "line-refused"


def test_a_broken_line_is_an_error() -> None:
    (finding,) = found(RULE, pool(config="A = 1\nGROUP_NAMES a\n"))

    assert finding.severity is Severity.ERROR
    assert finding.message == "config.txt:2, column 12: no = after GROUP_NAMES"
    assert finding.evidence[0].place == "config.txt:2"


def test_statements_and_odd_assignments_are_fine() -> None:
    assert not found(RULE, pool(config="include : /x\nA : 1\nB C = 2\n[section]\n"))


def test_a_daemon_has_read_what_it_prints() -> None:
    outcome = look(RULE, pool(config="A = 1\n"))

    assert (outcome.checked, outcome.not_checked) == (1, ())


def test_without_any_configuration_it_is_not_known() -> None:
    outcome = look(RULE, pool(collector()))

    assert "configuration (config.txt)" in outcome.not_checked[0].missing
