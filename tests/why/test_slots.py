"""The walls of slots: by clause, by asset, by claims, limits and preemption; each pool has one of them."""

from __future__ import annotations

import pytest

from htcq.why.match_failure import MatchFailure
from htcq.why.verdict import Verdict, Verdicts
from tests.audit.sites import (
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    pool,
    schedd,
    slot,
    static_slot,
    submitter,
)

NEEDS = "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory"
LIMITS = (
    "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory && TARGET.RequestDisk <= "
    "MY.Disk"
    " && (TARGET.RequestGPUs is undefined || MY.GPUs >= TARGET.RequestGPUs)"
)
SLOT = {
    "WithinResourceLimits": LIMITS,
    "Start": "true",
    "Requirements": "(START) && (WithinResourceLimits)",
}


def verdict(*slots: str, config: str = "", jobs: tuple[str, ...] = (), **asked: object) -> Verdict:
    """Return the verdict on one job that asks for so much, after ``jobs`` of others."""
    own = job("9.0", **{"Requirements": NEEDS, **asked})  # type: ignore[arg-type]
    ads = (*slots, negotiator(), schedd(), submitter(IdleJobs=9, WeightedIdleJobs=9))
    found = pool(*ads, jobs=[*jobs, own], config=config)
    assert found.jobs is not None
    return Verdicts(found).on([each for each in found.jobs if each.cluster == 9])[0]


def walls(found: Verdict) -> dict[str, MatchFailure]:
    """Return the walls by id, the first of each."""
    return {wall.id: wall for wall in reversed(found.walls)}


def test_a_job_that_fits_has_no_wall() -> None:
    found = verdict(slot(**SLOT))

    assert found.starts
    assert found.walls == ()


def test_each_clause_of_requirements_is_counted_by_itself() -> None:
    """Both counts are of the same slots: neither is larger than their number."""
    slots = [
        slot(f"slot1@n{number}", **SLOT, OpSys='"LINUX"' if number else '"AIX"')
        for number in range(4)
    ]
    found = verdict(
        *slots, Requirements='TARGET.OpSys == "AIX" && TARGET.NoSuch =?= true && ' + NEEDS
    )

    wanted = [
        (wall.id, wall.amounts["clause"], wall.amounts["slots"], wall.amounts["of"])
        for wall in found.walls
    ]
    assert wanted == [
        ("requirements", "TARGET.NoSuch =?= true", 4, 4),
        ("requirements", 'TARGET.OpSys == "AIX"', 3, 4),
    ]


def test_a_clause_that_looks_at_what_is_the_slots_own_is_counted_slot_by_slot() -> None:
    """The four slots share all expressions; their SlotID alone tells them apart."""
    slots = [slot(f"slot{number}@n1", **SLOT, SlotID=number) for number in range(1, 5)]
    found = verdict(*slots, Requirements="TARGET.SlotID > 3 && TARGET.NoSuch =?= true && " + NEEDS)

    wanted = [
        (wall.amounts["clause"], wall.amounts["slots"], wall.amounts["of"]) for wall in found.walls
    ]
    assert wanted == [("TARGET.NoSuch =?= true", 4, 4), ("TARGET.SlotID > 3", 3, 4)]


def test_start_is_read_clause_by_clause() -> None:
    start = 'TARGET.Owner != "ada" && TARGET.RequestCpus < 8'
    found = walls(verdict(slot(**{**SLOT, "Start": start})))

    assert list(found) == ["start"]
    assert found["start"].amounts == {"clause": 'TARGET.Owner != "ada"', "slots": 1, "of": 1}


def test_a_literal_start_is_called_start() -> None:
    assert (
        "START refuses the job on the only slot"
        in walls(verdict(slot(**{**SLOT, "Start": "false"})))["start"].text
    )


def test_a_node_that_has_both_and_refuses_is_not_said_to_lack_them() -> None:
    """One node has many cpus, another much memory; the third has both, and its START refuses."""
    slots = (
        slot("slot1@many", **SLOT, Cpus=64, TotalSlotCpus=64),
        slot("slot1@much", **SLOT, Memory=262144, TotalSlotMemory=262144),
        slot("slot1@both", **{**SLOT, "Start": "false"}, Cpus=64, TotalSlotCpus=64, Memory=262144,
             TotalSlotMemory=262144),
    )  # fmt: skip
    found = walls(verdict(*slots, RequestCpus=32, RequestMemory=131072))

    assert found["start"].amounts["slots"] == 1
    assert found["no-such-machine"].amounts["slots"] == 2
    assert found["start"].text == "1 of 3 slots is large enough; START refuses the job on it"


