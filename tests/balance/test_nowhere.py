"""Jobs that no slot would take even with no job on it are never fine; those of other pools are."""

from __future__ import annotations

from io import StringIO

import pytest

from htcq.balance.demand import Nowhere
from htcq.pool.pool import Pool
from htcq.report.views.status import plugin, status_json
from htcq.report.views.status_text import show_status
from htcq.report.views.why_text import show_verdicts
from htcq.why.verdict import Verdicts
from tests.audit.sites import Text, job, negotiator, pool, schedd, slot, submitter
from tests.audit.sites import found as findings
from tests.balance.pools import balanced


def waiting(slots: dict[str, Text | None] | None = None, access: str = "", **own: Text) -> Pool:
    """Return a pool of one slot in which two jobs wait, and one of them asks for something else."""
    of_schedd: dict[str, Text] = {"TotalFlockedJobs": 3 if access else 0}
    return pool(
        slot(**(slots or {})),
        submitter(IdleJobs=2, WeightedIdleJobs=2),
        schedd(**of_schedd),
        negotiator(),
        jobs=[job("1.0", ScheddName='"access1"'), job("2.0", ScheddName='"access1"', **own)],
        access={"access1": access},
        config="",
    )


def nowhere(given: Pool) -> Nowhere | None:
    found = balanced(given)
    assert found.demand is not None
    assert found.is_sound == (found.demand.nowhere is None)
    return found.demand.nowhere


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"RequestMemory": 100_000}, "the largest slot has 16 GiB memory"),
        ({"Requirements": 'TARGET.OpSys == "AIX"'}, "OpSys of the slot is undefined"),
        ({"RequestCpus": "NoSuch"}, "RequestCpus of the job is undefined"),
    ],
)
def test_a_job_that_fits_nowhere_is_a_finding(own: dict[str, Text], why: str) -> None:
    found = nowhere(waiting(**own))
    assert found is not None
    assert (found.jobs, found.example) == (1, "2.0")
    assert why in found.text


def test_it_has_the_name_of_its_access_point_where_there_are_several() -> None:
    lonely = job("2.0", ScheddName='"access1"', RequestMemory=100_000)
    given = pool(
        slot(), submitter(), schedd("access1"), schedd("access2"), negotiator(), jobs=[lonely]
    )
    found = nowhere(given)
    assert found is not None
    assert found.example == "access1#2.0"


def test_a_full_slot_may_take_it_later() -> None:
    assert nowhere(waiting({"Cpus": 0}, RequestCpus=8)) is None


@pytest.mark.parametrize("condition", ["time() > 4000000000", "TARGET.LoadAvg > 9"])
def test_clauses_that_pass_do_not_count(condition: str) -> None:
    assert nowhere(waiting(Requirements=condition)) is None


@pytest.mark.parametrize("condition", ["false", "TARGET.Cpus > 1 && (FALSE)"])
@pytest.mark.parametrize("memory", [1024, 102_400])
def test_requirements_that_are_false_by_themselves_are_the_reason(
    condition: str, memory: int
) -> None:
    given = waiting(Requirements=condition, RequestMemory=memory)
    lacking = nowhere(given)
    assert lacking is not None
    assert (lacking.jobs, lacking.reason, lacking.cure) == (
        1, "requirements", "condor_qedit of Requirements",
    )  # fmt: skip
    assert lacking.text.lower().endswith("false excludes the only slot")
    verdict = Verdicts(given).on(given.jobs or ())[1]
    assert (verdict.fits_nowhere, verdict.walls[0].text) == (True, lacking.text)
    (finding,) = findings("requirements-met-nowhere", given)
    assert lacking.text in finding.message


def test_jobs_that_run_in_another_pool_are_not_lost() -> None:
    flocking = "FLOCK_TO = other.site\n"
    assert nowhere(waiting(access=flocking, RequestMemory=100_000)) is None
    assert nowhere(waiting(RequestMemory=100_000)) is not None


