"""Settings: prose is none of them, and several that are equal are one."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from htcq.audit.catalog import all_rules
from htcq.audit.fix import Role, Setting, by_place, united
from htcq.audit.rule import Rule
from tests.audit.loaded import assert_loads, is_allowed
from tests.audit.sites import found, job, lines, policy_slot, pool, slot

_ASSIGNMENT = re.compile(r"\b[A-Z][A-Z0-9_]{3,} *= *\S")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_advice_is_prose_and_holds_no_configuration(rule: Rule) -> None:
    assert not _ASSIGNMENT.search(rule.advice)
    assert rule.advice[-1:] == "."
    assert_loads(rule.settings)


@pytest.mark.parametrize(
    "setting",
    [
        Setting(
            Role.CENTRAL, "NEGOTIATOR_MATCHLIST_CACHING", "False fills in the order of the ranks"
        ),
        Setting(Role.CENTRAL, "NEGOTIATOR_NUM_THREADS", "one"),
        Setting(Role.CENTRAL, "GROUP_QUOTA_chem", "20 cores"),
        Setting(Role.CENTRAL, "GROUP_ACCEPT_SURPLUS_chem", "maybe"),
        Setting(Role.EXECUTE, "SLOT_WEIGHT", "Cpus +"),
        Setting(Role.EXECUTE, "SLOT_TYPE_1_CONSUMPTION_CPUS", "UNDEFINED on nodes with a policy"),
    ],
    ids=lambda setting: setting.knob,
)
def test_a_value_that_a_daemon_would_refuse_is_caught(setting: Setting) -> None:
    assert not is_allowed(setting.knob, setting.value)
    with pytest.raises(AssertionError):
        assert_loads([setting])


@pytest.mark.parametrize("rule_id", ["breadth-first-fill", "catalog-space-with-policy"])
def test_what_was_prose_and_configuration_in_one_is_apart(rule_id: str) -> None:
    jobs = [job(RequestedCatalogIDs='"a"')]
    (finding,) = found(
        rule_id, pool(policy_slot(), config="A = 1\n", jobs=jobs, execute={"node1": "A = 1\n"})
    )
    expected = {
        "breadth-first-fill": "NEGOTIATOR_MATCHLIST_CACHING = False",
        "catalog-space-with-policy": "MODIFY_REQUEST_EXPR_REQUESTDISK = UNDEFINED",
    }

    assert lines(finding) == [expected[rule_id]]


def test_equal_settings_of_several_machines_are_one() -> None:
    one = Setting(Role.EXECUTE, "A", "1", nodes=("a",))

    assert united([one, replace(one, nodes=("b", "a"))]) == (replace(one, nodes=("a", "b")),)
    assert united([one, replace(one, nodes=())]) == (replace(one, nodes=()),)
    assert united([replace(one, nodes=()), one]) == (replace(one, nodes=()),)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("A", "1\nB = 2"),
        ("A", "1\\"),
        ("GROUP_QUOTA_nice-user", "1"),
        ("use", "1"),
        ("STARTD.include", "x"),
        ("", ""),
    ],
)
def test_what_is_more_than_one_assignment_is_no_setting(knob: str, value: str) -> None:
    assert united([Setting(Role.CENTRAL, knob, value)]) == ()


def test_settings_are_grouped_by_machines_and_file() -> None:
    here = Setting(Role.CENTRAL, "A", "1", "/etc/condor/a")
    settings = (here, replace(here, knob="B"), replace(here, knob="C", file=""))

    assert [len(each) for each in by_place(settings).values()] == [2, 1]


def test_the_knob_that_counts_is_the_one_to_set() -> None:
    """One of the slot type comes before the general one, and one with the daemon's name before the plain one."""
    execute = {
        "node1": "SLOT_TYPE_1_CONSUMPTION_CPUS = 1.5\n # at: /etc/condor/config.d/10, line 3\n"
    }
    (finding,) = found("fractional-cpus", pool(policy_slot(ConsumptionCpus="1.5"), execute=execute))
    (setting,) = finding.settings
    assert (setting.knob, setting.file) == (
        "SLOT_TYPE_1_CONSUMPTION_CPUS",
        "/etc/condor/config.d/10",
    )

    config = "NEGOTIATOR.NEGOTIATOR_DEPTH_FIRST = True\nNEGOTIATOR_DEPTH_FIRST = True\n"
    (finding,) = found("depth-first-with-policy", pool(policy_slot(), config=config))
    assert lines(finding) == ["NEGOTIATOR.NEGOTIATOR_DEPTH_FIRST = False"]


def test_slot_types_of_one_machine_are_set_apart() -> None:
    slots = (
        policy_slot("slot1@node1", ConsumptionCpus="1.5"),
        policy_slot("slot2@node1", SlotTypeID=2),
    )
    (finding,) = found("fractional-cpus", pool(*slots))

    assert lines(finding) == ["SLOT_TYPE_1_CONSUMPTION_CPUS = ceiling(1.5)"]


def test_a_macro_in_an_expression_of_an_ad_stays_text() -> None:
    text = 'ifThenElse("$ENV(HOME)" == "x", 1.5, 1.5)'
    (finding,) = found("fractional-cpus", pool(policy_slot(ConsumptionCpus=text)))

    assert "$ENV" not in lines(finding)[0]
    assert "$(DOLLAR)ENV(HOME)" in lines(finding)[0]


@pytest.mark.parametrize(
    ("knob", "value", "meant"),
    [
        ("GROUP_QUOTA_chem", "-20", "20"),
        ("GROUP_QUOTA_chem", "20 cores", "20"),
        ("GROUP_QUOTA_DYNAMIC_chem", "20%", "0.2"),
        ("GROUP_QUOTA_DYNAMIC_chem", "20", "0.2"),
        ("GROUP_QUOTA_DYNAMIC_chem", "1.5", "1"),
        ("GROUP_QUOTA_chem", "50%", "4"),
        ("GROUP_QUOTA_chem", "1e12", "8"),
        ("GROUP_QUOTA_chem", "many", ""),
        ("GROUP_ACCEPT_SURPLUS_chem", "maybe", "False"),
        ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "0", "3"),
    ],
)
def test_a_value_on_which_the_negotiator_ends_becomes_what_was_meant(
    knob: str, value: str, meant: str
) -> None:
    (finding,) = found(
        "quota-out-of-range", pool(slot(), config=f"GROUP_NAMES = chem\n{knob} = {value}\n")
    )

    assert lines(finding) == [f"{knob} = {meant}".strip()]


def test_groups_that_are_missing_are_added_together_with_their_quota() -> None:
    config = (
        "GROUP_NAMES = a.x, a.y, b, B\nGROUP_QUOTA_a.x = 2\nGROUP_QUOTA_a.y = 3\n"
        "GROUP_QUOTA_b = 1\n"
    )
    for finding in found("group-dropped", pool(slot(), config=config)):
        assert lines(finding) == ["GROUP_NAMES = a, a.x, a.y, b", "GROUP_QUOTA_a = 5"]


def test_a_pool_of_another_weight_keeps_its_total() -> None:
    """8 cpus and 16 GiB weigh 8 by the scarcest of both, and 8 by half of each."""
    weight = "min({Cpus, floor(Memory/2048)})"
    (finding,) = found(
        "weight-not-additive", pool(policy_slot(SlotWeight=weight), jobs=[job(RequestMemory=8192)])
    )

    assert lines(finding)[0] == "SLOT_WEIGHT = 0.5 * Cpus + Memory / 4096.0"
