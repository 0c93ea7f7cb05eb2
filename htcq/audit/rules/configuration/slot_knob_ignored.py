"""A knob of a single slot that nothing reads: SLOT1_RANK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from htcq.audit.evidence import Evidence
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.htcondor.matching import STARTD as OF_STARTD
from htcq.htcondor.matching import knobs_of
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import STARTD

_OF_SLOT = re.compile(r"SLOT([0-9]+)_(.+)\Z", re.IGNORECASE)
_REFERENCE = re.compile(r"\$[A-Za-z]*\(\s*(SLOT[0-9]+_\w+)", re.IGNORECASE)
#: What daemons read of a single slot (slot_builder.cpp, os_proc.cpp, Resource.cpp).
_READ = frozenset(
    ("CPU_AFFINITY", "EXECUTE", "JOB_HOOK_KEYWORD", "STARTD_ATTRS", "STARTD_EXPRS", "USER")
)
_LISTS = ("STARTD_ATTRS", "SYSTEM_STARTD_ATTRS", "STARTD_EXPRS")


@lru_cache(maxsize=1)
def _plain() -> frozenset[str]:
    return frozenset(knob.name.upper() for knob in knobs_of(OF_STARTD) if knob.plain)


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    checked = False
    for whose, configuration in evidence.configurations():
        checked = True
        yield from _ignored(whose, configuration.of(STARTD))
    if not checked:
        yield Unchecked(Input.EXECUTE.value)


def _ignored(whose: str, configuration: Configuration) -> Iterator[Found]:
    shown, used = _published(configuration), _referenced(configuration)
    for knob in configuration:
        found = _OF_SLOT.match(knob.bare)
        if found is None or not knob.value.strip() or knob.bare.upper() in used:
            continue
        name = found.group(2)
        # Other names are macros of the site.
        if name.upper() in _plain() - _READ and name.lower() not in shown:
            yield Found(
                cause=knob.name.upper(),
                subject=f"knob {knob.name}",
                message=(
                    f"{knob.name} has no effect: the startd looks {name} up for slot types, not "
                    "for single slots"
                ),
                facts=(Fact(knob.name, knob.value, knob.place),),
                examples=(whose,),
            )


def _published(configuration: Configuration) -> set[str]:
    """Return the attributes, in lower case, that slots have from the configuration."""
    listed: set[str] = set()
    for knob in configuration:
        if knob.bare.upper().endswith(_LISTS):
            listed.update(knob.value.lower().replace(",", " ").split())
    return listed


def _referenced(configuration: Configuration) -> set[str]:
    return {
        name.upper()
        for knob in configuration
        if "$" in knob.raw
        for name in _REFERENCE.findall(knob.raw)
    }


RULE = Rule(
    id="slot-knob-ignored",
    severity=Severity.WARNING,
    needs=(),
    summary="A knob of the startd is set for a single slot, as in SLOT1_RANK, and nothing reads it",
    consequence=(
        "The startd reads SLOT<n>_<NAME> for attributes that STARTD_ATTRS lists, and of its knobs "
        "only SLOT<n>_EXECUTE, SLOT<n>_CPU_AFFINITY, SLOT<n>_USER and SLOT<n>_JOB_HOOK_KEYWORD. "
        "The slot keeps the general value."
    ),
    advice="Set SLOT_TYPE_<n>_<NAME>, and give the slot a type of its own.",
    source=(
        "src/condor_startd.V6/Resource.cpp:publish_static, slot_builder.cpp, "
        "src/condor_starter.V6.1/os_proc.cpp, 25.13; 25.14.1 (SLOT1_RANK)"
    ),
    find=_find,
)
