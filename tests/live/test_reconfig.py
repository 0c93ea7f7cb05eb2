"""What a negotiator must publish for quotas to count as in force."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from htcq.errors import PoolError
from htcq.live import reconfig
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


class Scripted(Negotiator):
    """A negotiator whose published groups are given, look by look; the last ones stay."""

    def __init__(self, *looks: Published) -> None:
        super().__init__("127.0.0.1:9")
        object.__setattr__(self, "looks", list(looks))

    def published(self) -> Published:
        looks: list[Published] = self.looks  # type: ignore[attr-defined]
        if len(looks) > 1:
            return looks.pop(0)
        return looks[0]


RIGHT = {"physics": (7.0, "no"), "chem": (1.25, "byquota")}
WRONG = {"physics": (6.0, "no"), "chem": (1.25, "byquota")}


def seen(groups: dict[str, tuple[float, str]], heard: float, reconfigured: float) -> Published:
    return Published(groups, heard, reconfigured)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("htcq.live.reconfig._PAUSE", 0.0)


def shown(before: Published | None, *looks: Published, within: float = 0.0) -> tuple[str, int]:
    """Return why the quotas do not show, and how often the command was sent again."""
    again: list[None] = []
    why = Scripted(*looks).shows(QUOTAS, within, lambda: again.append(None), before)
    return why, len(again)


def test_fault_5_what_was_published_before_the_reconfig_proves_nothing() -> None:
    """The old ad agrees with the new quotas, and the negotiator stands still."""
    before = seen(RIGHT, 100.0, 50.0)
    why, _ = shown(before, before)

    assert why == "the negotiator has published nothing, 0 s after it was told"
    assert shown(None, before)[0] == why


def test_fault_5_an_ad_of_the_cycle_under_way_proves_nothing_and_the_next_one_does() -> None:
    before = seen(RIGHT, 100.0, 50.0)
    under_way, after = seen(RIGHT, 160.0, 50.0), seen(RIGHT, 220.0, 161.0)

    why, again = shown(before, under_way)
    assert (why, again) == ("the negotiator has not reconfigured itself, 0 s after it was told", 1)
    assert shown(before, under_way, after, within=60.0) == ("", 1)


def test_a_negotiator_that_refuses_the_command_may_have_the_quotas_all_the_same() -> None:
    before = seen(RIGHT, 100.0, 50.0)
    looks = [seen(RIGHT, 100.0 + 60 * number, 50.0) for number in (1, 2, 3)]

    assert shown(before, *looks, within=60.0) == ("", 2)


def test_fault_5_a_reconfig_that_came_to_nothing_is_tried_again_and_then_told() -> None:
    before = seen(WRONG, 100.0, 50.0)
    looks = [seen(WRONG, 100.0 + 60 * number, 50.0) for number in (1, 2, 3)]

    assert shown(before, *looks, within=60.0) == (
        "the negotiator has a quota of 6 for physics, not 7, 2 cycles after it was told",
        2,
    )


def test_where_no_groups_are_left_only_a_reconfig_counts() -> None:
    before = seen(RIGHT, 100.0, 50.0)
    looks = [seen(RIGHT, 100.0 + 60 * number, 50.0) for number in (1, 2, 3)]
    deaf = Scripted(*looks).shows({}, 60.0, lambda: None, before)
    done = Scripted(seen({}, 160.0, 110.0)).shows({}, 60.0, lambda: None, before)

    assert deaf == "the negotiator has not reconfigured itself, 2 cycles after it was told"
    assert done == ""


@pytest.mark.parametrize("name", ["", "mine"])
def test_the_command_goes_where_the_query_of_the_collector_found_the_negotiator(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ad = {"Name": "mine", "MyAddress": "<192.0.2.1:9618>"}
    asked, sent = [], []

    class Collector:
        def __init__(self, pool: str | None) -> None:
            asked.append(pool)

        def query(self, *_: object, **__: object) -> list[dict[str, str]]:
            return [ad]

    library = SimpleNamespace(
        Collector=Collector,
        AdType=SimpleNamespace(Negotiator="negotiator"),
        DaemonCommand=SimpleNamespace(Reconfig="reconfig"),
        send_command=lambda *words: sent.append(words),
    )
    monkeypatch.setattr(reconfig, "load", lambda: library)
    reconfig._reconfigure("cm.site", name)
    assert (asked, sent) == (["cm.site"], [(ad, "reconfig")])

    with pytest.raises(ValueError, match="it has no negotiator other: mine"):
        reconfig._reconfigure("cm.site", "other")
    assert len(sent) == 1
