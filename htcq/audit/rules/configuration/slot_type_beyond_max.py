"""A slot type has a higher number than the startd looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fix_settings import node
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.pool.configuration import Knob
from htcq.quota.knobs import number_of

_OF_SLOT_TYPE = re.compile(r"(?:NUM_SLOTS|SLOT)_TYPE_([0-9]{1,9})(?:_.*)?\Z", re.IGNORECASE)
_MAX_TYPES = 10


def _find(evidence: Evidence) -> Iterator[Found]:
    for machine, configuration in evidence.execute.items():
        most = number_of(configuration.value("MAX_SLOT_TYPES", str(_MAX_TYPES)).strip())
        if most is None:
            most = _MAX_TYPES
        beyond: dict[int, list[Knob]] = {}
        for knob in configuration:
            found = _OF_SLOT_TYPE.match(knob.bare)
            if found and int(found.group(1)) > most:
                beyond.setdefault(int(found.group(1)), []).append(knob)
        for number, knobs in beyond.items():
            yield Found(
                cause=f"slot type {number}",
                subject=f"slot type {number}",
                message=(
                    f"slot type {number} is ignored: MAX_SLOT_TYPES is "
                    f"{_MAX_TYPES if most is None else most:g}"
                ),
                facts=tuple(Fact(knob.name, knob.value, knob.place) for knob in knobs),
                settings=(node(evidence, machine, "MAX_SLOT_TYPES", str(max(beyond))),),
                examples=(machine,),
            )


RULE = Rule(
    id="slot-type-beyond-max",
    severity=Severity.INFO,
    needs=(Input.EXECUTE,),
    summary="SLOT_TYPE_<N> is set for a number beyond MAX_SLOT_TYPES",
    consequence=(
        "The startd ignores the slot type, and its slots do not exist; only a full debug log "
        "mentions it."
    ),
    advice="Raise MAX_SLOT_TYPES, or use smaller numbers; then restart the startd.",
    source=(
        "src/condor_startd.V6/Resource.cpp:SlotType::insert_param, ResMgr.cpp:init_resources, 25.14"
    ),
    find=_find,
)
