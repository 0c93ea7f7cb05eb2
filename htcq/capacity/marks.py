"""One asset divided into levels: the quanta of an amount, and what a claim takes.

V need not be divisible by Q. Of the Q quanta, V mod Q are worth one unit more than the others,
so that all together are exactly V: nothing is lost or invented, in whatever order claims come
and go. The larger quanta are taken first, because the startd computes the consumption again on
what is left and refuses a claim that would have grown (command.cpp, 25.14).
"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.policy.consumption import Terms
from htcq.policy.weight import least


@dataclass(frozen=True)
class Marks:
    """``levels`` Q; ``spare`` units per quantum for what an old startd adds to each claim."""

    levels: int
    spare: int = 0

    def divided(self, total: int) -> int:
        """Return the part of ``total`` that is divided."""
        return total - self.levels * self.spare

    def are_even(self, total: int) -> bool:
        """Return whether all quanta are worth the same."""
        return self.divided(total) % self.levels == 0

    def worth(self, quanta: int, total: int) -> int:
        """Return the units that the last ``quanta`` quanta are worth."""
        unit, larger = divmod(self.divided(total), self.levels)
        return quanta * unit + max(0, quanta - (self.levels - larger))

    def left(self, amount: int, total: int) -> int:
        """Return how many quanta ``amount`` holds whole."""
        unit, larger = divmod(self.divided(total), self.levels)
        smaller = self.levels - larger
        have = max(0, amount)
        if have <= smaller * unit:
            return have // unit
        return min(self.levels, smaller + (have - smaller * unit) // (unit + 1))

    def asked(self, request: int, total: int) -> int:
        """Return n = ceil(r Q / V)."""
        return -(-request * self.levels // self.divided(total))

    def given(self, quanta: int, amount: int, total: int) -> int:
        """Return what a claim of ``quanta`` takes of ``amount``.

        It takes all that is above the mark which it leaves, so that no crumbs gather, but not more
        than its quanta can be worth. Where fewer quanta are left, it is more than ``amount``.
        """
        unit, larger = divmod(self.divided(total), self.levels)
        most = quanta * unit + min(quanta, larger)
        return min(most, amount - self.worth(self.left(amount, total) - quanta, total))

    def left_text(self, asset: str, terms: Terms) -> str:
        """Return :meth:`left` as an expression."""
        have, unit = f"max({{0, {terms.have(asset)}}})", self._unit(asset, terms)
        counts = [f"{have} / {unit}"]
        if not self._is_even(asset, terms):
            smaller = self._smaller(asset, terms)
            counts.append(f"{smaller} + ({have} - {smaller} * {unit}) / ({unit} + 1)")
        if self.spare:
            counts.append(str(self.levels))
        return terms.named("LEFT", asset, least(counts))

    def asked_text(self, asset: str, terms: Terms) -> str:
        """Return :meth:`asked` as an expression."""
        return f"ceiling({terms.want(asset)} * {self.levels}.0 / {self.divided_text(asset, terms)})"

    def given_text(self, asset: str, terms: Terms, quanta: str) -> str:
        """Return :meth:`given` for ``quanta`` (a text), as an expression."""
        rest, unit = f"({self.left_text(asset, terms)} - {quanta})", self._unit(asset, terms)
        most = f"{quanta} * {unit}"
        if self._is_even(asset, terms):
            return most
        smaller = self._smaller(asset, terms)
        keeps = f"{rest} * {unit} - max({{0, {rest} - {smaller}}})"
        most = f"{most} + min({{{quanta}, {self.levels} - {smaller}}})"
        return f"min({{{most}, {terms.have(asset)} - {keeps}}})"

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

    def _is_even(self, asset: str, terms: Terms) -> bool:
        return terms.literal and self.are_even(terms.total[asset])

    def _unit(self, asset: str, terms: Terms) -> str:
        """Return the size of a quantum, or the smaller one of two sizes."""
        if terms.literal:
            return str(self.divided(terms.total[asset]) // self.levels)
        return terms.named("QUANTUM", asset, f"{self.divided_text(asset, terms)} / {self.levels}")

    def _smaller(self, asset: str, terms: Terms) -> str:
        """Return how many quanta are of the smaller size."""
        if terms.literal:
            return str(self.levels - self.divided(terms.total[asset]) % self.levels)
        text = f"{self.levels} - {self.divided_text(asset, terms)} % {self.levels}"
        return terms.named("SMALLER", asset, text)
