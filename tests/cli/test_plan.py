"""``htcq plan``: what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import NODE, Call

ARGUMENTS = ("plan", "--node", "node.json", "--charge", "cpus=1", "--charge", "memory=2GiB")


def test_a_plan_for_people(call: Call) -> None:
    done = call(*ARGUMENTS)

    assert (done.status, done.err) == (0, "")
    assert "W = 8 claims, limited by cpus; split by the negotiator" in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize("flag", ["--json", "-json"])
def test_a_plan_for_programs(flag: str, call: Call) -> None:
    done = call(*ARGUMENTS, flag, "--job", "cpus=1,memory=8GiB,disk=1GiB")
    plan = json.loads(done.out)

    assert (plan["schema"], plan["weight"], plan["limiting"]) == (1, 8, "cpus")
    assert plan["claims"] == {"cpus": 8, "memory": 8}
    job = plan["jobs"][0]
    assert (job["match_cost"], job["standing_charge"], job["schedd_weight"], job["fits"]) == (
        4,
        4,
        4,
        2,
    )
    assert job["gap"] == {"standing_charge": 0, "schedd_weight": 0}


def test_a_plan_reads_a_node_from_standard_input(command: Call, quiet_place: Path) -> None:
    sent = ("sh", "-c", f'exec "$0" "$@" < {quiet_place / "node.json"}')

    assert command("plan", "--node", "-", before=sent).status == 0


def test_slot_types_add_up(call: Call, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text(
        "[slot_types.1]\npart = '50%'\nmodel = 'quantized'\n"
        "[slot_types.2]\npart = '25%'\ncount = 2\npreset = 'simple'\n"
    )
    plan = json.loads(
        call("plan", "--node", "node.json", "--json", "--job", "cpus=1,memory=100MiB,disk=1MiB").out
    )

    assert [each["number"] for each in plan["slot_types"]] == [1, 2]
    assert plan["weight"] == NODE["cpus"]
    assert plan["jobs"][0]["fits"] == sum(
        each["jobs"][0]["fits"] * each["count"] for each in plan["slot_types"]
    )


def test_jobs_come_from_the_site_file(call: Call, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text("jobs = ['cpus=3,memory=1GiB,disk=1GiB']\n")
    plan = json.loads(call("plan", "--node", "node.json", "--json").out)

    assert [job["shape"]["cpus"] for job in plan["jobs"]] == [3]


def test_a_preset_says_what_it_changed(call: Call) -> None:
    assert (
        "changed: a claim takes an even share"
        in call("plan", "--node", "node.json", "--preset", "extensible").out
    )


def test_half_a_cpu_makes_cores_count_twice(call: Call) -> None:
    out = call("plan", "--node", "node.json", "--charge", "cpus=0.5", "--charge", "memory=1GiB").out

    assert "W = 16 claims" in out
    assert "Each core counts as 2 cpus." in out
