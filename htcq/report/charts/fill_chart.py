"""The fill of machines as cells: one for each machine, or for several of a large pool."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from htcq.report.printable import one_line
from htcq.simulate.course.machines import Machine
from htcq.units import show_number

#: The maximum of cells in one picture.
MAX_CELLS = 400
#: In pixels: a cell, each of its two bars, and where the second one is.
_SIZE, _BAR, _SECOND = 20, 10, 10


@dataclass(frozen=True)
class Cell:
    """Machines that are about equally full.

    ``whole`` has the sums of their resources and of those in claims. ``first`` and ``last`` are the
    same name if it is one machine.
    """

    first: str
    last: str
    machines: int
    whole: Machine

    @property
    def name(self) -> str:
        """The machine, or how many and which."""
        if self.machines == 1:
            return one_line(self.first)
        return f"{self.machines} machines, {one_line(self.first)} to {one_line(self.last)}"

    @property
    def numbers(self) -> tuple[str, str, str, str]:
        """Its cpus in claims and at all, and the same of MB of memory, as texts."""
        whole = self.whole
        amounts = (whole.claimed_cpus, whole.cpus, whole.claimed_memory_mb, whole.memory_mb)
        cpus, every_cpu, memory, every_mb = (show_number(amount) for amount in amounts)
        return cpus, every_cpu, memory, every_mb


def cells(machines: Sequence[Machine], most: int = MAX_CELLS) -> Iterator[Cell]:
    """Yield at most ``most`` cells of ``machines``, the fullest first."""
    ordered = sorted(machines, key=lambda each: (-each.share, -each.memory_share, each.name))
    together = -(-len(ordered) // most)
    for first in range(0, len(ordered), together or 1):
        some = ordered[first : first + together]
        yield Cell(some[0].name, some[-1].name, len(some), _together(some))


def _together(machines: Sequence[Machine]) -> Machine:
    """Return the sums of several machines as one."""
    cpus = sum(machine.cpus for machine in machines)
    claimed_cpus = sum(machine.claimed_cpus for machine in machines)
    memory_mb = sum(machine.memory_mb for machine in machines)
    claimed_memory_mb = sum(machine.claimed_memory_mb for machine in machines)
    return Machine("", cpus, claimed_cpus, memory_mb, claimed_memory_mb)


def cell_picture(cell: Cell) -> str:
    """Return a cell as inline SVG; bars show the shares of cpus (left) and memory in claims."""
    cpus, every_cpu, memory, every_mb = cell.numbers
    told = f"{cell.name}: {cpus} of {every_cpu} cpus, {memory} of {every_mb} MB in claims"
    bars = _bar("used", 0, cell.whole.share) + _bar("memory", _SECOND, cell.whole.memory_share)
    return (
        f'<svg class="cell" role="img" width="{_SIZE}" height="{_SIZE}" focusable="false">'
        f"<title>{html.escape(told)}</title>{bars}</svg>"
    )


def _bar(kind: str, left: int, share: float) -> str:
    height = round(_SIZE * min(max(share, 0.0), 1.0), 1)
    if share > 0:
        height = max(height, 1.0)
    track = f'<rect class="track" x="{left}" width="{_BAR}" height="{_SIZE}"/>'
    top = round(_SIZE - height, 1)
    return (
        f'{track}<rect class="{kind}" x="{left}" y="{top:g}" width="{_BAR}" height="{height:g}"/>'
    )
