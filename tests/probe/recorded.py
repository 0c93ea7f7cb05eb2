"""A recorded machine of tests/golden/nodes as the readers that htcq.probe asks.

A case is a directory: ``machine.json`` (files by path, psutil, nvml, free_kb by directory,
unreadable paths), ``commands/TOOL.txt`` (what the tool printed; where ``TOOL.failed`` stands
beside it, it failed with that complaint), ``origin`` (where it comes from) and ``expected.json``
(what its documentation says the machine has, and why)."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq.errors import ProbeError
from htcq.probe.commands import Answer
from htcq.probe.machine import Machine

NODES = Path(__file__).parent.parent / "golden" / "nodes"
CASES = sorted(path.name for path in NODES.iterdir() if path.is_dir())


def expected(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((NODES / name / "expected.json").read_text())
    return facts


WORKING_NAMES = [name for name in CASES if "error" not in expected(name)]


@dataclass(frozen=True)
class Recording:
    """What was recorded, answering like the machine itself."""

    facts: Mapping[str, Any]
    commands: Path

    def read(self, path: str) -> str:
        if path in self.facts.get("unreadable", ()):
            raise PermissionError(13, "Permission denied", path)
        if path not in self.facts["files"]:
            raise FileNotFoundError(2, "No such file or directory", path)
        text = self.facts["files"][path]
        return text if isinstance(text, str) else "\n".join(text) + "\n"

    def match(self, pattern: str) -> tuple[str, ...]:
        depth = pattern.count("/") + 1
        known = {
            "/".join(path.split("/")[:depth])
            for path in (*self.facts["files"], *self.facts["free_kb"])
        }
        return tuple(sorted(path for path in known if fnmatch.fnmatchcase(path, pattern)))

    def command(self, words: Sequence[str]) -> Answer | None:
        printed = self.commands / f"{Path(words[0]).name}.txt"
        failed = printed.with_suffix(".failed")
        if failed.exists():
            return Answer(1, "", " ".join(failed.read_text().split()))
        return Answer(0, printed.read_text()) if printed.exists() else None

    def free_kb(self, path: str) -> int:
        if path not in self.facts["free_kb"]:
            raise FileNotFoundError(2, "No such file or directory", path)
        size: int = self.facts["free_kb"][path]
        return size

    def psutil(self) -> Mapping[str, Any]:
        told: Mapping[str, Any] | None = self.facts.get("psutil")
        if told is None:
            raise ProbeError("psutil: No module named 'psutil'")
        return told

    def nvml(self) -> Mapping[str, Any]:
        told: Mapping[str, Any] = self.facts.get("nvml") or {}
        if "error" in told:
            raise ProbeError(told["error"])
        return told


def machine_from(facts: Mapping[str, Any], commands: Path = NODES / "none") -> Machine:
    """Return the readers of the machine that ``facts`` (one machine.json) and ``commands`` (a directory) record."""
    record = Recording(facts, commands)
    return Machine(
        record.read, record.match, record.command, record.free_kb, record.psutil, record.nvml
    )


def recorded_machine(name: str) -> Machine:
    return recorded_in(NODES / name)


def recorded_in(directory: Path) -> Machine:
    return machine_from(
        json.loads((directory / "machine.json").read_text()), directory / "commands"
    )
