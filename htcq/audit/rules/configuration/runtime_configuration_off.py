"""Knobs listed as settable at run time while setting them is off, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import listed
from htcq.audit.rule import Fact, Found, Input, Rule, Severity, Unchecked
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import before_dot

_SETTABLE = re.compile(r"(?:[A-Z_]+_)?SETTABLE_ATTRS_[A-Z_]+\Z", re.IGNORECASE)
_SWITCHES = ("ENABLE_PERSISTENT_CONFIG", "ENABLE_RUNTIME_CONFIG")


def _find(evidence: Evidence) -> Iterator[Found | Unchecked]:
    checked = False
    for whose, configuration in evidence.configurations():
        checked = True
        settable = [knob for knob in configuration if _lists_knobs(knob)]
        on = [name for name in _SWITCHES if configuration.truth(name, False)]
        if settable and not on:
            message = f"{settable[0].name} lists knobs, but {listed(_SWITCHES)} are both off"
            yield _found(configuration, whose, "off", message, settable)
        elif on and not settable:
            are = "is" if len(on) == 1 else "are"
            message = f"{listed(on)} {are} on, but no SETTABLE_ATTRS_* lists any knobs"
            yield _found(configuration, whose, "nothing listed", message, settable)
    if not checked:
        yield Unchecked(evidence.words(Input.CENTRAL))


def _lists_knobs(knob: Knob) -> bool:
    """Return whether a daemon accepts knobs by it; it may be for one daemon alone."""
    name = knob.name.removeprefix(f"{before_dot(knob.name)}.")
    return bool(_SETTABLE.match(name) and knob.value.strip())


def _found(
    configuration: Configuration, whose: str, cause: str, message: str, settable: list[Knob]
) -> Found:
    switches = [
        configuration.knob(name) or Knob(name, configuration.value(name, "false"))
        for name in _SWITCHES
    ]
    return Found(
        cause=cause,
        subject=whose,
        message=message,
        facts=tuple(Fact(knob.name, knob.value, knob.place) for knob in (*settable, *switches)),
        examples=(whose,),
    )


RULE = Rule(
    id="runtime-configuration-off",
    severity=Severity.INFO,
    needs=(),
    summary="condor_config_val -set or -rset is configured incompletely and has no effect",
    consequence=(
        "A daemon accepts a knob over the network only if ENABLE_PERSISTENT_CONFIG or "
        "ENABLE_RUNTIME_CONFIG was on when it started and a SETTABLE_ATTRS_* lists the knob; the "
        "new value is applied at the next condor_reconfig. Otherwise the request is refused."
    ),
    advice=(
        "Turn ENABLE_RUNTIME_CONFIG on, list the knobs in SETTABLE_ATTRS_ADMINISTRATOR or "
        "SETTABLE_ATTRS_CONFIG, and restart; or remove all of these settings."
    ),
    source=(
        "src/condor_utils/condor_config.cpp:init_dynamic_config, "
        "daemon_core.cpp:CheckConfigAttrSecurity, 25.14"
    ),
    find=_find,
)
