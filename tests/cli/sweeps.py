"""Sweeps that are run, interrupted and killed: what starts them, and what is left of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.cli.conftest import ROOT

Found = TypeVar("Found")


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start htcq in this directory; SIGINT ends it even where the tests themselves ignore that."""
    command = ["/usr/bin/env", "--default-signal=INT", sys.executable, "-m", "htcq", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def until(predicate: Callable[[], Found], what: str) -> Found:
    """Return the first true answer of ``predicate``."""
    deadline = time.monotonic() + 60
    while True:
        found = predicate()
        if found:
            return found
        assert time.monotonic() < deadline, f"no sign of {what}"
        time.sleep(0.002)


def children(pid: int) -> list[int]:
    """Return the living children of a process, and theirs."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == pid and fields[0] not in "ZX":
                found += [int(entry.name), *children(int(entry.name))]
    return found


def alive(pid: int) -> bool:
    """Return whether there is such a process that is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def kept(directory: Path) -> dict[str, Any]:
    """Return every result of a sweep by its item's name; each of them is whole."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(directory.glob("*.json"))}


def stamps(directory: Path) -> dict[str, int]:
    """Return when each result was written."""
    return {path.stem: path.stat().st_mtime_ns for path in directory.glob("*.json")}
