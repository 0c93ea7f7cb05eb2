"""The ads of a machine's slots, and of the daemons on it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.invented.ads import NOW, recorded, template, whole
from tests.invented.groups import ROOT_NAME
from tests.invented.kinds import Kind
from tests.invented.machines import Claim, Machine, Slot


@cache
def _template(kind: Kind, *parts: str) -> str:
    """Return the text of a slot's ad of these recorded parts; ``grouped`` stands for the claim of a group's user."""
    extra = dict(kind.policy.consumption)
    if extra and "pslot" in parts:
        extra["NumClaims"] = str(kind.cpus)
    if "grouped" in parts:
        extra["AccountingGroup"] = '"%%(submitter)s"'
    return template(*(recorded(part) for part in ("machine", *parts) if part != "grouped"), extra)


class _MachineText:
    """The ads of one machine: each template is filled with the machine's values once, and then for each slot."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._filled: dict[tuple[str, ...], str] = {}

    def ad(self, values: dict[str, object], *parts: str) -> str:
        """Return the ad of one slot."""
        text = self._filled.get(parts)
        if text is None:
            start = "false" if "owner" in parts else "true"
            recorded_parts = [part for part in parts if part != "owner"]
            text = _template(self.machine.kind, *recorded_parts) % {
                **self.machine.values,
                "start": start,
            }
            self._filled[parts] = text
        return text % values

    def assigned(self, devices: tuple[int, ...]) -> dict[str, object]:
        """Return what an ad says of the GPUs that a slot has got."""
        return {
            "assigned": ",".join(f"GPU-{self.machine.devices[device]}" for device in devices),
            "devices": self.machine.device_ads(devices),
        }

    def available(self, devices: tuple[int, ...]) -> str:
        """Return the references to GPUs that a slot can still give."""
        return ",".join(f"GPUs_GPU_{self.machine.devices[device]}" for device in devices)


def machine_ads(machine: Machine) -> Iterator[str]:
    """Yield all ads of a machine: of its startd, its master and its slots."""
    yield (
        whole("startd").rstrip("\n") % machine.values
        + machine.device_ads(tuple(range(machine.had.gpus)))
        + "\n\n"
    )
    yield whole("master") % machine.values
    text = _MachineText(machine)
    for slot in machine.slots:
        if slot.partitionable:
            yield _partitionable(text, slot)
            for order, claim in enumerate(slot.claims, 1):
                yield _dynamic(text, slot, order, claim)
        else:
            yield _static(text, slot)


def slot_name(machine: Machine, slot: Slot, order: int) -> str:
    """Return the name of the slot that holds the claim ``order`` of ``slot``; order 0 means the slot itself."""
    return (
        f"slot{slot.number}_{order}@{machine.host}"
        if order
        else f"slot{slot.number}@{machine.host}"
    )


def _amounts(slot: Slot) -> dict[str, object]:
    had, left = slot.had, slot.left
    return {
        "slot_id": slot.number,
        "cpus": left.cpus,
        "memory": left.memory_mb,
        "disk": left.disk_kb,
        "gpus": left.gpus,
        "total_cpus": had.cpus,
        "total_memory": had.memory_mb,
        "total_disk": had.disk_kb,
        "total_gpus": had.gpus,
    }


def _unclaimed(text: _MachineText, slot: Slot) -> dict[str, object]:
    values = _amounts(slot)
    values.update(
        name=slot_name(text.machine, slot, 0),
        activity="Idle",
        state="Owner" if slot.owner else "Unclaimed",
        available="",
        since=text.machine.values["booted"],
        load="0.0",
        pids=0,
        updates=288,
        virtual=slot.had.memory_mb * 1024,
        slot_type="Partitionable" if slot.partitionable else "Static",
        type_id=1 if slot.partitionable else 2,
    )
    return values


def _partitionable(text: _MachineText, slot: Slot) -> str:
    values = _unclaimed(text, slot)
    values.update(_children(text.machine, slot))
    if not slot.had.gpus:
        return text.ad(values, "pslot")
    given = slot.had.gpus - slot.left.gpus
    values["available"] = text.available(tuple(range(given, slot.had.gpus)))
    values.update(text.assigned(tuple(range(slot.had.gpus))))
    return text.ad(values, "pslot", "gpus")


