"""``htcq plan`` and ``htcq emit`` for several nodes: files, directories, snapshots, kinds of a site file, mixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.sites import collected, job, slot
from tests.cli.conftest import Call

SMALL = {"cpus": 32, "memory_mb": 65536, "disk_kb": 100_000_000}
LARGE = {"cpus": 64, "memory_mb": 524288, "disk_kb": 100_000_000, "hostname": "b1"}
CARDS = {"cpus": 16, "memory_mb": 131072, "disk_kb": 100_000_000, "gpus": 4}
LINEAR = ("--weight", "cpus=1", "--weight", "memory=0.25/GiB", "--weight", "gpus=8")
CLAIMS = ("--charge", "cpus=1", "--charge", "memory=4GiB")
HUNGRY = ("--job", "cpus=2,memory=32GiB,disk=1GiB")


@pytest.fixture
def nodes(quiet_place: Path) -> Path:
    """A directory of three kinds of node, with a file that is none."""
    place = quiet_place / "nodes"
    place.mkdir()
    for name, node in (("a1", SMALL), ("a2", SMALL), ("b1", LARGE), ("c1", CARDS)):
        (place / f"{name}.json").write_text(json.dumps(node))
    (place / "README").write_text("not a node")
    return place


def planned(call: Call, *arguments: str) -> dict[str, Any]:
    done = call("plan", *arguments, "--json")
    assert (done.status, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_a_fleet_has_its_kinds_and_what_it_weighs(call: Call, nodes: Path) -> None:
    plan = planned(call, "--node", "nodes", *LINEAR, *HUNGRY, "--job", "cpus=1,memory=1GiB,gpus=1")
    fleet = plan["fleet"]

    assert (plan["schema"], plan["weight"], fleet["nodes"]) == (1, 368, 4)
    assert fleet["weight_busy"] == {"min": 368, "max": 368}
    assert [(kind["name"], kind["count"], kind["weight"]) for kind in fleet["kinds"]] == [
        ("32 cpus, 64 GiB", 2, 96), ("64 cpus, 512 GiB", 1, 192), ("16 cpus, 128 GiB, 4 gpus", 1, 80),
    ]  # fmt: skip
    hungry, card = ([kind["jobs"][index] for kind in fleet["kinds"]] for index in (0, 1))
    assert [(each["match_cost"], each["standing_charge"], each["fits"]) for each in hungry] == [
        (10, 10, 4), (10, 10, 16), (10, 10, 4),
    ]  # fmt: skip
    assert [each["fits"] for each in card] == [0, 0, 4]
    assert card[2]["schedd_weight"] == 10
    assert card[2]["gap"]["schedd_weight"] == pytest.approx(10 - 9.25)
    assert fleet["quotas"]["hold"] is True
    assert fleet["kinds"][0]["nodes"] == ["nodes/a1.json", "nodes/a2.json"]


def test_a_claim_model_on_mixed_hardware_is_said_to_leak(call: Call, nodes: Path) -> None:
    quotas = planned(call, "--node", "nodes", *CLAIMS, *HUNGRY)["fleet"]["quotas"]

    assert quotas["hold"] is False
    assert quotas["max_factor"] == {"factor": 4, "job": 1, "kind": "64 cpus, 512 GiB"}
    assert quotas["words"] == [
        "quotas can be exceeded up to x4 on nodes of kind 64 cpus, 512 GiB (job 1), x2 when all "
        "slots are full of one "
        "shape"
    ]


def test_tables_of_a_fleet(call: Call, nodes: Path) -> None:
    out = call("plan", "--node", "nodes", *CLAIMS, *HUNGRY, "--job", "cpus=1,gpus=1").out

    assert "4 nodes of 3 kinds: minimum-charge, charges cpus=1, memory=4GiB" in out
    gpu_row = next(line for line in out.splitlines() if line.startswith("2 "))
    assert gpu_row.split()[-9:] == ["-", "-", "-", "-", "-", "-", "1", "1", "4"]
    assert "the pool weighs 112 empty and from" in out
    assert "quotas can be exceeded up to x4 on nodes of kind 64 cpus, 512 GiB" in out


def test_a_full_fleet_shows_what_is_stranded(call: Call, nodes: Path) -> None:
    kind = planned(call, "--node", "nodes/a1.json", *LINEAR, *HUNGRY)["fleet"]["kinds"][0]

    assert kind["full"]["running"] == [2]
    assert kind["full"]["stranded"]["cpus"] == 28
    assert kind["full"]["stranded_weight"] == 28


def test_one_file_given_twice_is_two_nodes(call: Call, nodes: Path) -> None:
    fleet = planned(call, "--node", "nodes/a1.json", "--node", "nodes/a1.json", *LINEAR)["fleet"]

    assert [(kind["count"], kind["weight"]) for kind in fleet["kinds"]] == [(2, 96)]


def test_weights_are_found_once_for_all_nodes(call: Call, nodes: Path) -> None:
    plan = planned(call, "--node", "nodes")
    models = {kind["model"] for kind in plan["fleet"]["kinds"]}

    assert len(models) == 1
    assert plan["weight"] == pytest.approx(144, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--node", "missing.json"), "missing.json cannot be read: No such file"),
        (("--node", "nodes", "--node", "bad.json"), "bad.json: node: memory_mb, disk_kb missing"),
        (("--node", "nodes/README"), "nodes/README is not JSON"),
        (("--node", "empty"), "empty: no node facts in this directory"),
        (("--node", "-", "--node", "-"), "--node - is given twice"),
        (("--node", "nodes", "--snapshot", "there"), "--node and a pool contradict each other"),
        (("--snapshot", "there", "--pool", "host"), "--snapshot and --pool contradict each other"),
        (("--snapshot", "there"), "there"),
        (
            ("--node", "nodes", "--job", "cpus=1", "--jobs", "there"),
            "--job and --jobs contradict each other",
        ),
        (
            ("--node", "nodes", "--charge", "memory=100GiB"),
            "nodes/a1.json: --charge memory: 100 GiB is more",
        ),
    ],
)
@pytest.mark.usefixtures("nodes")
def test_nodes_that_cannot_be_used_are_refused(
    arguments: tuple[str, ...], message: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "empty").mkdir()
    (quiet_place / "bad.json").write_text('{"cpus": 4}')
    done = call("plan", *arguments)

    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


# Pools
# ----------------------------------------------------------------------------------------------------------


def _machine(name: str, cpus: int, memory: int, **changes: Any) -> str:
    sizes = {
        "Cpus": cpus, "TotalCpus": f"{cpus}.0", "TotalSlotCpus": cpus, "Memory": memory, "TotalMemory": memory,
        "TotalSlotMemory": memory,
    }  # fmt: skip
    return slot(f"slot1@{name}", **{**sizes, **changes})


@pytest.fixture
def snapshot(quiet_place: Path) -> Path:
    """Three machines of two kinds, one without memory; jobs of two shapes, and one whose request is not a number."""
    place = quiet_place / "there"
    place.mkdir()
    ads = [
        _machine("a1", 8, 16384), _machine("a2", 8, 16380), _machine("b1", 16, 65536),
        _machine("odd", 4, 0), slot("slot1@static", SlotType='"Static"', PartitionableSlot=None),
    ]  # fmt: skip
    jobs = [job(f"1.{number}", RequestMemory=8000) for number in range(3)]
    jobs += [
        job("2.0", RequestCpus=4),
        job("3.0", RequestMemory="NoSuchThing"),
        job("4.0", RequestCpus=99),
    ]
    (place / "collector.ads").write_text(collected(ads))
    (place / "jobs.ads").write_text("\n".join(jobs))
    return place


@pytest.mark.usefixtures("snapshot")
def test_the_machines_of_a_pool_are_a_fleet(call: Call) -> None:
    fleet = planned(
        call, "--snapshot", "there", *LINEAR[:4], "--job", "cpus=8,memory=8GiB,disk=1MiB"
    )["fleet"]

    assert [(kind["name"], kind["count"], kind["jobs"][0]["fits"]) for kind in fleet["kinds"]] == [
        ("8 cpus, 16 GiB", 2, 2), ("16 cpus, 64 GiB", 1, 2),
    ]  # fmt: skip
    assert fleet["kinds"][0]["weight"] == pytest.approx(16 + (16384 + 16380) / 4096)
    assert {each["why"]: (each["count"], each["nodes"]) for each in fleet["left_out"]} == {
        "no partitionable slot": (1, ["static"]),
        "node: memory_mb is 0": (1, ["odd"]),
    }


@pytest.mark.usefixtures("snapshot")
def test_left_out_machines_are_named(call: Call) -> None:
    assert (
        "left out: odd: node: memory_mb is 0"
        in call("plan", "--snapshot", "there", *LINEAR[:4]).out
    )


def test_a_pool_without_a_node_is_refused(call: Call, snapshot: Path) -> None:
    (snapshot / "collector.ads").write_text(
        slot("slot1@static", SlotType='"Static"', PartitionableSlot=None)
    )
    done = call("plan", "--snapshot", "there")

    assert (done.status, done.out) == (2, "")
    assert "there: no machine of it can be used: no partitionable slot" in done.err


@pytest.mark.usefixtures("snapshot")
def test_the_jobs_of_a_snapshot_are_a_mix(call: Call) -> None:
    plan = planned(call, "--snapshot", "there", *LINEAR[:4], "--jobs", "there")

    assert [(each["shape"]["cpus"], each["count"]) for each in plan["fleet"]["jobs"]] == [
        (1, 3),
        (4, 1),
        (99, 1),
    ]
    mix = plan["mix"]
    assert (mix["jobs"], mix["shapes"], mix["left_out"], mix["unfit"]) == (5, 3, 1, 1)
    asked = {each["asset"]: (each["asked"], each["there"]) for each in mix["assets"]}
    assert asked["cpus"] == (7, 32)
    assert asked["memory"] == (3 * 8000 + 1024, 16384 + 16380 + 65536)
    assert mix["scarcest"] == "memory"
    assert set(mix["weights"]) == {"cpus", "memory"}


def test_a_mix_is_said_in_words(call: Call, nodes: Path) -> None:
    out = call("plan", "--node", "nodes", *LINEAR, "--job", "cpus=2,memory=32GiB,count=60").out

    assert "60 jobs of 1 shapes, all at once" in out
    assert (
        "memory is the scarcest asset for these jobs; weights that say so: --weight "
        "memory=0.16875/GiB"
    ) in out
    assert "all at once" not in call("plan", "--node", "nodes", *LINEAR, *HUNGRY).out


# The site file
# --------------------------------------------------------------------------------------------------

KINDS = """
[capacity]
weights = { cpus = 1, memory = "0.25/GiB" }
[nodes.gpu]
match = "TotalGPUs > 0"
weights = { cpus = 1, memory = "0.25/GiB", gpus = 8 }
"""


def test_kinds_have_the_names_of_the_site_file(call: Call, nodes: Path, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text(KINDS)
    fleet = planned(call, "--node", "nodes")["fleet"]

    assert [(kind["name"], kind["weight"]) for kind in fleet["kinds"]] == [
        ("32 cpus, 64 GiB", 96), ("64 cpus, 512 GiB", 192), ("gpu", 80),
    ]  # fmt: skip


def test_a_kind_of_no_node_is_refused_for_a_fleet_alone(
    call: Call, nodes: Path, quiet_place: Path
) -> None:
    (quiet_place / "htcq.toml").write_text(KINDS)
    done = call("plan", "--node", "nodes/a1.json", "--node", "nodes/b1.json")

    assert (done.status, done.out) == (2, "")
    assert "nodes.gpu" in done.err
    assert call("plan", "--node", "nodes/a1.json").status == 0


# emit
# -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["access", "central"])
def test_access_points_and_the_central_manager_take_a_fleet(
    role: str, call: Call, nodes: Path
) -> None:
    one = call("emit", "--role", role, *LINEAR, "--node", "nodes/c1.json")
    fleet = call("emit", "--role", role, *LINEAR, "--node", "nodes")

    assert (fleet.status, fleet.err) == (0, "")
    assert one.out == fleet.out


def test_an_execute_node_takes_one(call: Call, nodes: Path) -> None:
    done = call("emit", *LINEAR, "--node", "nodes")

    assert (done.status, done.out) == (2, "")
    assert "--role execute is for one node, but 4 are given" in done.err


@pytest.mark.parametrize("role", ["execute", "access", "central"])
def test_what_overcharges_on_a_node_is_not_written(
    role: str, call: Call, nodes: Path, quiet_place: Path
) -> None:
    (quiet_place / "htcq.toml").write_text('jobs = ["cpus=2,memory=32GiB,disk=1GiB"]\n')
    arguments = ("emit", "--role", role, *CLAIMS, "--node", "nodes/b1.json")
    done = call(*arguments)

    assert (done.status, done.out) == (2, "")
    assert "has a match cost of 4 and a standing charge of 8 (x2)" in done.err
    assert call(*arguments, "--force").status == 0


def test_a_fleet_is_judged_by_all_its_kinds(call: Call, nodes: Path, quiet_place: Path) -> None:
    """On the small nodes alone jobs of 2 cpus and 32 GiB are charged what their matches cost."""
    (quiet_place / "htcq.toml").write_text('jobs = ["cpus=2,memory=32GiB,disk=1GiB"]\n')

    assert call("emit", "--role", "access", *CLAIMS, "--node", "nodes/a1.json").status == 0
    assert call("emit", "--role", "access", *CLAIMS, "--node", "nodes").status == 2


@pytest.mark.usefixtures("snapshot")
def test_a_pool_is_a_fleet_for_access_points(call: Call) -> None:
    done = call("emit", "--role", "access", *LINEAR[:4], "--snapshot", "there")

    assert (done.status, done.err) == (0, "")
    assert "SCHEDD_SLOT_WEIGHT" in done.out
    assert call("emit", *LINEAR[:4], "--snapshot", "there").status == 2
