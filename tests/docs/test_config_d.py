"""HTCondor's own parser takes the example files of contrib/config.d, and htcq takes the site file."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from htcq.cli.main import run
from htcq.errors import NESTED_VARIABLE
from tests.docs.documents import ROOT

EXAMPLES = ROOT / "contrib/config.d"
INCLUDE = EXAMPLES / "10-htcq-include.config"
SITE = EXAMPLES / "htcq.toml"
PROBE = ROOT / "contrib/startd_cron/60-htcq-probe.config"
KNOBS = ("SLOT_TYPE_1_PARTITIONABLE", "CONSUMPTION_POLICY", "SLOT_WEIGHT")
CRON = ("STARTD_CRON_JOBLIST", "STARTD_CRON_HTCQ_EXECUTABLE", "STARTD_CRON_HTCQ_PERIOD")
#: As a daemon reads its configuration; the parser ends the process where it refuses a text.
READER = (
    "import htcondor2, json, sys; print(json.dumps({name: htcondor2.param.get(name) for name in "
    "sys.argv[1:]}))"
)


@pytest.fixture
def node(tmp_path: Path) -> Path:
    path = tmp_path / "node.json"
    path.write_text('{"cpus": 16, "memory_mb": 65536, "disk_kb": 400000000}')
    return path


@pytest.fixture
def htcq(tmp_path: Path) -> Path:
    """This checkout's htcq as a program; HTCondor starts it without a shell."""
    program = tmp_path / "htcq"
    root, python = shlex.quote(str(ROOT)), shlex.quote(sys.executable)
    program.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {python} -m htcq "$@"\n')
    program.chmod(0o755)
    return program


def include(htcq: Path, node: Path) -> str:
    """Return the example with the places of this test instead of a site's."""
    text = INCLUDE.read_text(encoding="utf-8")
    for place, here in (
        ("/usr/bin/htcq", htcq),
        ("/etc/htcq/htcq.toml", SITE),
        ("/etc/htcq/node.json", node),
    ):
        assert place in text
        text = text.replace(place, str(here))
    return text


def reading(
    text: str, directory: Path, knobs: Sequence[str] = KNOBS, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Let HTCondor's parser read ``text`` and nothing else."""
    configuration = directory / "condor_config"
    configuration.write_text(text, encoding="utf-8")
    inherited = {
        name: value for name, value in os.environ.items() if not name.upper().startswith("_CONDOR_")
    }
    return subprocess.run(
        [sys.executable, "-c", READER, *knobs],
        env={**inherited, "CONDOR_CONFIG": str(configuration), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_htcondor_reads_the_policy_through_the_include_file(
    htcq: Path, node: Path, tmp_path: Path
) -> None:
    done = reading(include(htcq, node), tmp_path)
    values = json.loads(done.stdout)

    assert (values["SLOT_TYPE_1_PARTITIONABLE"], values["CONSUMPTION_POLICY"]) == ("True", True)
    assert "Memory / 4096.0" in values["SLOT_WEIGHT"]


def test_a_refusal_of_htcq_is_an_error_of_the_configuration(htcq: Path, tmp_path: Path) -> None:
    done = reading(include(htcq, tmp_path / "missing.json"), tmp_path)

    assert done.returncode != 0
    assert "htcq wrote no configuration" in done.stderr


def test_a_tool_that_htcq_runs_reads_the_file_without_the_policy(
    htcq: Path, node: Path, tmp_path: Path
) -> None:
    done = reading(include(htcq, node), tmp_path, **{NESTED_VARIABLE: "1"})

    assert json.loads(done.stdout)["SLOT_TYPE_1_PARTITIONABLE"] is None


def test_a_site_includes_a_file_as_it_would_use_a_template(tmp_path: Path) -> None:
    """What a site may set comes before the line; HTCondor has no ``use`` for templates of others."""
    site = f"HTCQ_PROGRAM = /opt/bin/htcq\ninclude : {PROBE}\n"
    done = reading(site, tmp_path, knobs=CRON)

    assert [each.strip() for each in json.loads(done.stdout).values()] == [
        "HTCQ",
        "/opt/bin/htcq",
        "1h",
    ]
    done = reading("use HTCQ : probe\n", tmp_path, knobs=CRON)
    assert (done.returncode != 0, "use HTCQ:probe" in done.stderr) == (True, True)


def test_every_file_of_a_package_says_that_it_is_overwritten() -> None:
    for path in (*EXAMPLES.glob("10-*.config"), PROBE):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# DO NOT EDIT: overwritten on upgrade."), path
        assert lines[1] == f"#   include : /usr/share/htcq/config.d/{path.name}"


def test_htcq_plans_by_the_site_file(node: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--node", str(node), "--config", str(SITE), "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)

    assert plan["weight"] == 32
    assert [job["fits"] for job in plan["jobs"]] == [16, 5, 2]
    assert [job["match_cost"] for job in plan["jobs"]] == [1.5, 4, 16]


MACHINES = (
    {"cpus": 8, "memory_mb": 16_384, "disk_kb": 20_000_000},
    {"cpus": 64, "memory_mb": 524_288, "disk_kb": 1_843_200_123},
    {"cpus": 96, "memory_mb": 385_117, "disk_kb": 1_843_200_123, "gpus": 4},
)


@pytest.mark.parametrize("own_jobs", [True, False])
def test_quotas_hold_with_the_site_file(
    own_jobs: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the packages install as an example is what htcq recommends, on any machine: for its jobs, and for others."""
    nodes: list[str] = []
    for number, facts in enumerate(MACHINES):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(facts))
        nodes += ["--node", str(path)]
    jobs = [] if own_jobs else ["--job", "cpus=1,memory=32GiB", "--job", "cpus=8,memory=1GiB"]

    assert run(["plan", *nodes, "--config", str(SITE), *jobs]) == 0
    told = capsys.readouterr().out
    assert "every charge equals its match cost: quotas hold on all kinds" in told
    assert "exceeded" not in told


def test_the_site_file_has_no_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "check", "--config", str(SITE)]) == 0
    assert "no mistake" in capsys.readouterr().out
