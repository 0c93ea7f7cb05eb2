"""The fixed model: M claims, each of which costs 1 whatever its size.

What a claim takes is its share: ``even`` gives every claim floor(V/M) of each asset and refuses
what does not fit in it, ``request`` gives what the job asks, ``none`` gives nothing. With ``even``
the assets themselves count the claims; otherwise a machine resource of M tokens does, one to a
claim. ``none`` is the seed of the idea and does not survive a real startd, which gives every
claim at least 1 cpu and 1 MB: a job under a memory limit dies of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from htcq.capacity.marks import Marks
from htcq.capacity.model import Amounts, known_assets, only_modifiable
from htcq.classad.clauses import comparison, conjuncts, disjuncts, same
from htcq.errors import ModelError
from htcq.policy.consumption import (
    LEAVE_REQUEST,
    MODIFIABLE,
    NEGOTIATOR,
    Policy,
    Terms,
    as_requested,
)
from htcq.policy.weight import least, split_weight
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, attribute

#: The machine resource that counts the claims where no real asset does.
TOKEN = "htcqclaims"
#: START where the startd counts the claims.
_COUNTED = ("DynamicSlot =?= true", "NumDynamicSlots ?: 0")


@dataclass(frozen=True)
class Fixed:
    """``claims`` M; ``share`` even, request or none; ``assets`` are what ``even`` divides."""

    claims: int
    share: str = "even"
    assets: tuple[str, ...] = BUILT_IN_ASSETS
    cpu_shares: int = 1
    forced: bool = False
    disk_slop_kb: int = 0
    name: str = "fixed"

    def marks(self, asset: str) -> Marks:
        """Return how ``asset`` is divided among the claims."""
        spare = self.disk_slop_kb if asset == DISK else 0
        return Marks(self.claims, spare)

    @property
    def provides(self) -> dict[str, int]:
        """Return the tokens that count the claims, unless the assets do."""
        if self.share == "even":
            return {}
        return {TOKEN: self.claims}

    def check(self, total: Amounts) -> None:
        """Refuse more claims than the startd can carve, and shares that it cannot hand out."""
        if self.claims < 1:
            raise ModelError(
                f"--claims {self.claims}: must be positive",
                "give the number of jobs the node may run",
            )
        known_assets(dict.fromkeys(self.assets), total, "--asset")
        if self.share == "none":
            if self.forced:
                return
            raise ModelError(
                "--share none: the startd gives every claim at least 1 cpu and 1 MB whatever the "
                "policy says, so that 12 tokens on 8 cpus ran 10 jobs of 1 MB "
                "while 12 were charged",
                "use --share even, or --force if that is what you want",
            )
        counted = self.assets if self.share == "even" else (CPUS,)
        for asset in counted:
            if self.claims > total[asset]:
                hint = f"use at most --claims {total[asset]}"
                if asset == CPUS:
                    hint += ", or count each core as several with --cpu-shares"
                raise ModelError(
                    f"--claims {self.claims}: the startd cannot carve more claims than there are "
                    f"{asset} ({total[asset]})",
                    hint,
                )
        if self.share == "even" and not any(self._counts(asset, total) for asset in self.assets):
            raise ModelError(
                f"--claims {self.claims}: shares of {' and '.join(self.assets)} leave room for "
                "more claims than that",
                "divide memory too (--asset memory), or use --model linear",
            )

    def _counts(self, asset: str, total: Amounts) -> bool:
        """Return whether no more than M claims fit into ``asset``."""
        return self.marks(asset).are_exact(total[asset])

    def quanta(self, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return the claims left, counted in each asset or in tokens."""
        if self.share != "even":
            # With scheduler splitting nothing but the startd's own count of dynamic slots tells how
            # many are left.
            return {TOKEN: max(0, left.get(TOKEN, self.claims))}
        return {asset: self.marks(asset).left(left[asset], total[asset]) for asset in self.assets}

    def weight(self, left: Amounts, total: Amounts) -> int:
        """Return the claims left."""
        return min(self.quanta(left, total).values())

    def consumption(self, request: Amounts, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return one claim's share; more than is left where the job asks for more than a share."""
        if self.share == "none":
            return {**dict.fromkeys(request, 0), TOKEN: 1}
        taken = dict(request)
        if self.share == "request":
            return {**taken, TOKEN: 1}
        for asset in self.assets:
            marks, have, asked = self.marks(asset), left[asset], request[asset]
            share = marks.worth(1, total[asset])
            if marks.asked(asked, total[asset]) > 1:
                share = have + 1
            taken[asset] = max(asked, share)
        return taken

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the model as expressions."""
        if splitting != NEGOTIATOR:
            return self._split_by_scheduler(terms, splitting)
        consumption, provides = as_requested(terms, terms.total), {}
        if self.share == "even":
            consumption.update(self._even_shares(terms))
            left = self._left(terms)
        else:
            provides, left = self.provides, f"({terms.slot}{attribute(TOKEN)} ?: 0)"
            if self.share == "none":
                consumption = dict.fromkeys(terms.total, "0")
            consumption[TOKEN] = "1"
        modify = dict.fromkeys(MODIFIABLE, LEAVE_REQUEST)
        policy = self._policy(left, consumption, splitting, modify, provides)
        return replace(policy, macros=terms.macros or {})

    def describe(self) -> str:
        """Return the model with its settings in one line."""
        return f"{self.name}, {self.claims} claims, share {self.share}"

    def _split_by_scheduler(self, terms: Terms, splitting: str) -> Policy:
        if self.share == "none":
            raise ModelError(
                "--share none has no meaning with --splitting scheduler: "
                "the startd hands out what the job asks",
                "use --share request, or --splitting negotiator",
            )
        modify = as_requested(terms.in_request(), MODIFIABLE)
        left = f"{self.claims} - (NumDynamicSlots ?: 0)"
        if self.share == "even":
            only_modifiable(self.assets, "--asset")
            modify.update(self._even_shares(terms.in_request()))
            left = self._left(terms)
        assets = [asset for asset in terms.total if asset != TOKEN]
        policy = self._policy(left, as_requested(terms, assets), splitting, modify, {})
        return replace(policy, macros=terms.macros or {})

    def _left(self, terms: Terms) -> str:
        return least([self.marks(asset).left_text(asset, terms) for asset in self.assets])

    def _even_shares(self, terms: Terms) -> dict[str, str]:
        return {asset: self._even(asset, terms) for asset in self.assets}

    def _policy(
        self,
        left: str,
        consumption: dict[str, str],
        splitting: str,
        modify: dict[str, str],
        provides: Mapping[str, int],
    ) -> Policy:
        start = ""
        if splitting != NEGOTIATOR and self.share == "request":
            # The startd counts the claims; start_without_count reads this back.
            start = f"DynamicSlot =?= true || (NumDynamicSlots ?: 0) < {self.claims}"
        return Policy(
            name=self.name,
            consumption=consumption,
            weight=split_weight(left, "1"),
            schedd_weight="1",
            num_claims=self.claims,
            splitting=splitting,
            modify=modify,
            provides=provides,
            start=start,
            cpu_shares=self.cpu_shares,
        )

    def _even(self, asset: str, terms: Terms) -> str:
        wanted, have, marks = terms.want(asset), terms.have(asset), self.marks(asset)
        share = marks.worth_text(asset, terms, "1")
        fits = f"ifThenElse({marks.asked_text(asset, terms)} > 1, {have} + 1, {share})"
        # A dynamic slot is carved already, and its totals are its own: there a claim takes what the
        # job asks.
        return f"ifThenElse({terms.slot}DynamicSlot =?= true, {wanted}, max({{{wanted}, {fits}}}))"


def start_without_count(start: str) -> str:
    """Return Start of a slot without the condition by which its startd counts claims."""
    *others, last = conjuncts(start)
    alternatives = disjuncts(last)
    if not others or len(alternatives) != 2:
        return start
    counted = comparison(alternatives[1])
    if counted is None or counted.operator != "<" or not counted.right.isdigit():
        return start
    if not same(alternatives[0], _COUNTED[0]) or not same(counted.left, _COUNTED[1]):
        return start
    return others[0] if len(others) == 1 else " && ".join(f"({each})" for each in others)
