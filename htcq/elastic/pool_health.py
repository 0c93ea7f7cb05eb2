"""The health of an observation: facts that show how far its numbers can be trusted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from htcq.classads import as_number
from htcq.elastic.cycle_pace import USUAL_CYCLE, WORKLIFE, pace_of
from htcq.elastic.idle_jobs import JOBS_OF
from htcq.elastic.usage_check import UsageSeen
from htcq.pool.daemons import before_dot
from htcq.pool.pool import Pool, seconds_of
from htcq.pool.record import Record
from htcq.pool.slot import DYNAMIC, Slot
from htcq.pool.slot_ages import SlotAges
from htcq.pool.weights import Weights
from htcq.poolquota.published import Published
from htcq.quota.group_tree import ROOT

#: The configuration of execution points and access points is not needed here.
_DISPENSABLE = re.compile(r"configuration of |more configurations")
_CYCLE_END = "LastNegotiationCycleEnd0"


@dataclass(frozen=True)
class ScheddAds:
    """Facts about the schedds, by name.

    ``silent``: those that did not answer a query of their jobs, with the reason. ``held``: the
    slot weight that is claimed for each, by the ads of the slots. ``busy``: those that have jobs by
    their own answer, or claim slots. ``known``: those that have an ad. ``heard``: when the
    collector received the oldest ad of each, in seconds since 1970. Anybody who may advertise can
    send a schedd ad or a submitter ad, but not a slot ad.
    """

    silent: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, float] = field(default_factory=dict)
    busy: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    heard: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PoolHealth:
    """Completeness and age of an observation.

    Times are in seconds since 1970, each by the clock of its source.

    ``slots`` leaves out dynamic slots; ``schedds`` are those that answered. ``heard`` is when the
    collector received the oldest and the newest ad; ``slots_heard`` has that time of each slot,
    with its weight. ``skews`` is, by daemon, how far its clock was ahead of the collector's.
    ``cycle_end`` is the end of the last cycle, ``cycle_seconds`` the time from one cycle to the
    next. ``configured`` has the negotiator's knobs by name in capitals, with value and place.
    ``ceilings`` are those of submitters. ``worklife`` is CLAIM_WORKLIFE. ``missing`` are sentences
    about what could not be read, other than the jobs of single schedds. ``usage`` is that of
    groups, by the slots and by the accountant.
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
    slots_heard: tuple[tuple[float, float], ...] = ()
    usage: UsageSeen = field(default_factory=UsageSeen)


def health_of(
    pool: Pool,
    negotiator: str,
    pool_weight: float,
    ages: SlotAges | None = None,
    usage: UsageSeen | None = None,
) -> PoolHealth:
    """Return the health of ``pool``, as ``negotiator`` sees it.

    ``ages`` are those of its slots, ``usage`` is that of its groups.
    """
    published, pace = Published(pool, negotiator), pace_of(pool, negotiator)
    weigh = Weights()
    heard = list(_heard(pool))
    weights = {str(slot.name): _weight(slot, weigh) for slot in pool.slots or ()}
    slots_heard: tuple[tuple[float, float], ...] = ()
    if ages is not None:
        heard += [ages.oldest, ages.newest]
        slots_heard = tuple((ages.heard.get(name, ages.oldest), weights[name]) for name in weights)
    range_heard = None
    if heard:
        range_heard = (min(heard), max(heard))
    schedds = _schedd_ads(pool, weights)
    return PoolHealth(
        source=pool.source,
        taken_at=seconds_of(pool.taken_at),
        negotiator=negotiator or pool.negotiator,
        negotiators=tuple(sorted({record.name for record in pool.negotiators})),
        slots=sum(slot.type != DYNAMIC for slot in pool.slots or ()),
        schedds=len({record.name for record in pool.schedds} - set(schedds.silent)),
        pool_weight=pool_weight,
        heard=range_heard,
        skews=dict(_skews(pool)),
        cycle_end=_cycle_end(pool, published),
        cycle_seconds=pace.cycle,
        configured=_configured(pool),
        ceilings={name: float(ceiling) for name, ceiling in _ceilings(published)},
        worklife=pace.worklife,
        missing=(*pool.damage, *_missing(pool)),
        schedd_ads=schedds,
        slots_heard=slots_heard,
        usage=usage or UsageSeen(),
    )


def _configured(pool: Pool) -> dict[str, tuple[str, str]] | None:
    if pool.central is None:
        return None
    configured = {}
    for knob in pool.central:
        if knob.prefix or not before_dot(knob.name):
            text = knob.value, knob.place
            configured[knob.bare.upper()] = configured[knob.name.upper()] = text
    return configured


def _missing(pool: Pool) -> Iterator[str]:
    for what, why in pool.failed:
        if not _DISPENSABLE.search(what) and not what.startswith(JOBS_OF):
            yield f"{what}: {why}"


def _weight(slot: Slot, weigh: Weights) -> float:
    found = as_number(weigh.of(slot))
    if found is None or not math.isfinite(found):
        return 0.0
    return max(0.0, float(found))


def _schedd_ads(pool: Pool, weights: Mapping[str, float]) -> ScheddAds:
    silent = {}
    for what, why in pool.failed:
        if what.startswith(JOBS_OF):
            silent[what[len(JOBS_OF) :]] = why
    held: dict[str, float] = {}
    for slot in pool.slots or ():
        if slot.claimed:
            name = str(slot.remote_schedd)
            held[name] = held.get(name, 0.0) + weights[str(slot.name)]
    answered = {str(job.schedd) for job in pool.jobs or ()}
    heard: dict[str, float] = {}
    for record, name in _ads_of_schedds(pool):
        time = record.number("LastHeardFrom")
        if time is not None:
            heard[name] = min(heard.get(name, math.inf), float(time))
    known = frozenset(record.name for record in pool.schedds)
    return ScheddAds(
        silent=silent,
        held=held,
        busy=known & (held.keys() | answered),
        known=known,
        heard=heard,
    )


def _ads_of_schedds(pool: Pool) -> Iterator[tuple[Record, str]]:
    """Yield the ads that schedds send, with the name of the schedd."""
    for record in pool.schedds:
        yield record, record.name
    for record in pool.submitters:
        yield record, record.text("ScheddName")


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
    """Return when the last cycle ended, in seconds since 1970.

    Groups are published after each cycle; the ad of the negotiator comes less often.
    """
    negotiators = [each for each in pool.negotiators if each.name == published.negotiator]
    times = [each.number(_CYCLE_END) for each in negotiators]
    root = published.account(ROOT)
    if root is not None:
        times.append(root.number("LastHeardFrom"))
    known = [float(time) for time in times if time is not None and math.isfinite(time)]
    return max(known, default=None)


def _ceilings(published: Published) -> Iterator[tuple[str, float]]:
    for name, record in sorted(published.accounts.items()):
        ceiling = record.number("Ceiling")
        if ceiling is not None and ceiling >= 0 and "@" in name:
            yield name, float(ceiling)
