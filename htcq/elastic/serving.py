"""Which central manager serves, where a pool has several of which one negotiates at a time.

Each negotiator sends its ad to all collectors when it starts and at the end of each cycle
(src/condor_negotiator.V6/matchmaker.cpp, updateCollector, 25.13). condor_had ends one before it
starts another (src/condor_had/StateMachine.cpp); the ad of one that has crashed stays for a while.
So the one whose ad came last serves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple


class NegotiatorAd(NamedTuple):
    """A negotiator, its machine, and when the collector heard of it, in seconds since 1970."""

    name: str
    machine: str
    heard: float


class Serving(NamedTuple):
    """The negotiator that serves, its machine, and whether that is this one."""

    negotiator: str
    machine: str
    here: bool

    @property
    def sentence(self) -> str:
        """What a writer on another machine says."""
        return f"the negotiator on {self.machine} serves, and the writer there acts"


def serving(
    ads: Iterable[NegotiatorAd], machines: Collection[str], own: str, named: str = ""
) -> Serving | None:
    """Return which negotiator on one of ``machines`` serves; None where there is none.

    ``own`` is this machine. With ``named`` only negotiators of that name count.
    """
    known = {machine.lower() for machine in machines}
    found = [ad for ad in ads if ad.machine.lower() in known and named in ("", ad.name)]
    if not found:
        return None
    last = max(found, key=lambda ad: (ad.heard, ad.machine))
    return Serving(last.name, last.machine, last.machine.lower() == own.lower())
