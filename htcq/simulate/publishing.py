"""Slots as their startd would publish them if it had another capacity model.

What is claimed stays claimed.

Follows src/condor_startd.V6/Resource.cpp (publish_static, publish_dynamic), Reqexp.cpp
(publish_requirements) and ResAttributes.cpp (withinLimitsExpression,
consumptionLimitsExpression), HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.capacity.fixed import TOKEN, start_without_count
from htcq.capacity.layout import Slot as Layout
from htcq.classads import Expr, as_number
from htcq.policy.consumption import NEGOTIATOR, cpu_shares_in
from htcq.pool.resource_limits import SWAP, limits_by_policy, limits_without_policy
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.slot import DYNAMIC, Number, Slot
from htcq.pool.values import bytes_of
from htcq.units import BUILT_IN_ASSETS, CPUS, GPUS, attribute

#: By these the startd's own WithinResourceLimits are known; a configuration may have put another in
#: their place.
_WITH_POLICY, _WITHOUT = "_cp_orig_", "RequestCpus <= MY.Cpus"
#: A part of it on machines that have no network for jobs.
_NETWORK = "TARGET.WantJobNetworking =?= false"


@dataclass(frozen=True)
class Model:
    """What one partitionable slot is configured to; with ``literal`` for its own node alone."""

    layout: Layout
    literal: bool

    @property
    def consumes(self) -> bool:
        """Whether the slot has a consumption policy."""
        return self.layout.policy.splitting == NEGOTIATOR

    def claims(self) -> int:
        """Return NumClaims, as the startd reckons it on this machine."""
        text = self.layout.policy.claims(self.literal)
        claims = as_number(
            Expr(text.replace("$(NUM_CPUS)", str(self.layout.machine[CPUS]))).evaluate()
        )
        return int(claims or 0)


class Publishing:
    """Makes the slots; what they share with others is made once."""

    def __init__(self) -> None:
        self._expressions = Expressions()
        self._frames: dict[tuple[object, ...], SharedAttributes] = {}

    def slot(self, slot: Slot, model: Model, claims: int) -> Slot:
        """Return ``slot``, partitionable or one of its dynamic slots, as ``model`` makes it."""
        dynamic = slot.type == DYNAMIC
        shares = cpu_shares_in(slot.frame.text("ConsumptionCpus"))
        key = (
            id(slot.frame),
            id(model.layout),
            claims if model.layout.policy.provides and not dynamic else 0,
        )
        if key not in self._frames:
            lines = {
                **_kept(slot.frame),
                **_told(slot, model, shares),
                **_tokens(model, None if dynamic else claims),
            }
            encoded = tuple((bytes_of(name), bytes_of(text)) for name, text in lines.items())
            self._frames[key] = SharedAttributes(encoded, self._expressions)
        cpus, total = (
            _in_shares(slot.value(name), shares, model) for name in ("Cpus", "TotalSlotCpus")
        )
        changed = {
            name: value
            for name, value in (("cpus", cpus), ("total_slot_cpus", total))
            if value is not None
        }
        return slot._replace(frame=self._frames[key], **changed)


def _kept(frame: SharedAttributes) -> dict[str, str]:
    """Return the attributes that no model says anything of."""
    token = attribute(TOKEN).lower()
    gone = ("numclaims", token, f"total{token}", f"totalslot{token}")
    return {
        frame.names[name]: text
        for name, text in frame.texts.items()
        if not name.startswith("consumption") and name not in gone
    }


def _told(slot: Slot, model: Model, shares: int) -> dict[str, str]:
    policy, frame = model.layout.policy, slot.frame
    # What a slot lists without an amount is nothing that its machine has: a startd would list it no
    # more.
    known = {SWAP, *model.layout.machine}
    resources = [
        name for name in resources_of(slot) if name.lower() != TOKEN and name.lower() in known
    ]
    resources += [
        name for name in policy.provides if name not in [each.lower() for each in resources]
    ]
    told = {_name(frame, "SlotWeight"): policy.expanded(policy.weight)}
    if "MachineResources" in frame or model.consumes:
        told[_name(frame, "MachineResources")] = f'"{" ".join(resources)}"'
    assets = [name for name in resources if name.lower() != SWAP]
    if model.consumes:
        told.update(
            {
                f"Consumption{name}": policy.expanded(policy.consumption[name.lower()])
                for name in assets
            }
        )
        if slot.type != DYNAMIC:
            told["NumClaims"] = str(model.claims())
    # Snapshots do not keep what machines have of custom resources.
    for name in assets:
        built_in = name.lower() in (*BUILT_IN_ASSETS, GPUS)
        if not built_in and f"Total{name}" not in frame:
            told[f"Total{name}"] = str(model.layout.machine[name.lower()])
    limits = _limits(frame, model, assets)
    if limits:
        told[_name(frame, "WithinResourceLimits")] = limits
    start = start_without_count(frame.text("Start"))
    if policy.start:
        start = f"({start or 'true'}) && ({policy.start})"
    if start:
        told[_name(frame, "Start")] = start
    cpus = _in_shares(frame.value("TotalCpus"), shares, model)
    if cpus is not None:
        told[_name(frame, "TotalCpus")] = f"{float(cpus)}"
    return told


def _name(frame: SharedAttributes, name: str) -> str:
    """Return ``name`` as the slot spells it, so that it is not there twice."""
    return frame.names.get(name.lower(), name)


def resources_of(slot: Slot) -> list[str]:
    """Return the names of the assets that a slot lists, as it spells them."""
    text = slot.frame.value("MachineResources")
    return (
        text.replace(",", " ").split()
        if isinstance(text, str)
        else [attribute(each) for each in slot.assets]
    )


def _limits(frame: SharedAttributes, model: Model, assets: list[str]) -> str:
    """Return WithinResourceLimits where it has to be another one; empty where it stays."""
    text = frame.text("WithinResourceLimits")
    consumed = "ConsumptionCpus" in frame
    known = (_WITH_POLICY if consumed else _WITHOUT) in text or not text
    if not known or (consumed is model.consumes and not model.layout.policy.provides):
        return ""
    if model.consumes:
        parts = limits_by_policy(assets)
    else:
        parts = limits_without_policy(assets)
    return " && ".join([*parts, *([_NETWORK] if "WantJobNetworking" in text else [])])


def _tokens(model: Model, claims: int | None) -> Mapping[str, str]:
    """Return what the policy itself provides.

    What ``claims`` dynamic slots leave of it, or what one of those has.
    """
    told, policy = {}, model.layout.policy
    for asset, amount in policy.provides.items():
        name, each = attribute(asset), 1 if policy.consumption[asset] == "1" else 0
        left, total = (each, each) if claims is None else (max(0, amount - each * claims), amount)
        told.update({name: str(left), f"TotalSlot{name}": str(total), f"Total{name}": str(amount)})
    return told


def _in_shares(cpus: object, shares: int, model: Model) -> Number | None:
    """Return so many Cpus, of which a core counted as ``shares``, as the model counts them.

    It is None where they stay.
    """
    now = model.layout.policy.cpu_shares
    if now == shares or isinstance(cpus, bool) or not isinstance(cpus, (int, float)):
        return None
    return int(cpus * now // shares)
