"""Records for tests of the quota writer, by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from htcq.elastic.journal import APPLY, INTENT, OUTCOME, VERIFIED, JournalRecord, PoolSeen
from htcq.elastic.pool_health import PoolHealth
from htcq.elastic.quota_file import digest_of
from htcq.elastic.quota_target import QuotaTarget

NOW = 1_795_000_000.0
Quotas = Mapping[str, "tuple[float, bool]"]


def target(group: str, quota: float, surplus: bool = False, leaf: bool = True) -> QuotaTarget:
    """The goal of a group; what is before the last dot of its name is above it."""
    return QuotaTarget(group, group.rpartition(".")[0], leaf, quota, surplus)


def text_of(quotas: Quotas) -> str:
    return f"quotas {sorted(quotas.items())}\n"


def intent(
    number: int, quotas: Quotas, what: str = APPLY, time: float = NOW, before: str = "", **more: Any
) -> JournalRecord:
    text = more.pop("text", text_of(quotas))
    return JournalRecord(
        number,
        time,
        INTENT,
        what=what,
        text=text,
        before=before,
        after=digest_of(text),
        quotas=quotas,
        **more,
    )


def outcome(number: int, of: int, result: str = VERIFIED, time: float = NOW) -> JournalRecord:
    return JournalRecord(number, time, OUTCOME, of=of, result=result)


def written(
    first: int, quotas: Quotas, result: str = VERIFIED, time: float = NOW, **more: Any
) -> list[JournalRecord]:
    """An intent and its outcome."""
    return [intent(first, quotas, time=time, **more), outcome(first + 1, first, result, time)]


def sight(**changes: Any) -> PoolHealth:
    """A pool about which there is nothing to doubt."""
    found: dict[str, Any] = {
        "source": "pool",
        "taken_at": NOW,
        "negotiator": "",
        "negotiators": ("cm.example.org",),
        "slots": 100,
        "schedds": 10,
        "pool_weight": 1000.0,
        "heard": (NOW - 300, NOW - 1),
        "skews": {"ap.example.org": 1.0},
        "cycle_end": NOW - 60,
        "configured": {},
    }
    return PoolHealth(**{**found, **changes})


SEEN = PoolSeen(100, 10, 1000.0)
