"""A custom asset is defined and MACHINE_RESOURCE_NAMES does not list it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import node
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.configuration import Configuration, Knob

_NAMES = "MACHINE_RESOURCE_NAMES"
_RESOURCE = re.compile(r"MACHINE_RESOURCE_(?:INVENTORY_)?(.+)\Z", re.IGNORECASE)


def _find(evidence: Evidence) -> Iterator[Found]:
    for machine, configuration in evidence.execute.items():
        names = configuration.knob(_NAMES)
        if names is None:
            continue
        allowed = names.value.replace(",", " ").split()
        if not allowed:
            continue
        known = {name.lower() for name in allowed}
        for knob, asset in _defined(configuration):
            if asset.lower() not in known:
                yield Found(
                    cause=asset.lower(),
                    subject=f"asset {asset}",
                    message=(
                        f"{knob.name} has no effect: {_NAMES} is {' '.join(allowed)} and does not "
                        f"list {asset}"
                    ),
                    facts=(
                        Fact(knob.name, knob.value, knob.place),
                        Fact(names.name, names.value, names.place),
                    ),
                    settings=(node(evidence, machine, names.bare, _all(configuration, allowed)),),
                    examples=(machine,),
                )


def _defined(configuration: Configuration) -> Iterator[tuple[Knob, str]]:
    """Yield the knobs that define a custom asset, each with the asset's name."""
    for knob in configuration:
        found = _RESOURCE.match(knob.bare)
        if found and not knob.bare.upper().endswith(_NAMES) and knob.value.strip():
            yield knob, found.group(1)


def _all(configuration: Configuration, allowed: list[str]) -> str:
    """Return the names that are listed, and those of all assets that are defined."""
    known = {name.lower() for name in allowed}
    names = list(allowed)
    for _, asset in _defined(configuration):
        if asset.lower() not in known:
            known.add(asset.lower())
            names.append(asset)
    return " ".join(names)


RULE = Rule(
    id="custom-resource-dropped",
    severity=Severity.WARNING,
    needs=(Input.EXECUTE,),
    summary="MACHINE_RESOURCE_NAMES is set and does not list an asset that is defined",
    consequence=(
        "If MACHINE_RESOURCE_NAMES is set, the startd drops every custom asset that it does not "
        "list, including GPUs. Jobs that request one never match there, and a consumption policy "
        "for it is incomplete."
    ),
    advice="List the asset in MACHINE_RESOURCE_NAMES, or leave MACHINE_RESOURCE_NAMES unset.",
    source="src/condor_startd.V6/ResAttributes.cpp:init_machine_resources, 25.14",
    find=_find,
)
