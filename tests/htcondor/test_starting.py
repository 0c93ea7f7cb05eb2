"""Knobs on the way from a submission to a running job: what is set, and what every site has."""

from __future__ import annotations

import pytest

from htcq.htcondor.knob_types import knob_type
from htcq.htcondor.matching import SCHEDD, STARTD
from htcq.htcondor.starting import is_default, is_on_the_way, rank_on_the_way
from htcq.htcondor.tables import rows

#: Names that HTCondor puts together, or that param_info.in does not have; the readers are in its sources.
_PUT_TOGETHER = {
    "ALLOW_<level>": "condor_io/condor_ipverify.cpp",
    "DENY_<level>": "condor_io/condor_ipverify.cpp",
    "CLASSAD_USER_MAPFILE_<name>": "condor_utils/classad_usermap.cpp",
    "SCHEDD_CLASSAD_USER_MAP_NAMES": "condor_utils/classad_usermap.cpp",
    "JOB_TRANSFORM_<name>": "condor_schedd.V6/job_transforms.cpp",
    **dict.fromkeys(
        (
            f"<keyword>_HOOK_{each}"
            for each in (
                "EVICT_CLAIM",
                "FETCH_WORK",
                "JOB_EXIT",
                "JOB_EXIT_TIMEOUT",
                "PREPARE_JOB",
                "PREPARE_JOB_BEFORE_TRANSFER",
                "REPLY_FETCH",
                "SHADOW_PREPARE_JOB",
                "UPDATE_JOB_INFO",
            )
        ),
        "condor_daemon_core.V6/HookClientMgr.cpp, condor_utils/enum_utils.cpp",
    ),
    **dict.fromkeys(
        (
            f"SEC_<level>_{each}"
            for each in (
                "NEGOTIATION",
                "AUTHENTICATION",
                "ENCRYPTION",
                "INTEGRITY",
                "AUTHENTICATION_METHODS",
                "CRYPTO_METHODS",
            )
        ),
        "condor_io/condor_secman.cpp",
    ),
    "SLOT<n>_EXECUTE": "condor_startd.V6/Resource.cpp",
    "SLOT<n>_USER": "condor_starter.V6.1/jic_shadow.cpp",
    "STARTER_DEFAULT_JOB_HOOK_KEYWORD": "condor_starter.V6.1/StarterHookMgr.cpp",
}


def test_all_of_them_are_knobs() -> None:
    for row in rows("starting.tsv"):
        assert knob_type(row.key) is not None or row.key in _PUT_TOGETHER, row.key


@pytest.mark.parametrize(
    ("knob", "daemon", "rank"),
    [
        ("STARTER", STARTD, 0), ("SHADOW", SCHEDD, 0), ("SHADOW", STARTD, None),
        ("DENY_DAEMON", STARTD, 1), ("TCP_FORWARDING_HOST", STARTD, 2), ("EXECUTE", STARTD, 3),
        ("NETWORK_INTERFACE", SCHEDD, 4), ("ALLOW_WRITE", SCHEDD, 5),
        ("SEC_DEFAULT_AUTHENTICATION_METHODS", SCHEDD, 5), ("SEC_NEGOTIATOR_INTEGRITY", SCHEDD, 5),
        ("SLOT1_1_USER", STARTD, 0), ("SLOT1_USER", SCHEDD, None),
        ("STARTD.USER_JOB_WRAPPER", STARTD, 0), ("X_HOOK_PREPARE_JOB", STARTD, 0),
        ("X_HOOK_JOB_EXIT", STARTD, 0), ("X_HOOK_SHADOW_PREPARE_JOB", SCHEDD, 0),
        ("STARTER_JOB_ENVIRONMENT", STARTD, 0), ("UNUSED_CLAIM_TIMEOUT", SCHEDD, 0),
        ("NUM_CPUS", STARTD, None),
    ],
)  # fmt: skip
def test_those_of_the_daemon_come_first(knob: str, daemon: str, rank: int | None) -> None:
    assert rank_on_the_way(knob, daemon) == rank


@pytest.mark.parametrize(
    ("knob", "stage", "rank"),
    [
        ("SINGULARITY_JOB", "last", 0), ("PREEMPT", "last", 0), ("PREEMPT", "start", None),
        ("ALLOW_WRITE", "start", None), ("UID_DOMAIN", "start", 4), ("UID_DOMAIN", "claim", None),
        ("MAX_CLAIM_ALIVES_MISSED", "claim", 0), ("EXECUTE", "claim", None),
        ("SLOT1_USER", "start", 0), ("STARTER_RLIMIT_AS", "last", 0),
    ],
)  # fmt: skip
def test_a_knob_counts_at_the_stages_where_it_decides(
    knob: str, stage: str, rank: int | None
) -> None:
    assert rank_on_the_way(knob, STARTD, stage) == rank


def test_secrets_are_not_on_the_way() -> None:
    assert not is_on_the_way("SEC_PASSWORD_FILE")
    assert not is_on_the_way("SEC_TOKEN_DIRECTORY")
    assert not is_on_the_way("SEC_CLAIMTOBE_USER")


@pytest.mark.parametrize(
    ("knob", "value", "default"),
    [
        ("STARTER", "/usr/sbin/condor_starter", True), ("STARTER", "/no/such/starter", False),
        ("STARTER", "/no/such/condor_starter", False), ("SHADOW", "condor_shadow", False),
        ("JOB_START_DELAY", "0", True), ("JOB_START_DELAY", "600", False),
        ("PREEMPT", "FALSE", True), ("DENY_WRITE", "*", False), ("DENY_WRITE", "", True),
        ("JOB_TRANSFORM_NAMES", "PelicanRetry", True), ("JOB_TRANSFORM_NAMES", "a", False),
        ("JOB_TRANSFORM_PelicanRetry", "SET a 1", True), ("UNUSED_CLAIM_TIMEOUT", "600", True),
        ("UNUSED_CLAIM_TIMEOUT", "0", False), ("STARTER_JOB_ENVIRONMENT", "A=[removed]", False),
    ],
)  # fmt: skip
def test_what_nobody_has_set_is_no_evidence(knob: str, value: str, default: bool) -> None:
    assert is_default(knob, value) is default


def test_macros_of_a_default_have_the_values_of_the_configuration() -> None:
    own = {"RELEASE_DIR": "/opt/condor", "LOG": "/scratch/log"}
    values = (
        ("STARTER", "/opt/condor/sbin/condor_starter"),
        ("SHADOW_LOG", "/scratch/log/ShadowLog"),
    )
    for knob, value in values:
        assert is_default(knob, value, (), lambda name: own.get(name, ""))
        assert not is_default(knob, value), "without the configuration"
