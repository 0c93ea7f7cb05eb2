"""What a pool says of its startds and of its jobs, as plain records.

It is evaluated in a confined process; the command, which may write files, gets numbers and names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from htcq.errors import InputError
from htcq.operations.handed_over import record_of
from htcq.operations.health import told_ailments
from htcq.operations.pool_source import Source, evaluated_from, open_source, read_open
from htcq.pool.autocluster import Autocluster, autoclusters_of
from htcq.pool.pool import Pool
from htcq.poolquota.ailment import Ailment
from htcq.simulate.captured_nodes import Startd, startds_of
from htcq.units import BUILT_IN_ASSETS


@dataclass(frozen=True)
class SeenStartds:
    """The startds of a pool, and what is wrong with its daemons."""

    startds: tuple[Startd, ...]
    health: tuple[Ailment, ...]


@dataclass(frozen=True)
class Requested:
    """So many jobs that ask for the same amounts, in HTCondor's units."""

    amounts: Mapping[str, float]
    count: int


@dataclass(frozen=True)
class SeenJobs:
    """What jobs ask for, the most frequent first.

    ``left_out`` is the number of jobs with a request that is no number.
    """

    requests: tuple[Requested, ...]
    left_out: int


def seen_startds(source: Source) -> SeenStartds:
    """Return the startds of the pool ``source``, and tell what is wrong with its daemons.

    Raises:
        HtcqError: the pool cannot be read.
    """
    opened = open_source(source)

    def look() -> SeenStartds:
        pool = read_open(opened)
        return SeenStartds(startds_of(pool.slots or ()), told_ailments(pool))

    seen: SeenStartds = record_of(SeenStartds, evaluated_from([opened], look))
    return seen


def seen_jobs(source: Source, assets: Collection[str]) -> SeenJobs:
    """Return what the idle and running jobs of ``source`` ask for, on nodes that have ``assets``.

    A request for anything else than an asset of the nodes and HTCondor's own is not counted.

    Raises:
        HtcqError: there is no snapshot, or it has no jobs.
    """
    opened = open_source(source)
    found = evaluated_from(
        [opened], lambda: _requests_in(read_open(opened, partly=True), source.name, assets)
    )
    seen: SeenJobs = record_of(SeenJobs, found)
    return seen


def _requests_in(pool: Pool, name: str, assets: Collection[str]) -> SeenJobs:
    if pool.jobs is None:
        raise InputError(f"--jobs {name}: it has no jobs", "jobs.ads of a snapshot holds them")
    counts: dict[tuple[tuple[str, int | float], ...], int] = {}
    left_out = 0
    for each in autoclusters_of(pool.jobs):
        number = sum(each.idle.values()) + sum(each.running.values())
        asked = _asked(each, assets)
        if asked is None:
            left_out += number
        else:
            key = tuple(sorted(asked.items()))
            counts[key] = counts.get(key, 0) + number
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return SeenJobs(tuple(Requested(dict(asked), number) for asked, number in ranked), left_out)


def _asked(jobs: Autocluster, assets: Collection[str]) -> dict[str, int | float] | None:
    """Return what jobs ask for; None where one of the requests is no number."""
    asked: dict[str, int | float] = {}
    for asset, amount in jobs.request.items():
        # What a job does not ask for is asked for by the schedd's defaults.
        if asset not in (*BUILT_IN_ASSETS, *assets) or f"request{asset}" not in jobs.frame.texts:
            continue
        if amount is None or amount < 0:
            return None
        asked[asset] = amount
    return asked
