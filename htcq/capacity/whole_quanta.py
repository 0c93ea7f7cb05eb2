"""One asset divided into levels whose quanta are worth floor(V n / Q), whatever is left.

n = ceil(r Q / V) is the smallest n with floor(V n / Q) >= r, for whole r: a claim is never below
its request, and one that asks for floor(V n / Q) gets the same again. The daemons need that: the
request is replaced by the consumption, and the consumption is computed from it once more
(src/condor_negotiator.V6/matchmaker.cpp and src/condor_startd.V6/command.cpp, 25.14).

The roundings of all claims add up to V mod Q at most. Where that is less than the smallest quantum,
no claim fits into them, and the quanta left are exactly Q less those taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.capacity.marks import Marks
from htcq.policy.consumption import Terms


@dataclass(frozen=True)
class WholeQuanta(Marks):
    """``levels`` Q; ``spare`` units per quantum for what an old startd adds to each claim."""

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

    def left_text(self, asset: str, terms: Terms) -> str:
        """Return :meth:`left` as an expression."""
        if self._is_even(asset, terms):
            return super().left_text(asset, terms)
        whole = self.divided_text(asset, terms)
        count = f"max({{0, {terms.have(asset)}}}) * {self.levels} / {whole}"
        if self.spare:
            count = f"min({{{count}, {self.levels}}})"
        return terms.named("LEFT", asset, count)

    def given_text(self, asset: str, terms: Terms, quanta: str) -> str:
        """Return :meth:`worth` of ``quanta`` (a text), as an expression."""
        if self._is_even(asset, terms):
            return super().given_text(asset, terms, quanta)
        return f"{quanta} * {self.divided_text(asset, terms)} / {self.levels}"
