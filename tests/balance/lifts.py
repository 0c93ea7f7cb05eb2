"""Causes lifted as changes of the pool: what somebody would do about each, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from htcq.balance.causes import SPECIALISED, START_REFUSES
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.record import ACCOUNTING, SCHEDD, SUBMITTER, Record
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import Slot
from htcq.pool.slot_state import DRAINED, OFFLINE, OWNER, START_FALSE, is_owned_and_open
from htcq.why import match_failure as wall

#: A change of a pool; it gets the names of the slots that stand for the cause.
Lift = Callable[[Pool, frozenset[str]], Pool]
#: A limit that nothing comes near.
_MANY = 100_000
#: Some captures lack what a slot says of its resources.
_OPEN = "Start && (WithinResourceLimits ?: true)"


def with_slots(
    pool: Pool, names: frozenset[str], texts: Mapping[str, str], state: str = ""
) -> Pool:
    """Return ``pool`` with other attributes of some slots."""
    expressions, frames = Expressions(), dict[int, SharedAttributes]()
    slots: list[Slot] = []
    for slot in pool.slots or ():
        if str(slot.name) in names:
            frame = frames.get(id(slot.frame))
            if frame is None:
                frame = frames[id(slot.frame)] = slot.frame.changed(texts, expressions)
            slot = slot._replace(frame=frame)
            if state:
                slot = slot._replace(state=state)
        slots.append(slot)
    known = {id(slot.frame): slot.frame for slot in slots}
    return replace(pool, slots=tuple(slots), slot_frames=tuple(known.values()))


def with_knobs(configuration: Configuration, **texts: str) -> Configuration:
    """Return a configuration with some knobs."""
    return configuration.with_knobs({name: Knob(name, text) for name, text in texts.items()})


def _slots(state: str = "", **texts: str) -> Lift:
    return lambda pool, names: with_slots(pool, names, texts, state)


def _from_owners(pool: Pool, names: frozenset[str]) -> Pool:
    """Return ``pool`` with slots that nobody owns, and START true where it is false without a job."""
    closed = frozenset(
        str(slot.name)
        for slot in pool.slots or ()
        if str(slot.name) in names and not is_owned_and_open(slot)
    )
    lifted = _slots("Unclaimed")(pool, names - closed)
    return _slots("Unclaimed", Start="true", Requirements=_OPEN)(lifted, closed)


def _central(**texts: str) -> Lift:
    def lifted(pool: Pool, names: frozenset[str]) -> Pool:
        assert pool.central is not None
        return replace(pool, central=with_knobs(pool.central, **texts))

    return lifted


def _access(**texts: str) -> Lift:
    def lifted(pool: Pool, names: frozenset[str]) -> Pool:
        access = {name: with_knobs(each, **texts) for name, each in pool.access.items()}
        return replace(pool, access=access)

    return lifted


def _records(type_: str, change: Callable[[Record], Record]) -> Lift:
    def lifted(pool: Pool, names: frozenset[str]) -> Pool:
        records = dict(pool.records or {})
        records[type_] = tuple(map(change, records.get(type_, ())))
        return replace(pool, records=records)

    return lifted


def _set(**values: int | bool) -> Callable[[Record], Record]:
    return lambda each: replace(each, values={**each.values, **values})


def _less(name: str) -> Callable[[Record], Record]:
    def changed(each: Record) -> Record:
        return replace(each, values={key: one for key, one in each.values.items() if key != name})

    return changed


def _jobs(change: Callable[[Job], Job]) -> Lift:
    return lambda pool, names: replace(pool, jobs=tuple(map(change, pool.jobs or ())))


#: Every cause that a change of the pool lifts at once.
LIFTS: Mapping[str, Lift] = {
    DRAINED: _slots("Unclaimed", Start="true", Requirements=_OPEN, Draining="false"),
    OFFLINE: _slots(Offline="false"),
    OWNER: _from_owners,
    START_FALSE: _slots("Unclaimed", Start="true", Requirements=_OPEN),
    START_REFUSES: _slots(Start="true"),
    SPECIALISED: _slots(Start="true"),
    wall.SLOT_CONSTRAINT: _central(NEGOTIATOR_SLOT_CONSTRAINT=""),
    wall.COOL_DOWN: _jobs(lambda job: job._replace(cool_down_until=0)),
    wall.SKIP_MATCHMAKING: _records(SUBMITTER, _less("skipmatchmaking")),
    wall.MAX_JOBS_RUNNING: _records(SCHEDD, _set(maxjobsrunning=_MANY)),
    wall.OFFER_BUDGET: _access(MAX_CONCURRENT_UPLOADS_PER_USER=str(_MANY)),
    wall.CURB_MATCHMAKING: _access(CURB_MATCHMAKING="False"),
    wall.START_VANILLA_UNIVERSE: _access(START_VANILLA_UNIVERSE="True"),
    wall.JOB_CONSTRAINT: _central(NEGOTIATOR_JOB_CONSTRAINT=""),
    wall.SUBMITTER_CONSTRAINT: _central(NEGOTIATOR_SUBMITTER_CONSTRAINT=""),
    wall.SUBMITTER_CEILING: _records(ACCOUNTING, _less("ceiling")),
    wall.GROUP_QUOTA: _central(GROUP_NAMES=""),
    wall.SUBMITTER_SHARE: _central(NEGOTIATOR_IGNORE_USER_PRIORITIES="True"),
    wall.CONCURRENCY_LIMIT: _central(LIC_LIMIT=str(_MANY), CONCURRENCY_LIMIT_DEFAULT_DB=str(_MANY)),
    wall.CONSUMPTION: _slots(
        ConsumptionCpus="TARGET.RequestCpus ?: 1",
        ConsumptionMemory="TARGET.RequestMemory ?: 1",
        ConsumptionDisk="TARGET.RequestDisk ?: 1",
        ConsumptionGPUs="TARGET.RequestGPUs ?: 0",
    ),
    wall.NO_CLAIMS_LEFT: _slots(NumClaims="1000"),
}
