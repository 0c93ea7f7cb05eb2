"""``contrib/knobs`` on sources of a few lines: which names it finds, and since and until when they are read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().parents[2] / "contrib" / "knobs"
NEGOTIATOR, STARTD = "src/condor_negotiator.V6/matchmaker.cpp", "src/condor_startd.V6/ResMgr.cpp"
OLD = 'a = param("OLD_ONE"); b = param_integer ( "KEPT" , 1);\n'
NEW = """
// param("IN_A_COMMENT")
/* param("IN_ANOTHER") */
b = param_boolean(
    "KEPT", true);
std::string url("http://x"); param(url, "OF_THREE_ARGUMENTS");
c = param(name.c_str());
param_double((limit + "_LIMIT").c_str(), 0);
ad->LookupInteger(ATTR_JOB_PRIO, prio); EvalBool("WantThis", ad, x);
"""
ATTRIBUTES = '#define ATTR_JOB_PRIO  "JobPrio"\n'


def git(place: Path, *words: str) -> None:
    author = ("-c", "user.name=x", "-c", "user.email=x@x")
    subprocess.run(["git", *author, *words], cwd=place, check=True, capture_output=True)


def commit(place: Path, texts: dict[str, str], tag: str = "") -> None:
    for name, text in texts.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(place, "add", "-A")
    git(place, "commit", "-m", "x", "--allow-empty")
    if tag:
        git(place, "tag", tag)


def test_it_finds_the_names_that_daemons_read_by_version(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    commit(tmp_path, {NEGOTIATOR: OLD}, "v23.0.0")
    commit(tmp_path, {}, "v23.2.0-not-a-release")
    commit(tmp_path, {NEGOTIATOR: NEW}, "v23.10.1")
    startd = 'configInsert(ad, "POLICY", false); configInsert(ad, ATTR_RANK, false);\n'
    header = {"src/condor_includes/condor_attributes.h": ATTRIBUTES}
    commit(tmp_path, {STARTD: startd, **header})
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path), "--newest", "24.0.0"],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)

    negotiator = found["daemons"]["negotiator"]
    assert negotiator["knobs"] == {
        "KEPT": {"file": "matchmaker.cpp"},
        "OF_THREE_ARGUMENTS": {"file": "matchmaker.cpp", "since": "23.10.1"},
        "OLD_ONE": {"file": "matchmaker.cpp", "until": "23.0.0"},
        "WANTTHIS": {"file": "matchmaker.cpp", "since": "23.10.1"},
    }
    assert negotiator["computed"] == {
        "matchmaker.cpp": ['(limit + "_LIMIT").c_str(), 0', "name.c_str()"]
    }
    assert negotiator["attributes"] == ["JobPrio", "WantThis"]
    assert found["daemons"]["startd"]["knobs"] == {
        "POLICY": {"file": "ResMgr.cpp", "since": "24.0.0"}
    }
    assert found["daemons"]["startd"]["computed"] == {"ResMgr.cpp": ["ATTR_RANK"]}
    assert "24.0.0" in found["origin"]
