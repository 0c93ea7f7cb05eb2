"""What must not be told is not told, whatever somebody's snapshot holds: claim ids, tokens, passwords."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.sites import accounting, collected, collector, job, policy_slot, schedd, submitter

CLAIM = "<127.0.0.1:9618?addrs=127.0.0.1-9618>#1795202821#17#[Integrity=YES;]deadbeefcafe"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"
PASSWORD = "open-sesame-4711"
SECRETS = ("deadbeefcafe", "c2lnbmF0dXJl", PASSWORD)
#: Wrong in many ways, so that as much as possible of it is told.
SLOT = policy_slot(
    ClaimId=f'"{CLAIM}"',
    ClaimIdList=f'"{CLAIM}, {CLAIM}"',
    Capability=f'"{CLAIM}"',
    SlotWeight=f'ifThenElse(TARGET.Key == "{TOKEN}", NoSuchThing, Cpus / NoSuchThing)',
    Start=f'TARGET.SciToken == "{TOKEN}" || TARGET.Claim == "{CLAIM}"',
    ConsumptionGPUs=f'ifThenElse(TARGET.Claim == "{CLAIM}", TARGET.RequestGpu, undefined)',
)
JOB = job(
    ClaimId=f'"{CLAIM}"',
    Environment=f'"PASSWORD={PASSWORD}"',
    Requirements=f'TARGET.SciToken == "{TOKEN}" && TARGET.Nowhere == "{CLAIM}"',
)
CONFIG = f"""
SEC_PASSWORD = {PASSWORD}
SLOT_PASSWORD = {PASSWORD}
GROUP_NAMES = physics
GROUP_QOUTA_physics = {TOKEN}
GROUP_SORT_EXPR = strcmp("{CLAIM}", "x")
SLOT_WEIGHT = {TOKEN}
LOCAL_CONFIG_FILE = /usr/bin/config --password {PASSWORD} |
"""


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    where = tmp_path / "snap"
    where.mkdir()
    ads = [
        SLOT,
        submitter(Env=f'"{PASSWORD}"'),
        schedd(),
        collector(),
        accounting("ada@site", TransferKey=f'"{CLAIM}"'),
    ]
    (where / "collector.ads").write_text(collected(ads))
    (where / "jobs.ads").write_text(JOB)
    (where / "config.txt").write_text(CONFIG)
    return where


@pytest.mark.parametrize(
    "command",
    [
        *(
            ["audit", *form]
            for form in (
                [],
                ["--json"],
                ["--csv"],
                ["--lines"],
                ["--prometheus", "-"],
                ["--nagios"],
            )
        ),
        ["why", "ada"],
        ["why", "--all", "--json"],
        ["audit", "--html", "page.html"],
        ["cost"],
        ["cost", "--json"],
        ["cost", "--csv"],
    ],
    ids=" ".join,
)
def test_no_secret_of_a_snapshot_is_printed(
    command: list[str], snapshot: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *command, "--snapshot", str(snapshot)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    written = "".join(path.read_text() for path in tmp_path.glob("*.html"))
    told = done.stdout + done.stderr + written
    assert done.returncode in (0, 1, 2), done.stderr
    assert "slot1@node1" in told or "findings" in told or "ada" in told
    assert not [secret for secret in SECRETS if secret in told]
