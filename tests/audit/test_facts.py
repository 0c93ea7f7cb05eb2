"""Words and knobs as findings show them."""

from __future__ import annotations

import pytest

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, knob_fact, listed
from htcq.audit.rule import Fact
from tests.audit.sites import pool


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", "a"], "a and b"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_names_are_listed_as_in_a_sentence(names: list[str], expected: str) -> None:
    assert expected == listed(names)


def test_one_thing_is_singular() -> None:
    assert (counted(1, "group"), counted(2, "group"), counted(0, "entry", "entries")) == (
        "1 group",
        "2 groups",
        "0 entries",
    )


def test_a_knob_comes_with_its_place_its_default_or_the_word_that_it_is_not_set() -> None:
    evidence = Evidence(
        pool(config="GROUP_NAMES = a\n # at: /etc/condor/config.d/10-groups, line 3\n")
    )
    assert knob_fact(evidence, "group_names") == Fact(
        "GROUP_NAMES", "a", "/etc/condor/config.d/10-groups:3"
    )
    assert knob_fact(evidence, "GROUP_ACCEPT_SURPLUS").value.lower() == "false"
    assert knob_fact(evidence, "GROUP_QUOTA_a") == Fact("GROUP_QUOTA_a", "(not set)")
    assert knob_fact(Evidence(pool()), "GROUP_QUOTA_a", "0") == Fact("GROUP_QUOTA_a", "0")
