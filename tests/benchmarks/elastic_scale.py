"""How long elastic quotas take for large trees, what they need of memory, and how both grow with the groups.

The trees of ``--groups`` are ten deep, in six dimensions: two plain ones, cards of any kind and of
three kinds. Most groups want more than their min, some have jobs of their own above others, some
lend nothing. Beside them stand trees of one level, where all groups share with all. For each tree:
seconds of processor time to compute it, to compute it and tell all steps, and for the whole command
from its files; the most memory that Python held while it computed. The growth between two sizes is
the exponent of the time by the number of groups, beside that of n log n. The fastest of ``--runs``
counts; as in the command, Python collects no garbage.

``python tests/benchmarks/elastic_scale.py [--groups N ...] [--runs N]``
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import math
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from htcq.cli.main import run
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas
from htcq.quota.elastic.runtime import compute
from htcq.quota.elastic.steps import Trace

DEPTH, BELOW = 10, 3
KINDS = ("gpus:a100", "gpus:h100", "gpus:v100")
DIMENSIONS = ("cpus", "memory", "gpus", *KINDS)


class Tree(NamedTuple):
    """A tree to compute."""

    quotas: ElasticQuotas
    demand: ElasticDemand


class Cost(NamedTuple):
    """Seconds to compute, with all steps, and for the command; most bytes while computing; most passes of a share."""

    compute: float
    steps: float
    command: float
    peak: int
    passes: int


def deep(groups: int) -> Tree:
    """Return a tree of so many groups, ten deep; the same number gives the same tree."""
    dice = Random(groups)
    names: list[str] = []
    open_ = [f"g{index}" for index in range(max(2, groups // 500))]
    while len(names) < groups:
        name = open_.pop(dice.randrange(len(open_)))
        names.append(name)
        if name.count(".") < DEPTH - 1:
            open_.extend(f"{name}.{child}" for child in range(BELOW))
    return _tree(dice, names)


def wide(groups: int) -> Tree:
    """Return a tree of so many groups, all at the top level."""
    return _tree(Random(groups), [f"g{index}" for index in range(groups)])


def _tree(dice: Random, names: Sequence[str]) -> Tree:
    found = {}
    below: dict[str, list[str]] = {}
    for name in names:
        below.setdefault(name.rpartition(".")[0], []).append(name)
    mins: dict[str, dict[str, int]] = {}
    # A leaf has a min of its own, every other group what those below it have and a little more.
    for name in sorted(names, key=lambda each: -each.count(".")):
        mins[name] = {
            each: sum(mins[child][each] for child in below.get(name, ())) + dice.randint(0, 20)
            for each in DIMENSIONS
        }
        mins[name]["gpus"] = max(mins[name]["gpus"], sum(mins[name][kind] for kind in KINDS))
    for name in names:
        caps: dict[str, int | None] = {
            each: 2 * amount + 10_000 for each, amount in mins[name].items()
        }
        found[name] = ElasticGroup(
            name, name.rpartition(".")[0], mins[name], caps, lend=dice.random() < 0.9
        )
    request = {
        name: {each: dice.randint(0, 100) for each in DIMENSIONS}
        for name in names
        if name not in below or dice.random() < 0.2
    }
    used = {
        name: {each: dice.randint(0, amount) for each, amount in asked.items()}
        for name, asked in request.items()
    }
    promised = {each: sum(mins[name][each] for name in below[""]) for each in DIMENSIONS}
    total = {each: amount * 6 // 5 for each, amount in promised.items()}
    total["gpus"] = max(total["gpus"], sum(total[kind] for kind in KINDS))
    return Tree(ElasticQuotas(tuple(found.values())), ElasticDemand(total, request, used))


def written(tree: Tree, directory: Path) -> tuple[Path, Path]:
    """Write the files of the command."""
    lines = []
    for group in tree.quotas.groups:
        lines.append(f"[groups.{json.dumps(group.name)}]")
        for what, amounts in (("min", group.min), ("max", group.max)):
            lines.append(
                f"{what} = {{ "
                f"{', '.join(f'{json.dumps(key)} = {value}' for key, value in amounts.items())} "
                f"}}"
            )
        lines.append(f"lend = {str(group.lend).lower()}")
    quotas, demand = directory / "quotas.toml", directory / "demand.json"
    quotas.write_text("\n".join(lines), encoding="utf-8")
    given = {"total": tree.demand.total, "request": tree.demand.request, "used": tree.demand.used}
    demand.write_text(json.dumps(given), encoding="utf-8")
    return quotas, demand


def measure(tree: Tree, runs: int, directory: Path) -> Cost:
    """Return what one tree costs."""
    quotas, demand = written(tree, directory)

    def steps() -> None:
        outcome = compute(*tree)
        trace = Trace(outcome)
        for group in outcome.groups:
            for name in group.runtime:
                trace.steps(group.name, name)

    def command() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            status = run(
                ["elastic", "compute", "--quotas", str(quotas), "--demand", str(demand), "--json"]
            )
        if status:
            raise SystemExit(f"htcq elastic compute: status {status}")

    gc.disable()
    times = [_fastest(work, runs) for work in (lambda: compute(*tree), steps, command)]
    tracemalloc.start()
    outcome = compute(*tree)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Cost(
        times[0],
        times[1],
        times[2],
        peak,
        max(len(each.passes) for each in outcome.sharings.values()),
    )


def _fastest(work: Callable[[], object], runs: int) -> float:
    seconds = []
    for _ in range(runs):
        gc.collect()
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


def rows(shape: str, sizes: Sequence[int], costs: Sequence[Cost]) -> Iterator[tuple[str, ...]]:
    """Yield the table of one shape: a row for each size, then the growth from one size to the next."""
    yield (
        shape,
        "compute s",
        "per group us",
        "with steps s",
        "command s",
        "peak MiB",
        "most passes",
    )
    for size, cost in zip(sizes, costs):
        yield (
            f"{size} groups",
            f"{cost.compute:.3f}",
            f"{1e6 * cost.compute / size:.1f}",
            f"{cost.steps:.3f}",
            f"{cost.command:.3f}",
            f"{cost.peak / 2**20:.1f}",
            f"{cost.passes}",
        )
    yield ("growth, exponent of", "compute", "n log n", "with steps", "command", "memory", "")
    for index in range(1, len(sizes)):
        step = math.log(sizes[index] / sizes[index - 1])
        one, other = costs[index - 1], costs[index]
        bound = (
            math.log(
                sizes[index]
                * math.log(sizes[index])
                / (sizes[index - 1] * math.log(sizes[index - 1]))
            )
            / step
        )
        grown = (math.log(after / before) / step for before, after in zip(one[:4], other[:4]))
        compute_, steps, command, peak = (f"{each:.2f}" for each in grown)
        yield (
            f"{sizes[index - 1]} to {sizes[index]}",
            compute_,
            f"{bound:.2f}",
            steps,
            command,
            peak,
            "",
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure once."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", type=int, nargs="+", default=[100, 1000, 10_000], metavar="N")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    for name, make in (("ten deep", deep), ("one level", wide)):
        with tempfile.TemporaryDirectory(prefix="elastic-scale-") as directory:
            costs = [measure(make(groups), given.runs, Path(directory)) for groups in given.groups]
        for row in rows(name, given.groups, costs):
            sys.stdout.write("  ".join(f"{cell:>19}" for cell in row) + "\n")


if __name__ == "__main__":
    main()
