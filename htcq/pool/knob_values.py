"""Whether the value of a knob is one that its daemon can use.

Follows param_integer, param_longlong, param_double and param_boolean of
src/condor_utils/condor_config.cpp, HTCondor 25.14: a plain literal first, else an expression of old
ClassAds, evaluated in an ad that has nothing else. Numbers may be truth values and fractions; of an
integer these are cut off. Out of its range a number ends the daemon as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from htcq.classad.faults import fault_of
from htcq.htcondor.knob_names import split_prefix
from htcq.htcondor.knob_types import KnobType, Misfit, Type, knob_type
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import NEGOTIATOR
from htcq.quota.knobs import number_of, truth_of

#: Of $$(NAME), which is for jobs, the configuration keeps the text.
_MACRO = re.compile(r"(?<!\$)\$([A-Z_]*)\(\s*([^):\s]*)", re.IGNORECASE)
_NUMBERS = (Type.INTEGER, Type.DOUBLE)
_CHECKED = (*_NUMBERS, Type.BOOLEAN, Type.EXPRESSION)
_PLAIN = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|[0-9.]+(?:[eE][-+]?[0-9]+)?)")
_WHOLE = re.compile(r"\s*[-+]?[0-9]+\s*")
#: What HTCondor itself sets from the machine that reads the configuration.
_OF_MACHINE = re.compile(
    r"DETECTED_\w+|(?:FULL_)?HOSTNAME|IP(?:V[46])?_ADDRESS|TILDE|USERNAME|REAL_[UG]ID|P?PID|"
    r"ARCH|OPSYS\w*|SUBSYSTEM|LOCALNAME|CONFIG_ROOT|UTSNAME_\w+|UNAME_\w+|IS\w+|UTC\w*",
    re.IGNORECASE,
)
#: What Jinja, ERB, shells, Autoconf and others replace by a value, and where they decide.
_PLACEHOLDER = re.compile(r"<%.*?%>|\{\{.*?\}\}|\{%.*?%\}|\$\{.*?\}|@\w+@|%\w+%", re.DOTALL)
_STATEMENT = re.compile(r"<%(?!=)|\{%")
#: An int of C++.
_MOST = 2**31
_MOST_DIGITS = 400


#: What each kind of daemon does, after its name.
_CONSEQUENCES = {
    Misfit.EXITS: "exits when it reads it, and again each time that its master starts it",
    Misfit.ERROR: "advertises Start = error in its slots, which take no job",
    Misfit.DEFAULT: "uses HTCondor's default instead",
    Misfit.DROPPED: "goes on as if the knob were not set",
    Misfit.REFUSED: "refuses every job",
    Misfit.SHUT: "has no such condition in its slots, which take no job",
}
_UNLOGGED = ", and its log does not say so"


@dataclass(frozen=True)
class Flaw:
    """One knob whose value its daemon cannot use.

    ``place`` is where the text stops to be an expression, counted from 0; None where it is one that
    has no value of the type, or none in its range (``out_of_range``).
    """

    knob: Knob
    known: KnobType
    text: str
    place: int | None = None
    out_of_range: bool = False

    @property
    def exits(self) -> bool:
        """Whether the daemon exits when it reads the knob."""
        return self.known.misfit is Misfit.EXITS

    @property
    def daemon(self) -> str:
        """The daemon, or the tool, that reads the knob."""
        first = self.known.daemons[0]
        return {"all": "daemon", "submit": "condor_submit"}.get(first, first)

    @property
    def consequence(self) -> str:
        """What the daemon does, as a sentence without its full stop."""
        what = _CONSEQUENCES[self.known.misfit]
        if self.known.misfit in (Misfit.DROPPED, Misfit.DEFAULT) and not self.known.logged:
            what += _UNLOGGED
        if self.known.daemons[0] == "all":
            return f"each daemon that reads it {what.replace(' when it reads it', '')}"
        return f"{self.daemon if self.daemon == 'condor_submit' else f'the {self.daemon}'} {what}"

    @property
    def fault(self) -> str:
        """Which bracket or quote of the text has no counterpart, and where; empty where none."""
        if self.place is None:
            return ""
        where = f"character {self.place + 1} of the value"
        if self.knob.column and self.text == self.knob.raw and "\n" not in self.text:
            where = f"column {self.knob.column + self.place}"
        return fault_in(self.text, self.place, where)

    @property
    def expected(self) -> str:
        """What the value must be."""
        low, high = self.known.low, self.known.high
        if self.known.type is Type.BOOLEAN:
            return "true or false"
        what = "a whole number" if self.known.type is Type.INTEGER else "a number"
        if low is not None and high is not None and high < _MOST - 1:
            return f"{what} from {low:.15g} to {high:.15g}"
        if low is not None and low > -_MOST:
            return f"{what} of at least {low:.15g}"
        return what


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


def flaws(configuration: Configuration, readers: Collection[str] = ()) -> Iterator[Flaw]:
    """Yield the knobs whose values their daemons cannot use, in the order of the text.

    ``readers`` are the daemons that count; without them all do. Values that depend on the machine
    that reads them, or on macros that are not in the text, are left out.
    """
    listed = _listed_attributes(configuration)
    for knob in configuration:
        if knob.value == configuration.defaults.get(knob.name.upper()):
            # A dump has more than a thousand of these.
            continue
        known = type_of(knob.name) or listed.get(knob.name.upper())
        if known is None or known.type not in _CHECKED or not knob.value.strip():
            continue
        if readers and not any(daemon in readers for daemon in known.daemons):
            continue
        if _is_read(configuration, knob, known) and not is_uncertain(configuration, knob):
            yield from _flaw(knob, known)


def fault_in(text: str, place: int, where: str) -> str:
    """Return which bracket or quote has no counterpart; ``where`` are the words for its place.

    Empty where there is neither at ``place``, where ``text`` stops being an expression.
    """
    letter = text[place : place + 1]
    if letter == '"':
        return f"the string that begins at {where} does not end"
    if letter and letter in "([{":
        return f"the {letter} at {where} is not closed"
    if letter and letter in ")]}":
        return f"the {letter} at {where} closes nothing"
    return ""


def text_of(knob: Knob) -> str:
    """Return the text that a daemon reads.

    HTCondor's Python bindings correct values that would end a daemon.
    """
    if "$" in knob.raw:
        return knob.value.strip()
    return (knob.raw or knob.value).strip()


def _flaw(knob: Knob, known: KnobType) -> Iterator[Flaw]:
    text = text_of(knob)
    if _PLACEHOLDER.search(text):
        yield from _flaw_of_template(knob, known, text)
        return
    if known.type is Type.EXPRESSION or known.with_ads:
        place = fault_of(text)
        if place is not None:
            yield Flaw(knob, known, text, place)
    elif known.misfit is Misfit.READ:
        return
    elif known.type is Type.BOOLEAN:
        place = fault_of(text)
        if place is not None or truth_of(text) is None:
            yield Flaw(knob, known, text, place)
    elif known.type in _NUMBERS:
        number = _number(text, known)
        if number is None:
            yield Flaw(knob, known, text, fault_of(text))
        elif not _least(known) <= number <= _most(known):
            yield Flaw(knob, known, text, out_of_range=True)


def _flaw_of_template(knob: Knob, known: KnobType, text: str) -> Iterator[Flaw]:
    """Yield that brackets do not match in an expression with places for a template's values.

    ClassAds have lists of lists, {{1}, {2}}: these parse as they are.
    """
    if known.type is not Type.EXPRESSION or _STATEMENT.search(text) or fault_of(text) is None:
        return
    # As many characters, so that places stay.
    filled = _PLACEHOLDER.sub(lambda found: "1".ljust(len(found.group())), text)
    place = fault_of(filled)
    if place is not None and filled[place] in "()[]{}":
        yield Flaw(knob, known, text, place)


def _number(text: str, known: KnobType) -> float | None:
    if _WHOLE.fullmatch(text):
        # Python refuses to read thousands of digits; no knob may be so large.
        return int(text) if len(text) < _MOST_DIGITS else math.copysign(math.inf, float(text))
    if known.type is Type.DOUBLE and _PLAIN.fullmatch(text):
        return number_of(text)
    # strtoll reads no other number than a decimal one: 0x10 is none.
    if fault_of(text) is not None:
        return None
    number = number_of(text)
    if number is None or math.isinf(number) or known.type is Type.DOUBLE:
        return number
    return math.trunc(number)


def _least(known: KnobType) -> float:
    if known.low is not None:
        return known.low
    return -_MOST if known.type is Type.INTEGER else -math.inf


def _most(known: KnobType) -> float:
    if known.high is not None:
        return known.high
    return _MOST - 1 if known.type is Type.INTEGER else math.inf


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


def _listed_attributes(configuration: Configuration) -> dict[str, KnobType]:
    """Return the knobs that daemons put into their ads because a list names them, upper case.

    One that does not parse is left out of the ad, and the log says so. A clause of Requirements
    that is left out is undefined, and the slot takes no job.
    """
    found: dict[str, KnobType] = {}
    for knob in configuration:
        if not knob.name.upper().endswith(("ATTRS", "EXPRS", "CLAUSES")):
            continue
        known = _LISTS.get(split_prefix(knob.name)[1].upper())
        if known is not None:
            for name in knob.value.upper().replace(",", " ").split():
                found.setdefault(name, known)
    return found


def _listed(name: str, daemon: str, misfit: Misfit, source: str, logged: bool = True) -> KnobType:
    return KnobType(name, Type.EXPRESSION, misfit, (daemon,), logged=logged, source=source)


_RESOURCE, _CONFIG = (
    "src/condor_startd.V6/Resource.cpp:2804",
    "src/condor_utils/condor_config.cpp:550",
)
_SUBMIT = "src/condor_utils/submit_utils.cpp:8325"
_CLAUSES = "src/condor_startd.V6/ResMgr.cpp:323"
#: The lists of names, and what a name in one is.
_LISTS = {
    "STARTD_ATTRS": _listed("a name in STARTD_ATTRS", "startd", Misfit.DROPPED, _RESOURCE),
    "STARTD_EXPRS": _listed("a name in STARTD_EXPRS", "startd", Misfit.DROPPED, _RESOURCE),
    "SCHEDD_ATTRS": _listed("a name in SCHEDD_ATTRS", "schedd", Misfit.DROPPED, _CONFIG),
    "SCHEDD_EXPRS": _listed("a name in SCHEDD_EXPRS", "schedd", Misfit.DROPPED, _CONFIG),
    "MASTER_ATTRS": _listed("a name in MASTER_ATTRS", "master", Misfit.DROPPED, _CONFIG),
    "NEGOTIATOR_ATTRS": _listed(
        "a name in NEGOTIATOR_ATTRS", "negotiator", Misfit.DROPPED, _CONFIG
    ),
    "COLLECTOR_ATTRS": _listed("a name in COLLECTOR_ATTRS", "collector", Misfit.DROPPED, _CONFIG),
    "SUBMIT_ATTRS": _listed("a name in SUBMIT_ATTRS", "submit", Misfit.DROPPED, _SUBMIT, False),
    "SUBMIT_EXPRS": _listed("a name in SUBMIT_EXPRS", "submit", Misfit.DROPPED, _SUBMIT, False),
    **{
        f"{kind}SLOT_REQUIREMENTS_CLAUSES": _listed(
            f"a name in {kind}SLOT_REQUIREMENTS_CLAUSES", "startd", Misfit.SHUT, _CLAUSES
        )
        for kind in ("", "P", "D")
    },
}


def _is_read(configuration: Configuration, knob: Knob, known: KnobType) -> bool:
    """Return whether a daemon reads the knob, where the name alone does not tell."""
    upper = split_prefix(knob.name)[1].upper()
    if known.name == "CONSUMPTION_<asset>":
        return any(
            "CONSUMPTION_POLICY" in each.name.upper() and truth_of(each.value.strip())
            for each in configuration
        )
    if known.name.endswith("_<group>"):
        head = known.name.partition("<")[0]
        own = knob.name.upper().partition(head)[2]
        prefix = knob.name[: -len(head + own)]
        every = (configuration, *configuration.others)
        negotiators = [each for each in every if each.daemon.subsystem == NEGOTIATOR]
        return any(
            _is_of_group(each, own, known)
            for each in negotiators or (configuration,)
            if prefix.upper() in ("", f"{NEGOTIATOR}.", f"{each.daemon.local}.".upper())
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


def _is_of_group(seen: Configuration, group: str, known: KnobType) -> bool:
    """Return whether a negotiator that has this configuration reads the knob of ``group``."""
    # A share beside an amount is never looked at.
    amount = "DYNAMIC" in known.name and seen.value(f"GROUP_QUOTA_{group}").strip()
    return not amount and group in seen.value("GROUP_NAMES").upper().replace(",", " ").split()


#: Names that count only where a list has them.
_LISTED = {
    "SUBMIT_REQUIREMENT_<name>": "SUBMIT_REQUIREMENT_NAMES",
    "SUBMIT_REQUIREMENT_<name>_REASON": "SUBMIT_REQUIREMENT_NAMES",
    "SYSTEM_PERIODIC_HOLD_<name>": "SYSTEM_PERIODIC_HOLD_NAMES",
    "SYSTEM_PERIODIC_RELEASE_<name>": "SYSTEM_PERIODIC_RELEASE_NAMES",
    "SYSTEM_PERIODIC_REMOVE_<name>": "SYSTEM_PERIODIC_REMOVE_NAMES",
    "SYSTEM_PERIODIC_VACATE_<name>": "SYSTEM_PERIODIC_VACATE_NAMES",
}
