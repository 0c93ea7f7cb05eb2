"""What the configuration of an execute node says of its slots, and what its startd makes of a request.

A knob of a slot type comes before the general one (src/condor_startd.V6/Resource.cpp, HTCondor 25.14), and before it
carves a slot the startd changes the request with MODIFY_REQUEST_EXPR_REQUESTCPUS, -MEMORY and -DISK (create_dslot).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from htcq.audit.evidence import Evidence, slot_type
from htcq.audit.trials import Trial
from htcq.classads import Expr, Value, as_number, parsed
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.kind import Kind
from htcq.pool.slot import Number, Slot
from htcq.units import CPUS, DISK, MEMORY, attribute

#: What the startd does with a request where its configuration says nothing else (param_info.in, 25.14).
_DEFAULT_MODIFICATIONS: Mapping[str, str] = {
    CPUS: "quantize(RequestCpus,{1})",
    MEMORY: "quantize(RequestMemory,{128})",
    DISK: "quantize(RequestDisk,{TARGET.DiskQuantum ?: 1024})",
}
_TRUE, _FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


@dataclass(frozen=True)
class Node:
    """One slot and the configuration of the machine that it is on."""

    slot: Slot
    configuration: Configuration

    def knob(self, name: str) -> Knob:
        """Return the knob of the slot's type, else the general one, else HTCondor's default (empty: none)."""
        typed = self.configuration.knob(f"SLOT_TYPE_{self.slot_type}_{name}")
        return typed if typed is not None else effective(self.configuration, name)

    def truth(self, name: str, default: bool) -> bool:
        """Return a truth value; one of the slot's type that is none does not count."""
        typed = self.configuration.value(f"SLOT_TYPE_{self.slot_type}_{name}").strip().lower()
        return typed in _TRUE if typed in (*_TRUE, *_FALSE) else self.configuration.truth(name, default)

    def expression(self, name: str) -> Expr | None:
        """Return the expression of a knob; None where there is none or it is no ClassAd expression."""
        return parsed(self.knob(name).value)

    @property
    def slot_type(self) -> int:
        """The number of the slot's type; a dynamic slot has that of its parent, negative."""
        return slot_type(self.slot)


def effective(configuration: Configuration, name: str) -> Knob:
    """Return the knob ``name`` as set, else with HTCondor's default, which has no place."""
    knob = configuration.knob(name)
    return knob if knob is not None else Knob(name, configuration.value(name))


def nodes(evidence: Evidence, kind: Kind) -> Iterator[Node]:
    """Yield one slot of ``kind`` for each machine and slot type whose configuration is known."""
    if not evidence.execute:
        return
    seen: set[tuple[Value, int]] = set()
    for slot in kind.slots:
        configuration = evidence.execute.get(str(slot.machine))
        if configuration is not None:
            node = Node(slot, configuration)
            key = (slot.machine, node.slot_type)
            if key not in seen:
                seen.add(key)
                yield node


@dataclass(frozen=True)
class Modification:
    """What a startd makes of requests; ``node`` is None where HTCondor's defaults are assumed."""

    texts: Mapping[str, str]
    node: Node | None = None

    def taken(self, kind: Kind, trial: Trial) -> dict[str, Number | None]:
        """Return what the job of ``trial`` takes of a full slot of ``kind`` once its request is changed."""
        changed = self.changed(kind, trial)
        return kind.consumed(trial.jobs.ad(changed)) if changed else dict(trial.taken)

    def changed(self, kind: Kind, trial: Trial) -> dict[str, Value]:
        """Return the requests that the startd changes, each with its new amount, a whole number."""
        job, slot = trial.ad(), kind.ad(kind.total)
        changed: dict[str, Value] = {}
        for asset, expression in self._expressions.items():
            amount = as_number(expression.evaluate(job, slot))
            if amount is not None and int(amount) != trial.jobs.request.get(asset):
                changed[f"Request{attribute(asset)}"] = int(amount)
        return changed

    @property
    def knobs(self) -> dict[str, Knob]:
        """The knobs that say so, by asset; none where defaults are assumed."""
        return {asset: self.node.knob(modifier(asset)) for asset in self.texts} if self.node is not None else {}

    @cached_property
    def _expressions(self) -> dict[str, Expr]:
        found = {asset: parsed(text) for asset, text in self.texts.items()}
        return {asset: expression for asset, expression in found.items() if expression is not None}


def modifications(evidence: Evidence, kind: Kind, assumed: bool = True) -> Iterator[Modification]:
    """Yield the different ways in which the startds of ``kind`` change requests.

    Where no configuration is known it is HTCondor's default if ``assumed``, else nothing.
    """
    known: dict[tuple[str, ...], Modification] = {}
    for node in nodes(evidence, kind):
        texts = {asset: node.knob(modifier(asset)).value for asset in (CPUS, MEMORY, DISK)}
        known.setdefault(tuple(texts.values()), Modification(texts, node))
    if not known and assumed:
        yield Modification(_DEFAULT_MODIFICATIONS)
    yield from known.values()


def modifier(asset: str) -> str:
    """Return the name of the knob by which a startd changes the request for ``asset``."""
    return f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"
