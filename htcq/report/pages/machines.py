"""The machines of a pool as a page: the kinds of node, and each machine with what it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from htcq.balance.amounts import Amounts
from htcq.balance.balance import Balance
from htcq.balance.causes import FRAGMENTED, STRANDED, cause_type
from htcq.balance.machines import AREAS, CLOSED, FREE, USED, MachineBalance, area_of, by_area
from htcq.balance.standing import CauseAmount
from htcq.pool.pool import Pool
from htcq.report.charts.svg import parts_bar
from htcq.report.pages.listing import Cell, listing_page, section, table
from htcq.report.pages.site_pages import MACHINES
from htcq.units import CPUS, GPUS, MEMORY, PER_GIB, counted

#: The words for assets, and how many HTCondor units one of them is.
WORDS = {CPUS: ("cores", 1), MEMORY: ("GiB of memory", PER_GIB[MEMORY]), GPUS: ("GPUs", 1)}
_FIELDS = {CPUS: "cpus", MEMORY: "memory_mb", GPUS: "gpus"}
#: An asset and an area of it: a column of a table.
_Amount = tuple[str, str]
_Areas = Mapping[str, Amounts]


def machines_page(balance: Balance, pool: Pool) -> str:
    """Return the page.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    if pool.slots is None:
        told = ["The slot ads of the pool could not be read: nothing is known of its machines."]
        return listing_page(MACHINES, pool, told, [])
    told = [
        f"{counted(len(balance.machines), 'machine')} of {counted(len(balance.kinds), 'kind')}.",
        *(f"{area.capitalize()}: {cause_type(area).text}" for area in (STRANDED, FRAGMENTED)),
        "Closed is what no job may use now: drained, offline, stale, with its owner, closed by "
        "START or hidden from the negotiator. Free is all else that no claim has.",
    ]
    if pool.jobs is None:
        told.append("The jobs could not be read: what is stranded is not known.")
    amounts = list(_amounts(balance))
    kinds = table("kinds-table", "Kinds of node", _heads(amounts, "machines"),
                  _kinds(balance, amounts))  # fmt: skip
    rows = _machines(balance.machines, amounts)
    listed = table("machines-table", "Machines", _heads(amounts, "kind"), rows)
    sections = [
        section("kinds", "Kinds of node", tables=[kinds]),
        section("machines", "Machines", tables=[listed]),
    ]
    return listing_page(MACHINES, pool, told, sections)


def assets_of(total: Amounts) -> tuple[str, ...]:
    """Return the assets of which there is anything."""
    return tuple(asset for asset in WORDS if amount_of(asset, total))


def amount_of(asset: str, amounts: Amounts) -> float:
    """Return the amount of an asset, in HTCondor's unit."""
    return float(getattr(amounts, _FIELDS[asset]))


def machines_by_kind(machines: Iterable[MachineBalance]) -> Mapping[str, int]:
    """Return how many machines there are of each kind."""
    found: dict[str, int] = {}
    for each in machines:
        found[each.kind] = found.get(each.kind, 0) + 1
    return found


def _areas(by: Iterable[CauseAmount]) -> _Areas:
    return by_area((each.cause, each.amounts) for each in by)


def _amounts(balance: Balance) -> Iterator[_Amount]:
    """Yield what has a column: used and free, and all else of which the pool has anything."""
    whole = _areas(balance.by)
    for asset in assets_of(balance.total):
        for area in AREAS:
            if area in (USED, FREE) or amount_of(asset, whole[area]):
                yield asset, area


def _heads(amounts: Sequence[_Amount], second: str) -> list[tuple[str, bool]]:
    numbers = [(f"{WORDS[asset][0]}, {area}", True) for asset, area in amounts]
    if second == "machines":
        return [("kind", False), (second, True), *numbers]
    return [("machine", False), (second, False), *numbers, ("used up", False)]


def _kinds(balance: Balance, amounts: Sequence[_Amount]) -> Iterator[list[Cell]]:
    counts = machines_by_kind(balance.machines)
    for kind in balance.kinds:
        count = counts.get(kind.name, 0)
        yield [kind.name, (f"{count:,}", count), *_numbers(amounts, _areas(kind.by))]


def _machines(
    machines: Iterable[MachineBalance], amounts: Sequence[_Amount]
) -> Iterator[list[Cell]]:
    for each in sorted(machines, key=_idle_first):
        numbers = _numbers(amounts, each.areas)
        yield [each.name, each.kind, *numbers, ", ".join(each.lacks)]


def _idle_first(machine: MachineBalance) -> tuple[list[float], str]:
    return [-float(machine.areas[area].cpus) for area in (CLOSED, STRANDED, FREE)], machine.name


def _numbers(amounts: Sequence[_Amount], areas: _Areas) -> list[Cell]:
    found: list[Cell] = []
    for asset, area in amounts:
        amount = amount_of(asset, areas[area])
        found.append((shown(asset, amount), amount))
    return found


def shown(asset: str, amount: float) -> str:
    """Return an amount in the unit of :data:`WORDS`."""
    return f"{amount / WORDS[asset][1]:,.1f}".removesuffix(".0")


def causes_of(asset: str, by: Iterable[CauseAmount]) -> list[tuple[str, float, str]]:
    """Return area, amount and words of each cause with some of an asset, by area, most first."""
    found = [(area_of(each.cause), amount_of(asset, each.amounts), each.cause) for each in by]
    found = [each for each in found if shown(asset, each[1]) not in ("0", "-0")]
    found.sort(key=lambda each: (AREAS.index(each[0]), -each[1], each[2]))
    return [
        (area, amount, f"{shown(asset, amount)} {cause_type(cause).name}")
        for area, amount, cause in found
    ]


def bar_of(asset: str, total: Amounts, by: Iterable[CauseAmount], name: str) -> str:
    """Return the bar of one asset, with a part for each cause."""
    whole, causes = amount_of(asset, total) or 1.0, causes_of(asset, by)
    told = ", ".join(words for _, _, words in causes)
    parts = [(area, amount / whole, words) for area, amount, words in causes]
    return parts_bar(f"{name}, {WORDS[asset][0]}: {told}", parts)