def test_what_two_causes_keep_is_never_fine() -> None:
    """A group without quota whose jobs weigh nothing: either cause alone starts no job when it is lifted."""
    given = pool(
        slot(),
        submitter("physics.ada@site", IdleJobs=1, WeightedIdleJobs=0),
        schedd(),
        negotiator(),
        jobs=[job("1.0", ScheddName='"access1"', AccountingGroup='"physics.ada"')],
        config="GROUP_NAMES = physics\nGROUP_QUOTA_physics = 0\n",
    )
    found = balanced(given)
    (fault,) = found.faults
    assert (fault.cause, fault.jobs, fault.behind) == ("no-demand", 0, 1)
    assert not found.is_sound
    assert [each.cause for each in found.todo] == ["no-demand"]


def test_where_no_ad_says_whether_jobs_flock_they_are_not_fine() -> None:
    given = pool(
        slot(),
        submitter(),
        schedd(),
        negotiator(),
        jobs=[job(RequestMemory=100_000, ScheddName='"access1"', GlobalJobId='"access1#1.0#1"')],
        access={"access1": "FLOCK_TO = other.site\n"},
        config="",
    )
    found = nowhere(given)
    assert found is not None
    assert "the largest slot has 16 GiB memory; FLOCK_TO names other.site" in found.text
    assert "no ad says whether a job of their access point runs there" in found.text


def test_a_slot_that_start_alone_closes_to_them_is_the_reason() -> None:
    """No other slot has any of what they ask for: that is not what keeps them from this one."""
    resources = '"Cpus Memory Disk Swap GPUs Fpga"'
    given = pool(
        *(slot(f"slot1@node{number}") for number in range(1, 4)),
        slot(
            "slot1@fpga",
            Fpga=1,
            TotalSlotFpga=1,
            MachineResources=resources,
            Start="TARGET.RequestFpga =?= undefined",
        ),
        submitter(),
        schedd(TotalFlockedJobs=0),
        negotiator(),
        jobs=[job(RequestFpga=1, Requirements="TARGET.Fpga >= RequestFpga")],
        config="",
    )
    found = nowhere(given)
    assert found is not None
    assert found.reason == "start"
    assert found.text.startswith(
        "1 of 4 slots is large enough; START: TARGET.RequestFpga =?= undef"
    )
    shown = StringIO()
    show_status(balanced(given), given, (), shown)
    todo = shown.getvalue()
    assert "to do for 1 job that no slot suits" not in todo
    assert "1. start-refuses: START: TARGET.RequestFpga =?= undefined refuses these jobs: " in todo


def hiding_n9(start: str = "true", **own: Text) -> Pool:
    """Return a pool of three slots of which the negotiator sees those without a GPU."""
    has: dict[str, Text] = {"MachineResources": '"Cpus Memory Disk Swap GPUs"', "Machine": '"n9"'}
    return pool(
        *(slot(f"slot1@n{number}", Machine=f'"n{number}"') for number in range(1, 3)),
        slot("slot1@n9", GPUs=2, TotalSlotGPUs=2, Start=start, **has),
        submitter(), schedd(TotalFlockedJobs=0), negotiator(), jobs=[job(**own)],
        config='NEGOTIATOR_SLOT_CONSTRAINT = Machine != "n9"\n',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("own", "rule", "which"),
    [
        (
            {"RequestGPUs": 1, "Requirements": "TARGET.GPUs >= RequestGPUs"},
            "jobs-fit-no-machine", "which has 2 GPUs",
        ),
        (
            {"Requirements": 'TARGET.Machine == "n9"'},
            "requirements-met-nowhere", "which Requirements allow",
        ),
    ],
)  # fmt: skip
def test_a_hidden_slot_that_has_it_is_named_by_all(
    own: dict[str, Text], rule: str, which: str
) -> None:
    given = hiding_n9('TARGET.Owner == "root"', **own)
    lacking = nowhere(given)
    (verdict,) = Verdicts(given).on(given.jobs or ())
    (finding,) = findings(rule, given)
    assert lacking is not None
    hides = f"; NEGOTIATOR_SLOT_CONSTRAINT hides slot1@n9, {which}, and START refuses the job there"
    assert lacking.text.endswith(hides)
    assert verdict.walls[0].text == lacking.text
    assert lacking.text in finding.message
    cure = "a NEGOTIATOR_SLOT_CONSTRAINT of the central manager that is true for the slots; START"
    assert lacking.cure.startswith(cure)
    assert finding.advice == f"{lacking.cure}."