PINNED = f'TARGET.Machine == "n1" && TARGET.Arch == "X86_64" && {NEEDS}'


@pytest.mark.parametrize(
    ("of_n1", "asked", "id_", "text"),
    [
        (
            {}, {"RequestMemory": 102_400}, "no-such-machine",
            "Requirements and START allow 1 of 4 slots; the job asks for 100 GiB memory, and the "
            "largest slot has 16 GiB memory of these",
        ),
        (
            {"Start": "Healthy"}, {"RequestMemory": 102_400}, "no-such-machine",
            "Requirements allow 1 of 4 slots; the job asks for 100 GiB memory, and the largest "
            "slot has 16 GiB memory of these",
        ),
        (
            {"Start": "Healthy"}, {}, "start",
            "Requirements allow 1 of 4 slots; START: Healthy refuses the job on it",
        ),
        (
            {"Arch": '"amd64"'}, {}, "requirements",
            'other clauses of Requirements allow 1 of 4 slots; Requirements: TARGET.Arch == "X86_64" '
            'excludes it: Arch of the slot is "amd64"',
        ),
    ],
)  # fmt: skip
def test_the_last_obstacle_comes_first(
    of_n1: dict[str, str], asked: dict[str, object], id_: str, text: str
) -> None:
    """What keeps a job from its own machine tells more than that it asks for this machine."""
    large = {"Memory": 200_000, "TotalSlotMemory": 200_000}
    slots = [
        slot(f"slot1@n{number}", **{
            **SLOT, "Machine": f'"n{number}"', "Arch": '"X86_64"', "Start": "Opened",
            **(of_n1 if number == 1 else large),
            **({"Start": "true"} if number == 1 and "Start" not in of_n1 else {}),
        })
        for number in range(4)
    ]  # fmt: skip
    found = verdict(*slots, Requirements=PINNED, **asked)

    assert found.fits_nowhere
    assert (found.walls[0].id, found.walls[0].text[: len(text)]) == (id_, text)
    assert any(each.text.startswith("Requirements: TARGET.Machine") for each in found.walls[1:])


def test_an_asset_that_no_slot_has_at_all() -> None:
    asked = {"RequestGPUs": 1, "Requirements": f"{NEEDS} && TARGET.GPUs >= RequestGPUs"}
    found = walls(verdict(slot(**SLOT), **asked))

    assert list(found) == ["no-such-machine"]
    assert found["no-such-machine"].amounts == {"asset": "gpus", "asked": 1, "largest": 0, "of": 1}


def test_room_names_the_asset_that_is_used_up() -> None:
    """Memory is used up, cpus are free: the wall is of memory."""
    found = walls(
        verdict(slot(**SLOT, Cpus=96, TotalSlotCpus=96, Memory=0, TotalSlotMemory=262144))
    )

    assert list(found) == ["no-room"]
    assert found["no-room"].amounts == {
        "asset": "memory",
        "asked": 1024,
        "free": 0,
        "largest": 0,
        "slots": 1,
    }
    assert "96 cores" in found["no-room"].text


GPU_CLAUSE = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"


@pytest.mark.parametrize(("free", "wall"), [(0, "no-room"), (1, "no-room"), (2, "requirements")])
def test_devices_in_use_are_no_wall_of_requirements(free: int, wall: str) -> None:
    """A slot lists only the devices that are free: while some are in use, the job may wait for these."""
    gpus = {
        **SLOT, "MachineResources": '"Cpus Memory Disk GPUs"', "GPUs": free, "TotalSlotGPUs": 2,
        "AvailableGPUs": f"{{ {', '.join(['GPUs_GPU_a'] * free)} }}", "GPUs_GPU_a": "[ Capability = 1.2 ]",
    }  # fmt: skip
    asked = {
        "RequestGPUs": 1,
        "RequireGPUs": "Capability > 7",
        "Requirements": f"{NEEDS} && {GPU_CLAUSE}",
    }

    assert list(walls(verdict(slot(**gpus), **asked))) == [wall]


def test_room_for_each_asset_but_not_on_one_slot() -> None:
    full = {"TotalSlotCpus": 8, "TotalSlotMemory": 16384}
    slots = (
        slot("slot1@a", **SLOT, **full, Cpus=0, Memory=16384),
        slot("slot1@b", **SLOT, **full, Cpus=8, Memory=0),
    )
    found = walls(verdict(*slots))

    assert found["no-room"].amounts == {"assets": "cpus, memory", "slots": 2}


