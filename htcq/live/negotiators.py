"""The negotiators that a collector knows, and the name that HTCondor gives to this machine."""

from __future__ import annotations

from typing import Any

from htcq.elastic.serving import NegotiatorAd
from htcq.live.ads import literal_number, literal_text
from htcq.live.bindings import load
from htcq.live.deadline import Task, run_all
from htcq.live.reconfig import unreachable

_WANTED = ["Name", "Machine", "LastHeardFrom"]


def this_machine_and_negotiators(
    pool: str | None, timeout: float
) -> tuple[str, tuple[NegotiatorAd, ...]]:
    """Return FULL_HOSTNAME of this machine, and the negotiators of ``pool`` (None: its own).

    ``timeout`` is in seconds.

    Raises:
        PoolError: the collector does not answer.
        BindingsError: HTCondor's bindings are missing.
    """
    outcome = run_all([Task("negotiators", _asked, (pool,))], timeout)[0]
    if not outcome.done:
        raise unreachable(pool, outcome)
    own, ads = outcome.value
    return own, tuple(NegotiatorAd(*each) for each in ads)


def _asked(pool: str | None) -> tuple[str, list[tuple[str, str, float]]]:
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(htcondor2.AdType.Negotiator, projection=_WANTED)
    return str(htcondor2.param.get("FULL_HOSTNAME", "")), list(map(_told, found))


def _told(ad: Any) -> tuple[str, str, float]:
    """Return name, machine and last time of an ad, as far as they are plain values."""
    heard = literal_number(ad, "LastHeardFrom") or 0.0
    return literal_text(ad, "Name"), literal_text(ad, "Machine"), heard