def _children(machine: Machine, slot: Slot) -> dict[str, object]:
    claims = slot.claims
    queues = [claim.work.queue for claim in claims]
    submitters = [f'"{queue.submitter}"' if queue.group else "undefined" for queue in queues]
    users = ",".join(f'"{queue.user}"' for queue in queues)
    return {
        "children": len(claims),
        "child_accounting_group": ",".join(submitters),
        "child_activity": ",".join(['"Busy"'] * len(claims)),
        "child_cpus": ",".join(str(claim.got.cpus) for claim in claims),
        "child_current_rank": ",".join(["0.0"] * len(claims)),
        "child_disk": ",".join(str(claim.got.disk_kb) for claim in claims),
        "child_dslot_id": ",".join(map(str, range(1, len(claims) + 1))),
        "child_entered_current_state": ",".join(str(claim.since) for claim in claims),
        "child_gpus": ",".join(str(claim.got.gpus) for claim in claims),
        "child_memory": ",".join(str(claim.got.memory_mb) for claim in claims),
        "child_name": ",".join(
            f'"{slot_name(machine, slot, order)}"' for order in range(1, len(claims) + 1)
        ),
        "child_remote_owner": users,
        "child_remote_user": users,
        "child_retirement_time_remaining": ",".join(["0"] * len(claims)),
        "child_state": ",".join(['"Claimed"'] * len(claims)),
    }


def claim_number(slot: Slot, order: int) -> int:
    """Return the number that a public claim id ends in."""
    return 1000 * slot.number + order


def _claimed(slot: Slot, order: int, claim: Claim) -> dict[str, object]:
    queue, got = claim.work.queue, claim.got
    used = got.memory_mb * 512
    pid = 1000 + claim_number(slot, order) * 7
    return {
        "activity": "Busy",
        "state": "Claimed",
        "since": claim.since,
        "load": f"{got.cpus * 0.97:.2f}",
        "pids": 1 + got.cpus,
        "updates": (NOW - claim.since) // 300 + 1,
        "schedd": queue.schedd.name,
        "usage": f"{got.cpus * 0.97:.4f}",
        "disk_used": got.disk_kb // 3,
        "job_id": f"{claim.work.cluster}.{claim.proc}",
        "submitted": claim.since - 3600,
        "image": used * 2,
        "pid": pid,
        "claim": claim_number(slot, order),
        "user": queue.user,
        "submitter": queue.submitter,
        "group": queue.group.name if queue.group else ROOT_NAME,
        "resident": used,
        "run_time": NOW - claim.since,
    }


def _dynamic(text: _MachineText, slot: Slot, order: int, claim: Claim) -> str:
    got = claim.got
    values = _claimed(slot, order, claim)
    values.update(
        name=slot_name(text.machine, slot, order),
        slot_id=slot.number,
        dslot_id=order,
        cpus=got.cpus,
        memory=got.memory_mb,
        disk=got.disk_kb,
        gpus=got.gpus,
        total_cpus=got.cpus,
        total_memory=got.memory_mb,
        total_disk=got.disk_kb,
        total_gpus=got.gpus,
        available=text.available(claim.devices),
        virtual=0,
        slot_type="Dynamic",
        type_id=1,
    )
    parts = ("claimed", "dslot", "grouped") if claim.work.queue.group else ("claimed", "dslot")
    if claim.devices:
        values.update(text.assigned(claim.devices))
        parts += ("gpus",)
    return text.ad(values, *parts)


def _static(text: _MachineText, slot: Slot) -> str:
    values = _unclaimed(text, slot)
    if not slot.claims:
        return text.ad(values, "static", "owner") if slot.owner else text.ad(values, "static")
    claim = slot.claims[0]
    values.update(_claimed(slot, 0, claim))
    return (
        text.ad(values, "claimed", "grouped")
        if claim.work.queue.group
        else text.ad(values, "claimed")
    )
