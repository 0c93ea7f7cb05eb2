"""What a negotiator must publish for quotas to count as in force."""

from __future__ import annotations

import math

import pytest

from htcq.errors import PoolError
from htcq.live.reconfig import Negotiator, Published

QUOTAS = {"physics": (7.0, False), "chem": (1.25, True)}


def told(groups: dict[str, tuple[float, str]]) -> list[str]:
    return list(Published(groups, 100.0, 90.0).differences(QUOTAS))


@pytest.mark.parametrize(
    "groups",
    [
        {"physics": (7.0, "no"), "chem": (1.25, "byquota")},
        {"Physics": (7.0, "no"), "CHEM": (1.25, "byquota"), "guests": (3.0, "no")},
        # A group that regroups accepts surplus in a way of its own.
        {"physics": (7.0, "regroup"), "chem": (1.25, "regroup")},
        {"physics": (7.0000001, ""), "chem": (1.25, "")},
    ],
)
def test_the_numbers_count_whatever_the_case_of_names(groups: dict[str, tuple[float, str]]) -> None:
    assert told(groups) == []


@pytest.mark.parametrize(
    ("groups", "sentences"),
    [
        ({}, ["the negotiator publishes no groups"]),
        ({"physics": (7.0, "no")}, ["the negotiator has no group chem"]),
        ({"physics": (6.0, "no"), "chem": (1.25, "byquota")}, ["the negotiator has a quota of 6 for physics, not 7"]),
        (
            {"physics": (math.nan, "no"), "chem": (1.25, "byquota")},
            ["the negotiator has a quota of nan for physics, not 7"],
        ),
        (
            {"physics": (7.0, "byquota"), "chem": (1.25, "no")},
            ["the negotiator has the surplus policy 'byquota' for physics",
             "the negotiator has the surplus policy 'no' for chem"],
        ),
    ],
)  # fmt: skip
def test_what_is_published_otherwise_is_told(
    groups: dict[str, tuple[float, str]], sentences: list[str]
) -> None:
    assert told(groups) == sentences


def test_a_pool_that_does_not_answer_is_told_and_ends_the_waiting() -> None:
    nobody = Negotiator("127.0.0.1:9", "", 5.0)
    with pytest.raises(PoolError, match=r"127\.0\.0\.1:9: cannot connect to "):
        nobody.reconfigure()

    assert "cannot connect to " in nobody.shows(QUOTAS, 0.0, lambda: None)
