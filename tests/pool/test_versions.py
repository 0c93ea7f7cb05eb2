"""Versions as ads say them."""

from __future__ import annotations

import pytest

from htcq.classads import UNDEFINED
from htcq.pool.versions import newer_than_known, version, version_text
from tests.audit.sites import VERSION


def test_the_number_stands_after_the_name() -> None:
    assert version_text(VERSION) == "25.14.1"
    assert version(VERSION) == (25, 14, 1)


def test_versions_compare_as_numbers() -> None:
    assert version("$CondorVersion: 25.4.0 2025-01-01 $") < version(VERSION)


@pytest.mark.parametrize("text", ["25.²", "25.\u0661", f"25.{'9' * 5000}", "25."])
def test_digits_that_no_number_has_are_none(text: str) -> None:
    assert version(f"$CondorVersion: {text} $") == ()


@pytest.mark.parametrize("text", ["\x1b[2J5.14.1", "25\x12.14.1", "\u202e1.41.52"])
def test_a_version_can_be_printed(text: str) -> None:
    assert version_text(f"$CondorVersion: {text} 2026-10-16 $") == ""


def test_what_is_none_is_none() -> None:
    assert (
        version(UNDEFINED)
        == version("")
        == version("25.14.1")
        == version("$CondorVersion: x.y $")
        == ()
    )


@pytest.mark.parametrize("newer", ["25.15.0", "26.0.1", "26.3.0"])
def test_versions_that_htcq_does_not_know_are_named(newer: str) -> None:
    written = [VERSION, UNDEFINED, f"$CondorVersion: {newer} 2027-01-01 $"]
    assert newer_than_known(written) == (
        f"HTCondor {newer} is newer than what htcq knows: it is read as 25.14"
    )


def test_known_versions_are_not_named() -> None:
    assert newer_than_known([VERSION, "$CondorVersion: 23.9.6 2024-08-07 $", UNDEFINED]) == ""
