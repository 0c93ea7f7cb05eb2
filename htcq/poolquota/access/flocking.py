"""Other pools that access points send jobs to (FLOCK_TO), and whether any job runs there.

Follows src/condor_schedd.V6/schedd.cpp (InitializeFlocking, TotalFlockedJobs), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterable

from htcq.pool.configuration import Configuration
from htcq.pool.pool import Pool
from htcq.pool.record import Record


def flocks_to(configurations: Iterable[Configuration | None]) -> str:
    """Return the pools that access points with these configurations name; empty if none does."""
    pools = {each.value("FLOCK_TO").strip() for each in configurations if each is not None}
    return ", ".join(sorted(pool for pool in pools if pool))


def has_flocked(schedds: Iterable[Record]) -> bool:
    """Return whether jobs run in another pool, or it is not known whether any do."""
    numbers = [record.number("TotalFlockedJobs") for record in schedds]
    return not numbers or any(number is None or number > 0 for number in numbers)


def may_run_elsewhere(pool: Pool) -> bool:
    """Return whether jobs that no slot of ``pool`` takes may run in another one."""
    of_schedds = (pool.schedd_configuration(each.name) for each in pool.schedds)
    return bool(flocks_to((*pool.access.values(), *of_schedds))) and has_flocked(pool.schedds)
