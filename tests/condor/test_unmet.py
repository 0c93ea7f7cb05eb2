"""Faults that no rule knows by name, and some that HTCondor reports nowhere: what should have happened did not.

Each turn breaks several machines or access points of one fleet at once. Status, audit and why
name what failed, with the knob that does it; the plugin is not OK. What the next turn does not
break any more is gone there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from conftest import FAR_ABOVE, NEWEST
from faulty_fleet import ACCESS_POINTS, APART, MACHINES, SMALL, Said, cycles, htcq, said, start
from fleet import Fleet, fleet_pool
from running_pool import ToolError

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

_STARTS, _LASTS = "matched-jobs-do-not-start", "starts-do-not-last"
_Key = tuple[str, str]
#: What is done to a machine, and what is said of it: id and subject, and the knob that is named.
ON_MACHINES: Mapping[str, tuple[str, _Key, str]] = {
    "m1": ("STARTER = /no/such/starter\n", (_STARTS, "machine m1.test"), "STARTER"),
    "m2": ("PREEMPT = True\nWANT_VACATE = True\n", (_LASTS, "machine m2.test"), "PREEMPT"),
    "m3": ("USER_JOB_WRAPPER = /no/such\n", (_LASTS, "machine m3.test"), "USER_JOB_WRAPPER"),
    "m4": (
        "STARTER_DEFAULT_JOB_HOOK_KEYWORD = X\nX_HOOK_PREPARE_JOB = /bin/false\n",
        (_STARTS, "machine m4.test"),
        "X_HOOK_PREPARE_JOB",
    ),
    "m5": (
        "SUSPEND = True\nWANT_SUSPEND = True\nCONTINUE = False\n",
        ("claims-suspended", "machine m5.test"),
        "SUSPEND",
    ),
}
#: Those of which the ads of the slots tell: the file, and the cause in the balance.
BY_THEIR_ADS = {
    "m6": ("SLOT_TYPE_1 = cpus=100%, memory=0, disk=100%\n", "asset-missing"),
    "m7": ("EXECUTE = /no/such/directory\n", "broken"),
}
_TRANSFORM = """
JOB_TRANSFORM_NAMES = gpu
JOB_TRANSFORM_gpu @=end
   SET Requirements TARGET.HasGoodGPU
