"""One decided number: its source, and what the reader should know besides."""

from __future__ import annotations

from dataclasses import dataclass

from htcq.node import Source
from htcq.probe.condor import Knob, Knobs, whole_number

NO_CONDOR = "there is no HTCondor here to ask"


@dataclass(frozen=True)
class Verdict:
    """The decision on one fact."""

    source: Source
    notes: tuple[str, ...] = ()

    @property
    def value(self) -> int:
        """Return the decided number."""
        return self.source.value


@dataclass(frozen=True)
class Claim:
    """The amount of one authority for a fact, and the reason to believe it."""

    origin: str
    amount: int
    why: str = ""


def verdict(fact: str, winner: Claim, claims: list[Claim], notes: list[str]) -> Verdict:
    """Return the verdict for ``winner``, with the amounts of all other claims."""
    others = [claim for claim in claims if claim.origin != winner.origin]
    amounts = tuple((claim.origin, claim.amount) for claim in others)
    return Verdict(Source(fact, winner.amount, winner.origin, winner.why, amounts), tuple(notes))


def site_claim(knobs: Knobs, name: str, notes: list[str]) -> Claim | None:
    """Return the site's own claim on a fact.

    It is None unless the knob ``name`` is set to a number of at least 1.
    """
    knob = knobs.configured(name)
    if knob is None:
        return None
    amount = whole_number(knob.value)
    if amount is None or amount < 1:
        notes.append(
            f"{name} = {knob.value} ({knob.source}) is not a number that could be used: it is "
            "passed over"
        )
        return None
    return Claim(name, amount, f"the site's configuration sets it ({knob.source})")


def must_be_set(knobs: Knobs, name: str, amount: int, otherwise: str) -> str:
    """Return the note that ``name`` must be set, or that htcq's own file sets it already."""
    knob: Knob | None = knobs.known.get(name)
    if knob is not None and knob.from_htcq:
        text = f"{name} = {knob.value} stands in htcq's own configuration ({knob.source})"
        if whole_number(knob.value) != amount:
            text += f", and {amount} are here: see that it still fits"
        return text
    return f"{name} must be set to {amount} (htcq emit does): {otherwise}"
