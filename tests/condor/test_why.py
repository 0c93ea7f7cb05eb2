"""``htcq why`` on real pools: it names each wall, HTCondor's own reason agrees, and without it the job starts."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken import UNHURRIED, break_it, cycles, policy
from claims import written
from conftest import NEWEST, Site
from holding_back import held_back
from waiting import (
    Case,
    advertised,
    agreement,
    all_submitted,
    asked,
    check,
    edit,
    running,
    running_jobs,
    submitted,
    until_running,
    walls,
    why,
)

pytestmark = pytest.mark.condor

#: Three partitionable slots: a large one, one with much memory, and a small one.
SLOTS = {
    "NUM_CPUS": "48", "MEMORY": "32768",
    "SLOT_TYPE_1": "cpus=40, memory=8192, disk=40%", "NUM_SLOTS_TYPE_1": "1", "SLOT_TYPE_1_PARTITIONABLE": "True",
    "SLOT_TYPE_2": "cpus=4, memory=16384, disk=20%", "NUM_SLOTS_TYPE_2": "1", "SLOT_TYPE_2_PARTITIONABLE": "True",
    "SLOT_TYPE_3": "cpus=2, memory=4096, disk=20%", "NUM_SLOTS_TYPE_3": "1", "SLOT_TYPE_3_PARTITIONABLE": "True",
    # Small jobs go to the large slot alone.
    "SLOT_TYPE_2_START": "$(START) && TARGET.RequestMemory >= 4096",
    "SLOT_TYPE_3_START": "$(START) && TARGET.RequestCpus >= 2",
}  # fmt: skip
#: By the job, by the slot, and by a name without a scope, which the negotiator finds and the schedd
#: does not.
START_VANILLA = (
    "JOB.NoStart =!= true && (JOB.Unfit =!= true || SLOT.SlotTypeID == 9) && (JOB.Unscoped =!= "
    "true || RequestCpus > 0)"
    " && OWNER.JobsHeld < 99"
)
KNOBS = {
    **SLOTS,
    "CLAIM_PARTITIONABLE_LEFTOVERS": "False",
    "START": "(TARGET.Refused =!= true) && (TARGET.JobUniverse > 0)",
    "NEGOTIATOR_JOB_CONSTRAINT": "Hidden =!= true",
    "NEGOTIATOR_SUBMITTER_CONSTRAINT": 'Name =!= "banned@test"',
    "START_VANILLA_UNIVERSE": START_VANILLA,
    "SCHEDD_DEBUG": "D_FULLDEBUG",
    "START_LOCAL_UNIVERSE": "False",
    "LIC_LIMIT": "0",
    "SEAT_LIMIT": "1",
    "GROUP_NAMES": "full, light",
    "GROUP_QUOTA_full": "1",
    "GROUP_QUOTA_light": "1",
    "SCHEDD_SLOT_WEIGHT": "RequestCpus * ifThenElse(Light =?= true, 0.5, 1)",
}
#: What lifts walls of the configuration.
LIFTED = {
    "NEGOTIATOR_SUBMITTER_CONSTRAINT": "True",
    "START_LOCAL_UNIVERSE": "True",
    "LIC_LIMIT": "5",
}
SLOT = {
    number: f"TARGET.SlotTypeID == {number} || TARGET.SlotTypeID == -{number}"
    for number in (1, 2, 3)
}
CASES = {
    "picky": Case(
        "requirements", {"requirements": 'Machine == "elsewhere"'}, {"Requirements": "true"}
    ),
    "refused": Case("start", {"+Refused": "true"}, {"Refused": "false"}),
    "wide": Case("no-such-machine", {"request_cpus": 128}, {"RequestCpus": "1"}),
    "gpu": Case(
        "no-such-machine", {"request_gpus": 1}, {"RequestGPUs": "undefined", "Requirements": "true"}
    ),
    "both": Case(
        "no-such-machine", {"request_cpus": 16, "request_memory": 12288}, {"RequestMemory": "128"}
    ),
    "heavy": Case("no-room", {"request_memory": 4096, "requirements": SLOT[2]}),
    "second": Case("preemption", {"request_cpus": 2, "requirements": SLOT[3]}),
    "unlicensed": Case("concurrency-limit", {"concurrency_limits": "lic"}),
    "standing": Case("concurrency-limit", {"concurrency_limits": "seat"}),
    "kept": Case("held", {"hold": "true"}),
    "hidden": Case("job-constraint", {"+Hidden": "true"}, {"Hidden": "false"}),
    "unstarted": Case("start-vanilla-universe", {"+NoStart": "true"}, {"NoStart": "false"}),
    "unfit": Case("start-vanilla-universe", {"+Unfit": "true"}, {"Unfit": "false"}),
    "returned": Case("start-vanilla-universe", {"+Unscoped": "true"}, {"Unscoped": "false"}),
    "banned": Case("submitter-constraint"),
    "cyd": Case("group-quota", group="full"),
    "ben": Case("no-demand", {"+Light": "true"}, {"Light": "false"}, group="light"),
    "capped": Case("submitter-ceiling"),
    "later": Case("deferred", {"deferral_time": "CurrentTime + 86400"}, {"Requirements": "true"}),
    "routed": Case("managed-elsewhere", {"+Managed": '"External"'}, {"Managed": '"Schedd"'}),
    "local": Case("scheduler-universe", {"universe": "local"}),
    "oneatatime": Case("concurrency-limit", {"concurrency_limits": "lic", "max_idle": 1}, count=3),
}


def test_jobs_that_wait(site: Site, tmp_path: Path) -> None:
    """Each job waits for a reason of its own; all of them are lifted at once, and every job runs."""
    pool = break_it(site, KNOBS)
    pool.tool("condor_userprio", "-setceil", "capped@test", "1")
    fillers = {
        "memory": submitted(pool, "eve", {"request_memory": 16384, "requirements": SLOT[2]}),
        "small": submitted(pool, "eve", {"request_cpus": 2, "requirements": SLOT[3]}),
    }
    until_running(pool, fillers.values())
    fillers |= {
        "seat": submitted(pool, "eve", {"concurrency_limits": "seat"}),
        "full": submitted(pool, "cyd", {}, "full"),
        "capped": submitted(pool, "capped", {}),
        "fine": submitted(pool, "dan", {}),
    }
    until_running(pool, fillers.values())
    clusters = all_submitted(pool, CASES)
    cycles(pool, 4)

    assert not running(pool) & set(clusters.values())
    found = why(site, tmp_path, clusters.values())
    check(CASES, clusters, found)
    assert "does not find RequestCpus" in found[clusters["returned"]]["walls"][0]["text"]
    assert "No job found to run" in pool.log("SchedLog")
    last = f"{clusters['oneatatime']}.2"
    (found,) = asked(site, tmp_path, last)
    assert (found["job"], found["starts"], walls(found)) == (last, False, ["max-idle"])
    assert (found["walls"][0]["amounts"]["max_idle"], found["walls"][0]["amounts"]["to_come"]) == (
        1,
        2,
    )
    agreed = agreement(site, tmp_path)
    assert [each for each in agreed["autoclusters"] if not each["agrees"]] == []
    assert agreed["percentage"] == 100
    assert agreed["compared"] >= 10

    for name, case in CASES.items():
        edit(pool, clusters[name], case.lift)
    pool.tool("condor_release", str(clusters["kept"]))
    for name, cluster in fillers.items():
        if name != "fine":
            pool.tool("condor_rm", str(cluster))
    pool.configure(written({**KNOBS, **LIFTED}))
    pool.reconfig()
    until_running(pool, clusters.values())
    pool.wait(lambda: last in running_jobs(pool), 30, f"a start of {last}")


#: Slots by consumption policy: a large one, one without a claim to give, and one that the
#: negotiator does not see.
POLICY = {
    **policy(CONSUMPTION_MEMORY="ifThenElse(TARGET.Odd =?= true, undefined, TARGET.RequestMemory)"),
    **dict.fromkeys(UNHURRIED, "1"),
    "NUM_CPUS": "16", "MEMORY": "16384",
    "SLOT_TYPE_1": "cpus=12, memory=8192, disk=40%", "NUM_SLOTS_TYPE_1": "1", "SLOT_TYPE_1_PARTITIONABLE": "True",
    "SLOT_TYPE_2": "cpus=2, memory=4096, disk=20%", "NUM_SLOTS_TYPE_2": "1", "SLOT_TYPE_2_PARTITIONABLE": "True",
    "SLOT_TYPE_3": "cpus=2, memory=4096, disk=20%", "NUM_SLOTS_TYPE_3": "1", "SLOT_TYPE_3_PARTITIONABLE": "True",
    "SLOT_TYPE_2_NUM_CLAIMS": "0",
    "SLOT_TYPE_2_START": "TARGET.RequestMemory >= 1024",
    "SLOT_TYPE_3_START": "TARGET.RequestMemory >= 1024",
    "NEGOTIATOR_SLOT_CONSTRAINT": "SlotTypeID =!= 3 && SlotTypeID =!= -3",
    "MAX_CONCURRENT_UPLOADS_PER_USER": "2",
    "GROUP_NAMES": "front, rear",
    "GROUP_QUOTA_front": "1",
    "GROUP_QUOTA_rear": "1",
    "GROUP_SORT_EXPR": 'ifThenElse(AccountingGroup == "front", 1, 2)',
}  # fmt: skip
#: What lifts walls of the configuration; the startd reads both of its knobs when it starts.
LIFTED_POLICY = {
    "NEGOTIATOR_SLOT_CONSTRAINT": "True",
    "SLOT_TYPE_2_NUM_CLAIMS": "4",
    "DedicatedScheduler": '"DedicatedScheduler@node.test"',
    "STARTD_ATTRS": "$(STARTD_ATTRS) DedicatedScheduler",
}
POLICY_CASES = {
    "odd": Case("consumption", {"+Odd": "true"}, {"Odd": "false"}),
    "claimless": Case("no-claims-left", {"request_memory": 1024, "requirements": SLOT[2]}),
    "unseen": Case("slot-constraint", {"request_memory": 1024, "requirements": SLOT[3]}),
    "apart": Case("dedicated-scheduler", {"universe": "parallel", "machine_count": 1}),
}
#: Of versions that have them.
NEWEST_CASES = {
    "behind": Case("offer-budget", {"priority": 0}),
    "cooling": Case(
        "cool-down",
        {"+JobCoolDownExpiration": "4000000000"},
        {"JobCoolDownExpiration": "1000000000"},
    ),
}


def test_what_the_access_point_and_the_negotiator_do_not_do(site: Site, tmp_path: Path) -> None:
    """Walls of the access point, of the negotiator, and of slots with a consumption policy."""
    newest = site.suite == NEWEST
    cases = {**POLICY_CASES, **(NEWEST_CASES if newest else {})}
    pool = break_it(site, POLICY)
    filler = submitted(pool, "eve", {"request_cpus": 11, "requirements": SLOT[1]})
    until_running(pool, [filler])
    front = (
        submitted(pool, "behind", {"priority": 10, "requirements": "false"}, count=2)
        if newest
        else 0
    )
    clusters = all_submitted(pool, cases)
    cycles(pool, 3)
    check(cases, clusters, why(site, tmp_path, clusters.values()))
    assert running(pool) == {filler}

    pool.off("negotiator")
    late = {
        "first": submitted(pool, "first", {}, "front"),
        "last": submitted(pool, "last", {}, "rear"),
    }
    advertised(pool, ("front.first", "rear.last"))
    found = why(site, tmp_path, late.values())
    assert walls(found[late["first"]]) == ["negotiator-absent"]
    assert {"outranked", "group-order", "negotiator-absent"} <= set(walls(found[late["last"]]))
    assert not any(each["starts"] for each in found.values())
    pool.on("negotiator")
    until_running(pool, [late["first"]])
    cycles(pool, 2)
    assert running(pool) == {filler, late["first"]}

    for name, case in cases.items():
        edit(pool, clusters[name], case.lift)
    pool.tool("condor_rm", str(filler), *([str(front)] if front else []))
    pool.configure(written({**POLICY, **LIFTED_POLICY}))
    pool.reconfig()
    pool.off("startd")
    pool.on("startd")
    until_running(pool, [*clusters.values(), *late.values()])

    held_back(site, tmp_path, {**POLICY, **LIFTED_POLICY})
