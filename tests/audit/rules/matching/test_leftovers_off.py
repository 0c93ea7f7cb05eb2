"""Without leftovers a partitionable slot without a policy starts one job in a cycle (command.cpp:request_claim)."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import found, job, look, policy_slot, pool, schedd, slot, static_slot

RULE = "leftovers-off"
OFF = {"access1": "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"}
MANY = [job(f"1.{number}") for number in range(5)]


def test_an_access_point_without_leftovers_is_found() -> None:
    (finding,) = found(RULE, pool(slot(), schedd(), jobs=MANY, access=OFF))
    assert (
        "a cycle starts one job per partitionable slot, at most 1 in the whole pool; 5 jobs idle"
        in finding.message
    )
    assert finding.severity is Severity.WARNING
    assert [(each.line, each.nodes) for each in finding.settings] == [
        ("CLAIM_PARTITIONABLE_LEFTOVERS = True", ("access1",))
    ]


def test_so_is_an_execute_node() -> None:
    (finding,) = found(RULE, pool(slot(), jobs=[job()], execute={"node1": OFF["access1"]}))
    assert finding.subject == "execution point node1"
    assert finding.severity is Severity.INFO


@pytest.mark.parametrize(
    "config",
    ["NEGOTIATOR_DEPTH_FIRST = False\n", "GROUP_NAMES = a\nGROUP_QUOTA_a = 4\n"],
)
def test_a_site_that_has_a_reason_is_left_in_peace(config: str) -> None:
    (finding,) = found(RULE, pool(slot(), schedd(), jobs=MANY, config=config, access=OFF))
    assert finding.severity is Severity.INFO


def test_with_a_policy_it_has_to_be_off() -> None:
    assert not found(RULE, pool(policy_slot(), slot("slot1@node2"), jobs=MANY, access=OFF))


def test_static_slots_have_no_leftovers() -> None:
    assert not found(RULE, pool(static_slot(), jobs=MANY, access=OFF))


def test_the_default_is_sound() -> None:
    assert not found(
        RULE, pool(slot(), schedd(), jobs=MANY, access={"access1": "UID_DOMAIN = site\n"})
    )


def test_an_access_point_that_is_not_known_is_named() -> None:
    outcome = look(RULE, pool(slot(), schedd(), schedd("access2"), jobs=MANY, access=OFF))
    assert outcome.findings
    assert "access2" in outcome.not_checked[0].missing
