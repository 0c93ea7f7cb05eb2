"""The names of the tables against the strings of the installed daemons: these can refute a name, never confirm it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import pytest
from conftest import ROOT, SUITES

from htcq.htcondor.knob_types import KnobType, all_types
from htcq.htcondor.matching import DAEMONS, knobs_of

pytestmark = pytest.mark.condor

_PLACES = ("usr/sbin", "usr/bin", "usr/libexec/condor", "usr/lib")
_STRING = re.compile(rb"[A-Za-z_%][A-Za-z0-9_%.]{2,}")
#: Read on other systems, by plug-ins and parts that Debian does not build, or in a source that is
#: compiled with another option.
_ELSEWHERE = re.compile(
    r"ALLOW_SCRIPTS_TO_RUN_AS_EXECUTABLES|AUDIT_PAYLOAD_MAX_HOURS|CREDD_TEST_INTERVAL"
    r"|DATA_REUSE_DIRECTORY|DOCKER_RUN_AS_ROOT|DOT_NET_VERSIONS|DYNAMIC_RUN_ACCOUNT_LOCAL_GROUP"
    r"|ENABLE_ASYNC_LATE_MATERIALIZE_ITEM_DATA|KBDD_BUMP_CHECK_\w+|MASTER_SHUTDOWN_LOG"
    r"|SEC_TRY_REMOTE_USER_IN_LOCAL_DOMAIN|STARTD_PUBLISH_DOTNET|STARTD_PUBLISH_WINREG"
    r"|SKIP_WINDOWS_\w+|WINDOWS_\w+|TREAT_REMOVE_EXEC_DIR_FAIL_AS_LV_FAIL|X_CONSOLE_DISPLAY|[A-Z]+\.IS[A-Z]+"
)


@lru_cache(maxsize=2)
def strings(suite: str) -> bytes:
    """Return all names in the binaries of a suite, in upper case."""
    root = ROOT / ".testpool" / "roots" / suite
    found: set[bytes] = set()
    for place in _PLACES:
        for path in (root / place).rglob("*condor*"):
            if path.is_file() and not path.is_symlink():
                found.update(name.upper() for name in _STRING.findall(path.read_bytes()))
    assert len(found) > 10_000, root
    return b"\n".join(sorted(found))


def _is_in(name: str, every: bytes) -> bool:
    """Return whether a binary has the name, or each part of it where it is put together."""
    own = name.upper().rpartition(".")[2]
    parts = [part for part in re.split(r"<[A-Z]+>", own) if part.strip("_")]
    if all(part.strip("_").encode() in every for part in parts):
        return True
    head, _, tail = own.rpartition("_")
    return head.encode() in every and f"_{tail}".encode() in every


def _of_version(known: KnobType, version: str) -> bool:
    numbers = [int(number) for number in known.since.split(".") if number]
    if numbers[1:2] == [0]:
        # A release of a long-term series: feature releases got it later.
        return False
    return numbers <= [int(number) for number in version.split(".")] + [99]


def test_every_knob_is_in_a_binary_of_a_version_that_has_it(suite: str) -> None:
    every, version = strings(suite), SUITES[suite]
    missing = [
        known.name
        for known in all_types()
        if _of_version(known, version)
        and not _ELSEWHERE.fullmatch(known.name)
        and not _is_in(known.name, every)
    ]

    assert sorted(missing) == []


def test_every_knob_of_the_simulation_is_in_a_binary_of_a_version_that_has_it(suite: str) -> None:
    every = strings(suite)
    version = tuple(map(int, SUITES[suite].split(".")))
    missing = [
        knob.name
        for knobs in map(knobs_of, DAEMONS)
        for knob in knobs
        if knob.since[:2] <= version and not _is_in(knob.name, every)
    ]

    assert sorted(missing) == []


def test_a_name_that_no_binary_has_is_refuted() -> None:
    assert Path(ROOT / ".testpool" / "roots").exists()
    assert not _is_in("SCHEDD_REFUND_UNUSED_RESOURCE_REQUESTS", strings("sid"))
    assert _is_in("GROUP_QUOTA_<group>", strings("sid"))
