"""The named consumption policies of HTCondor's wiki, as they must be written for today's HTCondor.

Each keeps the amounts of the published example for every job that asks for whole numbers; what
had to change is listed with its reason (``htcq plan --preset NAME`` prints it). Checked against
HTCondor 23.9 and 25.14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.capacity.fixed import Fixed
from htcq.capacity.model import Amounts
from htcq.errors import ModelError
from htcq.policy.consumption import (
    LEAVE_REQUEST,
    MODIFIABLE,
    NEGOTIATOR,
    Policy,
    Terms,
    as_requested,
)
from htcq.policy.weight import at_least_one, capped, least, split_weight
from htcq.units import CPUS, DISK, MEMORY, attribute

TOKENS = "tokens"
ACTUATORS = "actuators"
#: How many the published examples declare, where the node does not say.
DECLARED = {"extensible": {TOKENS: 3}, "missing-request": {ACTUATORS: 8}}
NAMES = (
    "simple",
    "cpu-centric",
    "memory-centric",
    "extensible",
    "missing-request",
    "static-slot",
    "multi-centric",
)

_Changes = tuple[tuple[str, str], ...]
_COMMON: _Changes = (
    (
        "requests are read as ceiling(target.RequestX ?: 0)",
        "a missing request makes the slot unmatchable, and the startd refuses fractions forever; "
        "whole requests are charged as before",
    ),
    (
        "MODIFY_REQUEST_EXPR_* = UNDEFINED",
        "the startd would round memory to 128 MB and disk to 1 MiB first and carve other amounts "
        "than the negotiator "
        "deducted",
    ),
    (
        "CONSUMPTION_GPUS is added",
        "GPUs belong to every machine's resources today, and every resource needs one",
    ),
    (
        "SCHEDD_SLOT_WEIGHT is added",
        "the access point cannot work out demand from SLOT_WEIGHT and may report none",
    ),
)
_SPLIT: _Changes = (
    (
        "SLOT_WEIGHT has a branch for dynamic slots",
        (
            "the published one is evaluated on the dynamic slot too and then charges less than the "
            "match cost"
        ),
    ),
)


@dataclass(frozen=True)
class Preset:
    """One named policy.

    ``provides`` is the machine resource that it declares, if the node has none.
    """

    name: str
    provides: Mapping[str, int]
    cpu_shares: int = 1
    disk_slop_kb: int = 0

    def check(self, total: Amounts) -> None:
        """Refuse a node on which the example cannot hold."""
        if self.name == "extensible":
            Fixed(total[TOKENS]).check(total)

    def quanta(self, left: Amounts, total: Amounts) -> dict[str, int]:
        """Return the claims left in each asset that the weight counts."""
        return {asset: max(0, left[asset]) // unit for asset, unit in self._units(total).items()}

    def weight(self, left: Amounts, total: Amounts) -> int:
        """Return the published weight, the smallest of them."""
        return min(self.quanta(left, total).values())

    def policy(self, terms: Terms, splitting: str) -> Policy:
        """Return the policy, or its amounts as MODIFY_REQUEST_EXPR_* for scheduler splitting."""
        modify = dict.fromkeys(MODIFIABLE, LEAVE_REQUEST)
        if splitting != NEGOTIATOR:
            if self.name == "extensible":
                raise ModelError(
                    (
                        "--preset extensible counts claims by a consumption of tokens, which "
                        "--splitting scheduler has not"
                    ),
                    "use --splitting negotiator, or --model fixed",
                )
            texts = self._consumption(terms.in_request())
            modify = {asset: texts[asset] for asset in MODIFIABLE}
        return Policy(
            name=self.name,
            consumption=self._consumption(terms),
            weight=self._weight(terms),
            schedd_weight=self._demand(terms),
            num_claims=max(1, self.weight(terms.total, terms.total)),
            fleet_claims="" if self.name in ("static-slot", "extensible") else terms.cpus_of_node(),
            splitting=splitting,
            modify=modify,
            provides=self.provides,
            cpu_shares=self.cpu_shares,
            macros=terms.macros or {},
            changes=_COMMON + _CHANGES.get(self.name, ()),
        )

    def describe(self) -> str:
        """Return the name, as a heading has it."""
        return f"preset {self.name}"

    def _units(self, total: Amounts) -> dict[str, int]:
        return {
            "memory-centric": {MEMORY: 1024},
            "multi-centric": {CPUS: 1, MEMORY: 256},
            "static-slot": {CPUS: total[CPUS]},
            "extensible": {TOKENS: 1},
        }.get(self.name, {CPUS: 1})

    def _consumption(self, terms: Terms) -> dict[str, str]:
        texts = as_requested(terms, terms.total)
        if self.name == "static-slot":
            return {asset: _everything(asset, terms) for asset in terms.total}
        if self.name == "extensible":
            claims = terms.total[TOKENS]
            texts.update(
                Fixed(claims, disk_slop_kb=self.disk_slop_kb).policy(terms, NEGOTIATOR).consumption
            )
            texts[TOKENS] = "1"
        if self.name == "missing-request":
            asked = f"{terms.job}Request{attribute(ACTUATORS)}"
            texts[ACTUATORS] = f"ifThenElse({asked} =!= undefined, ceiling({asked}), 0)"
        if self.name == "memory-centric":
            texts[CPUS] = "1"
        for asset, step in _STEPS.get(self.name, {}).items():
            texts[asset] = f"quantize({terms.ask(asset)}, {{{step}}})"
        return texts

    def _weight(self, terms: Terms) -> str:
        cpus, memory = terms.have(CPUS), terms.have(MEMORY)
        if self.name == "static-slot":
            return split_weight(f"ifThenElse({cpus} >= {terms.whole(CPUS)}, 1, 0)", "1")
        if self.name == "extensible":
            return split_weight(terms.have(TOKENS), "1")
        if self.name == "memory-centric":
            most = at_least_one([f"floor({terms.birth(MEMORY)} / 1024)"])
            return split_weight(
                f"floor({memory} / 1024)",
                capped(at_least_one([f"ceiling({memory} / 1024.0)"]), most),
            )
        if self.name == "multi-centric":
            dominant = at_least_one([cpus, f"ceiling({memory} / 256.0)"])
            most = at_least_one([least([terms.birth(CPUS), f"floor({terms.birth(MEMORY)} / 256)"])])
            return split_weight(least([cpus, f"floor({memory} / 256)"]), capped(dominant, most))
        return cpus

    def _demand(self, terms: Terms) -> str:
        in_job = terms.in_job()
        cpus, memory = in_job.ask(CPUS), in_job.ask(MEMORY)
        if self.name in ("static-slot", "extensible"):
            return "1"
        if self.name == "memory-centric":
            return at_least_one([f"ceiling({memory} / 1024.0)"])
        if self.name == "multi-centric":
            return at_least_one([cpus, f"ceiling({memory} / 256.0)"])
        return at_least_one([cpus])


def _everything(asset: str, terms: Terms) -> str:
    whole = f"int({terms.slot}TotalSlot{attribute(asset)} ?: 0)"
    if asset in MODIFIABLE:
        whole = terms.whole(asset)
    if asset == DISK:
        whole = f"floor(0.9 * {whole})"
    return f"max({{{terms.ask(asset)}, {whole}}})"


_STEPS: Mapping[str, Mapping[str, int]] = {
    "cpu-centric": {MEMORY: 32, DISK: 128},
    "memory-centric": {MEMORY: 1024, DISK: 128},
    "multi-centric": {MEMORY: 256, DISK: 128},
}

_CHANGES: Mapping[str, _Changes] = {
    "memory-centric": (
        *_SPLIT,
        (
            "CONSUMPTION_CPUS = 1 is kept",
            "the example's own choice: a job that asks for 4 cpus is given 1",
        ),
    ),
    "multi-centric": _SPLIT,
    "extensible": (
        (
            "a claim takes an even share of cpus, memory and disk instead of nothing",
            "the startd gives 1 cpu and 1 MB whatever the policy says: cpus run out behind the "
            "negotiator's back, and "
            "a memory limit of 1 MB ends the job",
        ),
        (
            "SLOT_WEIGHT is 1 on dynamic slots",
            "a dynamic slot's charge must not depend on how tokens are published",
        ),
    ),
    "static-slot": (
        (
            "SLOT_WEIGHT is 1 on the untouched slot, 0 once it is taken and 1 on the claim",
            "a constant weight does not change at a match, so that every match would be free",
        ),
        (
            "a request above the whole slot is consumed as asked",
            "otherwise a job that asks for more than the slot has would match it and be given less",
        ),
    ),
}


def find_preset(
    name: str, custom: Mapping[str, int], cpu_shares: int = 1, disk_slop_kb: int = 0
) -> Preset:
    """Return the preset called ``name`` for a node with the resources ``custom``.

    Raises:
        ModelError: there is no such preset.
    """
    if name not in NAMES:
        raise ModelError(
            f"--preset {name}: there is no such preset", f"choose one of {', '.join(NAMES)}"
        )
    declared = {asset: n for asset, n in DECLARED.get(name, {}).items() if asset not in custom}
    return Preset(name, declared, cpu_shares, disk_slop_kb)
