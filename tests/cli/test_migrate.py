"""``htcq migrate`` as a command: its forms, the groups that it writes, bad input."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_USAGE
from htcq.report.column import names
from htcq.report.views.migrate import GROUPS
from tests.audit.sites import collected
from tests.cli.conftest import Call
from tests.simulate.migration.pools import FLAT, claim, machine, used, wants

MODEL = '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A busy pool as a snapshot, and a site file with the linear model."""
    monkeypatch.chdir(tmp_path)
    asking, jobs = wants("bio.ann@site", idle=2, running=1)
    told = used("bio.ann@site", 1, Ceiling=3, Priority="2000.0", PriorityFactor="1000.0")
    ads = (
        machine(Cpus=7, Memory=24576, NumDynamicSlots=1),
        claim(1),
        asking,
        told,
        used("bio", 1, group=True),
    )
    snapshot = tmp_path / "snap"
    snapshot.mkdir()
    (snapshot / "collector.ads").write_text(collected(ads))
    (snapshot / "jobs.ads").write_text("\n".join(jobs))
    (snapshot / "config.txt").write_text(FLAT + "GROUP_ACCEPT_SURPLUS_chem = True\n")
    (tmp_path / "new.toml").write_text(
        MODEL + '[groups.bio]\nquota = 3\nowner = "Ann"\nexpires = "2030-01-31"\n'
    )
    return tmp_path


def as_json(call: Call, *more: str) -> Any:
    done = call("migrate", "--model", "new.toml", "--snapshot", "snap", "--json", *more)
    assert done.status == EXIT_FINE, done.err
    return json.loads(done.out)


def test_text_has_the_pool_the_groups_and_the_steps(call: Call, site: Path) -> None:
    done = call("migrate", "--model", "new.toml", "--snapshot", "snap")

    assert (done.status, done.err) == (EXIT_FINE, "")
    assert "the pool weighs 8 -> 16 without claims" in done.out
    assert "\n1. On every access point: " in done.out
    assert "    condor_userprio -setceiling bio.ann@site 6\n" in done.out


def test_csv_has_a_row_for_each_group(call: Call, site: Path) -> None:
    done = call("migrate", "--model", "new.toml", "--snapshot", "snap", "--csv")
    head, *rows = csv.reader(io.StringIO(done.out))

    assert head == names(GROUPS)
    bio = dict(zip(head, next(row for row in rows if row[0] == "bio")))
    assert (bio["quota_before"], bio["quota_after"], bio["usage_before"], bio["usage_after"]) == (
        "3",
        "6",
        "1",
        "3",
    )


def test_the_groups_that_are_written_are_those_that_are_shown_and_quota_emit_reads_them(
    call: Call, site: Path
) -> None:
    found = as_json(call, "--write-groups", "groups.toml")
    emitted = call("quota", "emit", "--config", "groups.toml", "--force")

    assert emitted.status == EXIT_FINE, emitted.err
    shown = {
        group["name"]: group["config_quota"]["after"]
        for group in found["groups"]
        if group["parent"]
    }
    for name, quota in shown.items():
        assert f"GROUP_QUOTA_{name} = {quota:g}\n" in emitted.out
    assert "GROUP_ACCEPT_SURPLUS_chem = True\n" in emitted.out
    assert "GROUP_ACCEPT_SURPLUS_bio" not in emitted.out
    assert "owner Ann; expires 2030-01-31" in emitted.out
    assert any(
        "--config groups.toml" in command for step in found["steps"] for command in step["commands"]
    )


def test_elastic_amounts_of_weight_scale_and_others_stay(call: Call, site: Path) -> None:
    (site / "quotas.toml").write_text(
        "[groups.bio]\nmin = { weight = 1500, cpus = 2 }\nmax = { weight = 3000, cpus = 4 }\n"
    )

    moves = as_json(call, "--quotas", "quotas.toml")["elastic"]
    assert [(each["group"], each["key"], each["before"], each["after"]) for each in moves] == [
        ("bio", "min", 1500, 3000), ("bio", "max", 3000, 6000),
    ]  # fmt: skip


def test_a_group_that_starves_is_a_finding(call: Call, site: Path) -> None:
    asking, jobs = wants("chem.bob@site", idle=1, running=2)
    claims = [claim(number, "chem.bob@site") for number in (1, 2)]
    other, more = wants("bio.ann@site", idle=2)
    ads = (machine(Cpus=6, Memory=16384, NumDynamicSlots=2), *claims, asking, other)
    (site / "snap/collector.ads").write_text(collected(ads))
    (site / "snap/jobs.ads").write_text("\n".join([*jobs, *more]))
    (site / "snap/config.txt").write_text(FLAT + "NEGOTIATOR_CONSIDER_PREEMPTION = False\n")

    done = call("migrate", "--model", "new.toml", "--snapshot", "snap")
    assert done.status == EXIT_FINDINGS
    assert (
        "starves until schedds are restarted: its demand of 5 is below its usage of 6" in done.out
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--model is missing"),
        (("--model", "none.toml"), "none.toml cannot be read"),
        (("--model", "empty.toml"), "--model empty.toml: it has no model"),
        (("--model", "bad.toml"), "a weight must not be negative"),
        (("--model", "new.toml", "--pool", "x"), "--snapshot and --pool contradict each other"),
        (("--model", "new.toml", "--json", "--csv"), "--json and --csv contradict each other"),
        (("--model", "new.toml", "--write-groups", "new.toml"), "new.toml exists already"),
        (
            ("--model", "new.toml", "--quotas", "none.toml", "--write-groups", "x.toml"),
            "none.toml cannot be read",
        ),
        (("--model", "gpus.toml", "--write-groups", "x.toml"), "true for no node of the fleet"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    call: Call, site: Path, words: tuple[str, ...], message: str
) -> None:
    (site / "empty.toml").write_text("")
    (site / "bad.toml").write_text('[capacity]\nmodel = "linear"\nweights = { cpus = -1 }\n')
    (site / "gpus.toml").write_text(
        MODEL + '[nodes.gpu]\nmatch = "TotalGPUs > 0"\nmodel = "linear"\n'
    )
    before = sorted(site.iterdir())
    done = call("migrate", "--snapshot", "snap", *words)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert message in done.err
    assert done.err.count("\n") == 1
    assert sorted(site.iterdir()) == before


def test_a_simulated_cycle_can_have_the_quotas_of_the_same_share(call: Call, site: Path) -> None:
    words = ("simulate", "--snapshot", "snap", "--model", "new.toml")
    old, new = call(*words), call(*words, "--scale-quotas", "--json")

    assert (
        "the pool weighs 16 instead of 8, and quotas such as that of bio stay as they are"
        in old.err
    )
    assert new.err == ""
    groups = {group["name"]: group["limit"] for group in json.loads(new.out)["after"]["groups"]}
    assert groups["bio"] == 6
    alone = call("simulate", "--snapshot", "snap", "--scale-quotas")
    assert (alone.status, alone.out) == (EXIT_USAGE, "")


def test_a_pool_without_groups_has_none_to_write(call: Call, site: Path) -> None:
    (site / "snap/config.txt").write_text("")
    done = call("migrate", "--model", "new.toml", "--snapshot", "snap", "--write-groups", "x.toml")

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert "has no groups" in done.err
    assert not (site / "x.toml").exists()