@pytest.mark.parametrize(("limit", "running"), [(0, 0), (1, 1)])
def test_a_concurrency_limit_is_named_with_what_is_used(limit: int, running: int) -> None:
    claimed = [dynamic_slot(ConcurrencyLimits='"lic"')] if running else []
    found = walls(
        verdict(slot(**SLOT), *claimed, config=f"LIC_LIMIT = {limit}\n", ConcurrencyLimits='"lic"')
    )

    assert found["concurrency-limit"].amounts == {
        "name": "lic",
        "asked": 1,
        "used": running,
        "limit": limit,
    }


def test_empty_concurrency_limits_are_named() -> None:
    found = walls(verdict(slot(**SLOT), ConcurrencyLimits='""'))

    assert found["concurrency-limit"].text.startswith("ConcurrencyLimits are an empty string")


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("NEGOTIATOR_CONSIDER_PREEMPTION = False\n", "NEGOTIATOR_CONSIDER_PREEMPTION is off"),
        ("PREEMPTION_REQUIREMENTS = False\n", "PREEMPTION_REQUIREMENTS == False"),
    ],
)
def test_claims_that_are_not_preempted(config: str, why: str) -> None:
    """The only slot that suits it is claimed by another user."""
    claimed = static_slot(
        **SLOT, State='"Claimed"', Activity='"Busy"', RemoteUser='"ben@site"', Rank="0.0"
    )
    found = walls(verdict(claimed, config=config))

    assert found["preemption"].amounts["why"] == why


def test_what_earlier_matches_of_the_cycle_take_is_outranked() -> None:
    found = walls(verdict(static_slot(**SLOT), jobs=(job("1.0", Requirements=NEEDS),)))

    assert found["outranked"].amounts == {"slots": 1}


def test_a_slot_that_the_negotiator_does_not_see() -> None:
    found = walls(verdict(slot(**SLOT), config="NEGOTIATOR_SLOT_CONSTRAINT = SlotID > 1\n"))

    assert found["slot-constraint"].amounts == {"slots": 1}


def test_no_claims_left() -> None:
    found = walls(verdict(policy_slot(**SLOT, NumClaims=0)))

    assert found["no-claims-left"].amounts == {"slots": 1}


def test_a_consumption_that_is_no_number() -> None:
    found = walls(verdict(policy_slot(**SLOT, ConsumptionMemory="TARGET.NoSuch")))

    assert found["consumption"].amounts == {"slots": 1, "why": "ConsumptionMemory is not a number"}


def test_a_weight_that_is_no_number() -> None:
    found = walls(
        verdict(policy_slot(**SLOT, SlotWeight="ifThenElse(Cpus < TotalSlotCpus, undefined, Cpus)"))
    )

    assert "slot1@node1" in str(found["slot-weight"].amounts["why"])


def test_a_deferred_start_is_no_wall_of_requirements() -> None:
    deferred = f"{NEEDS} && (time() + 300) >= (DeferralTime - 60)"
    found = walls(verdict(slot(**SLOT), Requirements=deferred, DeferralTime=4_000_000_000))

    assert list(found) == ["deferred"]


@pytest.mark.parametrize("time", ["undefined", '"tomorrow"', "error"])
def test_a_start_that_is_deferred_to_no_time_never_comes(time: str) -> None:
    deferred = f"{NEEDS} && (time() + 300) >= (DeferralTime - 60)"
    given = verdict(slot(**SLOT), Requirements=deferred, DeferralTime=time)
    assert list(walls(given)) == ["requirements"]
    assert given.fits_nowhere
    assert given.walls[0].lifted_by.startswith("condor_qedit of DeferralTime")


def test_a_slot_that_cannot_run_containers_is_cured_there() -> None:
    given = verdict(slot(**SLOT, HasDocker="false"), Requirements=f"{NEEDS} && TARGET.HasDocker")
    cure = "slots where HasDocker is true; the clause in the job's Requirements"
    assert walls(given)["requirements"].lifted_by == cure


def test_a_hidden_slot_reads_what_the_negotiator_writes_about_the_submitter() -> None:
    start = {**SLOT, "Start": "TARGET.SubmitterUserResourcesInUse < 2"}
    found = walls(verdict(slot(**start), config="NEGOTIATOR_SLOT_CONSTRAINT = SlotID > 1\n"))

    assert found["slot-constraint"].amounts == {"slots": 1}


