"""How long htcq takes for the group quotas of a large pool, beside a real negotiator's own time for a smaller one.

The negotiator goes through one cycle over a tree of ``--real`` groups, ten deep, with five
submitters each. Its log tells how long it was about the groups: from the first quota to the end of
the last round, with what it says of each group at the usual log level, without the time in which it
asks submitters for jobs. Then htcq computes the same tree and those of ``--groups``: the quotas
alone (``compute_quotas``), and all that comes before them, from the files of a snapshot. Everything
is measured in one run; of several ``--runs`` the fastest counts.

``python tests/benchmarks/quota_scale.py [--real N] [--groups N ...] [--runs N] [--suite sid]``,
as root."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "contrib" / "testpool"))
sys.path.insert(2, str(Path(__file__).resolve().parents[1] / "condor"))

from oracle import DAEMONS, SETTINGS, Oracle
from random_ads import slot_ad, submitter_ad
from random_groups import Case
from testpool import Pool

from htcq.audit.evidence import Evidence
from htcq.operations.pool_source import pool_of
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.condor import compute_quotas
from htcq.store.snapshot import open_snapshot

DEPTH, SUBMITTERS = 10, 5
_PATIENCE_SECONDS = 600.0
_STAMPED = re.compile(r"(\d\d/\d\d/\d\d \d\d:\d\d:\d\d\.\d+) (.*)")
_BEGIN, _ROUND_ENDS = "group quotas: assigning group quotas from", re.compile(r"Round \d+ totals:")
_TURN, _TURN_ENDS = " - BEGIN NEGOTIATION", "negotiateWithGroup resources used"


class Cost(NamedTuple):
    """Seconds for the groups of one tree: the quotas alone, and all from the files of a snapshot."""

    quotas: float
    snapshot: float


def large_case(groups: int) -> Case:
    """Return a pool of so many groups, each with a claim; most want more. The same number gives the same pool."""
    dice = Random(groups)
    names = list(_group_names(dice, groups))
    # The usual log level, with times to the millisecond.
    knobs = {
        "GROUP_NAMES": " ".join(names),
        "GROUP_ACCEPT_SURPLUS": "True",
        "NEGOTIATOR_DEBUG": "D_SUB_SECOND",
    }
    for name in names:
        static = dice.random() < 0.5
        quota = dice.randint(0, 50) if static else dice.randint(0, 9) / 10
        knobs[f"GROUP_QUOTA_{'' if static else 'DYNAMIC_'}{name}"] = str(quota)
    free = [slot_ad(f"slot1@free{number}", **_SLOT, Cpus=64) for number in range(groups // 4)]
    users = [f"{name}.user{number}@test" for name in names for number in range(SUBMITTERS)]
    busy = [
        slot_ad(
            f"slot1_1@busy{number}",
            **{**_SLOT, **_CLAIM},
            Cpus=dice.randint(1, 8),
            RemoteUser=f'"{user}"',
        )
        for number, user in enumerate(users[::SUBMITTERS])
    ]
    wanting = (
        submitter_ad(user, "access", IdleJobs=dice.randint(0, 60), RunningJobs=1) for user in users
    )
    return Case(f"{groups} groups", knobs, (*free, *busy), tuple(wanting))


_SLOT = {
    "Memory": 1024,
    "SlotWeight": "Cpus",
    "PartitionableSlot": "true",
    "State": '"Unclaimed"',
    "Activity": '"Idle"',
}
_CLAIM = {
    "PartitionableSlot": "false",
    "DynamicSlot": "true",
    "State": '"Claimed"',
    "Activity": '"Busy"',
}


def _group_names(dice: Random, count: int) -> Iterator[str]:
    """Yield so many names: three below each, until ten deep."""
    open_ = [f"g{index}" for index in range(max(2, count // 500))]
    for _ in range(count):
        name = open_.pop(dice.randrange(len(open_)))
        if name.count(".") < DEPTH - 1:
            open_.extend(f"{name}.{child}" for child in "abc")
        yield name


def negotiator_seconds(log: str) -> tuple[float, int]:
    """Return how long the negotiator was about the groups in the cycle of ``log``, and in how many rounds."""
    began = ended = asked = 0.0
    asking = rounds = 0
    for at, line in _stamped(log):
        if line.startswith(_BEGIN):
            began = at
        elif _TURN in line:
            asking, asked = 1, asked - at
        elif asking and _TURN_ENDS in line:
            asking, asked = 0, asked + at
        elif _ROUND_ENDS.match(line):
            ended, rounds = at, rounds + 1
    return ended - began - asked, rounds


def _stamped(log: str) -> Iterator[tuple[float, str]]:
    for line in log.splitlines():
        found = _STAMPED.match(line)
        if found:
            when = datetime.strptime(found.group(1), "%m/%d/%y %H:%M:%S.%f")  # noqa: DTZ007
            yield when.timestamp(), found.group(2).strip()


def htcq_cost(snapshot: Path, runs: int) -> Cost:
    """Return what htcq takes for the pool that ``snapshot`` holds."""

    def read() -> PoolQuotas:
        return Evidence(pool_of(open_snapshot(snapshot), str(snapshot))).quotas

    inputs = read().inputs
    return Cost(
        _fastest(lambda: compute_quotas(inputs), runs), _fastest(lambda: read().computed, runs)
    )


def _fastest(work: Callable[[], object], runs: int) -> float:
    seconds = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def real(case: Case, suite: str, runs: int, directory: Path) -> float:
    """Write the snapshot of ``case`` as real daemons see it; return the negotiator's seconds."""
    with Pool.start(suite=suite, settings=SETTINGS, daemons=DAEMONS) as pool:
        oracle = Oracle(pool, _PATIENCE_SECONDS)
        seconds = []
        for _ in range(runs):
            ads = oracle.prepare(case)
            took, rounds = negotiator_seconds(oracle.cycle())
            seconds.append(took)
        oracle.snapshot(directory, ads)
        sys.stdout.write(
            f"HTCondor {pool.record.version}: {rounds} rounds over {len(case.submitters)} "
            "submitters\n"
        )
    return min(seconds)


