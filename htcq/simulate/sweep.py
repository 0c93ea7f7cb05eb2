"""What a sweep stands on, and what came of its items, each of which is one simulation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from htcq.settings.sweep_items import Item

SCHEMA = 1
#: How every message of htcq begins.
_SPEAKER = "htcq: "
_KEY_LENGTH = 16


@dataclass(frozen=True)
class Ground:
    """Base of all items: common options, the digest of the snapshot, and the version of htcq.

    ``files`` has the digests of all other files that options name; empty where one cannot be read.
    """

    arguments: tuple[str, ...]
    snapshot: str
    htcq: str
    files: Mapping[str, str] = field(default_factory=dict)

    def key(self, item: Item) -> str:
        """Return a short name of everything that the result of ``item`` depends on."""
        files = [self.files.get(name, "") for name in item.files]
        told = json.dumps([self.htcq, self.snapshot, self.arguments, item.arguments, files])
        return hashlib.sha256(told.encode()).hexdigest()[:_KEY_LENGTH]


@dataclass(frozen=True)
class Verdict:
    """What one run of a simulation left: its result, or in one line why there is none.

    ``exit_status`` is None where it did not end by itself.
    """

    exit_status: int | None = None
    result: Mapping[str, Any] | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.result is not None

    @property
    def fine(self) -> bool:
        """Whether there is a result, and the negotiator lives to the end of it."""
        return self.done and self.exit_status == EXIT_FINE

    @property
    def hopeless(self) -> bool:
        """Whether it would end so again."""
        return self.done or self.exit_status == EXIT_USAGE


@dataclass(frozen=True)
class Run:
    """What came of one item, after so many tries."""

    item: Item
    verdict: Verdict
    tries: int = 1


def judged(
    exit_status: int | None,
    printed: str,
    complaint: str,
    names: Mapping[str, str],
    ending: str = "",
) -> Verdict:
    """Return what came of a simulation by what it wrote on its two outputs.

    ``names`` are those of files where it looked at them, with those that the user gave them;
    ``ending`` says how it ended if it was not by itself.
    """
    for name, given in names.items():
        printed = printed.replace(json.dumps(name)[1:-1], json.dumps(given)[1:-1])
        complaint = complaint.replace(name, given)
    said = [line.removeprefix(_SPEAKER).strip() for line in complaint.splitlines() if line.strip()]
    result = _object(printed) if exit_status in (EXIT_FINE, EXIT_FINDINGS, EXIT_UNKNOWN) else None
    if result is not None:
        return Verdict(exit_status, result, warnings=tuple(said))
    last = said[-1] if said else ""
    reason = (
        ": ".join(filter(None, (ending, last))) or f"ended with status {exit_status} and no result"
    )
    return Verdict(exit_status, reason=reason)


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def record(run: Run, ground: Ground, key: str) -> dict[str, Any]:
    """Return ``run`` as it is kept and printed; htcq-simulate(1) lists the names."""
    return {
        "schema": SCHEMA,
        "name": run.item.name,
        "key": key,
        "htcq": ground.htcq,
        "snapshot": ground.snapshot,
        "arguments": [*ground.arguments, *run.item.arguments],
        "options": run.item.values,
        "exit_status": run.verdict.exit_status,
        "reason": run.verdict.reason,
        "warnings": list(run.verdict.warnings),
        "tries": run.tries,
        "result": run.verdict.result,
    }


def kept_run(item: Item, key: str, told: Mapping[str, Any]) -> Run | None:
    """Return the run of ``item`` that was kept as ``told``.

    It is None where that is another one, or none at all.
    """
    if told.get("schema") != SCHEMA or told.get("key") != key:
        return None
    result, warnings = told.get("result"), told.get("warnings")
    if not isinstance(result, (dict, type(None))) or not isinstance(warnings, list):
        return None
    verdict = Verdict(
        told.get("exit_status"), result, str(told.get("reason", "")), tuple(map(str, warnings))
    )
    tries = told.get("tries")
    return Run(item, verdict, tries if isinstance(tries, int) else 1)
