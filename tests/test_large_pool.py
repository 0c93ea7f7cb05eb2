"""The made-up pools that benchmarks run on: as HTCondor would tell them, and without contradictions."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import classad2
import pytest

from tests.invented.groups import Group, settle
from tests.invented.policies import BAD_KINDS
from tests.large_pool import FILES, Size, write_snapshot

SIZE = Size(slots=2000, submitters=60, groups=30, jobs=1500, autoclusters=40)
AMOUNTS = ("Cpus", "Memory", "Disk", "GPUs")
IDLE, RUNNING = 1, 2


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("pool") / "snapshot"
    write_snapshot(directory, SIZE)
    return directory


def parsed(path: Path) -> Iterator[Any]:
    """Yield the ads of a file, each read by HTCondor's own library."""
    for text in path.read_text(encoding="ascii").split("\n\n"):
        if text:
            yield classad2.parseOne(text)


@pytest.fixture(scope="module")
def ads(snapshot: Path) -> dict[str, list[Any]]:
    found = defaultdict(list)
    for ad in parsed(snapshot / "collector.ads"):
        found[ad["MyType"]].append(ad)
    return found


@pytest.fixture(scope="module")
def jobs(snapshot: Path) -> list[Any]:
    return list(parsed(snapshot / "jobs.ads"))


def number(value: Any) -> float | None:
    """Return a value as a number; undefined and error, which are numbers to Python, are none."""
    return (
        None if isinstance(value, classad2.Value) or not isinstance(value, (int, float)) else value
    )


def charge(slot: Any) -> Any:
    """Return what the accountant charges for a claimed slot: SlotWeight, 1 where that is no number."""
    weight = number(slot.eval("SlotWeight"))
    return 1 if weight is None else weight


def claimant(slot: Any) -> str | None:
    """Return whom the accountant charges for a slot."""
    name: str | None = slot.get("AccountingGroup", slot.get("RemoteUser"))
    return name


def digest(directory: Path) -> dict[str, str]:
    return {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in FILES}


def test_a_seed_tells_every_byte(snapshot: Path, tmp_path: Path) -> None:
    write_snapshot(tmp_path / "again", SIZE)
    write_snapshot(tmp_path / "other", SIZE, seed=2)

    assert digest(tmp_path / "again") == digest(snapshot)
    assert all(digest(tmp_path / "other")[name] != digest(snapshot)[name] for name in FILES)


def test_there_is_as_much_of_everything_as_asked_for(
    ads: dict[str, list[Any]], jobs: list[Any], snapshot: Path
) -> None:
    attributes = (
        "RequestCpus",
        "RequestMemory",
        "RequestDisk",
        "RequestGPUs",
        "Requirements",
        "Rank",
    )
    classes = {
        tuple(str(job.lookup(name)) if name in job else "" for name in attributes) for job in jobs
    }
    groups = [
        line
        for line in (snapshot / "config.txt").read_text().splitlines()
        if line.startswith("GROUP_NAMES")
    ]

    assert len(ads["Machine"]) == len({ad["Name"] for ad in ads["Machine"]}) == SIZE.slots
    assert len({ad["Name"] for ad in ads["Submitter"]}) == SIZE.submitters
    assert len(jobs) == len({job["GlobalJobId"] for job in jobs}) == SIZE.jobs
    assert len(classes) == SIZE.autoclusters
    assert len(groups[0].split(",")) == SIZE.groups
    assert {kind: len(ads[kind]) for kind in ("Negotiator", "Collector")} == {
        "Negotiator": 1,
        "Collector": 1,
    }
    assert len(ads["Scheduler"]) == 40


def test_slot_ads_are_as_complete_as_real_ones(ads: dict[str, list[Any]]) -> None:
    """The smallest ads seen in a pool of HTCondor 25.14.1: see the numbers."""
    fewest: dict[str, int] = {}
    for slot in ads["Machine"]:
        fewest[slot["SlotType"]] = min(len(slot), fewest.get(slot["SlotType"], 1000))

    assert fewest["Partitionable"] >= 182
    assert fewest["Dynamic"] >= 189
    assert fewest["Static"] >= 164


