"""What the history of ``htcq drift`` costs: its size, the time of one recording, the time to read it.

A week of observations of many groups, every five minutes, is made up from a seed: usage and
demand that wander, groups that sleep, quotas that are changed now and then. Each is recorded in
a session of its own, as a command does. With ``--ledger`` all groups have elastic quotas in
weight and gpus besides, and their ledger is kept and read. ``python
tests/benchmarks/drift_week.py [--groups N] [--days N] [--seed N] [--ledger] [FILE]``."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from htcq.drift.accounts import accounts, part_seconds
from htcq.drift.ledger import LedgerEntry
from htcq.drift.ledger_entries import entries
from htcq.drift.observation import DriftObservation, GroupObservation, QuotaSetting, WeightUse
from htcq.drift.retention import Retention
from htcq.drift.windows import windows
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.runtime import compute
from htcq.store.history import open_history

POOL, LOOK, DAY = "cm.example.org", 300, 86400
START = 1_800_057_600
#: A report shows no more points of a week than this.
POINTS = 300


def week(groups: int, days: int, seed: int, ledger: bool = False) -> Iterator[DriftObservation]:
    """Yield the observations of ``days`` days, with the ledger of elastic quotas if it is wanted."""
    chance = random.Random(seed)
    crowd = [_group(number, chance) for number in range(groups)]
    slots = 4000
    for number in range(1, days * DAY // LOOK + 1):
        crowd = [_later(each, chance) for each in crowd]
        slots += chance.choice((0,) * 30 + (-8, 8))
        weights = (
            WeightUse("Cpus", slots, 64.0 * slots),
            WeightUse("Cpus + 8 * GPUs", 120, 11520.0),
        )
        total = 64.0 * slots + 11520
        booked = _booked(crowd, total) if ledger else ()
        yield DriftObservation(
            POOL,
            "NEGOTIATOR",
            START + number * LOOK,
            total,
            tuple(crowd),
            weights,
            {},
            "slot weight",
            (),
            booked,
        )


def _booked(crowd: Sequence[GroupObservation], total: float) -> tuple[LedgerEntry, ...]:
    """Return the ledger: mins are the quotas, an eighth of the weight is that of GPUs, which have 8 each."""
    names = ("weight", "gpus")
    parts = {"weight": 1000.0, "gpus": 1 / 64}

    def amounts(value: float) -> dict[str, int]:
        return {name: int(value * parts[name]) for name in names}

    caps: dict[str, int | None] = dict.fromkeys(names)
    quotas = ElasticQuotas(
        tuple(
            ElasticGroup(f"team{number}", "", amounts(each.effective or 0), caps)
            for number, each in enumerate(crowd)
        )
    )
    used, request = (
        {f"team{number}": amounts(value) for number, value in enumerate(values)}
        for values in ([each.usage for each in crowd], [each.requested for each in crowd])
    )
    demand = ElasticDemand(amounts(total), request, used)
    return entries(quotas, demand, compute(quotas, demand))


def _group(number: int, chance: random.Random) -> GroupObservation:
    quota = float(chance.randrange(10, 2000))
    setting = QuotaSetting(quota, True, chance.random() < 0.5, False)
    usage = 0.0 if chance.random() < 0.3 else quota * chance.random()
    name = f"experiment{number % 20}.team{number}"
    return GroupObservation(name, setting, setting, quota, quota, quota, quota, usage)


def _later(group: GroupObservation, chance: random.Random) -> GroupObservation:
    if chance.random() < 1 / 3000:
        setting = replace(
            group.configured or QuotaSetting(0, True, False, False),
            quota=float(chance.randrange(2000)),
        )
        group = replace(group, configured=setting, effective=setting.quota, computed=setting.quota)
    if group.usage == 0 and chance.random() < 0.995:
        return group
    if chance.random() < 0.003:
        return replace(group, usage=0.0, idle=0.0, running=0.0, requested=0.0, allocated=0.0)
    usage = max(1.0, group.usage + chance.randrange(-40, 41) / chance.choice((1, 1, 2)))
    idle = max(0.0, group.idle + chance.randrange(-200, 201))
    return replace(
        group, usage=usage, idle=idle, running=usage, requested=usage + idle, allocated=usage
    )


def measure(path: Path, given: argparse.Namespace) -> None:
    """Print what was measured."""
    took = []
    for observation in week(given.groups, given.days, given.seed, given.ledger):
        begun = time.perf_counter()
        with open_history(path, writable=True) as history:
            history.record(observation)
        took.append(time.perf_counter() - begun)
    last = observation.time
    _say(f"{given.groups} groups, {len(took)} observations: {_megabytes(path)}")
    mean, late = (statistics.mean(part) * 1000 for part in (took, took[-100:]))
    _say(
        f"one recording: mean {mean:.0f} ms, of the last 100 {late:.0f} ms, longest "
        f"{max(took) * 1000:.0f} ms"
    )
    _read(path, last - 7 * DAY, last, "7 days")
    for name, retention in (
        ("hours", Retention(DAY, 90 * DAY, 400 * DAY)),
        ("days", Retention(DAY, DAY, 400 * DAY)),
    ):
        begun = time.perf_counter()
        with open_history(path, writable=True) as history:
            removed = history.prune(last, retention)
        _say(
            f"pruned to one day of looks and else {name} in {time.perf_counter() - begun:.1f} s: "
            f"{removed} rows fewer, "
            f"{_megabytes(path)}"
        )
    _read(path, last - 7 * DAY, last, "7 days, pruned")


def _read(path: Path, since: int, until: int, what: str) -> None:
    step = (until - since) // POINTS
    for name, width in (("every sample", 1), (f"in steps of {step} s", step)):
        begun = time.perf_counter()
        with open_history(path) as history:
            found = list(history.samples(POOL, since, until, step=width))
            kept = history.kept(POOL, since, until)
        read = time.perf_counter() - begun
        windows(found, since, until)
        both = time.perf_counter() - begun
        _say(
            f"{what}, {name}: {len(found)} samples, {len(kept)} texts, {read:.1f} s, with "
            f"windows {both:.1f} s"
        )
    begun = time.perf_counter()
    with open_history(path) as history:
        booked = accounts(
            history.ledger(POOL, since, until, part_seconds(since, until)), since, until
        )
    if booked:
        _say(f"{what}, the ledger: {len(booked)} accounts in {time.perf_counter() - begun:.1f} s")


def _megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Measure once, in the file given, which must be new, or in a temporary one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--groups", type=int, default=300)
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ledger", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="drift-week-") as directory:
        measure((given.file or Path(directory) / "drift.db").resolve(), given)


if __name__ == "__main__":
    main()
