"""What telling root causes from their consequences costs ``htcq audit``, beside the same audit without it, in one run.

Each root cause is one more look at the pool, with the cause mended, by the rules that found
something. The pool is one of ``tests/large_pool.py`` in which some knobs and machines are broken;
the garbage collector is off, as in ``htcq``.

``python tests/benchmarks/causes_rate.py [--slots N] [--runs N]``
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from htcq.audit import engine
from htcq.audit.catalog import rules_of_pools
from htcq.audit.evidence import Evidence
from htcq.audit.fix import Role, Setting
from htcq.audit.pool_with_settings import pool_with_settings
from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.store.snapshot import open_snapshot
from tests.large_pool import Size, write_snapshot

#: A handful of root causes of the central manager: a lost group, a misspelt one and a misspelt
#: knob, and no weights.
_BROKEN = """
GROUP_QUOTA_nosuchgroup = 100
NEGOTIATOR_DEPHT_FIRST = True
NEGOTIATOR_INTERVAL = 3600
NEGOTIATOR_USE_SLOT_WEIGHTS = False
"""
#: One machine in so many is closed, and one weighs otherwise.
_CLOSED, _ODD = 20, 30


class Costs(NamedTuple):
    """Processor seconds of an audit, and of one that looks for no root causes; how many of these were tried."""

    whole: float
    plain: float
    roots: int

    @property
    def ratio(self) -> float:
        """What the root causes cost, by what the rest of the audit costs."""
        return (self.whole - self.plain) / self.plain


def size_of_pool(slots: int) -> Size:
    """Return a pool of so many slots, with groups, users and jobs to match."""
    return Size(
        slots, submitters=max(10, slots // 100), groups=max(10, slots // 1700), jobs=slots * 2 // 5
    )


def broken_pool(directory: Path, size: Size) -> Pool:
    """Return a pool of that size in which a handful of things are broken."""
    write_snapshot(directory, size, seed=1)
    with (directory / "config.txt").open("a", encoding="ascii") as file:
        file.write(_BROKEN)
    pool = pool_of(open_snapshot(directory), str(directory))
    machines = tuple(dict.fromkeys(str(slot.machine) for slot in pool.slots or ()))
    closed = Setting(Role.EXECUTE, "START", "False", nodes=machines[::_CLOSED])
    odd = Setting(Role.EXECUTE, "SLOT_WEIGHT", "Cpus * 10", nodes=machines[1::_ODD])
    return pool_with_settings(pool, (closed, odd))


def measure(pool: Pool, runs: int = 3) -> Costs:
    """Return the medians of several runs, both kinds of audit in turn."""
    whole, plain = [], []
    roots = 0
    for _ in range(runs):
        with mock.patch.object(engine, "root_causes", return_value={}):
            plain.append(_seconds(pool))
        with mock.patch(
            "htcq.audit.evidence.pool_with_settings", wraps=pool_with_settings
        ) as trials:
            whole.append(_seconds(pool))
            roots = trials.call_count
    return Costs(statistics.median(whole), statistics.median(plain), roots)


def _seconds(pool: Pool) -> float:
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        engine.audit(Evidence(pool), rules_of_pools())
        return time.process_time() - begun
    finally:
        gc.enable()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure pools of some sizes, and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--slots", type=int, action="append", metavar="N", help="default: 5000 and 50000"
    )
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    sys.stdout.write("  slots  roots  audit s  without s  more by audit\n")
    for slots in given.slots or (5000, 50_000):
        with tempfile.TemporaryDirectory(prefix="causes-rate-") as directory:
            costs = measure(broken_pool(Path(directory), size_of_pool(slots)), given.runs)
        numbers = f"{costs.whole:7.2f}  {costs.plain:9.2f}  {costs.ratio:13.2f}"
        sys.stdout.write(f"{slots:7}  {costs.roots:5}  {numbers}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
