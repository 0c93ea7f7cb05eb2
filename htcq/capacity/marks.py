"""One asset divided into levels whose quanta are worth floor(V n / Q), whatever is left.

n = ceil(r Q / V) is the smallest n with floor(V n / Q) >= r, for whole r: a claim is never below
its request, and one that asks for floor(V n / Q) gets the same again. The daemons need that. The
startd carves the dynamic slot, computes the consumption once more on what is left of the
partitionable slot, and refuses the claim if that is more (src/condor_startd.V6/command.cpp:
request_claim, 25.14).

The roundings of all claims add up to V mod Q at most. Where that is less than the smallest quantum,
no claim fits into them, and the quanta left are exactly Q less those taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.policy.consumption import Terms


@dataclass(frozen=True)
class Marks:
    """``levels`` Q; ``spare`` units per quantum for what an old startd adds to each claim."""

    levels: int
    spare: int = 0

    def divided(self, total: int) -> int:
        """Return the part of ``total`` that is divided."""
        return total - self.levels * self.spare

    def are_exact(self, total: int) -> bool:
        """Return whether the roundings of all claims are less than a quantum."""
        quantum, rest = divmod(self.divided(total), self.levels)
        return rest < quantum

    def worth(self, quanta: int, total: int) -> int:
        """Return floor(V n / Q), the units that a claim of ``quanta`` takes."""
        return self.divided(total) * quanta // self.levels

    def left(self, amount: int, total: int) -> int:
        """Return how many quanta ``amount`` holds whole."""
        return min(self.levels, max(0, amount) * self.levels // self.divided(total))

    def asked(self, request: int, total: int) -> int:
        """Return n = ceil(r Q / V)."""
        return -(-request * self.levels // self.divided(total))

    def left_text(self, asset: str, terms: Terms) -> str:
        """Return :meth:`left` as an expression."""
        have, quantum = f"max({{0, {terms.have(asset)}}})", self._quantum(asset, terms)
        count = f"{have} / {quantum}"
        if not quantum:
            count = f"{have} * {self.levels} / {self.divided_text(asset, terms)}"
        if self.spare:
            count = f"min({{{count}, {self.levels}}})"
        return terms.named("LEFT", asset, count)

    def asked_text(self, asset: str, terms: Terms) -> str:
        """Return :meth:`asked` as an expression."""
        return f"ceiling({terms.want(asset)} * {self.levels}.0 / {self.divided_text(asset, terms)})"

    def worth_text(self, asset: str, terms: Terms, quanta: str) -> str:
        """Return :meth:`worth` of ``quanta`` (a text), as an expression."""
        quantum = self._quantum(asset, terms)
        if quantum:
            return f"{quanta} * {quantum}"
        return f"{quanta} * {self.divided_text(asset, terms)} / {self.levels}"

    def standing_text(self, asset: str, terms: Terms) -> str:
        """Return how many quanta a dynamic slot holds, to the nearest, as an expression."""
        whole = self._less(terms.birth(asset))
        if terms.literal:
            whole = str(self.divided(terms.total[asset]))
        return f"floor({terms.have(asset)} * {self.levels}.0 / {whole} + 0.5)"

    def divided_text(self, asset: str, terms: Terms) -> str:
        """Return :meth:`divided` of what the slot had at birth, as an expression."""
        if terms.literal:
            return str(self.divided(terms.total[asset]))
        return self._less(terms.whole(asset))

    def _less(self, whole: str) -> str:
        if not self.spare:
            return whole
        return f"({whole} - {self.levels * self.spare})"

    def _quantum(self, asset: str, terms: Terms) -> str:
        """Return the size of a quantum where it is known and whole; empty elsewhere."""
        quantum, rest = divmod(self.divided(terms.total[asset]), self.levels)
        return str(quantum) if terms.literal and not rest else ""
