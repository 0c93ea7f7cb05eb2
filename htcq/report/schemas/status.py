"""The schema of ``htcq status --json``."""

from __future__ import annotations

from collections.abc import Mapping

from htcq.balance.causes import CAUSES
from htcq.expected.unmet import IDS
from htcq.poolquota.negotiator_health import CYCLES_FAR_APART
from htcq.report.schemas.held import held
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
from htcq.report.schemas.unmet import unmet
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
        "demand": maybe(
            _demand("What all idle jobs wait for; null where no queue is known.", _nowhere())
        ),
        "held": held("null where no queue is known"),
        "groups": listing("All groups, each before those below it.", _group()),
        "unmet": unmet(),
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
        "wanted": record(
            "What waiting jobs would use if this alone were lifted, as cycles go on.", _amounts()
        ),
        "jobs": whole("How many waiting jobs that are."),
        "starts": _starts(),
        "behind": whole("How many waiting jobs it keeps, whatever else keeps them as well."),
    }
    return record("Capacity that stands for one cause.", keys)


def _starts() -> Shape:
    keys = {**_amounts(), "jobs": whole("How many jobs that are.")}
    return record("What of that the next cycle would start.", keys)


def _kind() -> Shape:
    cause = {"cause": text("The id of the cause.", *_CAUSES), **_amounts()}
    keys = {
        "kind": text("What such a machine has."),
        "total": _total(),
        "by": listing("All causes.", record("A cause.", cause)),
    }
    return record("A kind of node.", keys)


def _nowhere() -> dict[str, Shape]:
    keys = {
        "jobs": whole("How many jobs."),
        "weight": number("What they weigh, as their access points count it."),
        "example": text("The id of one of them."),
        "text": text("What keeps that one from all slots."),
        "cure": text("What resolves that."),
        "reason": text("The id of the reason that keeps it from the last slots."),
    }
    by = listing("The same jobs by cause, most jobs first.", record("A cause.", dict(keys)))
    keys["by"] = by
    about = "Jobs that no slot would take even with no job on it; null where there are none."
    return {"fits_nowhere": maybe(record(about, keys))}


def _demand(about: str, more: Mapping[str, Shape] | None = None) -> Shape:
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
        **(more or {}),
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
        "by": listing("The capacity of its claims and its jobs, by cause.", _of_group()),
    }
    return record("A group.", keys)


def _of_group() -> Shape:
    keys = {
        "cause": text("The id of the cause.", *_CAUSES),
        **_amounts(),
        "wanted": record("What its jobs would use once this alone is lifted.", _amounts()),
        "jobs": whole("How many jobs that are."),
    }
    return record("A cause.", keys)


def _todo() -> Shape:
    keys = {
        "cause": text(
            "The id of the cause to lift, or of an unmet expectation.",
            *_CAUSES,
            *IDS,
            CYCLES_FAR_APART,
        ),
        "cure": text("The command, knob or attribute that lifts it."),
        **_amounts(),
        "jobs": whole("How many waiting jobs would start."),
        "starts": _starts(),
    }
    return record("One thing to do.", keys)
