"""Ailments of a pool: what makes every answer about it doubtful, from the facts of one capture.

Follows HTCondor 25.14: collector_engine.cpp (an ad without ClassAdLifetime lives CLASSAD_LIFETIME
to twice as long). "Now" is the time of the capture, or of the latest ad where the collector's clock
is ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from htcq.classads import as_number
from htcq.pool import record as records
from htcq.pool.daemons import SCHEDD, STARTD
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.slot_state import machine_of
from htcq.poolquota.ailment import (
    INTERVALS,
    MIN_SECONDS,
    NO_ANSWER,
    NOT_ASKED,
    Ailment,
    ObservedPool,
    heard_of,
)
from htcq.poolquota.negotiator_health import ABSENT, LATE, SILENT, negotiator
from htcq.poolquota.partial_queues import partial_queues
from htcq.units import counted

SCHEDD_SILENT, STALE, ACCOUNTANT_LOG, UNREAD, CONFIGURATION = (
    "schedd-silent",
    "stale-ads",
    "accountant-log",
    "collector-unread",
    "configuration-unread",
)
#: Ads of a pool that is alive are never older all together, whatever the intervals: two hours.
_MAX_AGE = 7200.0
#: Of all machines: fewer that are gone are what happens in a large pool every day.
_MAX_GONE = 0.1
#: The accountant compacts its log at MAX_ACCOUNTANT_DATABASE_SIZE, or at twice what is left then.
_MAX_LOG_RATIO, _MIN_LOG_BYTES = 10, 100_000_000
#: What the capture asked of each schedd.
_OF_SCHEDD = re.compile(r"(?:jobs|answer|configuration) of (.+)", re.DOTALL)


def ailments(pool: Pool) -> tuple[Ailment, ...]:
    """Return what is wrong with the daemons of ``pool``, the negotiator first.

    It is empty where the pool is healthy.
    """
    unread = [Ailment(CONFIGURATION, f"{file}: {why}", False) for file, why in pool.unread]
    if pool.records is None:
        why = "the ads of the collector are not known: whether the negotiator works cannot be told"
        return (Ailment(UNREAD, why, certain=False), *unread)
    seen = ObservedPool(pool)
    silent, foreign = _silent(pool), foreign_schedds(pool)
    found = [
        *negotiator(seen),
        *_schedds(seen, silent, foreign),
        *_ads(seen),
        *_accountant_log(pool),
        *unread,
    ]
    return tuple(dict.fromkeys((*found, *partial_queues(seen, foreign | set(silent)))))


def negotiator_ailments(pool: Pool) -> tuple[Ailment, ...]:
    """Return what is wrong with the negotiators of ``pool``.

    It is empty where they work, or nothing is known of them.
    """
    if pool.records is None:
        return ()
    return tuple(dict.fromkeys(negotiator(ObservedPool(pool))))


def negotiator_works(pool: Pool) -> bool:
    """Return whether nothing tells that no cycle comes in ``pool`` now."""
    return not any(each.id in (ABSENT, SILENT, LATE) for each in negotiator_ailments(pool))


def health_json(found: Sequence[Ailment]) -> list[dict[str, str]]:
    """Return ``found`` as every JSON output has it."""
    return [{"id": each.id, "text": each.text} for each in found]


def _schedds(
    seen: ObservedPool, silent: Mapping[str, str], foreign: frozenset[str]
) -> Iterator[Ailment]:
    """Yield the schedds that do not answer.

    Those that flock from another pool are that pool's matter.
    """
    interval = seen.seconds("SCHEDD_INTERVAL", 300, SCHEDD, seen.pool.access.values())
    now = seen.read_at(records.SCHEDD)
    for record in seen.pool.schedds:
        if record.name in foreign:
            continue
        heard = heard_of(record)
        age = 0.0
        if now is not None and heard is not None:
            age = now - heard
        if record.name in silent:
            why = silent[record.name]
            asked = NOT_ASKED.match(why) is None
            text = f"the schedd {record.name} {_silence(why)}; its jobs are not known"
            yield Ailment(SCHEDD_SILENT, text, asked, record.name)
        elif age > max(INTERVALS * interval, MIN_SECONDS):
            text = (
                f"the schedd {record.name} is silent: its ad is {age:.0f} s old, SCHEDD_INTERVAL "
                f"is {interval:.0f} s"
            )
            yield Ailment(SCHEDD_SILENT, text, schedd=record.name)


def _silent(pool: Pool) -> dict[str, str]:
    """Return the schedds that did not answer, and why."""
    silent: dict[str, str] = {}
    for what, why in pool.failed:
        named = _OF_SCHEDD.match(what)
        if named is not None and NO_ANSWER.match(why):
            silent.setdefault(named.group(1), why)
    return silent


def _silence(why: str) -> str:
    found = NOT_ASKED.match(why)
    return f"was not asked, {found.group(1)}" if found else f"does not answer: {why}"


def foreign_schedds(pool: Pool) -> frozenset[str]:
    """Return the schedds that belong to another pool's collector, and flock.

    They name it in their ads, unless no schedd names this pool's: then the schedds call it by a
    name that is not known here. The ads of their submitters have this pool in SubmitterTag
    (fill_submitter_ad of src/condor_schedd.V6/schedd.cpp, 25.13).
    """
    flocking = {
        each.text("ScheddName") for each in pool.submitters if each.text("SubmitterTag").strip()
    }
    known = {
        _host(each.text(name)) for each in pool.collectors for name in ("Machine", "MyAddress")
    }
    known.add(_host(pool.source))
    if pool.central is not None:
        for knob in ("COLLECTOR_HOST", "CONDOR_HOST"):
            known |= {_host(each) for each in pool.central.value(knob).split(",")}
    known.discard("")
    hosts = {
        record.name: {_host(each) for each in record.text("CollectorHost").split(",")}
        for record in pool.schedds
    }
    if not any(each & known for each in hosts.values()):
        return frozenset(flocking)
    others = {name for name, each in hosts.items() if each != {""} and not each & known}
    return frozenset(flocking | others)


def _host(address: str) -> str:
    """Return the host in ``cm.example.net:9618``, ``<127.0.0.1:9618?addrs=...>`` or ``cm``."""
    plain = address.strip().strip("<>").partition("?")[0]
    if ":" in plain:
        plain = plain.rpartition(":")[0]
    return plain.lower()


def _ads(seen: ObservedPool) -> Iterator[Ailment]:
    now, newest = seen.now, seen.newest
    if now is None or newest is None:
        return
    if now - newest > _MAX_AGE:
        text = (
            f"all ads of the collector are old: the newest came {now - newest:.0f} s before the "
            "capture"
        )
        yield Ailment(STALE, f"{text}, or the clocks of the collector and of the capture differ")
        return
    gone, limit, interval = _gone(seen, now)
    # A machine sends the ads of all its slots, also of those that come and go with its jobs.
    machines = {machine_of(slot) for _, slot in gone}
    every = {machine_of(slot) for slot in seen.pool.slots or ()}
    if len(machines) <= _MAX_GONE * len(every):
        return
    age, oldest = max(gone, key=lambda each: each[0])
    yield Ailment(
        STALE,
        f"the ads of {len(machines)} of {counted(len(every), 'machine')} are out of date: no "
        f"update came for more than {limit:.0f} s (UPDATE_INTERVAL is {interval:.0f} s), and none "
        f"of the oldest, {oldest.name}, for {age:.0f} s",
    )


def stale_slots(pool: Pool) -> tuple[Slot, ...]:
    """Return the slots whose machines send nothing any more.

    There is none where all ads of the collector are old: then it is the capture that is.
    """
    seen = ObservedPool(pool)
    now, newest = seen.now, seen.newest
    if now is None or newest is None or now - newest > _MAX_AGE:
        return ()
    return tuple(slot for _, slot in _gone(seen, now)[0])


def _gone(seen: ObservedPool, now: float) -> tuple[list[tuple[float, Slot]], float, float]:
    """Return the slots that are only ads with their ages, the age from which on, the interval."""
    interval = seen.seconds("UPDATE_INTERVAL", 300, STARTD, seen.pool.execute.values())
    limit = max(INTERVALS * interval, MIN_SECONDS)
    gone = [
        (now - heard, slot) for slot, heard in seen.slots if now - heard > _lifetime(slot, limit)
    ]
    return gone, limit, interval


def _lifetime(slot: Slot, limit: float) -> float:
    """Return how old the ad of ``slot`` may be.

    A machine that is heard of rarely says so in ClassAdLifetime.
    """
    own = as_number(slot.frame.value("ClassAdLifetime"))
    if own is None:
        return limit
    return max(limit, float(own))


def _accountant_log(pool: Pool) -> Iterator[Ailment]:
    log = pool.accountant_log
    if log is None or log.bytes <= max(_MIN_LOG_BYTES, _MAX_LOG_RATIO * log.limit):
        return
    text = (
        f"the accountant's log has {log.bytes} bytes, MAX_ACCOUNTANT_DATABASE_SIZE is {log.limit}"
    )
    yield Ailment(
        ACCOUNTANT_LOG,
        f"{text}: it grows without bound (a bug of HTCondor 25.11.0, fixed in 25.11.1)",
    )
