"""systemd itself has nothing to say against contrib/systemd, and rates the services as README says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contrib.commands import parsed

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "contrib/systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
TIMERS = sorted(path.name for path in UNITS.glob("*.timer"))
DROP_INS = sorted(path.relative_to(UNITS) for path in UNITS.glob("*.service.d/*.conf"))
COMMAND = re.compile(r"^ExecStart(?:Post)?=-?(\S.*)$", re.MULTILINE)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units with a program that is there in the place of htcq; systemd looks whether it is."""
    program = tmp_path / "htcq"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    place = tmp_path / "units"
    shutil.copytree(UNITS, place)
    for path in (*place.glob("*.service"), *place.glob("*.d/*.conf")):
        path.write_text(path.read_text().replace("/usr/bin/htcq ", f"{program} "))
    return place


def analyzed(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "MANPATH": str(ROOT / "man"),
        "LC_ALL": "C.UTF-8",
        "SYSTEMD_LOG_LEVEL": "info",
    }
    command = ["systemd-analyze", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, timeout=60
    )


@pytest.mark.parametrize("unit", [*SERVICES, *TIMERS])
@pytest.mark.parametrize("kept", range(len(DROP_INS) + 1))
def test_systemd_verifies_every_unit_with_and_without_drop_ins(
    unit: str, kept: int, units: Path
) -> None:
    for path in DROP_INS[kept:]:
        (units / path).unlink()
    done = analyzed("verify", str(units / unit))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "wrong", ["ProtectSystem=stict\n", "Documentation=man:htcq-nonsense(1)\n", "ExecStart=/none\n"]
)
def test_systemd_would_say_something(wrong: str, units: Path) -> None:
    path = units / SERVICES[0]
    path.write_text(
        re.sub(rf"^{wrong.partition('=')[0]}=.*\n", wrong, path.read_text(), flags=re.MULTILINE)
    )

    assert analyzed("verify", str(path)).stderr


@pytest.mark.parametrize(
    ("service", "exposure"),
    [
        ("htcq-drift.service", 11),
        ("htcq-drift-prune.service", 2),
        ("htcq-audit.service", 11),
        ("htcq-report.service", 11),
        ("htcq-elastic.service", 11),
        ("htcq-elastic-reclaim.service", 11),
        ("htcq-elastic-write.service", 18),
        ("htcq-elastic-deadman.service", 18),
    ],
)
def test_a_service_is_exposed_no_more_than_the_readme_says(
    service: str, exposure: int, units: Path
) -> None:
    done = analyzed(
        "security", "--offline=yes", "--no-pager", f"--threshold={exposure}", str(units / service)
    )
    too_much = analyzed(
        "security",
        "--offline=yes",
        "--no-pager",
        f"--threshold={exposure - 1}",
        str(units / service),
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert too_much.returncode != 0
    assert f"{exposure / 10:g}" in (UNITS / "README.md").read_text()


def test_every_service_has_its_timer_or_is_started_by_one_that_has() -> None:
    timed = [name.replace(".timer", ".service") for name in TIMERS]
    started = re.findall(
        r"^OnSuccess=(.*)$", "".join((UNITS / name).read_text() for name in timed), re.MULTILINE
    )

    assert sorted([*timed, *started]) == SERVICES


def test_only_the_writer_and_the_dead_man_of_elastic_quotas_are_root() -> None:
    users = {
        name: re.findall(r"^User=(.*)$", (UNITS / name).read_text(), re.MULTILINE)
        for name in SERVICES
    }

    assert {name for name, user in users.items() if user != ["htcq"]} == {
        "htcq-elastic-deadman.service",
        "htcq-elastic-write.service",
    }


def test_the_writer_reads_the_plan_where_the_planner_puts_it() -> None:
    plan, write = ((UNITS / f"htcq-elastic{what}.service").read_text() for what in ("", "-write"))
    (saved,) = re.findall(r"--save (\S+)", plan)
    (taken,) = re.findall(r"--from (\S+)", write)

    assert saved == taken
    assert f"RuntimeDirectory={Path(saved).parent.name}\n" in plan
    assert re.findall(r"--planner (\S+)", write) == re.findall(r"^User=(.*)$", plan, re.MULTILINE)


def test_the_account_is_made_by_systemd(tmp_path: Path) -> None:
    """In a root directory of its own, without a password and without a shell."""
    (tmp_path / "etc").mkdir()
    subprocess.run(
        ["systemd-sysusers", f"--root={tmp_path}", str(UNITS / "htcq.conf")], check=True, timeout=60
    )
    (account,) = [
        line
        for line in (tmp_path / "etc/passwd").read_text().splitlines()
        if line.startswith("htcq:")
    ]

    assert account.split(":")[-1].endswith("nologin")
    assert 0 < int(account.split(":")[2]) < 1000


@pytest.mark.parametrize("path", [*SERVICES, *DROP_INS], ids=str)
def test_htcq_takes_every_command(path: str | Path) -> None:
    for command in COMMAND.findall((UNITS / path).read_text()):
        parsed(command)


@pytest.mark.parametrize("timer", TIMERS)
def test_systemd_understands_when_a_timer_is_due(timer: str) -> None:
    due = re.findall(r"^OnCalendar=(.*)$", (UNITS / timer).read_text(), re.MULTILINE)

    assert due
    assert analyzed("calendar", *due).returncode == 0
