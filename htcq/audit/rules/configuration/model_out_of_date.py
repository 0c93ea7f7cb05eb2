"""Some execution points have another capacity model than most, as they advertise it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.units import first_named

#: Most machines that a finding names.
_MAX_NAMES = 20


class _Model(NamedTuple):
    """What a node advertises: the name of its model and the hash of its settings.

    Both are empty where the node advertises no model.
    """

    name: str
    hash: str

    @property
    def text(self) -> str:
        """The model as a sentence has it."""
        if not self.hash:
            return "no model"
        name = self.name or "a model without a name"
        return f"{name} ({self.hash})"


def _find(evidence: Evidence) -> Iterator[Found]:
    machines = _machines(evidence)
    advertised = {model: names for model, names in machines.items() if model.hash}
    if not advertised or len(machines) < 2:
        return
    usual = max(advertised, key=lambda model: (len(advertised[model]), model))
    for model, names in sorted(machines.items(), key=lambda each: -len(each[1])):
        if model != usual:
            yield _found(model, names, usual, len(advertised[usual]))


def _machines(evidence: Evidence) -> dict[_Model, list[str]]:
    """Return the machines of each model; the first slot of a machine decides."""
    models: dict[int, _Model] = {}
    known: dict[str, _Model] = {}
    for kind in evidence.offered:
        for slot in kind.slots:
            machine, frame = str(slot.machine), slot.frame
            if machine in known:
                continue
            if id(frame) not in models:
                name, hash_ = frame.value("HtcqModel"), frame.value("HtcqModelHash")
                models[id(frame)] = _Model(_word(name), _word(hash_))
            known[machine] = models[id(frame)]
    found: dict[_Model, list[str]] = {}
    for machine, model in known.items():
        found.setdefault(model, []).append(machine)
    return found


def _word(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""


def _found(model: _Model, names: list[str], usual: _Model, others: int) -> Found:
    named = first_named(names, _MAX_NAMES)
    verb = "advertises" if len(names) == 1 else "advertise"
    return Found(
        cause=model.hash or "no model",
        subject=f"machine {names[0]}",
        message=(
            f"{counted(len(names), 'machine')} {verb} {model.text}, and "
            f"{counted(others, 'machine')} {usual.text}: {named}"
        ),
        facts=(
            Fact("HtcqModelHash", model.hash or "(absent)"),
            Fact("HtcqModelHash of most", usual.hash),
        ),
        advice=(
            "Write the configuration with 'htcq emit' on the machines with the old model, and "
            "restart their startds. All of them: condor_status -constraint 'HtcqModelHash =!= "
            f'"{usual.hash}"\' -af Machine | sort -u'
        ),
        count=len(names),
        examples=tuple(names),
    )


RULE = Rule(
    id="model-out-of-date",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.POOL),
    summary="Execution points advertise no model, or another one than most",
    consequence=(
        "Nodes with different models give equal claims different weights, and quotas, usage and "
        "the pool's weight are sums of both. During the rollout of a new configuration this is "
        "normal, and the finding lists the remaining machines; it disappears when the last "
        "startd has been restarted. Until most nodes have the new model, the nodes that already "
        "have it are listed. A machine without a model is listed only if others advertise one."
    ),
    advice=(
        "Write the configuration with 'htcq emit' on the machines that are behind, and restart "
        "their startds."
    ),
    source="HtcqModel and HtcqModelHash, which 'htcq emit' adds to STARTD_ATTRS",
    find=_find,
)
