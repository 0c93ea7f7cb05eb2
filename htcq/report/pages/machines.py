"""The machines of a pool as a page: the kinds of node, and each machine with what it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from htcq.audit.facts import listed
from htcq.audit.stock import MachineStock, PoolStock, Stock, Stocks
from htcq.pool.pool import Pool
from htcq.report.charts.svg import stock_bar
from htcq.report.pages.listing import Cell, listing_page, section, table
from htcq.report.pages.site_pages import MACHINES
from htcq.units import CPUS, MEMORY, PER_GIB, counted

#: The words for assets, and how many HTCondor units one of them is.
WORDS = {"cpus": ("cores", 1), "memory": ("GiB of memory", PER_GIB[MEMORY]), "gpus": ("GPUs", 1)}
_PARTS = ("used", "free", "stranded", "closed")
#: An asset and a part of it: a column of a table.
_Amount = tuple[str, str]


def machines_page(stock: PoolStock, pool: Pool) -> str:
    """Return the page.

    Raises:
        TemplateError: its template cannot be rendered.
    """
    if pool.slots is None:
        told = ["The slot ads of the pool could not be read: nothing is known of its machines."]
        return listing_page(MACHINES, pool, told, [])
    told = [
        f"{counted(len(stock.machines), 'machine')} of {counted(len(stock.kinds), 'kind')}.",
        "Free is what no claim has. Stranded is the part of it on slots that none of the waiting "
        "jobs fit; memory that is left where all cores are used is not counted. Closed is what no "
        "job may use now: the slot is with its owner, draining or offline.",
    ]
    if pool.jobs is None:
        told.append("The jobs could not be read: what is stranded is not known.")
    amounts = _amounts(stock)
    kinds = table("kinds-table", "Kinds of node", _heads(amounts, "machines"), _kinds(stock))
    machines = table("machines-table", "Machines", _heads(amounts, "kind"), _machines(stock))
    sections = [
        section("kinds", "Kinds of node", tables=[kinds]),
        section("machines", "Machines", tables=[machines]),
    ]
    return listing_page(MACHINES, pool, told, sections)


def _amounts(stock: PoolStock) -> list[_Amount]:
    """Return what has a column: used and free, and all else of which the pool has anything."""
    found: list[_Amount] = []
    for asset in stock.assets:
        whole = stock.stocks[asset]
        parts = [part for part in _PARTS if part in ("used", "free") or getattr(whole, part)]
        found += [(asset, part) for part in parts]
    return found


def _heads(amounts: Sequence[_Amount], second: str) -> list[tuple[str, bool]]:
    numbers = [(f"{WORDS[asset][0]}, {part}", True) for asset, part in amounts]
    if second == "machines":
        return [("kind", False), (second, True), *numbers]
    return [("machine", False), (second, False), *numbers, ("too little", False)]


def _kinds(stock: PoolStock) -> Iterator[list[Cell]]:
    amounts = _amounts(stock)
    for kind in stock.kinds:
        numbers = _numbers(amounts, kind.stocks)
        yield [kind.name, (f"{kind.machines:,}", kind.machines), *numbers]


def _machines(stock: PoolStock) -> Iterator[list[Cell]]:
    amounts = _amounts(stock)
    for machine in sorted(stock.machines, key=_idle_first):
        yield [
            machine.name,
            machine.kind,
            *_numbers(amounts, machine.stocks),
            listed(machine.short),
        ]


def _idle_first(machine: MachineStock) -> tuple[float, float, str]:
    cpus = machine.stocks[CPUS]
    return (-cpus.stranded, -cpus.free, machine.name)


def _numbers(amounts: Sequence[_Amount], stocks: Stocks) -> list[Cell]:
    found: list[Cell] = []
    for asset, part in amounts:
        amount = float(getattr(stocks[asset], part))
        found.append((shown(asset, amount), amount))
    return found


def shown(asset: str, amount: float) -> str:
    """Return an amount in the unit of :data:`WORDS`."""
    return f"{amount / WORDS[asset][1]:,.1f}".removesuffix(".0")


def bar_of(asset: str, stock: Stock, name: str) -> str:
    """Return the bar of one asset: used, free, stranded and closed."""
    word = WORDS[asset][0]
    usable = max(0.0, float(stock.free) - float(stock.stranded))
    told = ", ".join(f"{shown(asset, float(getattr(stock, part)))} {part}" for part in _PARTS)
    whole = float(stock.whole) or 1.0
    shares = {
        "used": float(stock.used) / whole,
        "free": usable / whole,
        "stranded": float(stock.stranded) / whole,
        "closed": float(stock.closed) / whole,
    }
    return stock_bar(f"{name}, {word}: {told}", shares)
