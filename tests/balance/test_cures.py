"""Cures name the machines on which jobs would start."""

from __future__ import annotations

from htcq.balance.balance import Balance, cure_of
from htcq.report.views.status import headline
from tests.audit.sites import Text, job, negotiator, pool, schedd, slot, submitter
from tests.balance.pools import balanced

_DRAINED: dict[str, Text | None] = {
    "State": '"Drained"', "Activity": '"Retiring"', "Draining": "true", "Start": "false",
    "DrainReason": '"kernel update"',
}  # fmt: skip


def _balance(requirements: str, number: int, **changes: Text | None) -> Balance:
    """Return the balance of four machines of 8 cpus, all with ``changes``, with jobs that wait."""
    jobs = [job(f"1.{proc}", Requirements=requirements) for proc in range(number)]
    slots = [slot(f"slot1@node{place}", **changes) for place in range(1, 5)]
    return balanced(
        pool(*slots, schedd(), negotiator(), submitter(IdleJobs=number), jobs=jobs, config="")
    )


def test_a_job_for_one_machine_needs_the_end_of_one_drain() -> None:
    found = _balance('TARGET.Machine == "node3"', 30, **_DRAINED)
    (fault,) = found.faults

    assert fault.jobs == 8
    assert cure_of(fault) == "condor_drain -cancel node3"
    assert [each.cure for each in found.todo] == ["condor_drain -cancel node3"]


def test_jobs_for_all_machines_need_the_end_of_every_drain() -> None:
    (fault,) = _balance("true", 30, **_DRAINED).faults

    assert cure_of(fault).endswith("condor_drain -cancel node3; and 1 more")


def test_other_causes_name_the_machines_where_jobs_would_start() -> None:
    (fault,) = _balance('TARGET.Machine == "node3"', 30, Offline="true").faults

    assert cure_of(fault).endswith("(node3)")


def test_a_machine_with_several_slots_counts_once() -> None:
    slots = [
        slot(f"slot{number}@node{place}", Machine=f'"node{place}"', Cpus=4, TotalSlotCpus=4, Offline="true")
        for place in range(1, 6)
        for number in (1, 2)
    ]  # fmt: skip
    queue = [job(f"1.{proc}") for proc in range(60)]
    (fault,) = balanced(
        pool(*slots, schedd(), negotiator(), submitter(IdleJobs=60), jobs=queue, config="")
    ).faults

    assert fault.slots == 10
    assert cure_of(fault).endswith("(node1, node2, node3 and 2 more)")


def test_who_has_no_idle_jobs_leaves_its_share_to_those_who_have() -> None:
    """The half that ada has at first is enough for two of four machines, but for no longer than a turn."""
    slots = [slot(f"slot1@node{place}", **_DRAINED) for place in range(1, 5)]
    bob = submitter("bob@site", IdleJobs=0, RunningJobs=4)
    queue = [job(f"1.{proc}") for proc in range(30)]
    (fault,) = balanced(
        pool(*slots, schedd(), negotiator(), submitter(IdleJobs=30), bob, jobs=queue, config="")
    ).faults

    assert (fault.gain.jobs, fault.gain.started) == (30, 30)


def _todo(found: Balance) -> list[tuple[str, str]]:
    return [(each.cause, each.cure) for each in found.todo]


def test_a_limit_is_raised_by_its_own_knob() -> None:
    jobs = [job(f"1.{proc}", ConcurrencyLimits='"matlab"') for proc in range(2)]
    given = pool(slot(), schedd(), submitter(IdleJobs=2), jobs=jobs, config="MATLAB_LIMIT = 0\n")
    cure = "a higher MATLAB_LIMIT; less of it in ConcurrencyLimits"
    assert _todo(balanced(given)) == [("concurrency-limit", cure)]


