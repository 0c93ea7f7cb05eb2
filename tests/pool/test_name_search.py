"""The search for names finds every one that is left, and no word of HTCondor's."""

from __future__ import annotations

import pytest

from htcq.pool.identities import Names
from htcq.pool.name_search import NameSearch


def search(
    *users: str, groups: tuple[str, ...] = (), others: tuple[str, ...] = (), keep: bool = False
) -> NameSearch:
    found = NameSearch(Names(users=set(users), groups=set(groups), others=set(others)), keep)
    found.allow({"user-7f3a2c1b", "7f3a2c1b", "user"})
    return found


@pytest.mark.parametrize(
    "text",
    [
        'Owner = "alice"', "GROUP_QUOTA_Alice = 3", 'X = "/home/xalicex/run"', "OnlyForALICE = true",
        'Name = "ap.alice@user-7f3a2c1b"', "RequestAlice = 2",
    ],
)  # fmt: skip
def test_a_name_is_found_in_any_word_and_case(text: str) -> None:
    assert search("alice").holds_name(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("élodie", 'Owner = "ÉLODIE"'),
        ("wn-001.cern.ch", 'Machine = "WN-001.cern.ch"'),
        ("10.1.2.3", 'X = "<10.1.2.3:9618>"'),
        ("john smith", 'X = "John Smith was here"'),
        ("b4:2e:99:aa:00:17", 'X = "B4:2E:99:AA:00:17"'),
        ("/afs/cern.ch/user/a", 'X = "/afs/cern.ch/user/a/alice"'),
    ],
)
def test_names_of_several_words_are_found(name: str, text: str) -> None:
    assert search(others=(name,)).holds_name(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("memory", "RequestMemory = 1024"),
        ("ana", "NEGOTIATOR_INTERVAL = 60"),
        ("quest", "RequestCpus = 1"),
        ("luster", "ClusterId = 7"),
        ("a2c", 'Owner = "user-7f3a2c1b"'),
        ("ab", "TotalSlotCpus = 8"),
        ("10.1.2.3", 'X = "10.1.2.34"'),
        ("12", "Cpus = 12"),
    ],
)
def test_words_of_htcondor_numbers_and_new_names_are_no_names(name: str, text: str) -> None:
    assert not search(name).holds_name(text)


def test_a_name_that_is_a_word_of_htcondors_is_found_where_a_name_must_stand() -> None:
    found = search("memory")

    assert found.names_stand('"memory@user-7f3a2c1b"')
    assert not found.names_stand('"user-7f3a2c1b"')
    assert found.common == {"memory"}


def test_kept_groups_are_no_names() -> None:
    assert search(groups=("physics.top",)).holds_name("GROUP_QUOTA_physics.top = 3")
    assert not search(groups=("physics.top",), keep=True).holds_name("GROUP_QUOTA_physics.top = 3")
