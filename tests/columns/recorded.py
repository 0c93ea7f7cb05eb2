"""Every expression of every recorded pool, by the engine and by the ClassAd library.

The expressions of slots (Requirements, Start, SlotWeight, Consumption*, Rank and all others) are
evaluated with each kind of job as TARGET, those of jobs with all slots. Slots are put together by
the text of their expressions, as a matchmaker would do it; the ads are whole, as they were
recorded. Attributes that are lists or ads are there for expressions, and no expressions themselves.

``python -m tests.columns.recorded`` prints, for each recorded pool, how many evaluations there
were and which part of them was left to the library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from htcq.classads import Ad, Expr, Missing, Value, literal, parsed
from htcq.columns.engine import Engine
from htcq.columns.table import Table
from htcq.pool.adtext import Damage, blocks
from htcq.pool.files import COLLECTOR_ADS, JOBS_ADS
from htcq.store.snapshot import open_snapshot
from tests.columns.ads import bits

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
#: Jobs that ask for the same are looked at once, and not more than this of a pool.
MAX_JOBS, MAX_SLOTS = 40, 200
_MACHINE = '"Machine"'
_CLOCK = Expr("time()")

Texts = dict[str, str]


class Counts(NamedTuple):
    """Evaluations of one pool; ``calls`` of single functions were made by the library besides."""

    expressions: int = 0
    evaluated: int = 0
    fell_back: int = 0
    calls: int = 0
    different: tuple[str, ...] = ()


def pools() -> list[Path]:
    """Return the directories of all recorded pools."""
    found = {path.parent for path in GOLDEN.rglob("collector.ads")}
    return sorted(found)


def archives() -> list[Path]:
    """Return the recorded pools that are archives."""
    return sorted((GOLDEN / "mixed-site").glob("*.tar.gz"))


def ads_in(text: bytes) -> Iterator[Texts]:
    """Yield the ads of a text: expressions by attribute."""
    for block in blocks([text], Damage()):
        lines = (line.partition("=") for line in block.decode("utf-8").splitlines())
        yield {name.strip(): value.strip() for name, equals, value in lines if equals}


def compared(collector: bytes, jobs: bytes) -> Counts:
    """Evaluate every expression both ways."""
    engine = Engine()
    slots = [ad for ad in ads_in(collector) if ad.get("MyType") == _MACHINE][:MAX_SLOTS]
    tables = [_table(engine, each) for each in _by_schema(slots).values()]
    queue = [_table(engine, [ad]) for ad in _unlike(list(ads_in(jobs)))]
    different: list[str] = []
    expressions = 0
    for slot_table, slot_names in tables:
        for job_table, job_names in queue:
            for my, names, target in (
                (slot_table, slot_names, job_table),
                (job_table, job_names, slot_table),
            ):
                expressions += len(names)
                different += _different(engine, names, my, target)
    return Counts(
        expressions, engine.evaluated, engine.fell_back, engine.library_calls, tuple(different)
    )


def _different(engine: Engine, names: list[str], my: Table, target: Table) -> Iterator[str]:
    for name in names:
        found, truth = _within_a_second(engine, Expr(name), my, target)
        for row, (one, other) in enumerate(zip(found, truth)):
            if bits(one) != bits(other):
                yield f"{name} of row {row} is {other!r}, not {one!r}"


def _within_a_second(
    engine: Engine, expression: Expr, my: Table, target: Table
) -> tuple[list[Value], list[Value]]:
    """Return the values of all rows by the engine and by the library, of one second of the clock."""
    while True:
        # The library's own clock: Python's runs some milliseconds ahead of it.
        second = _CLOCK.evaluate()
        found = engine.evaluate(expression, my, target).listed()
        truth = [expression.evaluate(my.ad(row), target.ad(row)) for row in range(len(found))]
        if _CLOCK.evaluate() == second:
            return found, truth


def _is_plain(text: str) -> bool:
    return literal(text) is not None


def _by_schema(ads: list[Texts]) -> dict[tuple[tuple[str, str], ...], list[Texts]]:
    """Return ads by their expressions."""
    found: dict[tuple[tuple[str, str], ...], list[Texts]] = {}
    for ad in ads:
        schema = tuple((name, text) for name, text in ad.items() if not _is_plain(text))
        found.setdefault(schema, []).append(ad)
    return found


def _unlike(ads: list[Texts]) -> list[Texts]:
    """Return some jobs, no two of which have the same expressions and requests."""
    found: dict[tuple[tuple[str, str], ...], Texts] = {}
    for ad in ads:
        told = {name: text for name, text in ad.items() if not _is_plain(text) or "Request" in name}
        found.setdefault(tuple(told.items()), ad)
    return list(found.values())[:MAX_JOBS]


def _table(engine: Engine, ads: list[Texts]) -> tuple[Table, list[str]]:
    """Return the table of ads with the same expressions, and the names of these."""
    shared = {name: text for name, text in ads[0].items() if not _is_plain(text)}
    plain = dict.fromkeys(name for ad in ads for name in ad if name not in shared)
    own = {name: [_cell(ad.get(name)) for ad in ads] for name in plain}
    native = [_ad(ad) for ad in ads]
    names_of_expressions = [name for name, text in shared.items() if text[:1] not in "{["]
    return engine.table(engine.schema(shared), own, native.__getitem__), names_of_expressions


def _cell(text: str | None) -> object:
    return None if text is None else literal(text)


def _ad(texts: Texts) -> Ad:
    ad = Ad()
    for name, text in texts.items():
        value = literal(text)
        plain = value is not None and not isinstance(value, Missing)
        ad[name] = value if plain else parsed(text) or Expr("error")
    return ad


def compared_pool(path: Path) -> Counts:
    """Return the counts of one recorded pool."""
    if path.is_dir():
        jobs = path / "jobs.ads"
        text = jobs.read_bytes() if jobs.is_file() else b""
        return compared((path / "collector.ads").read_bytes(), text)
    opened = open_snapshot(path)
    texts = [opened.chunks(name) for name in (COLLECTOR_ADS, JOBS_ADS)]
    collector, jobs = (b"".join(chunks()) if chunks else b"" for chunks in texts)
    return compared(collector, jobs)


def main() -> None:
    """Print a line for each recorded pool."""
    write = sys.stdout.write
    write("expressions  evaluated  fell back   share  functions  pool\n")
    total = Counts()
    for path in (*pools(), *archives()):
        counts = compared_pool(path)
        _print(counts, str(path.relative_to(GOLDEN)))
        for line in counts.different[:3]:
            write(f"  different: {line}\n")
        total = Counts(*(one + other for one, other in zip(total, counts)))
    _print(total, "all")


def _print(counts: Counts, name: str) -> None:
    share = counts.fell_back / max(1, counts.evaluated)
    sys.stdout.write(
        f"{counts.expressions:11}  {counts.evaluated:9}  {counts.fell_back:9}  {share:6.2%}"
        f"  {counts.calls:9}  {name}\n"
    )


if __name__ == "__main__":
    main()
