"""Names without a scope in START_VANILLA_UNIVERSE: the schedd finds them nowhere."""

from __future__ import annotations

import pytest

from htcq.audit.engine import Finding
from htcq.audit.rule import Severity
from tests.audit.sites import found, job, pool, schedd, slot, submitter

RULE = "start-vanilla-without-scope"
WAITING = (slot(), schedd(), submitter("chem.ada@site"))
OWN = {"ScheddName": '"access1"', "AccountingGroup": '"chem.ada"'}
GROUPS = "GROUP_NAMES = chem\nGROUP_QUOTA_chem = 4\n"


def findings(start: str, **access: str) -> list[Finding]:
    configuration = {"access1": f"START_VANILLA_UNIVERSE = {start}\n", **access}
    return found(RULE, pool(*WAITING, jobs=[job(**OWN)], config=GROUPS, access=configuration))


@pytest.mark.parametrize(
    ("start", "fixed"),
    [
        ("RequestCpus <= 2", "JOB.RequestCpus <= 2"),
        ("MY.RequestCpus <= 2", "JOB.RequestCpus <= 2"),
        ("TARGET.Cpus > 2", "SLOT.Cpus > 2"),
        ('Machine == "Machine"', 'SLOT.Machine == "Machine"'),
        ("JOB.RequestCpus > 0 && RequestCpus < 9", "JOB.RequestCpus > 0 && JOB.RequestCpus < 9"),
    ],
)
def test_jobs_that_are_offered_and_never_started_are_an_error(start: str, fixed: str) -> None:
    (finding,) = findings(start)

    assert (finding.severity, finding.harm.starved) == (Severity.ERROR, ("chem",))
    assert "never starts 1 job that it offers, such as job 1.0" in finding.message
    assert [(each.knob, each.value, each.nodes) for each in finding.settings] == [
        ("START_VANILLA_UNIVERSE", fixed, ("access1",))
    ]


def test_an_attribute_that_nobody_has_gets_no_setting() -> None:
    (finding,) = findings("NoSuchThing > 2")

    assert (finding.severity, finding.settings) == (Severity.ERROR, ())


@pytest.mark.parametrize(
    "start",
    [
        "RequestCpus =!= 4",
        "SLOT.Cpus > 2 && RequestCpus < 9",
        "RequestCpus =?= 4",
        "RequestCpus > 2 || True",
    ],
)
def test_where_the_schedd_may_start_or_does_not_offer_the_job_it_is_a_warning(start: str) -> None:
    (finding,) = findings(start)

    assert (finding.severity, finding.harm.starved) == (Severity.WARNING, ())


@pytest.mark.parametrize(
    "start",
    [
        "JOB.RequestCpus < 9",
        "SLOT.Cpus > 2 && SCHEDD.TotalRunningJobs < 5",
        "True",
        "OWNER.JobsRunning < 3",
        "",
    ],
)
def test_attributes_in_a_scope_are_fine(start: str) -> None:
    assert not findings(start)


def test_without_jobs_it_is_a_warning() -> None:
    access = {"access1": "START_VANILLA_UNIVERSE = RequestCpus < 2\n"}
    (finding,) = found(RULE, pool(*WAITING, config=GROUPS, access=access))

    assert finding.severity is Severity.WARNING