def test_the_access_point_that_runs_as_many_jobs_as_it_may_is_named() -> None:
    """What another one matches in the same cycle is no further obstacle: the next cycle has room."""
    ads = (
        *(slot(f"slot1@node{place}") for place in range(2)),
        schedd(MaxJobsRunning=0), submitter(IdleJobs=3),
        schedd("access2"), submitter("bob@site", ScheddName='"access2"', IdleJobs=2),
    )  # fmt: skip
    jobs = [job(f"1.{proc}", ScheddName='"access1"') for proc in range(3)]
    jobs += [
        job(f"2.{proc}", ScheddName='"access2"', User='"bob@site"', Owner='"bob"')
        for proc in range(2)
    ]
    found = balanced(pool(*ads, jobs=jobs, config=""))
    assert _todo(found) == [("max-jobs-running", "a higher MAX_JOBS_RUNNING of access1")]
    assert (found.todo[0].gain.jobs, found.todo[0].gain.started) == (3, 0)


def test_an_ad_that_counts_no_jobs_needs_no_weight() -> None:
    given = pool(slot(), schedd(), submitter(IdleJobs=0), jobs=[job()], config="")
    ((cause, cure),) = _todo(balanced(given))
    assert cause == "no-demand"
    assert cure.startswith("the next update of the schedd (SCHEDD_INTERVAL)")


def test_the_knob_at_which_the_negotiator_exits_is_named() -> None:
    config = "GROUP_NAMES = a\nGROUP_QUOTA_a = lots\n"
    found = balanced(pool(slot(), schedd(), submitter(), jobs=[job()], config=config))
    cure = "a correct GROUP_QUOTA_a on the central manager"
    assert _todo(found) == [("negotiator-crash", cure)]


def test_the_negotiator_that_sees_the_hidden_slots_is_named() -> None:
    gpus: dict[str, Text | None] = {"GPUs": 2, "TotalSlotGPUs": 2}
    ads = (
        slot(), slot("slot1@node2", **gpus), schedd(), submitter(),
        negotiator(), negotiator(Name='"NGPU@central"'),
    )  # fmt: skip
    config = "NEGOTIATOR_SLOT_CONSTRAINT = (GPUs ?: 0) == 0\n"
    asks = job(RequestGPUs=1, Requirements="TARGET.GPUs >= RequestGPUs")
    found = balanced(pool(*ads, jobs=[asks], config=config))
    (unknown,) = [each for each in found.unknown if "NEGOTIATOR_SLOT_CONSTRAINT" in each]
    assert "--name NGPU@central says whether" in unknown
    assert found.demand is not None
    assert [each.reason for each in found.demand.by] == ["slot-constraint"]


def test_the_first_sentence_names_machines_that_a_constraint_hides() -> None:
    jobs = [job(f"1.{proc}") for proc in range(30)]
    slots = [slot(f"slot1@node{place}", Cpus=0 if place == 2 else 8) for place in (1, 2)]
    found = balanced(
        pool(
            *slots, schedd(), negotiator(), submitter(IdleJobs=30), jobs=jobs,
            config='NEGOTIATOR_SLOT_CONSTRAINT = Machine != "node1"\n',
        )
    )  # fmt: skip
    assert headline(found) == (
        "8 cores stand idle while 30 jobs wait (8 of these jobs would use them): 8 hidden by "
        "NEGOTIATOR_SLOT_CONSTRAINT (node1)"
    )
    assert found.todo[0].cure.endswith("that is true for the slots (node1)")


def test_the_clause_of_start_that_refuses_the_jobs_is_named_with_what_lifts_it() -> None:
    """Where it is one: of several that differ by machine the first would be wrong elsewhere."""
    start = 'TARGET.Category =!= "Long"'
    long = [job(f"1.{proc}", Category='"Long"') for proc in range(3)]
    one = balanced(pool(slot(Start=start), submitter(IdleJobs=3), jobs=long))
    assert one.todo[0].cure.startswith(
        f"START: {start} refuses these jobs: condor_qedit of Category"
    )
    two = slot("slot1@node2", Start="TARGET.Site is true")
    several = balanced(pool(slot(Start=start), two, submitter(IdleJobs=3), jobs=long))
    assert "refuses these jobs" not in several.todo[0].cure
