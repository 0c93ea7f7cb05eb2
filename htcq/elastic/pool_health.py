"""What one look at a pool saw that tells how far its numbers can be trusted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.pool.pool import Pool
from htcq.pool.record import Record
from htcq.pool.slot import DYNAMIC
from htcq.pool.slot_ages import SlotAges
from htcq.poolquota.published import Published, seconds_of
from htcq.quota.group_tree import ROOT

#: What machines and schedds are configured to do decides nothing here.
_DISPENSABLE = re.compile(r"configuration of |more configurations")
#: How the capture calls the jobs of one schedd.
_JOBS_OF = "jobs of "
_CYCLE_END = "LastNegotiationCycleEnd0"
_CYCLE_LENGTHS = ("LastNegotiationCyclePeriod0", "LastNegotiationCycleDuration0")
_INTERVAL = "NEGOTIATOR_INTERVAL"
#: Its default, in seconds (src/condor_utils/param_info.in).
USUAL_CYCLE = 60.0
#: A claim is kept for so many seconds for more jobs of its user (CLAIM_WORKLIFE of
#: src/condor_utils/param_info.in).
WORKLIFE = 1200
_WORKLIFE_KNOB = "CLAIM_WORKLIFE"


@dataclass(frozen=True)
class ScheddAds:
    """What is known of the schedds, by name.

    ``silent``: those that did not answer when they were asked for jobs, with the reason.
    ``claiming``: those for which slots are claimed, as the slots themselves say. ``busy``: those
    that have jobs, as they answered, or claim slots. ``wanting``: those whose submitter ads tell
    of jobs. ``heard``: when the collector heard of the oldest ad of each. A schedd ad and its
    submitter ads can come from anybody who may advertise; what slots say cannot.
    """

    silent: Mapping[str, str] = field(default_factory=dict)
    claiming: frozenset[str] = frozenset()
    busy: frozenset[str] = frozenset()
    wanting: frozenset[str] = frozenset()
    heard: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PoolHealth:
    """How much was seen, and how old it is; times in seconds since 1970, by the clock of who says so.

    ``slots`` are those that are no part of others. ``heard`` are the least and the greatest time
    at which the collector heard of an ad, ``skews`` by daemon how far its clock was before the
    collector's then. ``cycle_end`` is the end of the last cycle, ``cycle_seconds`` how long it
    takes from one to the next. ``configured`` has the negotiator's knobs by name in capitals
    with their values and places. ``ceilings`` are those of submitters. ``worklife`` is
    CLAIM_WORKLIFE. ``missing`` has in sentences what could not be read, other than the jobs of
    single schedds; ``schedds`` are those that answered. ``slots_heard`` is when the collector
    heard of the oldest slot.
    """

    source: str
    taken_at: float | None
    negotiator: str
    negotiators: tuple[str, ...]
    slots: int
    schedds: int
    pool_weight: float
    heard: tuple[float, float] | None = None
    skews: Mapping[str, float] = field(default_factory=dict)
    cycle_end: float | None = None
    cycle_seconds: float = USUAL_CYCLE
    configured: Mapping[str, tuple[str, str]] | None = None
    ceilings: Mapping[str, float] = field(default_factory=dict)
    worklife: float = WORKLIFE
    missing: tuple[str, ...] = ()
    schedd_ads: ScheddAds = field(default_factory=ScheddAds)
    slots_heard: float | None = None


def sight_of(
    pool: Pool, negotiator: str, pool_weight: float, ages: SlotAges | None = None
) -> PoolHealth:
    """Return what ``pool`` tells of itself; ``negotiator`` is the one that counts, ``ages`` are those of its slots."""
    published = Published(pool, negotiator)
    heard = [*_heard(pool), *((ages.oldest, ages.newest) if ages is not None else ())]
    schedds = _schedd_ads(pool)
    configured = pool.central
    return PoolHealth(
        source=pool.source,
        taken_at=seconds_of(pool.taken_at),
        negotiator=negotiator or pool.negotiator,
        negotiators=tuple(sorted({record.name for record in pool.negotiators})),
        slots=sum(slot.type != DYNAMIC for slot in pool.slots or ()),
        schedds=len({record.name for record in pool.schedds} - set(schedds.silent)),
        pool_weight=pool_weight,
        heard=(min(heard), max(heard)) if heard else None,
        skews=dict(_skews(pool)),
        cycle_end=_cycle_end(pool, published),
        cycle_seconds=_cycle_seconds(pool, published),
        configured=None
        if configured is None
        else {key.upper(): (knob.value, knob.place) for key, knob in configured.knobs.items()},
        ceilings={name: float(ceiling) for name, ceiling in _ceilings(published)},
        worklife=_worklife(pool),
        missing=(*pool.damage, *_missing(pool)),
        schedd_ads=schedds,
        slots_heard=None if ages is None else ages.oldest,
    )


def _missing(pool: Pool) -> Iterator[str]:
    for what, why in pool.failed:
        if not _DISPENSABLE.search(what) and not what.startswith(_JOBS_OF):
            yield f"{what}: {why}"


def _schedd_ads(pool: Pool) -> ScheddAds:
    silent = {what[len(_JOBS_OF) :]: why for what, why in pool.failed if what.startswith(_JOBS_OF)}
    claiming = {str(slot.remote_schedd) for slot in pool.slots or () if slot.claimed}
    answered = {str(job.schedd) for job in pool.jobs or ()}
    heard: dict[str, float] = {}
    for record, name in _ads_of_schedds(pool):
        time = record.number("LastHeardFrom")
        if time is not None:
            heard[name] = min(heard.get(name, math.inf), float(time))
    return ScheddAds(
        silent=silent,
        claiming=frozenset(claiming),
        busy=frozenset(
            record.name for record in pool.schedds if record.name in claiming | answered
        ),
        wanting=frozenset(
            record.text("ScheddName") for record in pool.submitters if _wants(record)
        ),
        heard=heard,
    )


def _ads_of_schedds(pool: Pool) -> Iterator[tuple[Record, str]]:
    """Yield the ads that schedds send, with the name of the schedd."""
    for record in pool.schedds:
        yield record, record.name
    for record in pool.submitters:
        yield record, record.text("ScheddName")


def _wants(submitter: Record) -> bool:
    return any((submitter.number(name) or 0) > 0 for name in ("IdleJobs", "RunningJobs"))


def _heard(pool: Pool) -> Iterator[float]:
    for record in (*pool.schedds, *pool.submitters):
        time = record.number("LastHeardFrom")
        if time is not None and math.isfinite(time):
            yield float(time)


def _skews(pool: Pool) -> Iterator[tuple[str, float]]:
    """Yield by how much a daemon's own time was ahead of the collector's when that heard of it."""
    for record in (*pool.schedds, *pool.negotiators):
        own, heard = record.number("MyCurrentTime"), record.number("LastHeardFrom")
        if own is not None and heard is not None:
            yield record.name, float(own) - float(heard)


def _cycle_end(pool: Pool, published: Published) -> float | None:
    """Return when the last cycle ended: groups are published after each, the negotiator's own ad comes less often."""
    found: list[float] = []
    root = published.account(ROOT)
    records: list[tuple[Record, str]] = [(root, "LastHeardFrom")] if root is not None else []
    records += [
        (each, _CYCLE_END) for each in pool.negotiators if each.name == published.negotiator
    ]
    for record, attribute in records:
        time = record.number(attribute)
        if time is not None and math.isfinite(time):
            found.append(float(time))
    return max(found, default=None)


def _cycle_seconds(pool: Pool, published: Published) -> float:
    """Return how long it takes from cycle to cycle: as configured, or as long as the last one took."""
    found = [
        _number_of(pool.central.value(_INTERVAL, str(USUAL_CYCLE)))
        if pool.central is not None
        else USUAL_CYCLE
    ]
    for record in pool.negotiators:
        if record.name == published.negotiator:
            found += [float(record.number(name) or 0) for name in _CYCLE_LENGTHS]
    return max(1.0, *(each for each in found if math.isfinite(each)))


def _number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return USUAL_CYCLE


def _ceilings(published: Published) -> Iterator[tuple[str, float]]:
    for name, record in sorted(published.accounts.items()):
        ceiling = record.number("Ceiling")
        if ceiling is not None and ceiling >= 0 and "@" in name:
            yield name, float(ceiling)


def _worklife(pool: Pool) -> float:
    """Return CLAIM_WORKLIFE of the first machine whose configuration is known, else the central manager's."""
    for configuration in (*pool.execute.values(), pool.central):
        knob = configuration.knob(_WORKLIFE_KNOB) if configuration is not None else None
        if knob is not None:
            try:
                return float(knob.value)
            except ValueError:
                continue
    return float(WORKLIFE)
