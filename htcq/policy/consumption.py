"""A policy as HTCondor reads it: the ClassAd expressions of claims, costs and weights.

Semantics: src/condor_utils/consumption_policy.cpp and src/condor_startd.V6/Resource.cpp,
HTCondor 25.14. Consumption expressions are evaluated with MY = slot and TARGET = job,
MODIFY_REQUEST_EXPR_* with MY = job and TARGET = slot, SCHEDD_SLOT_WEIGHT in the job alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Union

from htcq.classad.parser import parse
from htcq.classad.tree import Binary, Literal, Reference, Tree, every
from htcq.units import CPUS, DISK, MEMORY, attribute

Number = Union[int, float]

NEGOTIATOR = "negotiator"
SCHEDULER = "scheduler"
#: Neither splits: a match makes one claim, and the rest of the slot waits for the next cycle.
NOBODY = "none"
SPLITTINGS = (NEGOTIATOR, SCHEDULER, NOBODY)

#: The startd rounds these three requests before it carves; nothing else can be modified.
MODIFIABLE = (CPUS, MEMORY, DISK)
#: The least that a dynamic slot gets (Resource.cpp:create_dslot), even if less is requested.
MIN_REQUEST = {CPUS: 1, MEMORY: 1}
#: The most shares of a core.
_MOST_SHARES = 999_999
#: With this text the startd leaves the request as it is, so that it computes what the negotiator
#: computed.
LEAVE_REQUEST = "UNDEFINED"


@dataclass(frozen=True)
class Policy:
    """Every expression of one slot type, as texts.

    ``num_claims`` holds for the node at hand, ``fleet_claims`` is a text that holds on any node
    (empty: the same); ``provides`` are machine resources that the policy itself declares;
    ``start`` is a condition that the slot adds to START; ``cpu_shares`` is how many Cpus one
    core counts as; ``changes`` are those of a preset, with the reasons; ``macros`` are
    configuration macros that the expressions use as ``$(NAME)``.
    """

    name: str
    consumption: Mapping[str, str]
    weight: str
    schedd_weight: str
    num_claims: int
    fleet_claims: str = ""
    splitting: str = NEGOTIATOR
    modify: Mapping[str, str] = field(default_factory=dict)
    provides: Mapping[str, int] = field(default_factory=dict)
    start: str = ""
    cpu_shares: int = 1
    changes: tuple[tuple[str, str], ...] = ()
    macros: Mapping[str, str] = field(default_factory=dict)

    def expanded(self, text: str) -> str:
        """Return ``text`` with the policy's macros expanded as HTCondor expands them."""
        while "$(" in text and self.macros:
            start = text.index("$(")
            name = text[start + 2 : text.index(")", start)]
            text = text.replace(f"$({name})", self.macros[name])
        return text

    @property
    def assets(self) -> tuple[str, ...]:
        """Every asset that the slot hands out."""
        return tuple(self.consumption)

    def claims(self, literal: bool) -> str:
        """Return the value of NUM_CLAIMS.

        A number, or a text that every node of a fleet expands for itself.
        """
        if self.fleet_claims and not literal:
            return self.fleet_claims
        return str(self.num_claims)


