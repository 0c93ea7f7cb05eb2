"""How fresh each number of a pool's pages is: when and by which command it was captured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from htcq.elastic.activity import ON
from htcq.elastic.status import Status
from htcq.pool.pool import Pool, seconds_of
from htcq.report.moments import as_people_write, iso
from htcq.report.pages.overview import Freshness
from htcq.report.pages.what_ifs import WhatIf
from htcq.report.views.overview import Seen
from htcq.units import counted

_UNKNOWN = "not known"


def freshness_of(
    seen: Seen,
    pool: Pool,
    snapshot: bool,
    why_no_history: str,
    statuses: Sequence[Status],
    what_ifs: Sequence[WhatIf],
) -> Iterator[Freshness]:
    """Yield the parts; one that could not be read says so."""
    taken = _UNKNOWN
    if seen.now is not None:
        taken = _when(seen.now, seen.zone)
    command = "htcq report"
    if snapshot:
        command = "htcq snapshot"
    for part, there, lacks in _parts(pool):
        if there:
            yield Freshness(part, taken, command, lacks)
        else:
            yield Freshness(part, "", command, lacks or "missing")
    story = seen.story
    if story is None or story.last is None:
        yield Freshness("history of groups", "", "htcq drift record", why_no_history)
    else:
        yield Freshness("history of groups", _when(story.last, seen.zone), "htcq drift record")
    yield from _elastic(statuses, taken)
    yield from _what_ifs(what_ifs, seen.zone)


def _when(seconds: float, zone: tzinfo | None) -> str:
    return as_people_write(iso(seconds), zone)


def _elastic(statuses: Sequence[Status], taken: str) -> Iterator[Freshness]:
    """Yield the elastic quotas: what groups may use is computed from the pool as captured."""
    for status in statuses:
        part = "elastic quotas"
        if status.tree:
            part = f"elastic quotas, tree {status.tree}"
        lacks = ""
        if status.activity.word != ON:
            lacks = f"not in force ({status.activity.word}): {status.activity.why}"
        yield Freshness(part, taken, "htcq elastic", lacks)


def _what_ifs(what_ifs: Sequence[WhatIf], zone: tzinfo | None) -> Iterator[Freshness]:
    """Yield the what-ifs, with the time of the oldest pool that was simulated."""
    if not what_ifs:
        return
    wrong = sum(each.after is None for each in what_ifs)
    lacks = ""
    if wrong:
        lacks = f"{wrong} of {len(what_ifs)} could not be read"
    times = [seconds_of(each.taken) for each in what_ifs]
    known = [each for each in times if each is not None]
    taken = ""
    if known:
        taken = _when(min(known), zone)
    yield Freshness(counted(len(what_ifs), "what-if"), taken, "htcq simulate", lacks)


def _parts(pool: Pool) -> Iterator[tuple[str, bool, str]]:
    """Yield what a capture consists of: whether it is there, and what lacks of it."""
    failed = [f"{what}: {why}" for what, why in pool.failed]
    yield "slots and machines", pool.slots is not None, _lacks(pool, "slot")
    yield "jobs", pool.jobs is not None, _first([each for each in failed if "jobs of" in each])
    submitters = pool.records is not None
    yield "submitters, usage and priorities of the accountant", submitters, ""
    yield "configuration of the central manager", pool.central is not None, ""
    known, all_ = len(pool.access), len(pool.schedds)
    yield f"configuration of {counted(known, 'access point')}", known > 0, _of(known, all_)
    machines = len({slot.machine for slot in pool.slots or ()})
    known = len(pool.execute)
    yield f"configuration of {counted(known, 'execution point')}", known > 0, _of(known, machines)
    for each in pool.damage:
        yield "damaged file", False, each


def _of(known: int, all_: int) -> str:
    if known >= all_ or not known:
        return ""
    return f"of {known:,} of {all_:,}: the others have none or did not answer"


def _lacks(pool: Pool, word: str) -> str:
    return _first([each.sentence for each in pool.left_out if word in each.sentence])


def _first(texts: Sequence[str]) -> str:
    if len(texts) > 1:
        return f"{texts[0]} (and {len(texts) - 1} more)"
    return "".join(texts)
