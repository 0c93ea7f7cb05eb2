"""Names that strangers gave to jobs, users, slots, machines and groups steer no terminal, log or spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path

import pytest

from tests.audit.sites import (
    accounting,
    collected,
    collector,
    dynamic_slot,
    job,
    policy_slot,
    schedd,
    submitter,
)
from tests.cli.conftest import Call
from tests.cli.looks import snapshot

#: ESC, carriage return, a C1 control, a mark of direction, and a line break as ClassAds escape it.
ODD = "\x1b[2J\r\x9b1m\u202e\\nforged: line"
NAME = f"=cmd|calc{ODD}"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
RECORD = ("drift", "record", "--store", "drift.db", "--config", "/dev/null")
REPORT = (
    "drift",
    "report",
    "--store",
    "drift.db",
    "--config",
    "/dev/null",
    "--since",
    "2024-11-04",
)
COMMANDS = [
    ("audit",),
    ("audit", "--csv"),
    ("audit", "--lines"),
    ("audit", "--text"),
    ("audit", "--nagios"),
    ("why", "1.0"),
    ("why", "--all"),
    ("cost",),
    ("cost", "--csv"),
    ("quota",),
    ("quota", "--csv"),
    ("quota", "--tree"),
    ("simulate",),
    ("plan", "--jobs", "snap"),
    REPORT,
    (*REPORT, "--csv"),
    (*REPORT, "--mail"),
]


@pytest.fixture
def hostile(quiet_place: Path) -> Path:
    snap = quiet_place / "snap"
    snap.mkdir()
    text = f'"{NAME}"'
    ads = (
        collector(NAME), schedd(NAME), policy_slot(f"slot1@{NAME}", SlotWeight=f'strcat({text}, "x")'), policy_slot(),
        dynamic_slot(f"slot1_1@{NAME}", customer=f"{NAME}@site"), submitter(f"{NAME}@site", ScheddName=text),
        accounting(NAME, IsAccountingGroup="true", EffectiveQuota="1.0", SubtreeQuota="1.0", LastHeardFrom=1730707200),
        accounting("physics", IsAccountingGroup="true", EffectiveQuota="5.0", SubtreeQuota="5.0",
                   LastHeardFrom=1730707200),
    )  # fmt: skip
    (snap / "collector.ads").write_bytes(collected(ads).encode())
    jobs = (
        job(
            "1.0",
            Owner=text,
            User=text,
            AccountingGroup=text,
            Requirements=f"TARGET.Arch == {text}",
        ),
        job("2.0", Owner=text, AcctGroupUser=text, RequestGpus=f"{text}"),
    )
    (snap / "jobs.ads").write_bytes("\n".join(jobs).encode())
    (snap / "config.txt").write_text("GROUP_NAMES = physics\nGROUP_QUOTA_physics = 5\n")
    failed = [{"what": f"jobs of {NAME}", "why": NAME.replace("\\n", "\n")}]
    meta = {"schema": 1, "taken": "2024-11-04T08:00:00+00:00", "pool": NAME, "failed": failed}
    (snap / "meta.json").write_text(json.dumps(meta))
    return snap


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_what_strangers_wrote_is_spelled_out_and_no_formula(
    words: tuple[str, ...], hostile: Path, call: Call
) -> None:
    if words[0] == "drift":
        recorded = call(*RECORD, "--snapshot", snapshot(hostile.parent, machine=NAME), "-v")
        assert recorded.status == 0, recorded.err
        assert UNSEEN.search(recorded.out) is None
    else:
        words = (*words, "--snapshot", "snap")
    done = call(*words)

    assert done.out, done.err
    for text in (done.out, done.err):
        assert UNSEEN.search(text.replace(os.linesep, "\n")) is None
        assert not any(line.startswith("forged") for line in text.splitlines())
    if "--csv" in words:
        cells = [cell for row in csv.reader(io.StringIO(done.out)) for cell in row]
        assert not any(cell.startswith(("=", "@", "+", "\t")) for cell in cells)


def test_an_error_is_one_line_whatever_the_name_of_a_file_holds(call: Call) -> None:
    done = call("quota", "--snapshot", "a\nNov 22 sshd: forged\x1b[1A\u202e")

    assert done.err.count("\n") == 1
    assert UNSEEN.search(done.err) is None