def written(case: Case, directory: Path) -> Path:
    """Write a snapshot of ``case`` without any daemon."""
    directory.mkdir()
    (directory / "collector.ads").write_text(
        "\n".join((*case.slots, *case.submitters)), encoding="utf-8"
    )
    knobs = "".join(f"{name} = {text}\n" for name, text in case.knobs.items())
    (directory / "config.txt").write_text(knobs, encoding="utf-8")
    return directory


def measure(given: argparse.Namespace, directory: Path) -> None:
    """Print what was measured, the growth last."""
    negotiator = real(large_case(given.real), given.suite, given.runs, directory / "real")
    same = htcq_cost(directory / "real", given.runs)
    _row(f"{given.real} groups", "seconds", "by the negotiator's")
    _row("negotiator", f"{negotiator:.3f}", "1")
    _row("htcq, quotas", f"{same.quotas:.3f}", f"{same.quotas / negotiator:.2f}")
    _row("htcq, snapshot", f"{same.snapshot:.3f}", f"{same.snapshot / negotiator:.2f}")
    _row(
        "groups",
        "quotas s",
        "per group ms",
        "snapshot s",
        "per group ms",
        f"quotas by {given.real} real",
    )
    for groups in given.groups:
        cost = htcq_cost(written(large_case(groups), directory / str(groups)), given.runs)
        each = (f"{1000 * seconds / groups:.3f}" for seconds in cost)
        _row(
            f"{groups}",
            f"{cost.quotas:.3f}",
            next(each),
            f"{cost.snapshot:.3f}",
            next(each),
            f"{cost.quotas / negotiator:.2f}",
        )


def _row(*cells: str) -> None:
    sys.stdout.write("  ".join(f"{cell:>19}" for cell in cells) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure once."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--real", type=int, default=2000, metavar="N", help="groups of the negotiator's tree"
    )
    parser.add_argument(
        "--groups",
        type=int,
        nargs="+",
        default=[100, 1000, 10_000],
        metavar="N",
        help="of htcq's trees",
    )
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--suite", default="sid")
    with tempfile.TemporaryDirectory(prefix="quota-scale-") as directory:
        measure(parser.parse_args(arguments), Path(directory))


if __name__ == "__main__":
    main()