@end
"""
ON_ACCESS_POINTS: Mapping[str, tuple[str, _Key, str]] = {
    "ap1": ("SHADOW = /no/such/shadow\n", (_STARTS, "access point ap1.test"), "SHADOW"),
    "ap2": (
        "JOB_START_DELAY = 600\n", ("claims-stay-idle", "access point ap2.test"), "JOB_START_DELAY"
    ),
    "ap3": (
        "use FEATURE : AssignAccountingGroup(/no/such/groups.map)\n",
        ("submitted-jobs-vanish", "access point ap3.test"),
        "CLASSAD_USER_MAPFILE_AssignAccountingGroup",
    ),
    "ap4": (
        _TRANSFORM, ("transformed-jobs-fit-nothing", "access point ap4.test"), "JOB_TRANSFORM_gpu"
    ),
    "ap5": (
        "SYSTEM_PERIODIC_REMOVE = True\nPERIODIC_EXPR_INTERVAL = 2\n",
        ("submitted-jobs-vanish", "access point ap5.test"),
        "SYSTEM_PERIODIC_REMOVE",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def fleet(suite: str) -> Iterator[Fleet]:
    with fleet_pool(suite, MACHINES, ACCESS_POINTS) as found:
        yield found


def named(look: Said, expected: Mapping[str, tuple[str, _Key, str]]) -> None:
    """Check that the expectations are those and no others, with the knobs, in every command."""
    keys = {key for _, key, _ in expected.values()}
    assert set(look.unmet) == keys, look.unmet
    for _, key, knob in expected.values():
        assert knob in {each["name"] for each in look.unmet[key]["observed"]}, look.unmet[key]
        assert look.unmet[key]["cure"]
    assert {id_ for id_, _ in keys} <= look.rules()
    assert {each["id"] for each in look.why["unmet"]} == {id_ for id_, _ in keys}
    assert look.line.startswith(("HTCQ STATUS WARNING", "HTCQ STATUS CRITICAL")), look.line
    assert look.status["verdict"] == "findings"


def _is_suspended(fleet: Fleet, machine: str) -> bool:
    ads = fleet.pool.ads("slots", ["Machine", "Activity"])
    return any(ad["Machine"] == f"{machine}.test" and ad["Activity"] == "Suspended" for ad in ads)


def test_machines_that_fail_in_different_ways_are_told_apart(fleet: Fleet, tmp_path: Path) -> None:
    files = {name: text for name, (text, *_) in ON_MACHINES.items()}
    files.update({name: text for name, (text, _) in BY_THEIR_ADS.items()})
    start(fleet, files)
    for name in ON_MACHINES:
        # Nothing else is tried by these jobs, so that each machine fails with its own.
        fleet.submit({**SMALL, "requirements": f'TARGET.Machine == "{name}.test"'}, 6)
    fleet.submit(SMALL, 8)
    cycles(fleet, 4)
    fleet.pool.wait(lambda: _is_suspended(fleet, "m5"), 90, "suspended claims", ("NegotiatorLog",))
    cycles(fleet, 4)
    look = said(fleet, tmp_path)

    named(look, ON_MACHINES)
    todo = {each["cause"]: each["cure"] for each in look.status["todo"]}
    assert "slot1@m6.test" in todo["asset-missing"]
    assert "slot1@m7.test" in todo["broken"]
    causes = {each["cause"]: each["cpus"] for each in look.status["capacity"]["by"]}
    assert (causes["asset-missing"], causes["broken"]) == (2, 2)
    assert any(each["unmet"] for each in look.why["jobs"])


def test_access_points_that_fail_in_different_ways_are_told_apart(
    fleet: Fleet, tmp_path: Path
) -> None:
    start(fleet, {name: text for name, (text, *_) in ON_ACCESS_POINTS.items()})
    for access_point in ACCESS_POINTS:
        if access_point == "ap3":
            with pytest.raises(ToolError, match="Submit requirement AssignAccountingGroup not met"):
                fleet.submit(SMALL, 3, access_point)
        else:
            fleet.submit(SMALL, 3, access_point)
    cycles(fleet, 5)
    named(said(fleet, tmp_path), ON_ACCESS_POINTS)


def test_faults_on_the_way_from_a_queue_to_a_job_that_runs(fleet: Fleet, tmp_path: Path) -> None:
    """A startd that refuses claims, a hook that hangs, a collector that refuses ads of submitters."""
    refuses = "DENY_DAEMON = *\nDENY_WRITE = *\nSEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION = False\n"
    hook = fleet.pool.path("fleet", "hang.sh")
    hook.write_text("#!/bin/sh\nexec sleep 86400\n")
    hook.chmod(0o755)
    hangs = "STARTER_DEFAULT_JOB_HOOK_KEYWORD = X\n"
    hangs += f"X_HOOK_PREPARE_JOB = {fleet.pool.record.inner_directory}/fleet/hang.sh\n"
    files = dict.fromkeys((*ACCESS_POINTS, "central"), APART)
    files.update(dict.fromkeys(MACHINES, f"{APART}START = False\n"))
    files.update({"m1": APART + refuses, "m2": APART + hangs})
    files["central"] += 'COLLECTOR_REQUIREMENTS = ScheddName =!= "ap2.test"\n'
    start(fleet, files)
    cluster = fleet.submit({**SMALL, "requirements": 'TARGET.Machine == "m1.test"'}, 2)
    fleet.submit({**SMALL, "requirements": 'TARGET.Machine == "m2.test"'}, 2)
    fleet.submit(SMALL, 2, "ap2")
    cycles(fleet, 6)
    refused = ("expected-starts-missing", f"job ap1.test#{cluster}.0")
    unheard = ("expected-starts-missing", "access point ap2.test")
    named(
        said(fleet, tmp_path),
        {
            "m1": ("", refused, "DENY_DAEMON"),
            # A capture asks no startd for its knobs that has started so few.
            "m2": ("", (_STARTS, "machine m2.test"), "JobCurrentStartExecutingDate"),
            "central": ("", unheard, "COLLECTOR_REQUIREMENTS"),
        },
    )


def test_holds_that_no_user_can_lift_and_claims_that_are_lost(fleet: Fleet, tmp_path: Path) -> None:
    """WANT_HOLD, execute directories that cannot be encrypted, claims that end at once; a policy and a default."""
    files = {
        "m2": 'PREEMPT = True\nWANT_HOLD = True\nWANT_HOLD_REASON = "no"\n',
        "m3": "MAX_CLAIM_ALIVES_MISSED = 0\n",
        "m4": "ENCRYPT_EXECUTE_DIRECTORY = True\n",
        "ap2": "JOB_DEFAULT_REQUESTMEMORY = 1000000\n",
        "ap3": "SYSTEM_PERIODIC_HOLD = True\nPERIODIC_EXPR_INTERVAL = 2\n",
    }
    start(fleet, files)
    for machine in ("m2", "m3", "m4"):
        fleet.submit({**SMALL, "requirements": f'TARGET.Machine == "{machine}.test"'}, 3)
    fleet.submit({name: SMALL[name] for name in ("request_cpus", "request_disk")}, 3, "ap2")
    fleet.submit(SMALL, 3, "ap3")
    cycles(fleet, 8)
    by = "HoldReasonCode"
    named(
        said(fleet, tmp_path),
        {
            # That its jobs go on hold follows from PREEMPT.
            "m2": ("", (_LASTS, "machine m2.test"), "PREEMPT"),
            "m3": ("", (_STARTS, "machine m3.test"), "RecentClaimRequests"),
            "m4": ("", ("jobs-held-by-faults", "machine m4.test"), by),
            "ap2": (
                "", ("transformed-jobs-fit-nothing", "access point ap2.test"),
                "JOB_DEFAULT_REQUESTMEMORY",
            ),
            "ap3": (
                "", ("jobs-held-by-faults", "access point ap3.test"), "SYSTEM_PERIODIC_HOLD"
            ),
        },
    )  # fmt: skip


def test_a_group_that_has_the_quota_of_another_is_named(fleet: Fleet, tmp_path: Path) -> None:
    groups = "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 6\nGROUP_QUOTA_b = 12\n"
    groups += "GROUP_ACCEPT_SURPLUS = True\nNEGOTIATOR_CONSIDER_PREEMPTION = False\n"
    start(fleet, {"central": groups})
    of = {"accounting_group_user": "ada"}
    fleet.submit({**SMALL, **of, "accounting_group": "a"}, 20)
    busy = 'Activity == "Busy"'
    fleet.pool.wait(lambda: len(fleet.slots(constraint=busy)) == 18, 90, "a full pool")
    fleet.submit({**SMALL, **of, "accounting_group": "b"}, 20)
    fleet.demand("b.ada", 20)
    cycles(fleet, 5)
    look = said(fleet, tmp_path)

    assert not look.unmet
    group = next(each for each in look.status["groups"] if each["group"] == "b")
    assert (group["usage"], group["below"]) == (0, 12)
    assert [(each["name"], each["amount"]) for each in group["held_by"]] == [("a", 12)]
    assert "b uses 0 of the 12 it is due" in look.line
    assert look.line.startswith("HTCQ STATUS WARNING")
    assert {"quota-held-by-others"} == look.rules() - FAR_ABOVE - {"groups-free-to-all"}
    where = str(next(tmp_path.iterdir()))
    text = htcq("why", "b", "--snapshot", where)
    assert "a uses 18, 12 more than the quota of 6: 18 claims, the first since" in text
    checked = htcq("drift", "check", "--nagios", "--snapshot", where)
    assert checked.startswith("HTCQ DRIFT WARNING")
    assert "1 of 3 groups below quota while jobs wait: b" in checked


def test_a_drain_that_never_comes_to_an_end_is_named(fleet: Fleet, tmp_path: Path) -> None:
    defrag = "DAEMON_LIST = $(DAEMON_LIST) DEFRAG\nDEFRAG_INTERVAL = 5\n"
    defrag += "DEFRAG_DRAINING_MACHINES_PER_HOUR = 3600\nDEFRAG_MAX_CONCURRENT_DRAINING = 2\n"
    defrag += "DEFRAG_WHOLE_MACHINE_EXPR = Cpus >= 64\nDEFRAG_REQUIREMENTS = PartitionableSlot\n"
    start(fleet, {"central": defrag})
    fleet.submit(SMALL, 20)
    fleet.pool.wait(
        lambda: "Initiating graceful draining" in fleet.pool.log("DefragLog"), 90, "a drain"
    )
    key = ("defrag-never-done", "knob DEFRAG_WHOLE_MACHINE_EXPR")
    named(said(fleet, tmp_path), {"": ("", key, "DEFRAG_WHOLE_MACHINE_EXPR")})


def sound(look: Said) -> None:
    """Check that a sound pool has no error, and nothing that should have happened and did not."""
    assert look.line.startswith("HTCQ STATUS OK"), look.line
    assert (look.status["verdict"], look.unmet, look.errors()) == ("ok", {}, set())


def test_a_sound_pool_has_no_error_idle_or_busy(fleet: Fleet, tmp_path: Path) -> None:
    """Stock partitionable slots, with leftovers; then with quotas that are less than a slot."""
    start(fleet)
    cycles(fleet, 4)
    sound(said(fleet, tmp_path))
    fleet.submit(SMALL, 22)
    fleet.submit({**SMALL, "request_cpus": 2}, 4, "ap2")
    cycles(fleet, 5)
    busy = said(fleet, tmp_path)
    sound(busy)
    assert busy.status["sentence"].startswith("18 of 18 cores run jobs")

    start(fleet, {"central": "GROUP_NAMES = a, b\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_b = 17\n"})
    for group in ("a", "b"):
        who = {"accounting_group": group, "accounting_group_user": "ada"}
        fleet.submit({**SMALL, **who}, 20)
    cycles(fleet, 6)
    look = said(fleet, tmp_path)
    sound(look)
    assert "slot-exceeds-quota" in look.rules() - look.errors()


def test_a_pool_that_is_specialised_and_half_rolled_out_has_no_error(
    fleet: Fleet, tmp_path: Path
) -> None:
    """Access points first, then the first machine, as htcq-migrate(1) has it; START of others takes some jobs only."""
    model = ("--model", "linear", "--weight", "cpus=1", "--weight", "memory=0.25/GiB")
    for member in (*ACCESS_POINTS, "m1"):
        fleet.emit(member, tmp_path, *model)
    large = "START = TARGET.RequestCpus >= 2\n"
    start(fleet, {**dict.fromkeys(("m2", "m3"), large), "m4": 'START = TARGET.Owner == "eve"\n'})
    fleet.submit(SMALL, 6)
    fleet.submit({**SMALL, "request_cpus": 2}, 2, "ap2")
    cycles(fleet, 6)
    sound(said(fleet, tmp_path))


def test_an_access_point_and_a_negotiator_without_a_common_method_are_named(
    fleet: Fleet, tmp_path: Path
) -> None:
    files = dict.fromkeys((*ACCESS_POINTS, *MACHINES), APART)
    files["central"] = f"{APART}SEC_CLIENT_AUTHENTICATION_METHODS = CLAIMTOBE\n"
    files["ap1"] += (
        "SEC_NEGOTIATOR_AUTHENTICATION = REQUIRED\nSEC_NEGOTIATOR_AUTHENTICATION_METHODS = FS\n"
        # Otherwise the negotiator has a session by the schedd's ad, and needs no agreement.
        "SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION = False\n"
    )
    start(fleet, files)
    fleet.submit(SMALL, 2, "ap1")
    fleet.submit(SMALL, 2, "ap2")
    cycles(fleet, 5)
    look = said(fleet, tmp_path)

    (finding,) = [each for each in look.audit if each["rule"] == "security-does-not-match"]
    assert finding["subject"] == "schedd ap1.test"
    assert "the negotiator has SEC_CLIENT_AUTHENTICATION_METHODS = CLAIMTOBE" in finding["message"]
    assert "schedd ap1.test has SEC_NEGOTIATOR_AUTHENTICATION_METHODS = FS" in finding["message"]
    waiting = {each["access_point"] for each in look.why["jobs"]}
    assert waiting == {"ap1.test"}
    assert "security-does-not-match" in look.errors()
