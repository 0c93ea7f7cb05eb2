"""What a mix of jobs asks of a fleet, which asset is scarce for it, and which weights show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from htcq.capacity.scarcity import AssetDemand, Scarcity
from htcq.capacity.shape import Shape
from htcq.report.column import Column
from htcq.report.formats.json import row_json
from htcq.report.formats.text import show
from htcq.report.table import Table
from htcq.units import show_amount, show_number, show_weight


@dataclass(frozen=True)
class Mix:
    """The shapes of a mix, the most frequent first.

    The first ``planned`` stand in the plan; ``left_out`` jobs could not be used.
    """

    shapes: tuple[Shape, ...]
    planned: int
    left_out: int
    scarcity: Scarcity | None

    @property
    def jobs(self) -> int:
        """How many jobs the shapes stand for."""
        return sum(shape.count for shape in self.shapes)

    @property
    def demands(self) -> Sequence[AssetDemand]:
        """What the jobs that fit ask for; nothing where none fits."""
        if self.scarcity is None:
            return ()
        return self.scarcity.demands

    @property
    def unfit(self) -> int:
        """How many jobs fit on no node."""
        if self.scarcity is None:
            return self.jobs
        return self.scarcity.unfit

    @property
    def weights(self) -> Mapping[str, str]:
        """By asset, the weight that says how scarce it is, as a site file takes it."""
        if self.scarcity is None:
            return {}
        prices = self.scarcity.prices.items()
        return {asset: show_weight(asset, price) for asset, price in prices}


def _amount(
    name: str, read: Callable[[AssetDemand], float], heading: str, about: str
) -> Column[AssetDemand]:
    """Return the column of an amount of the asset."""
    return Column(name, read, heading, lambda row: show_amount(row.asset, read(row)), about,
                  right=True)  # fmt: skip


ASSETS: tuple[Column[AssetDemand], ...] = (
    Column("asset", lambda row: row.asset, "ASSET", about="The name of the asset."),
    _amount("asked", lambda row: row.asked, "ASKED", "How much all jobs ask for."),
    _amount("there", lambda row: row.there, "THERE", "How much the nodes have."),
    Column("ratio", lambda row: row.ratio, "ASKED/THERE",
           lambda row: show_number(round(row.ratio, 2)),
           "The quotient of the two; null where it has no bound.", right=True),
)  # fmt: skip


def mix_json(mix: Mix | None) -> dict[str, Any] | None:
    """Return the mix: amounts in HTCondor's units, cpus in cores, weights as in a site file."""
    if mix is None:
        return None
    scarcest = None
    if mix.scarcity is not None:
        scarcest = mix.scarcity.scarcest.asset
    return {
        "jobs": mix.jobs,
        "shapes": len(mix.shapes),
        "left_out": mix.left_out,
        "unfit": mix.unfit,
        "scarcest": scarcest,
        "assets": [row_json(ASSETS, each) for each in mix.demands],
        "weights": dict(mix.weights),
    }


def show_mix(mix: Mix | None, stream: TextIO) -> None:
    """Write what the mix asks for as a table, and which asset is scarce."""
    if mix is None:
        return
    print(file=stream)
    title = f"{mix.jobs} jobs of {len(mix.shapes)} shapes, all at once"
    show(Table(ASSETS, mix.demands, title, repeat=0), stream)
    for sentence in _sentences(mix):
        print(sentence, file=stream)


def _sentences(mix: Mix) -> Iterator[str]:
    shapes = len(mix.shapes)
    if mix.scarcity is not None:
        weights = " ".join(f"--weight {asset}={text}" for asset, text in mix.weights.items())
        yield f"{_verdict(mix.scarcity)}; weights that say so: {weights}"
    if mix.scarcity is None or mix.unfit:
        yield f"{mix.unfit} jobs fit on no node and are not counted"
    if mix.left_out:
        yield f"{mix.left_out} jobs are left out: they ask for something that is no number"
    if mix.planned < shapes:
        yield f"the {mix.planned} most frequent of {shapes} shapes are planned above"


def _verdict(found: Scarcity) -> str:
    asset = found.scarcest.asset
    if found.scarcest.ratio <= 1:
        return f"no asset is short now; {asset} would be the first"
    return f"{asset} is the scarcest asset for these jobs"
