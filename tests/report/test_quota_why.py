"""The story of a group on a terminal."""

from __future__ import annotations

import io

import pytest

from htcq.errors import InputError
from htcq.poolquota.explanation.group import story
from htcq.poolquota.report import PoolQuotaReport
from htcq.report.views.quota_text import show_why
from tests.audit.rules.quota.groups import wants
from tests.poolquota.looks import busy, look


def _told(given: PoolQuotaReport, name: str) -> list[str]:
    stream = io.StringIO()
    show_why(given, name, stream)
    return stream.getvalue().splitlines()


def test_a_story_is_told_by_topic_with_every_sentence() -> None:
    lines = _told(busy(), "PHYSICS.HEP")

    assert lines[0] == "physics.hep in test"
    assert [line.strip() for line in lines if line.startswith("  ") and line[2] != " "] == [
        "quota", "demand", "allocation", "surplus", "turn", "limit", "shares", "rounds",
    ]  # fmt: skip
    assert [line[4:] for line in lines if line.startswith("    ")] == [
        f"{sentence.text}." for sentence in story(busy(), "physics.hep")
    ]


def test_the_pool_stands_below() -> None:
    assert _told(busy(), "chem")[-2:] == [
        "in slot weight: pool 107, quotas 127, used 7, allocated 55",
        "quotas add up to 127; the pool has 107 (NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true)",
    ]


def test_the_root_has_a_story_with_and_without_groups() -> None:
    assert _told(busy(), "<none>")[0] == "<none> in test"
    assert _told(look("", wants("", 5)), "<none>")[2].startswith(
        "    there are no groups and no quotas"
    )


def test_an_unknown_group_is_refused_with_the_near_name() -> None:
    with pytest.raises(InputError, match="test has no group chen") as refused:
        _told(busy(), "chen")

    assert refused.value.hint == "did you mean chem?"


def test_names_that_would_steer_a_terminal_are_spelled_out() -> None:
    text = "\n".join(
        _told(look("GROUP_NAMES = \x1b[31mred\n", wants("\x1b[31mred", 5)), "\x1b[31mred")
    )

    assert "\x1b" not in text
    assert "\\x1b[31mred in test" in text
