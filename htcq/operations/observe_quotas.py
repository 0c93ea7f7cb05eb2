"""One observation of the quotas of a pool, for ``htcq drift record`` and ``htcq drift check``.

What would be taken for a change of the pool and is a lack of knowledge is refused.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from htcq.errors import InputError, PoolError
from htcq.operations.pool_source import OpenSource, Source, read_open
from htcq.report.moments import iso

if TYPE_CHECKING:
    from htcq.drift.observation import DriftObservation
    from htcq.elastic.activity import Activity
    from htcq.operations.elastic_ledger import Elastic
    from htcq.pool.pool import Pool
    from htcq.poolquota.ailment import Ailment
    from htcq.poolquota.pool_quotas import PoolQuotas
    from htcq.poolquota.shortfall import Holder
    from htcq.settings.groups import GroupSettings

#: Seconds by which a clock may be set while a pool is looked at.
_SLACK = 60


@dataclass(frozen=True)
class Observed:
    """The observation, what is wrong with the pool's daemons, and what of the pool is not known.

    ``activity`` tells whether elastic quotas are kept; None where there are none. ``held_by`` has
    who and what has what groups lack of their quotas.
    """

    observation: DriftObservation
    health: tuple[Ailment, ...]
    gaps: tuple[str, ...]
    activity: Activity | None = None
    held_by: tuple[Holder, ...] = ()


def observe_quotas(
    opened: OpenSource, declared: GroupSettings, max_age: float, ledger: Elastic | None = None
) -> Observed:
    """Return what is seen of the pool, beside what the site file has ``declared`` of its groups.

    ``max_age`` is that of what its negotiator published, in seconds. With the ledger of the elastic
    quotas ``ledger`` if they are given.

    Raises:
        HtcqError: it cannot be read, too little is known of it, or what its negotiator published is
            too old.
    """
    from htcq.drift.observe import observe
    from htcq.pool.pool import seconds_of
    from htcq.pool.weights import Weights
    from htcq.poolquota.health import ailments
    from htcq.poolquota.pool_quotas import PoolQuotas
    from htcq.poolquota.shortfall import holders_of, unclaimed_of
    from htcq.poolquota.unread import unread

    source, pool = opened.source, read_open(opened)
    health = ailments(pool)
    taken = seconds_of(pool.taken_at)
    if taken is None:
        raise InputError(
            f"{source.name} does not tell when it was taken",
            "'htcq snapshot' writes that into meta.json",
        )
    quotas = PoolQuotas(pool, Weights(), source.negotiator or pool.negotiator)
    try:
        _refuse(quotas, pool, source, max_age)
    except PoolError as error:
        # What is wrong with the pool is why.
        raise PoolError(
            "; ".join([*(each.text for each in health), str(error)]), error.hint
        ) from error
    observation = observe(quotas, pool, declared, int(taken))
    activity = None
    if ledger is not None:
        observation = replace(observation, ledger=ledger.entries(pool, source.negotiator))
        activity = ledger.activity(pool, source.negotiator)
    held_by = holders_of(quotas, unclaimed_of(quotas))
    return Observed(observation, health, unread(pool), activity, held_by)


def check_time(observation: DriftObservation, source: Source, begun: float) -> None:
    """Refuse an observation of a live pool that was not made since ``begun``.

    One in the future would keep all later ones out of a history.

    Raises:
        PoolError: it was not.
    """
    if source.snapshot or begun - _SLACK <= observation.time <= time.time() + _SLACK:
        return
    raise PoolError(
        f"{source.name}: it was observed at {iso(observation.time)}, which is not now",
        "was the clock of this machine set?",
    )


def _refuse(quotas: PoolQuotas, pool: Pool, source: Source, max_age: float) -> None:
    """Refuse a pool of which too little is known.

    Raises:
        PoolError: slots or configuration are not known, or what is published is missing or old.
        InputError: there is no such negotiator.
    """
    known = quotas.published.negotiators
    if source.negotiator and source.negotiator not in known:
        raise InputError(
            f"{source.name} has no negotiator {source.negotiator}",
            f"its negotiators: {', '.join(known) or 'none'}",
        )
    for what, there in (
        ("slots", pool.slots),
        ("configuration of the central manager", pool.central),
    ):
        if there is None:
            raise PoolError(
                f"{source.name}: the {what} could not be read", "; ".join(pool.incomplete)
            )
    if not quotas.grouped:
        return
    age = quotas.published.age
    if age is None:
        raise PoolError(
            f"{source.name}: no negotiator publishes its groups", "is its negotiator running?"
        )
    if age > max_age:
        raise PoolError(
            (
                f"{source.name}: the negotiator last published its groups {age:.0f} s ago, more "
                f"than {max_age:g} s"
            ),
            "is it running, and the clocks right? --max-age sets the limit",
        )
