"""Balances of pools, and what must be true of each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from htcq.balance.amounts import Amounts, total_of
from htcq.balance.balance import Balance, balance_of
from htcq.balance.causes import RUNNING, STARTING, UNEXPLAINED, UNSLOTTED
from htcq.classads import as_number
from htcq.operations.pool_source import pool_of
from htcq.pool.pool import Pool
from htcq.pool.slot import DYNAMIC
from htcq.store.snapshot import open_snapshot
from htcq.units import CPUS, GPUS, MEMORY, attribute
from htcq.why.choice import all_idle
from htcq.why.verdict import Verdicts
from tests.docs.documents import ROOT
from tests.pool import negotiations

GOLDEN = ROOT / "tests" / "golden"
#: Every recorded pool that is a snapshot.
SNAPSHOTS = (
    *sorted((GOLDEN / "mixed-site").glob("*.tar.gz")),
    *sorted((GOLDEN / "drained").glob("*.tar.gz")),
    *sorted((GOLDEN / "old-classads").glob("*.tar.gz")),
    *(path for path in sorted((GOLDEN / "courses").iterdir()) if (path / "jobs.ads").exists()),
)


def pool_at(path: Path) -> Pool:
    """Return the pool of a snapshot."""
    return pool_of(open_snapshot(path), str(path))


def recorded() -> Iterator[tuple[str, Pool]]:
    """Yield every recorded pool by name."""
    for path in SNAPSHOTS:
        yield path.name, pool_at(path)
    for path in (*negotiations.CYCLES, *negotiations.FAMILIES):
        yield path.name, negotiations.whole_pool(path)


def hardware_of(pool: Pool) -> tuple[int | float, ...]:
    """Return the cpus, memory and GPUs of all slots at birth, as their own ads say.

    Pools where slots leave out a part of their machine say so themselves.
    """
    names = {str(slot.name) for slot in pool.slots or ()}
    sums: list[int | float] = [0, 0, 0]
    for slot in pool.slots or ():
        if slot.type == DYNAMIC and slot.parent in names:
            continue
        whole = slot.left() if slot.type == DYNAMIC or slot.claimed else slot.total()
        for place, asset in enumerate((CPUS, MEMORY, GPUS)):
            deleted = as_number(slot.frame.value(f"BrokenSlot{attribute(asset)}")) or 0
            sums[place] += (whole.get(asset) or 0) + deleted
    return tuple(sums)


def balanced(pool: Pool) -> Balance:
    """Return the balance of ``pool``."""
    return balance_of(Verdicts(pool))


def check(pool: Pool) -> Balance:
    """Return the balance of ``pool`` after a check that it adds up, and explains everything."""
    verdicts = Verdicts(pool)
    found = balance_of(verdicts)
    parts = [each.amounts for each in found.by]
    assert found.total.minus(total_of(parts)).is_nothing, found.by
    in_no_slot = found.of(UNSLOTTED)
    in_slots = found.total if in_no_slot is None else found.total.minus(in_no_slot.amounts)
    assert in_slots[1:] == hardware_of(pool)
    for kind in found.kinds:
        assert kind.total.minus(total_of(each.amounts for each in kind.by)).is_nothing
    assert found.total.minus(total_of(each.total for each in found.kinds)).is_nothing
    idle = all_idle(pool.jobs or ())
    assert found.demand is not None
    assert found.demand.jobs == len(idle) == sum(each.jobs for each in found.demand.by)
    assert sum(each.weight for each in found.demand.by) == found.demand.weight
    of_groups = [each.demand for each in found.groups if each.demand is not None]
    assert sum(each.jobs for each in of_groups) == len(idle)
    for cause in (RUNNING, STARTING):
        of_groups = total_of(
            each.amounts for group in found.groups for each in group.by if each.cause == cause
        )
        whole = found.of(cause)
        amounts = Amounts() if whole is None else whole.amounts
        assert amounts.minus(of_groups).is_nothing, cause
    assert found.of(UNEXPLAINED) is None
    assert found.demand.of(UNEXPLAINED) is None
    return found
