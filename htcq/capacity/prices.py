"""Weights for the linear model, found from what the nodes of a pool have.

Each asset is worth the same in all: half of the pool's weight stands for its cpus, half for its
memory, and a part for its GPUs, if it has any. The pool weighs what it has in cores, so that
quotas in cores keep their size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from htcq.errors import ModelError
from htcq.units import CPUS, GPUS, MEMORY, PER_GIB

#: Digits that a weight is rounded to: people write it into files.
_DIGITS = 6
#: Without a share of the site's own, GPUs are worth this part of what their nodes weigh, as cpus
#: and memory are.
_GPU_PART = Fraction(1, 3)
#: What is said where weights are found for one node.
FOR_ONE_NODE = (
    "These weights are for this node alone: 4 GiB would weigh 1 on one kind of node and 0.25 on "
    "another. "
    "All nodes of a pool need one site file; htcq plan --write-weights makes it."
)


def even_prices(
    nodes: Sequence[Mapping[str, int]], gpu_share: Fraction | None = None
) -> dict[str, Fraction]:
    """Return weights per core, MB and GPU for ``nodes``.

    Amounts are in HTCondor's units, cpus in cores.

    ``gpu_share`` is the part of the pool's weight that its GPUs stand for, from 0 to below 1.

    Raises:
        ModelError: there are no nodes, or the share is out of range or of GPUs that are not there.
    """
    if not nodes:
        raise ModelError("a fleet of no nodes has no weights", "give at least one node")
    cores = sum(node[CPUS] for node in nodes)
    memory = sum(node[MEMORY] for node in nodes)
    gpus = sum(node.get(GPUS, 0) for node in nodes)
    if gpu_share is None:
        with_gpus = sum(node[CPUS] for node in nodes if node.get(GPUS, 0))
        gpu_share = _GPU_PART * Fraction(with_gpus, cores)
    if not 0 <= gpu_share < 1:
        raise ModelError(
            f"--gpu-share {float(gpu_share):g}: must be from 0 to below 1", "such as 0.25"
        )
    if gpu_share and not gpus:
        raise ModelError("--gpu-share: no node has a GPU", "leave it out")
    each = (1 - gpu_share) / 2
    prices = {CPUS: rounded_price(CPUS, each), MEMORY: rounded_price(MEMORY, each * cores / memory)}
    if gpus:
        prices[GPUS] = rounded_price(GPUS, gpu_share * cores / gpus)
    return prices


def rounded_price(asset: str, price: Fraction) -> Fraction:
    """Return the weight of one HTCondor unit of ``asset``, rounded as it is written.

    Memory and disk are written for each GiB.
    """
    large = PER_GIB.get(asset, 1)
    return Fraction(f"{float(price * large):.{_DIGITS}g}") / large
