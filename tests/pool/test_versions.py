"""Versions as ads say them."""

from __future__ import annotations

from htcq.classads import UNDEFINED
from htcq.pool.versions import version, version_text
from tests.audit.sites import VERSION


def test_the_number_stands_after_the_name() -> None:
    assert version_text(VERSION) == "25.14.1"
    assert version(VERSION) == (25, 14, 1)


def test_versions_compare_as_numbers() -> None:
    assert version("$CondorVersion: 25.4.0 2025-01-01 $") < version(VERSION)


def test_what_is_none_is_none() -> None:
    assert version(UNDEFINED) == version("") == version("25.14.1") == version("$CondorVersion: x.y $") == ()