def test_a_job_for_a_hidden_slot_alone_is_not_to_be_changed() -> None:
    given = hiding_n9(Requirements='TARGET.Machine == "n9" && TARGET.Cpus >= RequestCpus')
    demand = balanced(given).demand
    assert demand is not None
    assert demand.nowhere is None
    (verdict,) = Verdicts(given).on(given.jobs or ())
    assert [each.id for each in verdict.walls] == ["slot-constraint", "requirements"]
    assert len({each.lifted_by for each in verdict.walls}) == 1


def screen(given: Pool) -> str:
    out = StringIO()
    show_status(balanced(given), given, (), out)
    return out.getvalue()


def test_each_cause_has_its_own_sentence() -> None:
    asks: list[dict[str, Text]] = [
        {"RequestMemory": 102_400}, {"RequestMemory": 204_800},
        {"Requirements": 'TARGET.OpSys == "AIX"'},
    ]  # fmt: skip
    jobs = [job(f"{number}.0", ScheddName='"access1"', **own) for number, own in enumerate(asks, 1)]
    given = pool(
        slot(), submitter(), schedd(TotalFlockedJobs=0), negotiator(), jobs=jobs, config=""
    )
    shown, memory = (
        screen(given),
        "the job asks for 100 GiB memory; the largest slot has 16 GiB memory",
    )
    assert (
        f"3 jobs fit no slot of the pool, for 2 causes; 2 of them, such as 1.0: {memory}\n" in shown
    )
    cure = "a smaller request; a larger machine"
    assert f"to do for 2 jobs that no slot suits, such as 1.0 ({memory}): {cure}\n" in shown
    assert 'suits, such as 3.0 (Requirements: TARGET.OpSys == "AIX" excludes the only slot' in shown
    lines = plugin(balanced(given), ())[1].splitlines()
    assert lines[1:] == [
        f"no-such-machine: 2 jobs such as 1.0: {memory}: {cure}",
        'requirements: 1 job such as 3.0: Requirements: TARGET.OpSys == "AIX" excludes the only slot: '
        "OpSys of the slot is undefined: slots that advertise OpSys (STARTD_ATTRS), or a clause "
        "without it",
    ]
    by = status_json(balanced(given), given, ())["demand"]["fits_nowhere"]["by"]
    assert [(each["jobs"], each["reason"]) for each in by] == [
        (2, "no-such-machine"), (1, "requirements"),
    ]  # fmt: skip


def test_a_long_expression_is_cut_off_before_its_verb_is() -> None:
    clause = " || ".join(f'TARGET.Site == "{name}"' for name in ("one", "two", "three", "four") * 3)
    found = screen(waiting(Requirements=clause))
    assert "... excludes the only slot: Site of the slot is undefined" in found


@pytest.mark.parametrize(
    ("clause", "verb"),
    [('TARGET.Arch == "VAX"', "does"), ("TARGET.Memory >= RequestMemory", "may")],
)
def test_a_job_that_its_schedd_starts_is_nowhere_said_to_fit_no_slot(
    clause: str, verb: str
) -> None:
    mine = job(
        JobUniverse=7, Requirements=clause, ScheddName='"access1"',
        EnteredCurrentStatus=1_800_000_000 - 900,
    )  # fmt: skip
    given = pool(
        slot(), submitter(), schedd("access1"), negotiator(LastHeardFrom=1_800_000_000), jobs=[mine],
        access={"access1": "ARCH = X86_64\n"},
    )  # fmt: skip
    shown = screen(given)
    ad = f"(universe scheduler, 7), and the ad of the schedd {verb} not meet its Requirements: "
    assert (
        "1 job waits for the schedd access1 itself, such as 1.0: the schedd starts it its" in shown
    )
    assert ad in shown
    assert "to do for 1 job that the schedd access1 does not start, such as 1.0: " in shown
    assert "no slot" not in shown
    out = StringIO()
    show_verdicts(Verdicts(given).on(given.jobs or ()), given, out)
    assert f": the schedd access1 {verb} not meet its Requirements\n" in out.getvalue()
