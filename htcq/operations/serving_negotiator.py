"""A pool with several central managers is looked at as the negotiator that serves sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from htcq.elastic.serving import Serving, serving
from htcq.errors import InputError, PoolError
from htcq.live.negotiators import this_machine_and_negotiators

if TYPE_CHECKING:
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.pool_source import Source
    from htcq.settings.elastic_write import WriteSettings


def serving_source(source: Source, settings: WriteSettings) -> tuple[Source, Serving | None]:
    """Return ``source`` with the negotiator that serves.

    Nothing is asked, and there is none, where the settings name no central managers, or the source
    is a snapshot.

    Raises:
        InputError: this machine is none of the central managers.
        PoolError: the pool does not answer, or none of them has a negotiator.
    """
    machines = settings.central_managers
    if not machines or source.snapshot:
        return source, None
    own, ads = this_machine_and_negotiators(source.pool, source.timeout)
    if own.lower() not in {machine.lower() for machine in machines}:
        raise InputError(
            f"this machine, {own}, is none of elastic.write.central_managers",
            f"they are {', '.join(machines)}; the name is FULL_HOSTNAME of HTCondor",
        )
    found = serving(ads, machines, own, source.negotiator)
    if found is None:
        raise PoolError(
            f"{source.pool or 'this pool'} has no negotiator on {' or '.join(machines)}",
            "is one of them running?",
        )
    return replace(source, negotiator=found.negotiator), found


def at_serving(source: Source, declared: Declared) -> tuple[Source, Declared, Serving | None]:
    """Return both with the negotiator that serves; see :func:`serving_source`."""
    source, found = serving_source(source, declared.settings)
    if found is not None:
        declared = replace(declared, negotiator=found.negotiator)
    return source, declared, found
