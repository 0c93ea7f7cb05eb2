"""Which knobs are asked for, and how their values are written down."""

from __future__ import annotations

import pytest

from htcq.live.configuration import read_configuration
from htcq.live.remote_config import dump_text, is_wanted, values_of


@pytest.mark.parametrize(
    "name",
    [
        "GROUP_NAMES", "GROUP_QUOTA_a.b", "GROUP_QUOTA_DYNAMIC_a", "GROUP_ACCEPT_SURPLUS_a", "GROUP_AUTOREGROUP",
        "CONSUMPTION_POLICY", "SLOT_TYPE_2_CONSUMPTION_MEMORY", "SLOT_TYPE_1", "NUM_SLOTS_TYPE_1", "NUM_SLOTS",
        "SLOT_TYPE_1_PARTITIONABLE", "SLOT_WEIGHT", "SCHEDD_SLOT_WEIGHT", "SCHEDD_USE_SLOT_WEIGHT", "NUM_CLAIMS",
        "SLOT_TYPE_1_NUM_CLAIMS", "CLAIM_PARTITIONABLE_LEFTOVERS", "CLAIM_WORKLIFE", "NEGOTIATOR_INTERVAL",
        "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "NEGOTIATOR_USE_WEIGHTED_DEMAND", "FORCE_NEGOTIATOR_SLOT_WEIGHT",
        "ACCOUNTING_DOMAIN", "UID_DOMAIN", "MODIFY_REQUEST_EXPR_REQUESTCPUS", "MUST_MODIFY_REQUEST_EXPRS",
        "JOB_DEFAULT_REQUESTMEMORY", "MACHINE_RESOURCE_NAMES", "MACHINE_RESOURCE_tokens", "NUM_CPUS", "MEMORY", "DISK",
        "RESERVED_MEMORY", "HFS_ROUND_ROBIN_RATE", "PREEMPTION_REQUIREMENTS", "ALLOW_PSLOT_PREEMPTION", "START",
        "SLOT_TYPE_1_START", "CATALOG_SPACE", "LOCAL_CONFIG_DIR", "REQUIRE_LOCAL_CONFIG_FILE", "SETTABLE_ATTRS_CONFIG",
        "ENABLE_RUNTIME_CONFIG", "ENABLE_PERSISTENT_CONFIG", "FLOCK_TO", "USE_GLOBAL_JOB_PRIOS", "PRIORITY_HALFLIFE",
        "STARTD_ATTRS", "STARTD_CRON_JOBLIST", "WithinResourceLimits", "DEFAULT_PRIO_FACTOR", "COUNT_HYPERTHREAD_CPUS",
        "CONCURRENCY_LIMIT_DEFAULT", "CONCURRENCY_LIMIT_DEFAULT_licence", "CONCURRENCY_LIMIT_DEFAULT_token",
        "licence.matlab_LIMIT", "STARTD_ENFORCE_DISK_LIMITS", "PROPORTIONAL_SWAP_ASSIGNMENT",
        "MAX_ACCOUNTANT_DATABASE_SIZE", "NEGOTIATOR_JOB_CONSTRAINT", "STARTD_AD_REEVAL_EXPR", "SLOT1_STARTD_ATTRS",
        "NEGOTIATOR.SLOT_WEIGHT", "SLOT_TYPE_2_MAXJOBRETIREMENTTIME", "NGPU.GROUP_NAMES", "NGPU.GROUP_QUOTA_a.b",
        "M1.SLOT_TYPE_1_START", "SUBSYSTEM", "LOCALNAME", "ALLOW_NEGOTIATOR", "ALLOW_WRITE", "DEFRAG_INTERVAL",
        "SEC_DEFAULT_AUTHENTICATION_METHODS", "SEC_NEGOTIATOR_AUTHENTICATION",
    ],
)  # fmt: skip
def test_what_decides_who_gets_what_is_asked_for(name: str) -> None:
    assert is_wanted(name)


@pytest.mark.parametrize(
    "name",
    [
        "SEC_PASSWORD_FILE", "SEC_CLAIMTOBE_USER", "STARTD_CLAIM_ID_FILE", "NEGOTIATOR_PASSWORD", "GROUP_SITE_SECRET",
        "SLOT_TOKEN_FILE", "FLOCK_CREDENTIAL", "NEGOTIATOR_LOG", "SENDMAIL", "CREDD_HOST",
        "CREDD_PORT", "DAGMAN_MAX_JOBS_SUBMITTED",
    ],
)  # fmt: skip
def test_secrets_and_what_does_not_matter_are_not(name: str) -> None:
    assert not is_wanted(name)


def test_htcondors_own_parser_reads_what_was_written() -> None:
    values = {
        "START": "    ifThenElse(\n        A > 1,\n        @end is no tag here\n    )",
        "SLOT_WEIGHT": "floor(Memory / 1024)",
        "GROUP_NAMES": "",
        "GROUP_QUOTA_a.b": "0.5",
    }
    text = dump_text("Configuration from machine: x", values.items())
    found = read_configuration(text, list(values))

    assert found["SLOT_WEIGHT"] == "floor(Memory / 1024)"
    assert found["GROUP_QUOTA_a.b"] == "0.5"
    assert found["START"].split() == values["START"].split()
    assert found.get("GROUP_NAMES", "") == ""


def test_what_looks_like_a_secret_is_scrubbed() -> None:
    assert "eyJ" not in dump_text("x", [("START", 'Key == "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln"')])


def test_what_keeps_jobs_from_starting_is_asked_for_without_the_environment_itself() -> None:
    assert is_wanted("STARTER_JOB_ENVIRONMENT")
    assert is_wanted("VO_HOOK_JOB_EXIT")
    text = dump_text("dump", [("STARTER_JOB_ENVIRONMENT", '"LOGIN=ada B=it\'s"')])
    assert text.endswith('STARTER_JOB_ENVIRONMENT = "LOGIN=[removed] B=[removed]\'[removed]"\n')


def test_a_group_may_be_called_secret() -> None:
    values = [("GROUP_NAMES", "secret, passwd"), ("GROUP_QUOTA_secret", "10")]

    text = dump_text("x", [*values, ("GROUP_QUOTA_passwd", "20")])

    assert text.splitlines()[1:] == [
        "GROUP_NAMES = secret, passwd", "GROUP_QUOTA_passwd = 20", "GROUP_QUOTA_secret = 10",
    ]  # fmt: skip


def test_a_secret_that_never_ends_takes_no_other_knob_away() -> None:
    begun = '"-----BEGIN PRIVATE KEY-----"'

    text = dump_text("x", [("RANK", f"Key == {begun}"), ("START", "true")])

    assert begun not in text
    assert "START = true" in text.splitlines()


def test_what_a_daemon_has_under_its_own_prefix_alone_is_there_without_it_too() -> None:
    """A daemon lists names, and not which of them count for it."""
    asked = {
        "SUBSYSTEM": "NEGOTIATOR",
        "LOCALNAME": "NGPU",
        "NEGOTIATOR.GROUP_QUOTA_a.b": "2",
        "NGPU.group_quota_a.b": "3",
        "NEGOTIATOR.GROUP_QUOTA_c": "4",
        "SCHEDD.GROUP_QUOTA_d": "5",
        "NGPU.SLOT_WEIGHT": "Not defined",
        "SLOT_WEIGHT": "Not defined",
    }
    values = values_of(asked)
    assert values == {
        **{name: value for name, value in asked.items() if value != "Not defined"},
        "NGPU.SLOT_WEIGHT": "",
        "group_quota_a.b": "3",
        "GROUP_QUOTA_c": "4",
    }
