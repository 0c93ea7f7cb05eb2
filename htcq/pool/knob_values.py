"""Whether the value of a knob is one that its daemon can use.

Follows param_integer, param_longlong, param_double and param_boolean of
src/condor_utils/condor_config.cpp, HTCondor 25.14: a plain literal first, else an expression of old
ClassAds, evaluated in an ad that has nothing else. Numbers may be truth values and fractions; of an
integer these are cut off. Out of its range a number ends the daemon as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from htcq.classads import fault_of
from htcq.htcondor.knob_types import KnobType, Misfit, Type, knob_type
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.knob_names import split_prefix
from htcq.quota.knobs import number_of, truth_of

_MACRO = re.compile(r"\$([A-Z_]*)\(\s*([^):\s]*)", re.IGNORECASE)
_NUMBERS = (Type.INTEGER, Type.DOUBLE)
_WHOLE = re.compile(r"\s*[-+]?[0-9]+\s*")
#: What HTCondor itself sets from the machine that reads the configuration.
_OF_MACHINE = re.compile(
    r"DETECTED_\w+|(?:FULL_)?HOSTNAME|IP(?:V[46])?_ADDRESS|TILDE|USERNAME|REAL_[UG]ID|P?PID|"
    r"ARCH|OPSYS\w*|SUBSYSTEM|LOCALNAME|CONFIG_ROOT|UTSNAME_\w+|UNAME_\w+|IS\w+|UTC\w*",
    re.IGNORECASE,
)
#: A 32-bit integer; param_longlong is rare and goes further.
_MOST = 2**31


@dataclass(frozen=True)
class Flaw:
    """One knob whose value its daemon cannot use.

    ``what`` is "expression" for a text that does not parse, else the type that it is not, or
    "range". ``place`` is where in the value an expression stops to be one, counted from 0.
    """

    knob: Knob
    known: KnobType
    what: str
    place: int = 0

    @property
    def exits(self) -> bool:
        """Whether the daemon exits when it reads the knob."""
        return self.known.misfit is Misfit.EXITS


def type_of(name: str) -> KnobType | None:
    """Return what is known of a knob by its full name, with the prefixes that it may have."""
    known = knob_type(name)
    if known is not None:
        return known
    own = split_prefix(name)[1]
    known = knob_type(own)
    if known is None and "." in name:
        # The local name of a daemon may be any word.
        known = knob_type(name.partition(".")[2])
    return known


def flaws(configuration: Configuration) -> Iterator[Flaw]:
    """Yield the knobs whose values their daemons cannot use, in the order of the text.

    Values that depend on the machine that reads them, or on macros that are not in the text, are
    left out.
    """
    for knob in configuration:
        if not knob.value.strip() or is_uncertain(configuration, knob):
            continue
        known = type_of(knob.name)
        if known is not None and _is_read(configuration, knob, known):
            yield from _flaw(knob, known)


def text_of(knob: Knob) -> str:
    """Return the text that a daemon reads.

    HTCondor's Python bindings correct values that would end a daemon.
    """
    if "$" in knob.raw:
        return knob.value.strip()
    return (knob.raw or knob.value).strip()


def _flaw(knob: Knob, known: KnobType) -> Iterator[Flaw]:
    text = text_of(knob)
    what, place = "", 0
    if known.type is Type.EXPRESSION or (
        known.with_ads and known.type in (*_NUMBERS, Type.BOOLEAN)
    ):
        fault = fault_of(text)
        if fault is not None:
            what, place = "expression", fault
    elif known.misfit is Misfit.READ:
        return
    elif known.type in _NUMBERS:
        what = _number_flaw(text, known)
    elif known.type is Type.BOOLEAN and truth_of(text) is None:
        what = "boolean"
    if what in ("integer", "double", "boolean"):
        fault = fault_of(text)
        if fault is not None:
            what, place = f"{what}, expression", fault
    if what:
        yield Flaw(knob, known, what, place)


def _number_flaw(text: str, known: KnobType) -> str:
    if known.type is Type.INTEGER and _WHOLE.fullmatch(text):
        number: float | None = int(text)
    else:
        number = number_of(text)
    if number is None or math.isinf(number):
        return known.type.value
    if known.type is Type.INTEGER:
        number = math.trunc(number)
        if not -_MOST <= number < _MOST and known.high is None:
            return "range"
    if known.low is not None and number < known.low:
        return "range"
    if known.high is not None and number > known.high:
        return "range"
    return ""


def is_uncertain(configuration: Configuration, knob: Knob) -> bool:
    """Return whether another machine, or another file, may give the knob another value."""
    seen: set[str] = set()
    waiting = [knob.raw]
    while waiting:
        for function, name in _MACRO.findall(waiting.pop()):
            upper = name.upper()
            if function.upper() not in ("", "INT", "REAL", "STRING") or _OF_MACHINE.fullmatch(
                upper
            ):
                return True
            if upper in seen:
                continue
            seen.add(upper)
            other = configuration.knob(upper)
            if other is not None:
                waiting.append(other.raw)
            elif upper in configuration.defaults:
                waiting.append(configuration.defaults[upper])
            else:
                return True
    return False


def _is_read(configuration: Configuration, knob: Knob, known: KnobType) -> bool:
    """Return whether a daemon reads the knob, where the name alone does not tell."""
    upper = split_prefix(knob.name)[1].upper()
    if known.name == "CONSUMPTION_<asset>":
        return any(
            "CONSUMPTION_POLICY" in each.name.upper() and truth_of(each.value.strip())
            for each in configuration
        )
    if known.name == "<limit>_LIMIT":
        # Any macro of the site may be called so; a limit is one that jobs name.
        return False
    for pattern, listing in _LISTED.items():
        if known.name == pattern:
            named = configuration.value(listing).upper().replace(",", " ").split()
            head = pattern.partition("<")[0]
            own = upper[len(head) :]
            return any(own in (each, f"{each}_REASON", f"{each}_SUBCODE") for each in named)
    return True


#: Names that count only where a list has them.
_LISTED = {
    "SUBMIT_REQUIREMENT_<name>": "SUBMIT_REQUIREMENT_NAMES",
    "SUBMIT_REQUIREMENT_<name>_REASON": "SUBMIT_REQUIREMENT_NAMES",
    "SYSTEM_PERIODIC_HOLD_<name>": "SYSTEM_PERIODIC_HOLD_NAMES",
    "SYSTEM_PERIODIC_RELEASE_<name>": "SYSTEM_PERIODIC_RELEASE_NAMES",
    "SYSTEM_PERIODIC_REMOVE_<name>": "SYSTEM_PERIODIC_REMOVE_NAMES",
    "SYSTEM_PERIODIC_VACATE_<name>": "SYSTEM_PERIODIC_VACATE_NAMES",
}
