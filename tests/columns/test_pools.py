"""Tables made of the records of a pool: the values that the same records give with their own ads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from htcq.classads import UNDEFINED, Expr, Value
from htcq.columns.column import Cell
from htcq.columns.engine import Engine
from htcq.columns.table import Table
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.shared_attributes import SharedAttributes
from htcq.pool.slot import OWN, Slot
from tests.columns.ads import bits
from tests.pool.negotiations import CYCLES, FAMILIES, whole_pool

OF_SLOTS = (
    "Requirements",
    "Start",
    "SlotWeight",
    "Rank",
    "WithinResourceLimits",
    "ConsumptionCpus",
    "ConsumptionMemory",
)
OF_JOBS = ("Requirements", "Rank", "RequestCpus", "RequestMemory", "ConcurrencyLimits")
_MAX_JOBS = 6


def texts_of(frame: SharedAttributes) -> dict[str, str]:
    """Return the expressions of a frame as its ad has them: what would never end is an error."""
    frame.ad(())
    return {frame.names[key]: text for key, text in frame.texts.items()} | dict.fromkeys(
        frame.endless, "error"
    )


def _cell(value: Value) -> Cell:
    # An own attribute that is undefined uncovers the shared one.
    return None if value is UNDEFINED else value


def table_of_slots(engine: Engine, slots: Sequence[Slot]) -> Table:
    """Return the table of slots of one frame."""
    own = {name: [_cell(slot[place]) for slot in slots] for place, name in enumerate(OWN, 1)}  # type: ignore[misc]
    return engine.table(engine.schema(texts_of(slots[0].frame)), own, lambda row: slots[row].ad())


def table_of_jobs(engine: Engine, jobs: Autocluster) -> Table:
    """Return the table of the first job of a class."""
    own = {name: [_cell(value)] for name, value in jobs.first.own()}
    return engine.table(engine.schema(texts_of(jobs.frame)), own, lambda _: jobs.ad())


@pytest.mark.parametrize("path", [*CYCLES, *FAMILIES], ids=lambda path: path.name)
def test_the_records_of_a_pool_give_the_same_values(path: Path) -> None:
    engine = Engine()
    pool = whole_pool(path)
    by_frame: dict[int, list[Slot]] = {}
    for slot in pool.slots or ():
        by_frame.setdefault(id(slot.frame), []).append(slot)
    for slots in by_frame.values():
        table = table_of_slots(engine, slots)
        for jobs in autoclusters_of(pool.jobs or ())[:_MAX_JOBS]:
            job = table_of_jobs(engine, jobs)
            for name in OF_SLOTS:
                found = engine.evaluate(Expr(name), table, job).listed()
                truth = [Expr(name).evaluate(slot.ad(), jobs.ad()) for slot in slots]
                assert [*map(bits, found)] == [*map(bits, truth)], name
            for name in OF_JOBS:
                found = engine.evaluate(Expr(name), job, table).listed()
                truth = [Expr(name).evaluate(jobs.ad(), slot.ad()) for slot in slots]
                assert [*map(bits, found)] == [*map(bits, truth)], name
