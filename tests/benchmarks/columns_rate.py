"""Conditions over slots of which no two are alike, by the columnar engine and by the ClassAd library.

The library evaluates pairs one by one, with ads that are ready; the engine gets a table that is
ready. Both evaluate a job's Requirements with all slots as TARGET, and the Requirements of all
slots with the job as TARGET.

``python tests/benchmarks/columns_rate.py [--slots N] [--jobs N] [--runs N]``
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from htcq.classads import Ad, Expr, holds
from htcq.columns.engine import Engine
from htcq.columns.table import Table

_REQUIREMENTS = (
    '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (TARGET.Disk >= RequestDisk) && '
    "(TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus) && (TARGET.HasFileTransfer)"
)
_SHARED = {
    "Start": "(TARGET.RequestMemory <= 65536) && (LoadAvg < 8 || TARGET.JobPrio > 5)",
    "Requirements": "(START) && (WithinResourceLimits)",
    "WithinResourceLimits": (
        "(MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0 && "
        "TARGET.RequestMemory <= MY.Memory && MY.Disk > 0 && TARGET.RequestDisk <= MY.Disk)"
    ),
    "HasFileTransfer": "true",
    "OpSys": '"LINUX"',
}
_EXPRESSION = Expr("Requirements")


class Rates(NamedTuple):
    """Seconds for one job with all slots: of the library, and of the engine."""

    library: float
    engine: float

    @property
    def ratio(self) -> float:
        """How many times as long the library takes."""
        return self.library / self.engine


def slots(count: int) -> dict[str, list[object]]:
    """Return the own attributes of slots of which no two are alike."""
    numbers = range(count)
    return {
        "Name": [f"slot1@node{number}.example.org" for number in numbers],
        "Machine": [f"node{number}.example.org" for number in numbers],
        "Arch": [("X86_64", "X86_64", "x86_64", "aarch64")[number % 4] for number in numbers],
        "Cpus": [number % 129 for number in numbers],
        "Memory": [1024 + 7 * number for number in numbers],
        "Disk": [1_000_000 + 13 * number for number in numbers],
        "LoadAvg": [number % 17 * 0.75 for number in numbers],
    }


def job(number: int) -> dict[str, object]:
    """Return the own attributes of a job."""
    return {
        "RequestCpus": 1 + number % 8,
        "RequestMemory": 2048 + 100 * number,
        "RequestDisk": 20 + number,
        "JobPrio": number % 10,
    }


def _ad(shared: dict[str, str], own: dict[str, object]) -> Ad:
    ad = Ad({name: Expr(text) for name, text in shared.items()})
    for name, value in own.items():
        ad[name] = value
    return ad


def measure(count: int, jobs: int = 5, runs: int = 3) -> Rates:
    """Return the medians for one job; both find the same matches."""
    own = slots(count)
    rows = [dict(zip(own, cells)) for cells in zip(*own.values())]
    ads = [_ad(_SHARED, row) for row in rows]
    job_ads = [_ad({"Requirements": _REQUIREMENTS}, job(number)) for number in range(jobs)]
    engine = Engine()
    table = engine.table(engine.schema(_SHARED), own)
    job_schema = engine.schema({"Requirements": _REQUIREMENTS})
    job_tables = [
        engine.table(job_schema, {name: [value] for name, value in job(number).items()})
        for number in range(jobs)
    ]
    library, columns = [], []
    for _ in range(runs):
        truth, seconds = _timed(lambda: [_by_library(each, ads) for each in job_ads])
        library.append(seconds / jobs)
        found, seconds = _timed(lambda: [_by_engine(engine, each, table) for each in job_tables])
        columns.append(seconds / jobs)
        assert found == truth
    assert engine.fell_back == 0
    return Rates(statistics.median(library), statistics.median(columns))


def _by_library(job_ad: Ad, ads: Sequence[Ad]) -> int:
    """Return with how many slots both Requirements hold."""
    return sum(
        holds(_EXPRESSION.evaluate(job_ad, ad)) & holds(_EXPRESSION.evaluate(ad, job_ad))
        for ad in ads
    )


def _by_engine(engine: Engine, job_table: Table, table: Table) -> int:
    wanted = engine.evaluate(_EXPRESSION, job_table, table).hold()
    willing = engine.evaluate(_EXPRESSION, table, job_table).hold()
    return int((wanted & willing).sum())


def _timed(work: Callable[[], list[int]]) -> tuple[list[int], float]:
    begun = time.process_time()
    found = work()
    return found, time.process_time() - begun


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure pools of some sizes, and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slots", type=int, action="append", metavar="N", help="default: 20000")
    parser.add_argument("--jobs", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    sys.stdout.write("  slots  library ms  engine ms   ratio\n")
    for count in given.slots or (100, 1000, 20_000):
        rates = measure(count, given.jobs, given.runs)
        times = f"{rates.library * 1e3:10.2f}  {rates.engine * 1e3:9.2f}"
        sys.stdout.write(f"{count:7}  {times}  {rates.ratio:6.0f}\n")


if __name__ == "__main__":
    main()