def test_what_is_left_and_what_is_claimed_is_the_machine(ads: dict[str, list[Any]]) -> None:
    left: dict[Any, Counter[str]] = defaultdict(Counter)
    born: dict[str, Counter[str]] = defaultdict(Counter)
    machines = {}
    for slot in ads["Machine"]:
        machines[slot["Machine"]] = slot
        for asset in AMOUNTS:
            left[slot["Machine"], slot["SlotID"]][asset] += slot[asset]
            assert slot[asset] >= 0
        if slot["SlotType"] != "Dynamic":
            born[slot["Machine"]].update(
                {asset: int(slot[f"TotalSlot{asset}"]) for asset in AMOUNTS}
            )
            left[slot["Machine"], slot["SlotID"]].subtract(
                {asset: int(slot[f"TotalSlot{asset}"]) for asset in AMOUNTS}
            )

    assert {amount for slot in left.values() for amount in slot.values()} == {0}
    for name, machine in machines.items():
        assert born[name] == {asset: int(machine[f"Total{asset}"]) for asset in AMOUNTS}


def test_partitionable_slots_tell_of_their_children(ads: dict[str, list[Any]]) -> None:
    children: dict[str, list[str]] = defaultdict(list)
    for slot in ads["Machine"]:
        if slot["SlotType"] == "Dynamic":
            children[f"slot{slot['ParentSlotId']}@{slot['Machine']}"].append(slot["Name"])

    for slot in ads["Machine"]:
        if slot["SlotType"] == "Partitionable":
            assert list(slot["ChildName"]) == children[slot["Name"]]
            assert slot["NumDynamicSlots"] == len(slot["ChildCpus"]) == len(slot["ChildName"])


def test_submitters_run_what_is_claimed_for_them(ads: dict[str, list[Any]]) -> None:
    claimed = [slot for slot in ads["Machine"] if slot["State"] == "Claimed"]
    slots = Counter(map(claimant, claimed))
    weights = Counter[Any]()
    for slot in claimed:
        weights[claimant(slot)] += charge(slot)
    running, weighted = Counter[Any](), Counter[Any]()
    for ad in ads["Submitter"]:
        running[ad["Name"]] += ad["RunningJobs"]
        weighted[ad["Name"]] += ad["WeightedRunningJobs"]
    accounts = {ad["Name"]: ad for ad in ads["Accounting"] if not ad["IsAccountingGroup"]}

    assert +running == slots
    assert +weighted == weights
    assert +Counter({name: ad["ResourcesUsed"] for name, ad in accounts.items()}) == slots
    assert +Counter({name: ad["WeightedResourcesUsed"] for name, ad in accounts.items()}) == weights


def test_groups_are_charged_for_their_own_submitters(ads: dict[str, list[Any]]) -> None:
    groups = {ad["Name"]: ad for ad in ads["Accounting"] if ad["IsAccountingGroup"]}
    used, requested = Counter[Any](), Counter[Any]()
    for ad in ads["Accounting"]:
        if not ad["IsAccountingGroup"]:
            used[ad["AccountingGroup"]] += ad["WeightedResourcesUsed"]
    for ad in ads["Submitter"]:
        group = ad["Name"].split("@")[0].rpartition(".")[0] or "<none>"
        requested[group] += ad["WeightedRunningJobs"] + ad["WeightedIdleJobs"]

    assert len(groups) == SIZE.groups + 1
    assert {name: ad["WeightedResourcesUsed"] for name, ad in groups.items()} == {
        name: used[name] for name in groups
    }
    assert {name: ad["Requested"] for name, ad in groups.items()} == {
        name: requested[name] for name in groups
    }
    assert groups["<none>"]["SubtreeQuota"] == sum(charge(slot) for slot in ads["Machine"])