def test_a_choice_counts_slot_by_slot() -> None:
    """The condition is the same for all like slots; which argument counts differs between them."""
    start = {
        **SLOT,
        "Start": "ifThenElse(MY.Kind == 1, TARGET.RequestMemory < 1024, TARGET.NoSuch =?= 1)",
    }
    slots = [slot(f"slot1@n{number}", **start, Kind=number) for number in (1, 2)]
    found = verdict(*slots)

    (only,) = [each for each in found.walls if each.id == "start"]
    assert (only.amounts["clause"], only.amounts["slots"]) == (start["Start"], 2)


def test_what_is_asked_of_an_asset_is_the_least_of_all_slots() -> None:
    """Each slot asks for its own multiple of what is requested."""
    slots = [
        slot(
            f"slot1@n{quantum}",
            **{**SLOT, "Requirements": f"MY.Memory >= quantize(TARGET.RequestMemory, {quantum})"},
        )
        for quantum in (1000, 3000)
    ]
    found = walls(verdict(*slots, RequestMemory=500_000, Requirements="true"))

    asked = found["no-such-machine"].amounts
    assert (asked["asked"], asked["asset"], asked["of"]) == (500_000, "memory", 2)


def test_a_constraint_that_hides_every_slot_is_the_reason_and_no_share_of_nothing() -> None:
    found = verdict(slot(**SLOT), config="NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 100\n")

    assert [each.id for each in found.walls] == ["slot-constraint"]


def test_it_is_the_job_that_lacks_a_request() -> None:
    found = walls(verdict(slot(**SLOT), RequestCpus=None))

    text = found["requirements"].text
    assert "RequestCpus of the job is undefined" in text
    assert "of the slots is undefined" not in text
    assert found["requirements"].advice == (
        "a value of RequestCpus in the job: request_cpus in its submit file, condor_qedit"
    )


DRAINED = {
    "State": '"Drained"',
    "Activity": '"Retiring"',
    "Draining": "true",
    "Start": "false",
    "EnteredCurrentState": 1_795_000_000,
}


def test_a_drain_whose_end_frees_a_slot_is_named_first() -> None:
    """node1 is offline as well: nothing starts there when its drain ends."""
    drained = {**SLOT, **DRAINED, "DrainReason": '"kernel"'}
    found = walls(verdict(slot("slot1@n1", **drained, Offline="true"), slot("slot1@n2", **drained)))

    assert found["drained"].text.endswith("condor_drain -cancel n2")
    assert found["drained"].amounts["machine"] == "n2"


def test_a_long_reason_of_a_drain_is_cut_in_the_sentence_alone() -> None:
    reason = "x\\ny" * 200
    found = walls(verdict(slot(**{**SLOT, **DRAINED, "DrainReason": f'"{reason}"'})))

    text = found["drained"].text
    assert len(text) < 200
    assert "\n" not in text
    assert len(str(found["drained"].amounts["why"])) >= 600


def test_requirements_without_a_value_are_to_be_changed_not_added() -> None:
    found = walls(verdict(slot(**SLOT), Requirements="error"))

    assert found["requirements"].advice == (
        "condor_qedit of Requirements to an expression that has a value"
    )


def test_a_drain_of_condor_defrag_is_not_to_be_cancelled() -> None:
    drained = slot(
        State='"Drained"', Draining="true", Start="false", DrainReason='"defrag"',
        EnteredCurrentState=1_800_000_000,
    )  # fmt: skip
    found = walls(verdict(drained))["drained"]
    assert "-cancel" not in found.text
    assert found.lifted_by.startswith("the end of the drain: condor_defrag opens the machine")


@pytest.mark.parametrize(
    ("start", "advice"),
    [
        ('TARGET.Owner == "bob"', "START of the execution points"),
        ("TARGET.JobPrio > 5", "condor_prio; START of the execution points"),
        ("TARGET.RequestCpus > 5", "condor_qedit of RequestCpus; START of the execution points"),
    ],
)
def test_a_job_is_changed_by_what_can_change_it(start: str, advice: str) -> None:
    assert walls(verdict(slot(Start=start), JobPrio=0))["start"].lifted_by == advice


def test_a_start_that_is_no_expression_is_told_with_its_file_and_line() -> None:
    broken = pool(
        slot(Start="error", Requirements="START"), negotiator(), schedd(), submitter(IdleJobs=1),
        jobs=[job("9.0", Requirements=NEEDS)], config="",
        execute={"node1": "START = (TARGET.RequestCpus > 1\n# at: /etc/condor/start, line 3\n"},
    )  # fmt: skip
    (found,) = Verdicts(broken).on(broken.jobs or ())
    assert walls(found)["start"].text.endswith(
        "not a ClassAd expression (/etc/condor/start:3 of node1)"
    )


