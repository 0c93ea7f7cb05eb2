"""Versions of daemons."""

from __future__ import annotations

from tests.audit.sites import found, pool, schedd, slot

RULE = "old-daemons"
OLD = '"$CondorVersion: 9.0.17 2022-09-29 BuildID: 1 $"'


def test_a_daemon_of_a_series_without_support_is_found() -> None:
    (finding,) = found(RULE, pool(slot(), schedd(CondorVersion=OLD)))
    assert finding.message == "1 machine such as access1 runs HTCondor 9.0.17"


def test_supported_series_are_not() -> None:
    assert not found(RULE, pool(slot(), schedd()))
