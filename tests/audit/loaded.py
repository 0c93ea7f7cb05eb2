"""Settings as HTCondor takes them: its own parser reads their lines, and values are what their knobs may be."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from htcq.audit.fix import Setting
from htcq.classads import parsed
from htcq.htcondor.knob_names import split_prefix
from htcq.live.configuration import read_configuration
from htcq.live.parser_process import ParserProcess
from htcq.quota.knobs import number_of, truth_of

#: What knobs are that HTCondor's table of parameters has no default for, or has as texts.
_TRUTHS = re.compile(
    r"GROUP_(ACCEPT_SURPLUS|AUTOREGROUP)(_.+)?|NEGOTIATOR_STRICT_ENFORCE_QUOTA|PREEMPTION_REQUIREMENTS_STABLE"
    r"|CLAIM_PARTITIONABLE_LEFTOVERS|SCHEDD_USE_SLOT_WEIGHT|CONSUMPTION_POLICY|PARTITIONABLE",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"GROUP_QUOTA_(?!ROUND|MAX).+|GROUP_PRIO_FACTOR_.+|NUM_CLAIMS|NUM_SLOTS.*", re.IGNORECASE
)
_EXPRESSIONS = re.compile(
    r"(SCHEDD_)?SLOT_WEIGHT|CONSUMPTION_(?!POLICY).+|MODIFY_REQUEST_EXPR_.+|NEGOTIATOR_SLOT_.*CONSTRAINT|START|RANK"
    r"|PREEMPTION_(REQUIREMENTS|RANK)|GROUP_SORT_EXPR|WithinResourceLimits",
    re.IGNORECASE,
)
_MACRO = re.compile(r"\$\w*\(")


def types_here() -> dict[str, str]:
    """Return the types of knobs by HTCondor's table of parameters; only in a ParserProcess."""
    import htcondor2

    return {name.upper(): type(value).__name__ for name, value in dict(htcondor2.param).items()}


@functools.lru_cache(maxsize=1)
def types() -> dict[str, str]:
    """Return the types of knobs: bool, int, float or str."""
    found: dict[str, str] = ParserProcess().call(types_here)
    return found


def assert_loads(settings: Iterable[Setting]) -> None:
    """Let HTCondor's parser read ``settings``, and look at each value as its daemon would."""
    every = tuple(dict.fromkeys(settings))
    for each in every:
        assert is_allowed(each.knob, each.value), each.line
    if every:
        _read(tuple(dict.fromkeys((each.knob, each.line, each.value) for each in every)))


def is_allowed(knob: str, value: str) -> bool:
    """Return whether a daemon takes ``value`` for ``knob``; an empty value is none, and the default holds."""
    own = split_prefix(knob)[1]
    if not value or _MACRO.search(value):
        return True
    kind = types().get(own.upper(), "str")
    if kind == "bool" or _TRUTHS.fullmatch(own):
        return truth_of(value) is not None
    if kind in ("int", "float") or _NUMBERS.fullmatch(own):
        return number_of(value) is not None
    return parsed(value) is not None if _EXPRESSIONS.fullmatch(own) else True


@functools.cache
def _read(settings: tuple[tuple[str, str, str], ...]) -> None:
    names = [knob for knob, _, _ in settings]
    values = read_configuration("".join(f"{line}\n" for _, line, _ in settings), names)
    for knob, line, value in settings:
        others = {each for name, _, each in settings if name.upper() == knob.upper()}
        if value and len(others) == 1 and not _MACRO.search(value):
            read = values[knob]
            same = read == value or (
                truth_of(read) is not None and truth_of(read) == truth_of(value)
            )
            assert same or number_of(read) == number_of(value), (line, read)
