"""A capacity model as a what-if: what it makes of a captured slot is what a startd with htcq's configuration tells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import classad2
import pytest
from broken import break_it, snapshot
from conftest import Site

from htcq.claims.claim import dynamic_weight
from htcq.operations.pool_source import pool_of
from htcq.operations.site_file import read_site_file
from htcq.pool.pool import Pool
from htcq.pool.slot import Slot
from htcq.pool.slot_class import SlotClass
from htcq.simulate.models import MachineModel, with_models
from htcq.store.snapshot import open_snapshot

pytestmark = pytest.mark.condor

#: Site files in the order in which the pool has them: each is foreseen from what the one before
#: made of the slots. The machine of the pool has fewer cores than the pool says: shares of them
#: must be literal.
WHOLE_NODE = {
    "minimum-charge": "[capacity]\ncharge = { cpus = 1, memory = '2GiB', disk = '1GiB' }\n",
    "levels": "[capacity]\nlevel = { cpus = 4, memory = 8 }\n",
    "half-cpus": "literal = true\n[capacity]\ncharge = { cpus = 0.5, memory = '1GiB' }\n",
    "quarter-cpus": "literal = true\n[capacity]\ncharge = { cpus = 0.5, memory = '3GiB' }\ncpu_shares = 4\n",
    "tokens": "[capacity]\nmodel = 'fixed'\nclaims = 5\nshare = 'request'\n",
    "memory-centric": "[capacity]\npreset = 'memory-centric'\n",
    "access-points-split": "[capacity]\nlevel = { cpus = 8, memory = 8 }\nsplitting = 'scheduler'\n",
    "access-points-count": "[capacity]\nmodel = 'fixed'\nclaims = 3\nshare = 'request'\nsplitting = 'scheduler'\n",
    "extensible": "[capacity]\npreset = 'extensible'\n",
}
_LAYOUT = (
    "[slot_types.1]\npart = '50%'\n{}\n"
    "[slot_types.2]\ncount = 2\nparts = {{ cpus = 2, memory = '4GiB', disk = '25%' }}\n{}"
)
TWO_TYPES = {
    "two-types": _LAYOUT.format("charge = { cpus = 1, memory = '1GiB' }", "claims = 2"),
    "two-other-types": _LAYOUT.format("level = { cpus = 2 }", "charge = { memory = '2GiB' }"),
    "one-model-for-both": "[capacity]\ncharge = { cpus = 2, memory = '512MiB', disk = '1GiB' }\n",
}
#: What of a slot a model decides, besides Consumption* and what MachineResources lists.
DECIDED = (
    "NumClaims", "MachineResources", "TotalCpus", "Start", "Requirements",
)  # fmt: skip
#: Of what it had at birth a slot has such parts when it is weighed, as it is and as a dynamic slot.
PARTS = (1, 2, 3, 7)


@pytest.mark.parametrize("files", [WHOLE_NODE, TWO_TYPES], ids=["whole-node", "slot-types"])
def test_slots_tell_what_the_what_if_made_of_them(
    site: Site, files: Mapping[str, str], tmp_path: Path
) -> None:
    break_it(site, "")
    if files is TWO_TYPES:
        _adopted(site, tmp_path, "two-types", files["two-types"])
    before = _captured(site, tmp_path / "plain")
    for name, text in files.items():
        if name == "two-types":
            continue
        expected = with_models(before, [_model(tmp_path, name, text)])
        if name == "one-model-for-both":
            # It leaves the layout as it is, and htcq emit would not: its slots are those of the
            # file before.
            text = _as_it_is(text)
        _adopted(site, tmp_path, name, text)
        before = _captured(site, tmp_path / name)
        assert not expected.damage
        really, foreseen = _told(before.slots), _told(expected.slots)
        assert really.keys() == foreseen.keys(), name
        unlike = {
            each: (value, foreseen[each])
            for each, value in really.items()
            if value != foreseen[each]
        }
        assert not unlike, name


def _as_it_is(text: str) -> str:
    return _LAYOUT.format(*[text.replace("[capacity]\n", "")] * 2)


def _model(directory: Path, name: str, text: str) -> MachineModel:
    path = directory / f"{name}.toml"
    path.write_text(text)
    settings = read_site_file(str(path))
    return MachineModel(str(path), settings.slot_types, literal=settings.literal)


def _adopted(site: Site, directory: Path, name: str, text: str) -> None:
    path = directory / f"{name}.toml"
    path.write_text(text)
    site.adopt(directory, ("--config", str(path)))
    weights = f"the slots of {name}"
    slots = 3 if "slot_types" in text else 1
    site.pool.wait(
        lambda: len(site.pool.ads("slots", ["Name"])) == slots, 30, weights, ("StartLog",)
    )


def _captured(site: Site, directory: Path) -> Pool:
    directory.mkdir()
    found = snapshot(site.pool, directory)
    return pool_of(open_snapshot(found), str(found))


def _weights(slot: Slot) -> dict[str, object]:
    """Return what SlotWeight is: a part of the machine is a share in one text of it and an amount in another."""
    kind = SlotClass((slot,))
    parts = {
        part: {asset: amount // part for asset, amount in kind.total.items()} for part in PARTS
    }
    return {
        f"weight of 1/{part}": (kind.weight(amounts), dynamic_weight(kind, amounts))
        for part, amounts in parts.items()
    }


def _told(slots: tuple[Slot, ...] | None) -> dict[str, object]:
    told: dict[str, object] = {}
    for slot in slots or ():
        texts = {
            name: text for name, text in slot.frame.texts.items() if name.startswith("consumption")
        }
        texts.update({name: slot.frame.text(name) for name in DECIDED if slot.frame.text(name)})
        found: dict[str, object] = {
            name: str(classad2.ExprTree(text)) for name, text in texts.items()
        }
        found.update(_weights(slot))
        amounts = {
            f"{asset} left": amount for asset, amount in slot.left().items() if asset != "disk"
        }
        own = {"TotalSlotCpus": slot.total_slot_cpus}
        of_slot = {**found, **amounts, **own}.items()
        told.update(
            {f"{str(slot.name).partition('@')[0]} {name}": value for name, value in of_slot}
        )
    return told
