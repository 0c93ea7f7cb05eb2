"""Whether some ad has an attribute was decided by hand; how names are looked up is the ClassAd language's rule."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from tests.audit.sites import dynamic_slot, found, job, lines, look, policy_slot, pool, slot

RULE = "attribute-nobody-defines"


@pytest.mark.parametrize(
    ("attribute", "text", "name"),
    [
        ("SlotWeight", "Cpus + Licenses", "Licenses"),
        ("SlotWeight", "RequestCpus", "RequestCpus"),
        ("Start", "TARGET.IsTestJob", "IsTestJob"),
        ("Start", "MY.RequestCpus > 1", "RequestCpus"),
        ("Rank", 'TARGET.Department == "physics"', "Department"),
        ("ConsumptionGPUs", "TARGET.RequestGpu", "RequestGpu"),
    ],
)
def test_a_name_in_an_expression_of_slots_is_found(attribute: str, text: str, name: str) -> None:
    (finding,) = found(RULE, pool(policy_slot(**{attribute: text}), jobs=[job()]))
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith(f"{attribute} refers to {name}, which no ")


def test_the_nearest_name_is_told() -> None:
    (finding,) = found(RULE, pool(policy_slot(ConsumptionGPUs="TARGET.RequestGpu"), jobs=[job()]))
    assert lines(finding) == ["CONSUMPTION_GPUS = TARGET.RequestGPUs"]


def test_a_name_in_the_requirements_of_jobs_is_found() -> None:
    queue = [
        job(f"1.{number}", Requirements='TARGET.OpSysAndVersion == "x"') for number in range(7)
    ]
    (finding,) = found(RULE, pool(slot(), jobs=queue))
    assert (finding.subject, finding.count) == ("job 1.0", 7)
    assert "no slot has" in finding.message


@pytest.mark.parametrize(
    "text",
    ["TARGET.IsTest =?= true", "isUndefined(IsTest)", "TARGET.IsTest ?: false", "IsTest is 1"],
)
def test_an_expression_that_reckons_with_absence_is_not_found(text: str) -> None:
    assert not found(RULE, pool(slot(Start=text), jobs=[job()]))
    assert not found(RULE, pool(slot(Start=f"({text}) || Cpus > 1"), jobs=[job()]))


def test_six_guarded_names_in_a_start_give_no_finding() -> None:
    names = ("WantTest", "IsPilot", "NeedsTape", "SiteLocal", "LongJob", "Reserved")
    start = " && ".join(f"(TARGET.{name} ?: true)" for name in names)
    assert not found(RULE, pool(slot(Start=start), jobs=[job()]))


def test_a_guarded_name_that_is_misspelt_is_worth_knowing() -> None:
    (finding,) = found(RULE, pool(slot(Start="TARGET.RequestGpu ?: true"), jobs=[job()]))
    assert finding.severity is Severity.INFO
    assert "but Start has a value for that case; did you mean RequestGPUs?" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        'TARGET.IsTest && MY.Color == "red"',
        "IsTest",
        "CurrentTime - EnteredCurrentState > 60",
        "TARGET.SubmitterUserPrio < RemoteUserPrio",
        "TARGET.RequestGPUs > 0 || KeyboardIdle > 60",
        'slot1_State == "Owner"',
        "countMatches(Capability > 7, AvailableGPUs) > 0",
        'regexp("IsTst", Owner)',
    ],
)
def test_what_somebody_may_define_is_not_found(text: str) -> None:
    """Some job says IsTest, slots say Color; the rest is HTCondor's own, there or not."""
    assert not found(
        RULE, pool(slot(Start=text, Color='"red"'), jobs=[job(IsTest="true"), job("2.0")])
    )


def test_attributes_that_the_configuration_lists_are_not_found() -> None:
    given = pool(slot(Start="Shift == 1"), jobs=[job()], config="STARTD_JOB_ATTRS = Shift, Mood\n")
    assert not found(RULE, given)


def test_without_jobs_it_cannot_be_said_what_jobs_lack() -> None:
    outcome = look(RULE, pool(slot(Start="TARGET.IsTest", SlotWeight="Licenses")))
    assert [finding.message.split()[3].strip(",") for finding in outcome.findings] == ["Licenses"]
    assert outcome.not_checked


def test_a_plain_pool_is_quiet() -> None:
    assert not found(RULE, pool(slot(), policy_slot("slot1@b"), dynamic_slot(), jobs=[job()]))


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (
            "IsTest",
            "no slot and no job has, so Start is always undefined: this slot accepts no job",
        ),
        (
            "TARGET.IsTest && false",
            "no job has, so Start is always false: this slot accepts no job",
        ),
        ("TARGET.IsTest && Cpus > 1", "no job has"),
    ],
)
def test_what_follows_for_start_is_said_where_nothing_else_decides_it(
    text: str, ending: str
) -> None:
    """Evaluated by hand: an attribute that nobody defines is undefined."""
    (finding,) = found(RULE, pool(slot(Start=text), jobs=[job(Owner='"ann"')]))
    assert finding.message.endswith(f"which {ending}")
