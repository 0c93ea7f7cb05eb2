"""The schema of ``htcq status --json``."""

from __future__ import annotations

from htcq.balance.causes import CAUSES
from htcq.report.schemas.pool import about_pool, holders, incomplete
from htcq.report.schemas.shape import (
    Shape,
    listing,
    maybe,
    number,
    record,
    table,
    text,
    texts,
    whole,
)
from htcq.report.schemas.simulate import UNMODELLED
from htcq.report.views.status import FINDINGS, SOUND, UNKNOWN
from htcq.why.match_failure import WALLS

_SINCE = "When it began (ISO 8601); null where no ad says."
#: What capacity stands for, and what jobs wait for: causes of the balance and reasons of why.
_CAUSES = tuple(dict.fromkeys((*CAUSES, *WALLS)))


def status() -> Shape:
    """Return the schema."""
    capacity = {
        "unit": text("What weight is an amount of.", "slot weight", "slots"),
        "total": _total(),
        "by": listing("All causes, in the order in which a slot is looked at.", _standing()),
        "kinds": listing("The same of each kind of node.", _kind()),
    }
    keys = {
        **about_pool(),
        "verdict": text("The state of the pool.", SOUND, FINDINGS, UNKNOWN),
        "sentence": text("The state of the pool in one sentence."),
        "capacity": record("Where all capacity is.", capacity),
        "demand": maybe(_demand("What all idle jobs wait for; null where no queue is known.")),
        "groups": listing("All groups, each before those below it.", _group()),
        "todo": listing("What to do, the most weight of jobs first.", _todo()),
        "unknown": texts("What could not be looked at, one sentence each."),
        "unmodelled": texts(UNMODELLED),
        "incomplete": incomplete(),
    }
    return record("What 'htcq status --json' prints.", keys)


def _amounts() -> dict[str, Shape]:
    return {
        "weight": number("Weight, as the accountant counts it."),
        "cpus": number("Number of cpus."),
        "memory_mb": number("Memory in MB."),
        "gpus": number("Number of GPUs."),
    }


def _total() -> Shape:
    return record("All of it: what the slots had when they were empty.", _amounts())


def _standing() -> Shape:
    keys = {
        "cause": text("The id of the cause, which never changes.", *_CAUSES),
        **_amounts(),
        "slots": whole("How many slots have a part of it."),
        "examples": texts("The names of some of them."),
        "since": maybe(text(_SINCE)),
        "text": text("What the cause is, and who or what it is about."),
        "cure": text("What lifts it."),
        "wanted": record("What waiting jobs would use if this alone were lifted.", _amounts()),
        "jobs": whole("How many waiting jobs that are."),
    }
    return record("Capacity that stands for one cause.", keys)


def _kind() -> Shape:
    cause = {"cause": text("The id of the cause.", *_CAUSES), **_amounts()}
    keys = {
        "kind": text("What such a machine has."),
        "total": _total(),
        "by": listing("All causes.", record("A cause.", cause)),
    }
    return record("A kind of node.", keys)


def _demand(about: str) -> Shape:
    reason = {
        "reason": text("The id of the first reason of these jobs.", *_CAUSES),
        "jobs": whole("How many jobs have it."),
        "weight": number("What they weigh, as their access points count it."),
        "example": text("The id of one of them."),
        "access_point": text("Its access point; empty where no ad says."),
        "text": text("The reason of that one, with its amounts."),
        "others": table("How many of them have each further reason.", {"type": "integer"}),
    }
    keys = {
        "jobs": whole("The number of idle jobs."),
        "weight": number("What they weigh, as their access points count it."),
        "by": listing("By first reason.", record("A reason.", reason)),
    }
    return record(about, keys)


def _group() -> Shape:
    keys = {
        "group": text("The name of the group."),
        "usage": number("What it uses now."),
        "usage_next": number("What it uses after the next cycle."),
        "quota": number("Its quota."),
        "requested": number("Its demand, as the negotiator counts it."),
        "below": number("How much less than the lesser of quota and demand it has then."),
        "held_by": holders(),
        "demand": maybe(_demand("Its idle jobs; null where it has none.")),
    }
    return record("A group.", keys)


def _todo() -> Shape:
    keys = {
        "cause": text("The id of the cause to lift.", *_CAUSES),
        "cure": text("The command, knob or attribute that lifts it."),
        **_amounts(),
        "jobs": whole("How many waiting jobs would start."),
    }
    return record("One thing to do.", keys)