def test_a_match_that_is_given_back_is_not_outranked_by_itself() -> None:
    found = verdict(slot(**SLOT, WantClaiming="false"))
    assert [each.id for each in found.walls] == ["claim-refused"]
    assert found.walls[0].lifted_by == "WantClaiming of the slot"


# Who asks for how much
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("TARGET.Memory > 16384", "TARGET.Memory > 16384 asks for more than 16 GiB memory; the"),
        ("20000 <= TARGET.Memory", "20000 <= TARGET.Memory asks for 20000 MiB memory; the"),
    ],
)
def test_a_clause_that_asks_for_more_than_the_request_is_named(clause: str, text: str) -> None:
    found = verdict(slot(**SLOT), Requirements=f"{NEEDS} && {clause}")
    (wall,) = found.walls

    assert wall.id == "no-such-machine"
    assert f"Requirements: {text} largest slot has 16 GiB memory" in wall.text
    assert wall.amounts["clause"] == clause
    assert wall.lifted_by == "condor_qedit of Requirements; a larger machine"


def test_a_request_larger_than_a_clause_asks_is_the_request() -> None:
    asked = {"Requirements": f"{NEEDS} && TARGET.Memory > 17000", "RequestMemory": 20480}
    (wall,) = verdict(slot(**SLOT), **asked).walls

    assert wall.text == "the job asks for 20 GiB memory; the largest slot has 16 GiB memory"
    assert "clause" not in wall.amounts


def test_a_slot_that_has_too_much_for_a_clause_is_no_lack_of_it() -> None:
    (wall,) = verdict(slot(**SLOT), Requirements=f"{NEEDS} && TARGET.Memory < 8192").walls

    assert wall.id == "requirements"
    assert "TARGET.Memory has to be less than 8,192; the slot has 16,384" in wall.text


@pytest.mark.parametrize(
    ("operator", "words"),
    [(">", "more than"), (">=", "at least"), ("<", "less than"), ("<=", "at most")],
)
def test_a_bound_is_the_one_that_its_operator_sets(operator: str, words: str) -> None:
    limit = 2 if operator[0] == ">" else 0
    found = verdict(slot(**SLOT, SlotID=1), Requirements=f"TARGET.SlotID {operator} {limit}")

    assert f"TARGET.SlotID has to be {words} {limit}; the slot has 1" in found.walls[0].text


def test_assets_that_are_used_up_together_are_one_reason() -> None:
    full = {"TotalSlotCpus": 8, "TotalSlotMemory": 16384}
    (wall,) = verdict(slot(**SLOT, **full, Cpus=0, Memory=0)).walls

    assert wall.text.startswith(
        "the job asks for 1 core and 1 GiB memory; the 1 slot large enough has no cores and no "
        "memory free"
    )
    assert (wall.amounts["asset"], wall.amounts["assets"]) == ("cpus", "cpus, memory")


# What the startd compares
# --------------------------------------------------------------------------------------------------


def test_limits_without_the_policy_that_they_compare_are_one_reason_with_their_name() -> None:
    """A startd publishes these limits for a slot with a policy, and its Consumption<asset> too."""
    limits = (
        "ifThenElse(TARGET._cp_orig_RequestCpus =!= undefined,TARGET.RequestCpus <= MY.Cpus,"
        "MY.ConsumptionCpus <= MY.Cpus) && MY.ConsumptionMemory <= MY.Memory"
    )
    (wall,) = verdict(slot(**{**SLOT, "WithinResourceLimits": limits})).walls

    assert wall.id == "start"
    assert wall.text == (
        "WithinResourceLimits refuses the job on the only slot: slot1@node1 has no "
        "ConsumptionCpus, which it compares"
    )
    assert wall.lifted_by.startswith("condor_restart -startd on node1")
    assert wall.amounts["lacks"] == "ConsumptionCpus, ConsumptionMemory"


def test_a_clause_of_the_limits_is_not_said_to_be_one_of_start() -> None:
    limits = {**SLOT, "WithinResourceLimits": f"{LIMITS} && TARGET.WantJobNetworking =?= false"}
    (wall,) = verdict(slot(**limits)).walls

    assert wall.text.startswith("WithinResourceLimits: TARGET.WantJobNetworking =?= false refuses")
    assert wall.amounts["attribute"] == "WithinResourceLimits"