def test_jobs_are_what_submitters_and_access_points_count(
    ads: dict[str, list[Any]], jobs: list[Any]
) -> None:
    schedds = {ad["Name"]: ad for ad in ads["Scheduler"]}
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for job in jobs:
        submitter = job.get("AccountingGroup", job["Owner"]) + "@" + job["User"].partition("@")[2]
        counts = found[submitter, job["GlobalJobId"].partition("#")[0]]
        state = {IDLE: "IdleJobs", RUNNING: "RunningJobs"}.get(job["JobStatus"], "HeldJobs")
        counts[state] += job["MaxHosts"]
        counts["WeightedIdleJobs"] += job["RequestCpus"] if job["JobStatus"] == IDLE else 0
        assert job["CurrentHosts"] == (1 if job["JobStatus"] == RUNNING else 0)
    states = ("IdleJobs", "RunningJobs", "HeldJobs", "WeightedIdleJobs")
    told = {
        (ad["Name"], ad["ScheddName"]): Counter({state: ad[state] for state in states})
        for ad in ads["Submitter"]
        if ad["ScheddName"] in schedds
    }

    assert {queue: +counts for queue, counts in told.items() if +counts} == {
        q: +counts for q, counts in found.items()
    }
    for name, schedd in schedds.items():
        assert schedd["TotalJobAds"] == sum(
            job["GlobalJobId"].startswith(f"{name}#") for job in jobs
        )


def test_every_running_job_may_be_where_it_is(ads: dict[str, list[Any]], jobs: list[Any]) -> None:
    slots = {slot["Name"]: slot for slot in ads["Machine"]}
    running = [job for job in jobs if job["JobStatus"] == RUNNING]

    assert len({job["RemoteHost"] for job in running}) == len(running) > SIZE.jobs / 2
    for job in running:
        slot = slots[job["RemoteHost"]]
        assert slot["JobId"] == f"{job['ClusterId']}.{job['ProcId']}"
        assert slot["GlobalJobId"] == job["GlobalJobId"]
        assert job.lookup("Requirements").eval(job, slot) is True
        assert slot.lookup("Start").eval(slot, job) is True


def test_claims_are_what_the_policy_of_their_slot_consumes(
    ads: dict[str, list[Any]], jobs: list[Any]
) -> None:
    slots = {slot["Name"]: slot for slot in ads["Machine"]}
    checked = 0
    for job in jobs:
        slot = slots[job["RemoteHost"]] if job["JobStatus"] == RUNNING else None
        for asset in AMOUNTS:
            if slot is not None and f"Consumption{asset}" in slot:
                assert slot.lookup(f"Consumption{asset}").eval(slot, job) == slot[asset]
                checked += 1

    assert checked > 100


def test_policies_are_whole_unless_a_kind_is_known_for_the_contrary(
    ads: dict[str, list[Any]],
) -> None:
    job = classad2.parseOne("RequestCpus = 1\nRequestMemory = 1000\nRequestDisk = 100000\n")
    faulty: dict[str, set[str]] = defaultdict(set)
    for slot in ads["Machine"]:
        assets = [asset for asset in slot["MachineResources"].split() if asset != "Swap"]
        present = [asset for asset in assets if f"Consumption{asset}" in slot]
        kind = slot["Machine"].rpartition("-")[0]
        if number(slot.eval("SlotWeight")) is None:
            faulty["undefined-weight"].add(kind)
        if present and len(present) < len(assets):
            faulty["partial-consumption"].add(kind)
        taken = [number(slot.lookup(f"Consumption{asset}").eval(slot, job)) for asset in present]
        if None in taken:
            faulty["undefined-consumption"].add(kind)
        if any(amount is not None and amount % 1 for amount in taken):
            faulty["fractional-cpus"].add(kind)
        if str(slot.lookup("SlotWeight")).isdigit():
            faulty["constant-weight"].add(kind)
        if str(slot.lookup("SlotWeight")) == "floor(Memory / 4096)":
            faulty["memory-weight"].add(kind)

    assert faulty == {name: {name} for name in BAD_KINDS}


def test_quotas_are_those_that_a_negotiator_published() -> None:
    """Seen in a pool of HTCondor 25.14.1 with 40 cpus."""
    root = Group("<none>")
    physics = Group("physics", root, share=0.5, static=True)
    higgs = Group("physics.higgs", physics, share=0.5)
    chem = Group("chem", root, share=0.1)
    root.children += [physics, chem]
    physics.children.append(higgs)

    settle(root, 40)

    assert [group.effective_quota for group in (physics, higgs, chem, root)] == [20, 10, 2, 18]
    assert [group.config_quota for group in (physics, higgs, chem)] == [20, 0.5, 0.1]
