"""Expressions that daemons cannot parse; ``tests/golden/knobs`` has what 25.14.1 did with each."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, look, pool, schedd, slot

RULE = "knob-does-not-parse"


@pytest.mark.parametrize(
    ("config", "says", "severity"),
    [
        (
            "NEGOTIATOR_PRE_JOB_RANK = ((Cpus > 1) * 2\n",
            "the negotiator exits when it reads it, and again",
            Severity.ERROR,
        ),
        ("SLOT_WEIGHT = max({Cpus, 2)\n", "the startd exits when it reads it", Severity.ERROR),
        ('START = (Owner == "x"\n', "advertises Start = error", Severity.ERROR),
        ("DEFAULT_RANK = Memory)\n", "condor_submit refuses every job", Severity.ERROR),
        (
            "SYSTEM_PERIODIC_HOLD = (JobStatus == 2\n",
            "goes on as if the knob were not set, and its log does not say so",
            Severity.WARNING,
        ),
        (
            "START_LOCAL_UNIVERSE = (TotalLocalJobsRunning < 2\n",
            "uses HTCondor's default instead",
            Severity.WARNING,
        ),
        ("STARTD_ATTRS = SITE\nSITE = Big Lab\n", "as if the knob were not set", Severity.WARNING),
        (
            "SLOT_REQUIREMENTS_CLAUSES = START MINE\nMINE = Cpus >\n",
            "in its slots, which take no job",
            Severity.ERROR,
        ),
    ],
)
def test_a_finding_says_what_the_daemon_does(config: str, says: str, severity: Severity) -> None:
    (finding,) = found(RULE, pool(slot(), config=config))

    assert "is not a ClassAd expression" in finding.message
    assert says in finding.message
    assert finding.severity is severity


def test_a_machine_that_does_not_run_the_daemon_has_no_finding() -> None:
    text = "DAEMON_LIST = MASTER, STARTD\nNEGOTIATOR_PRE_JOB_RANK = (1\n"

    assert not found(RULE, pool(slot(), execute={"node1": text}))
    assert not found(RULE, pool(slot(), config=f"{text}SCHEDD_SLOT_WEIGHT = (1\n"))
    assert found(RULE, pool(slot(), config=text.replace("STARTD", "NEGOTIATOR")))


def test_a_weight_that_only_the_negotiator_reads_is_a_warning() -> None:
    text = "DAEMON_LIST = MASTER, NEGOTIATOR\nSLOT_WEIGHT = (Cpus\n"
    (finding,) = found(RULE, pool(slot(), config=text))

    assert finding.severity is Severity.WARNING


def test_slots_with_start_error_are_found_without_any_configuration() -> None:
    (finding,) = found(RULE, pool(slot(Start="error"), slot("slot1@node2")))

    assert finding.message == (
        "START of node1 is not a ClassAd expression: Start = error on 1 slot, no job starts there, "
        "50 % of the pool"
    )
    assert finding.severity is Severity.ERROR


def test_file_and_column_are_named_where_the_machine_s_configuration_is_known() -> None:
    text = "START = (Cpus > 1\n # at: /etc/condor/config.d/30, line 3\n"
    (finding,) = found(RULE, pool(slot(Start="error"), execute={"node1": text}))

    assert "the ( at character 1 of the value is not closed" in finding.message
    assert finding.evidence[0].place == "/etc/condor/config.d/30:3"


def test_what_other_rules_find_is_found_once() -> None:
    for knob in ("NEGOTIATOR_SLOT_CONSTRAINT", "GROUP_SORT_EXPR"):
        assert not found(RULE, pool(slot(), config=f"{knob} = (1\n"))


@pytest.mark.parametrize(
    "config",
    [
        'START = regexp("^n\\w+$", TARGET.Owner)\n',
        "START = Cpus > 1 // always\n",
        'RANK = ifThenElse(TARGET.Owner == "a", 1, 0)\n',
        "START = $(SITE_START) && (\n",
        "SYSTEM_PERIODIC_HOLD_LONG = (\n",
        "MY_START = (\n",
    ],
)
def test_what_parses_or_is_not_known_is_no_finding(config: str) -> None:
    assert not found(RULE, pool(slot(), config=config))


@pytest.mark.parametrize(
    ("line", "says", "severity"),
    [
        (
            'REQUIREMENTS (Owner == "a"',
            "REQUIREMENTS has no ClassAd expression (the ( at character 14 of the line is not "
            "closed): schedd access1 ignores the transform",
            Severity.WARNING,
        ),
        (
            "SET Foo = (1 +",
            "SET Foo has no ClassAd expression (the ( at character 11 of the line is not closed): "
            "schedd access1 goes on without this line, and its log does not say so",
            Severity.WARNING,
        ),
        (
            "SETT Foo 1",
            "SETT is no keyword of transforms: schedd access1 refuses each job that the transform "
            "is for",
            Severity.ERROR,
        ),
    ],
)
def test_the_lines_of_a_transform_are_checked(line: str, says: str, severity: Severity) -> None:
    """tests/golden/knobs/transforms.json has what 25.14.1 did with each."""
    text = f"JOB_TRANSFORM_NAMES = x\nJOB_TRANSFORM_x @=end\n{line}\nSET Bar $(Owner\n@end\n"
    (finding,) = found(RULE, pool(schedd(), access={"access1": text}))

    assert finding.message == f"JOB_TRANSFORM_x: {says}"
    assert finding.severity is severity


def test_a_submit_requirement_that_does_not_parse_is_one_finding() -> None:
    text = "SUBMIT_REQUIREMENT_NAMES = m\nSUBMIT_REQUIREMENT_m = (RequestMemory < 5\n"
    given = pool(schedd(), access={"access1": text})

    assert len(found(RULE, given)) == 1
    assert not look("job-policy-ignored", given).findings