@dataclass(frozen=True)
class Terms:
    """Names of the job's requests and the slot's amounts, where an expression is evaluated.

    ``job`` and ``slot`` are the prefixes of their attributes. ``total`` holds the slot's amounts
    at birth; with ``literal`` they are written as numbers, otherwise as attributes that every
    node fills in for itself. ``part`` says how much of the machine the slot type got of each
    asset: a fraction such as 0.5, 1 being all.
    """

    total: Mapping[str, int]
    job: str = "target."
    slot: str = ""
    cpu_shares: int = 1
    literal: bool = False
    part: Mapping[str, float] = field(default_factory=dict)
    prefix: str = "HTCQ"
    macros: dict[str, str] | None = field(default_factory=dict)

    def named(self, name: str, asset: str, text: str) -> str:
        """Return a macro named ``name`` for ``text`` where the configuration can hold one.

        Names make the expressions that use them readable.
        """
        if self.macros is None:
            return f"({text})"
        macro = f"{self.prefix}_{asset.upper()}_{name}"
        self.macros[macro] = f"({text})"
        return f"$({macro})"

    def want(self, asset: str) -> str:
        """Return the request for ``asset``, and at least the 1 cpu or 1 MB that any claim gets."""
        asked = self.ask(asset)
        if asset not in MIN_REQUEST:
            return asked
        return f"max({{{MIN_REQUEST[asset]}, {asked}}})"

    def ask(self, asset: str) -> str:
        """Return the request for ``asset``: undefined counts as 0, fractions round up."""
        request = f"{self.job}Request{attribute(asset)} ?: 0"
        if asset == CPUS and self.cpu_shares > 1:
            # cpu_shares_in reads this back.
            request = f"({request}) * {self.cpu_shares}"
        return f"ceiling({request})"

    def have(self, asset: str) -> str:
        """Return the attribute of what the slot has left.

        It is guarded where it may be missing: an undefined weight makes the negotiator crash.
        """
        name = f"{self.slot}{attribute(asset)}"
        if asset in MODIFIABLE:
            return name
        return f"({name} ?: 0)"

    def whole(self, asset: str) -> str:
        """Return what the partitionable slot had at birth, as a whole number.

        Disk is computed from the machine's: a 23.9 startd has TotalSlotDisk = 0 while it weighs
        a claim.
        """
        if self.literal:
            return str(self.total[asset])
        if asset == DISK:
            return f"int({self.birth(DISK)})"
        return f"int({self.slot}TotalSlot{attribute(asset)})"

    def birth(self, asset: str) -> str:
        """Return the same where the expression may be evaluated on a dynamic slot.

        TotalSlot* of a dynamic slot are its own amounts.
        """
        part = self.part.get(asset, 1)
        if self.literal or part == 0:
            return str(self.total[asset])
        machine = f"{self.slot}Total{attribute(asset)}"
        if part == 1:
            return machine
        return f"({machine} * {part:.6g})"

    def cpus_of_node(self) -> str:
        """Return how many Cpus the slot has on the node that reads the configuration.

        Empty where the layout says it.
        """
        part = self.part.get(CPUS, 1)
        if self.literal or part == 0:
            return ""
        if part == 1:
            return "$(NUM_CPUS)"
        return f"max({{1, int($(NUM_CPUS) * {part:.6g})}})"

    def in_request(self) -> Terms:
        """Return the same terms for MODIFY_REQUEST_EXPR_*: the job is MY, the slot TARGET."""
        return replace(self, job="", slot="TARGET.", macros=None)

    def in_job(self) -> Terms:
        """Return the same terms for SCHEDD_SLOT_WEIGHT: without a slot, its totals are numbers."""
        return replace(self, job="", slot="", literal=True, macros=None)


def cpu_shares_in(consumption_cpus: str) -> int:
    """Return how many Cpus one core counts as where a slot publishes this ConsumptionCpus."""
    for part in every(parse(consumption_cpus)):
        if isinstance(part, Binary) and part.operator == "*" and _is_request(part.left):
            shares = part.right.value if isinstance(part.right, Literal) else None
            if type(shares) is int and 0 < shares <= _MOST_SHARES:
                return shares
    return 1


def _is_request(tree: Tree) -> bool:
    """Return whether ``tree`` is ``RequestCpus ?: 0``, of any scope (Terms.ask)."""
    if not isinstance(tree, Binary) or tree.operator != "?:":
        return False
    return isinstance(tree.left, Reference) and tree.left.name == "requestcpus"


def as_requested(terms: Terms, assets: Iterable[str]) -> dict[str, str]:
    """Return a consumption of exactly what the job asks, for every asset."""
    return {asset: terms.want(asset) for asset in assets}
