"""Print how far simulated cycles agree with the recorded ones of a real negotiator.

Run it with ``python -m tests.simulate.cycle.agreement``. Exit status: 0 where all agree, 1 where
one does not."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from htcq.report.terminal import show_table
from htcq.simulate.cycle.cycle import run_cycle
from htcq.simulate.cycle.trace import Trace
from tests.pool.negotiations import CYCLES, FAMILIES, expected, whole_pool

_HEADS = (
    "CYCLE", "SLOTS", "MATCHES", "BY\nSUBMITTER", "BY\nAUTOCLUSTER", "SLOTS\nIN ORDER",
    "CHARGED", "REJECTIONS", "LIMITS",
)  # fmt: skip


def agreement(path: Path) -> tuple[list[str], bool]:
    """Return the row of a recorded cycle, and whether everything in it agrees."""
    trace, record = run_cycle(whole_pool(path), expected(path)["submitter_order"]), expected(path)
    real = [(each["submitter"], each["request"], each["slot"]) for each in record["matches"]]
    ours = [(each.submitter, each.request, each.slot) for each in trace.matches]
    rejected = [
        (each["request"], each["submitter"], each["reason"]) for each in record["rejections"]
    ]
    used = {group.name: group.used_after for group in trace.groups}
    used.update((submitter.name, submitter.used_after) for submitter in trace.submitters)
    same = (
        Counter(each[0] for each in real) == Counter(each[0] for each in ours),
        Counter(each[:2] for each in real) == Counter(each[:2] for each in ours),
        real == ours,
        _close(record["usage_after"], used),
        rejected == [(each.job, each.submitter, each.reason) for each in trace.rejections],
        _close(_limits(record["group_limits"]), {each.name: each.limit for each in trace.groups}),
    )
    words = ["same" if each else "OTHER" for each in same]
    return [path.name, str(trace.slots), _matches(record, trace), *words], all(same)


def _matches(record: Mapping[str, Any], trace: Trace) -> str:
    return f"{len(trace.matches)} of {len(record['matches'])}"


def _limits(recorded: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the limit of each group's first turn; the record has those of all turns."""
    found: dict[str, float] = {}
    for each in recorded:
        found.setdefault(each["group"], float(each["limit"]))
    return found


def _close(record: Mapping[str, float], found: Mapping[str, float | None]) -> bool:
    """Return whether everything on record is found so: the negotiator's log has six digits."""
    return all(
        math.isclose(found.get(name) or 0.0, amount, rel_tol=1e-5, abs_tol=1e-6)
        for name, amount in record.items()
    )


def main() -> int:
    """Print the table."""
    found = [agreement(path) for path in (*CYCLES, *FAMILIES)]
    show_table("", _HEADS, [row for row, _ in found], sys.stdout, (1, 2))
    agree = sum(same for _, same in found)
    sys.stdout.write(f"\n{agree} of {len(found)} recorded cycles agree in everything\n")
    return 0 if agree == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
