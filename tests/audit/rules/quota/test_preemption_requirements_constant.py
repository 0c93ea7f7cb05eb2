"""Read in matchmaker.cpp of 25.14: what the negotiator adds to both ads, and what of the expression counts as true."""

from __future__ import annotations

import pytest

from tests.audit.sites import dynamic_slot, found, job, lines, look, pool, slot

RULE = "preemption-requirements-constant"
GROUPS = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 3\nGROUP_QUOTA_b = 5\n"


def messages(text: str, more: str = "") -> list[str]:
    config = f"NEGOTIATOR_CONSIDER_PREEMPTION = True\nPREEMPTION_REQUIREMENTS = {text}\n{more}"
    given = pool(
        slot(Site='"north"'), dynamic_slot(Site='"north"'), jobs=[job(Project='"x"')], config=config
    )
    return [finding.message for finding in found(RULE, given)]


@pytest.mark.parametrize(
    "text",
    [
        "RemoteUserPrio > SubmitterUserPrio * 1.2",
        "MY.RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2",
        "(time() - EnteredCurrentState) > 3600 && RemoteUserPrio > SubmitterUserPrio",
        "(time() - EnteredCurrentState) > (1 * (60 * 60)) && RemoteUserPrio > TARGET.SubmittorPrio * 1.2",
        "(CurrentTime - JobStart) > 10 * 24 * 3600",
        "RemoteUserResourcesInUse > 100 && SubmitterUserResourcesInUse < 10",
        "TotalJobRunTime > 7200 && RemoteUserPrio >= SubmitterUserPrio",
        'Site == "north" && RemoteUserPrio > 10',
        'TARGET.Project == "y"',
        "Cpus > 4",
        "SubmitterNegotiatingGroup =!= RemoteNegotiatingGroup",
        "RemoteUserFloor < RemoteUserResourcesInUse",
    ],
)
def test_what_depends_on_the_two_jobs_is_fine(text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "SubmitterGroupResourcesInUse < SubmitterGroupQuota && RemoteGroupResourcesInUse > RemoteGroupQuota",
        "SubmitterGroup =?= RemoteGroup && RemoteUserPrio > SubmitterUserPrio",
        'RemoteGroup == "a"',
    ],
)
def test_groups_are_there_where_they_have_quotas(text: str) -> None:
    assert messages(text, GROUPS) == []


def test_without_quotas_of_groups_nothing_says_what_they_use() -> None:
    (message,) = messages("SubmitterGroupResourcesInUse < SubmitterGroupQuota")
    assert "define SubmitterGroupQuota and SubmitterGroupResourcesInUse" in message

    # Both are undefined, and meta-equal.
    assert messages("SubmitterGroup =?= RemoteGroup && RemoteUserPrio > SubmitterUserPrio") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("RemoteUserPrio > SubmiterUserPrio * 1.2", "define SubmiterUserPrio"),
        ("MY.SubmitterUserPrio < RemoteUserPrio", "define MY.SubmitterUserPrio"),
        ("TARGET.RemoteUserPrio > 10", "define TARGET.RemoteUserPrio"),
        ("RemoteUserPrio > 10 && RemoteUserPrio < 5", "no values of its attributes"),
        ("RemoteUserPrio > SubmitterUserPrio && false", "no values of its attributes"),
        ("1", "it is a number"),
        ("RemoteUserPrio * 2", "it is a number"),
        ("RemoteAutoregroup == true", "no values of its attributes"),
        ("undefined", "no values of its attributes"),
    ],
)
def test_what_is_never_true_is_found(text: str, why: str) -> None:
    (message,) = messages(text)

    assert message.startswith("PREEMPTION_REQUIREMENTS is never true: ")
    assert why in message


@pytest.mark.parametrize(
    "text", ["True", "RemoteUserPrio >= 0 || true", "SubmitterUserPrio =!= undefined", "1 < 2", ""]
)
def test_what_is_always_true_is_found(text: str) -> None:
    (finding,) = found(
        RULE,
        pool(slot(), jobs=[job()], config=f"PREEMPTION_REQUIREMENTS = {text}\n"),
    )

    assert finding.message.startswith("PREEMPTION_REQUIREMENTS is ")
    assert "never" not in finding.message
    assert lines(finding) == ["PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2"]


@pytest.mark.parametrize(
    "config",
    [
        "PREEMPTION_REQUIREMENTS = False\n", "PREEMPTION_REQUIREMENTS =   false\n", "GROUP_NAMES = a\n",
        "NEGOTIATOR_CONSIDER_PREEMPTION = False\nPREEMPTION_REQUIREMENTS = True\n",
    ],
)  # fmt: skip
def test_a_site_that_wants_no_preemption_is_left_alone(config: str) -> None:
    assert not found(RULE, pool(slot(), jobs=[job()], config=config))


def test_what_it_could_not_look_at_is_said() -> None:
    misspelt = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmiterUserPrio\n"
    without_jobs = look(RULE, pool(slot(), config=misspelt))
    assert not without_jobs.findings
    assert [each.missing for each in without_jobs.not_checked] == ["job ads (jobs.ads)"]

    names = [f"Attribute{number}" for number in range(9)]
    many = " + ".join(names)
    jobs = [job(**dict.fromkeys(names, 1))]
    config = f"PREEMPTION_REQUIREMENTS = {many} == 123456.5\n"
    outcome = look(RULE, pool(slot(), jobs=jobs, config=config))
    assert not outcome.findings
    assert "fewer attributes" in outcome.not_checked[0].missing
