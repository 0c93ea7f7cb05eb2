"""The configuration of execution points: knobs of their slots, and changes of requests.

A knob of a slot type comes before the general one (src/condor_startd.V6/Resource.cpp, HTCondor
25.14). Before the startd carves a slot it changes the request with
MODIFY_REQUEST_EXPR_REQUESTCPUS, -MEMORY and -DISK (create_dslot).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.audit.evidence import Evidence
from htcq.audit.trials import Trial
from htcq.claims.claim import taken_as_changed
from htcq.claims.startds import modifier
from htcq.classads import Expr, Value, parsed
from htcq.policy.claim import Startd, Taken, modified
from htcq.policy.defaults import MODIFIED
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.pool import of_startd
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.quota.knobs import truth_of


@dataclass(frozen=True)
class Node:
    """One slot and the configuration of its machine."""

    slot: Slot
    configuration: Configuration

    def knob(self, name: str) -> Knob:
        """Return the knob of the slot's type, else the general one, else HTCondor's default.

        The text of the default is empty where HTCondor has none.
        """
        typed = self.configuration.knob(f"SLOT_TYPE_{self.slot_type}_{name}")
        if typed is None:
            return effective(self.configuration, name)
        return typed

    def truth(self, name: str, default: bool) -> bool:
        """Return a truth value; a knob of the slot's type counts only if it is one."""
        typed = truth_of(self.configuration.value(f"SLOT_TYPE_{self.slot_type}_{name}"))
        if typed is None:
            return self.configuration.truth(name, default)
        return typed

    def expression(self, name: str) -> Expr | None:
        """Return the expression of a knob; None where it is unset or no ClassAd expression."""
        return parsed(self.knob(name).value)

    @property
    def slot_type(self) -> int:
        """The number of the slot's type; a dynamic slot has the negative number of its parent."""
        return self.slot.type_id


def effective(configuration: Configuration, name: str) -> Knob:
    """Return the knob ``name`` as set, else with HTCondor's default, which has no place."""
    knob = configuration.knob(name)
    if knob is None:
        return Knob(name, configuration.value(name))
    return knob


def nodes(evidence: Evidence, kind: SlotClass) -> Iterator[Node]:
    """Yield one slot of ``kind`` for each machine and slot type whose configuration is known."""
    if not evidence.execute:
        return
    seen: set[tuple[str, int]] = set()
    for slot in kind.slots:
        configuration = of_startd(evidence.execute, slot)
        if configuration is None:
            continue
        node = Node(slot, configuration)
        key = (slot.startd, node.slot_type)
        if key not in seen:
            seen.add(key)
            yield node


@dataclass(frozen=True)
class Modification:
    """The changes of one startd to requests; ``node`` is None for HTCondor's assumed defaults."""

    startd: Startd
    node: Node | None = None

    def taken(self, kind: SlotClass, trial: Trial) -> Taken:
        """Return the amounts of the job of ``trial`` on a full slot, its request changed."""
        return taken_as_changed(kind, trial.jobs, self.startd)

    def changed(self, kind: SlotClass, trial: Trial) -> dict[str, Value]:
        """Return the requests that the startd changes, each with its new amount, a whole number."""
        changed: dict[str, Value] = {}
        for name, value in modified(self.startd, kind.ad(kind.total), trial.jobs).items():
            asset = name[len("Request") :].lower()
            if value != trial.jobs.request.get(asset):
                changed[name] = value
        return changed

    @property
    def knobs(self) -> dict[str, Knob]:
        """The knobs of the changes, by asset; none where defaults are assumed."""
        if self.node is None:
            return {}
        return {asset: self.node.knob(modifier(asset)) for asset in MODIFIED}


def modifications(
    evidence: Evidence, kind: SlotClass, assumed: bool = True
) -> Iterator[Modification]:
    """Yield the different changes that the startds of ``kind`` make to requests.

    Where no configuration is known, HTCondor's default is yielded if ``assumed``, else nothing.
    """
    known: dict[int, Modification] = {}
    for node in nodes(evidence, kind):
        startd = evidence.startds.of(node.slot)
        known.setdefault(id(startd), Modification(startd, node))
    if not known and assumed:
        yield Modification(evidence.startds.of(kind.first))
    yield from known.values()
