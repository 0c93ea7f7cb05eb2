"""Seen on 25.14.1: off on the node, on at the access point, a group quota of 2: one match, eight running jobs."""

from __future__ import annotations

from tests.audit.sites import collector, found, lines, look, policy_slot, pool, schedd, slot

RULE = "leftovers-with-policy"


ON, OFF = "CLAIM_PARTITIONABLE_LEFTOVERS = True\n", "CLAIM_PARTITIONABLE_LEFTOVERS = False\n"


def test_the_node_alone_cannot_switch_it_off() -> None:
    (finding,) = found(RULE, pool(policy_slot(), access={"access1": ON}, execute={"node1": OFF}))
    assert finding.subject == "access point access1"
    assert lines(finding) == ["CLAIM_PARTITIONABLE_LEFTOVERS = False"]


def test_htcondors_default_is_on() -> None:
    assert found(RULE, pool(policy_slot(), access={"access1": "NUM_CPUS = 8\n"}))


def test_many_access_points_are_one_finding() -> None:
    (finding,) = found(
        RULE, pool(policy_slot(), access={f"access{number}": ON for number in range(7)})
    )
    assert finding.count == 7
    assert len(finding.examples) == 3


def test_the_central_managers_configuration_counts_for_a_schedd_on_its_machine() -> None:
    assert found(RULE, pool(policy_slot(), schedd("central"), collector("central"), config=ON))


def test_switched_off_where_jobs_are_submitted_is_fine() -> None:
    assert not found(RULE, pool(policy_slot(), access={"access1": OFF}))


def test_without_a_policy_leftovers_are_right() -> None:
    assert not found(RULE, pool(slot(), access={"access1": ON}))


def test_access_points_of_which_nothing_is_known_are_told() -> None:
    outcome = look(
        RULE, pool(policy_slot(), schedd("access1"), schedd("access2"), access={"access1": OFF})
    )
    assert not outcome.findings
    assert [each.missing for each in outcome.not_checked] == [
        "the configuration of access2 (access/NAME.txt)"
    ]


def test_without_an_access_points_configuration_it_is_not_checked() -> None:
    assert look(RULE, pool(policy_slot(), execute={"node1": ON})).not_checked
