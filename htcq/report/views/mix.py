"""What a mix of jobs asks of a fleet, which asset is scarce for it, and which weights would say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TextIO

from htcq.capacity.scarcity import AssetDemand, Scarcity
from htcq.capacity.shape import Shape
from htcq.report.terminal import show_table
from htcq.units import show_amount, show_number, show_weight


@dataclass(frozen=True)
class Mix:
    """The shapes of a mix, of which the first ``planned`` stand in the plan; ``left_out`` jobs could not be used."""

    shapes: tuple[Shape, ...]
    planned: int
    left_out: int
    scarcity: Scarcity | None

    @property
    def jobs(self) -> int:
        """How many jobs the shapes stand for."""
        return sum(shape.count for shape in self.shapes)


def mix_json(mix: Mix | None) -> dict[str, Any] | None:
    """Return the mix; amounts in HTCondor's units, cpus in cores, weights as a site file takes them."""
    if mix is None:
        return None
    found = mix.scarcity
    return {
        "jobs": mix.jobs,
        "shapes": len(mix.shapes),
        "left_out": mix.left_out,
        "unfit": found.unfit if found else mix.jobs,
        "scarcest": found.scarcest.asset if found else None,
        "assets": [
            {"asset": each.asset, "asked": each.asked, "there": each.there, "ratio": each.ratio}
            for each in (found.demands if found else ())
        ],
        "weights": {
            asset: show_weight(asset, price)
            for asset, price in (found.prices if found else {}).items()
        },
    }


def show_mix(mix: Mix | None, stream: TextIO) -> None:
    """Write what the mix asks for as a table, and which asset is scarce."""
    if mix is None:
        return
    print(file=stream)
    found = mix.scarcity
    rows = [_row(each) for each in (found.demands if found else ())]
    title = f"{mix.jobs} jobs of {len(mix.shapes)} shapes, all at once"
    show_table(title, ("ASSET", "ASKED", "THERE", "ASKED/THERE"), rows, stream, right=(1, 2, 3))
    if found:
        weights = " ".join(
            f"--weight {asset}={show_weight(asset, price)}" for asset, price in found.prices.items()
        )
        print(f"{_verdict(found)}; weights that say so: {weights}", file=stream)
    if found is None or found.unfit:
        print(
            f"{found.unfit if found else mix.jobs} jobs fit on no node and are not counted",
            file=stream,
        )
    if mix.left_out:
        print(
            f"{mix.left_out} jobs are left out: they ask for something that is no number",
            file=stream,
        )
    if mix.planned < len(mix.shapes):
        print(
            f"the {mix.planned} most frequent of {len(mix.shapes)} shapes are planned above",
            file=stream,
        )


def _row(demand: AssetDemand) -> list[str]:
    asked, there = (show_amount(demand.asset, amount) for amount in (demand.asked, demand.there))
    return [demand.asset, asked, there, show_number(round(demand.ratio, 2))]


def _verdict(found: Scarcity) -> str:
    asset = found.scarcest.asset
    if found.scarcest.ratio <= 1:
        return f"no asset is short now; {asset} would be the first"
    return f"{asset} is the scarcest asset for these jobs"
