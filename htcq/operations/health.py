"""The health of the pool in every command: it is printed first, and the exit status is 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from htcq.errors import (
    EXIT_FINDINGS,
    EXIT_FINE,
    EXIT_UNKNOWN,
    InputError,
    PoolError,
    UnreadableError,
)
from htcq.pool.files import CENTRAL, CHANGED, COLLECTOR_ADS, CONFIG, SLOTS
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.pool.pool import Pool
    from htcq.pool.slot import Slot
    from htcq.poolquota.ailment import Ailment


def told_ailments(pool: Pool) -> tuple[Ailment, ...]:
    """Return what is wrong with the daemons of ``pool``, after saying it on standard error."""
    # Little is imported before a pool was read: 'htcq emit' runs whenever a daemon reads its
    # configuration.
    from htcq.poolquota.health import ailments

    found = ailments(pool)
    tell_ailments(found, pool.source)
    return found


def tell_ailments(found: Sequence[Ailment], source: str) -> None:
    """Say on standard error what is wrong with the daemons of the pool ``source``."""
    for each in found:
        tell(f"htcq: {source}: {each.sentence}")


def marked(status: int, found: Sequence[Ailment]) -> int:
    """Return the exit status ``status``; unknown instead where the pool is not healthy."""
    if found and status in (EXIT_FINE, EXIT_FINDINGS):
        return EXIT_UNKNOWN
    return status


def check_readable(pool: Pool) -> None:
    """Refuse a pool whose central configuration is there and could not be read.

    Raises:
        UnreadableError: HTCondor's parser could not read it: no quota and no limit is known.
    """
    for file, why in pool.unread:
        if file in (CONFIG, CHANGED):
            raise UnreadableError(
                f"{pool.source}: {file}: {why}",
                "print it anew with 'condor_config_val -dump'; 'htcq audit' does without it",
            )


def check_configuration(pool: Pool) -> None:
    """Refuse a pool without the configuration of its central manager: groups and limits are there.

    Raises:
        PoolError: it is not known.
    """
    if pool.central is None:
        missing = f"{pool.source}: the central manager's configuration is not known"
        reasons = [why for what, why in pool.failed if what == CENTRAL]
        raise PoolError(
            ": ".join((missing, *reasons)),
            f"{CONFIG} of a snapshot is what 'condor_config_val -dump' prints there",
        )


def slots_of(pool: Pool, use: str) -> Sequence[Slot]:
    """Return the slots of ``pool``, of which there are some; ``use`` says what they are needed for.

    Raises:
        PoolError: they could not be read.
        InputError: a snapshot has none.
    """
    if pool.slots:
        return pool.slots
    reasons = [why for what, why in pool.failed if what == SLOTS]
    if reasons:
        told_ailments(pool)
        raise PoolError(f"{pool.source}: its slots are not known: {reasons[0]}", use)
    raise InputError(f"{pool.source} has no slots", f"{use}: {COLLECTOR_ADS} of a snapshot")


def check_jobs(pool: Pool) -> None:
    """Refuse a pool without queues: a cycle needs them.

    Raises:
        PoolError: they could not be read.
        InputError: a snapshot has none.
    """
    if pool.jobs is None and pool.failed:
        told_ailments(pool)
        raise PoolError(
            f"{pool.source}: its jobs are not known", "a cycle needs the queues of the schedds"
        )
    if pool.jobs is None:
        raise InputError(
            f"{pool.source} has no jobs", "a cycle needs the queues: jobs.ads of a snapshot"
        )
