"""How fast the models are: every job shape on every slot, in pure Python. ``python tests/benchmarks/model_rate.py``."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from htcq.capacity.fixed import Fixed
from htcq.capacity.minimum import MinimumCharge
from htcq.capacity.model import Model, match_cost, whole_request
from htcq.capacity.quantized import Quantized

TOTAL = {"cpus": 64, "memory": 262_144, "disk": 2_000_000_000, "gpus": 4}
MODELS: dict[str, Model] = {
    "minimum-charge": MinimumCharge({"cpus": 1, "memory": 4096, "disk": 30_000_000}),
    "quantized, min": Quantized({"cpus": 64, "memory": 60, "disk": 50}),
    "quantized, max": Quantized({"cpus": 64, "memory": 60, "disk": 50}, "max"),
    "fixed": Fixed(60),
}
SHAPES = tuple(
    {"cpus": cpus, "memory": memory, "disk": 1_000_000, "gpus": gpus}
    for cpus, memory, gpus in (
        *((1, memory, 0) for memory in (128, 2000, 4096, 9000, 40_000)),
        *((cpus, 4096 * cpus, 0) for cpus in (2, 8, 64)),
        (1, 4096, 1),
        (4, 20_000, 4),
    )
)
SLOTS = 100_000


def slots_of_a_pool(count: int) -> list[dict[str, int]]:
    """Return what is left on ``count`` slots; the same for every run."""
    dice = random.Random(1)
    return [
        {asset: dice.randint(0, amount) for asset, amount in TOTAL.items()} for _ in range(count)
    ]


def evaluate(model: Model, slots: Sequence[Mapping[str, int]]) -> int:
    """Return how many of all pairs of slot and shape would match; each match is priced."""
    matches = 0
    requests = [whole_request(shape, TOTAL) for shape in SHAPES]
    for left in slots:
        for request in requests:
            taken = model.consumption(request, left, TOTAL)
            if all(left[asset] >= amount for asset, amount in taken.items()):
                matches += match_cost(model, request, left, TOTAL) > 0
    return matches


def main() -> None:
    """Print the rate of every model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=SLOTS)
    slots = slots_of_a_pool(parser.parse_args().slots)
    for name, model in MODELS.items():
        begun = time.perf_counter()
        matches = evaluate(model, slots)
        seconds = time.perf_counter() - begun
        pairs = len(slots) * len(SHAPES)
        sys.stdout.write(
            f"{name:<16} {pairs} pairs, {matches} matches, {seconds:.2f} s, "
            f"{pairs / seconds:,.0f} pairs/s\n"
        )


if __name__ == "__main__":
    main()
