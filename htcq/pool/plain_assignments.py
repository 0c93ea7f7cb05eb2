"""Plain assignments for HTCondor's parser, out of a configuration text from elsewhere.

Such a text must not run a command or read a file here, end the parser, or keep it forever.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from htcq.pool.config_lines import LEGAL_NAME, STATEMENTS

if TYPE_CHECKING:
    from htcq.pool.config_statements import Assignment

_READS_FILES = frozenset(
    (
        "LOCAL_CONFIG_FILE", "LOCAL_CONFIG_DIR", "USER_CONFIG_FILE", "LOCAL_ROOT_CONFIG_FILE",
        "REQUIRE_LOCAL_CONFIG_FILE", "ENABLE_PERSISTENT_CONFIG", "ENABLE_RUNTIME_CONFIG",
        "PERSISTENT_CONFIG_DIR",
    )
)  # fmt: skip
#: Shared libraries and Python modules with functions for ClassAds.
_LOADS_CODE = re.compile(r"CLASSAD_USER_")
_CONTROL = re.compile(r"[\x00\t\v\f\r]")
#: A backslash at the end of a line makes the next one a part of it.
_CONTINUED = re.compile(r"[\s\\]+\Z")
_END = "htcq_end_of_value"
#: No value of a real configuration is so long with all macros filled in.
MAX_CHARACTERS = 256 * 1024
#: What a macro call may name: $(NAME), $(NAME:default), $INT(NAME), $CHOICE(INDEX,NAME) …
_CALL = re.compile(r"\$([$A-Z_]*)\((?=([^)]*))")
_NAME = re.compile(r"[A-Z0-9_./]+")
#: $CHOICE(INDEX,ITEM,ITEM…); with one item it is the name of a list.
_INDEX, _LONG_INDEX = re.compile(r"-?[0-9]+"), 9
_CHOICE = re.compile(r"\$CHOICE\(\s*([^(),]+?)\s*,([^()]*)\)", re.IGNORECASE)


def safe_text(found: Iterable[Assignment]) -> str:
    """Return a text of plain assignments only, for HTCondor's parser.

    A configuration from elsewhere must not run a command or read a file here, as ``include`` and
    some knobs do. Names that HTCondor refuses would end its parser and are left out too. So are
    knobs that refer to themselves in a circle or grow without end: the parser would never return.
    """
    return "".join(statement_text(name, raw) for name, raw in harmless(found))


def harmless(found: Iterable[Assignment]) -> list[tuple[str, str]]:
    """Return names and texts of the assignments that :func:`safe_text` has."""
    plain = [(each.name, one_assignment(each.raw)) for each in found if is_harmless(each.name)]
    last = {name.upper(): raw for name, raw in plain}
    left_out = endless_knobs(plain) | {
        name for name, raw in last.items() if _chooses_nothing(raw, last)
    }
    return [(name, raw) for name, raw in plain if name.upper() not in left_out]


def _chooses_nothing(raw: str, known: Mapping[str, str]) -> bool:
    """Return whether ``raw`` has a $CHOICE() whose index is beyond its items.

    Up to 25.12 the library returns then what stands in its memory, or crashes.
    """
    for index, rest in _CHOICE.findall(raw):
        number = known.get(index.upper(), index).strip()
        items = rest.split(",")
        if len(items) == 1:
            items = known.get(items[0].strip().upper(), "").replace(",", " ").split()
        if not _INDEX.fullmatch(number) or not items:
            continue
        if len(number) > _LONG_INDEX or not 0 <= int(number) < len(items):
            return True
    return False


def is_harmless(name: str) -> bool:
    """Return whether HTCondor's parser takes ``name`` for a knob that only has a value."""
    if not LEGAL_NAME.match(name) or name.lower() in STATEMENTS:
        return False
    return not reads_or_loads(name)


def reads_or_loads(name: str) -> bool:
    """Return whether HTCondor reads a file or loads code because of the knob ``name``."""
    # SUBSYSTEM.KNOB comes before KNOB.
    knob = name.upper().rpartition(".")[2]
    return bool(LEGAL_NAME.match(name) and (knob in _READS_FILES or _LOADS_CODE.match(knob)))


def one_assignment(raw: str) -> str:
    """Return ``raw`` without characters that would change how the parser reads it.

    Otherwise a part of it, or the line after it, could become a statement of its own.
    """
    lines = _CONTROL.sub(" ", raw).split("\n")
    return "\n".join(_CONTINUED.sub("", line) for line in lines)


def statement_text(name: str, raw: str) -> str:
    """Return the line or lines of an assignment; ``raw`` is one that is safe."""
    if "\n" not in raw:
        return f"{name} = {raw}\n"
    end, number = _END, 0
    while end in raw.lower():
        end, number = f"{_END}_{number}", number + 1
    return f"{name} @={end}\n{raw}\n@{end}\n"


def endless_knobs(plain: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the knobs (upper case) that are circular or whose values would be far too long.

    One that names itself in ``$(…)`` means its value so far, as in ``A = $(A) more``.
    """
    sizes: dict[str, int] = {}
    references: dict[str, Counter[str]] = {}
    for name, raw in plain:
        key = name.upper()
        calls = [(function, _NAME.findall(call)) for function, call in _CALL.findall(raw.upper())]
        named = Counter(word for _, words in calls for word in words)
        itself = named.pop(key, 0)
        if any(function and key in words for function, words in calls):
            # A function looks the knob up when it is asked for, and ends in itself.
            named[key] = 1
        for each, times in references.get(key, Counter()).items():
            named[each] = min(MAX_CHARACTERS, named[each] + times * itself)
        sizes[key] = min(MAX_CHARACTERS + 1, len(raw) + itself * sizes.get(key, 0))
        references[key] = named
    return _too_large(sizes, references)


def _too_large(sizes: Mapping[str, int], references: Mapping[str, Counter[str]]) -> frozenset[str]:
    """Return the knobs that are too large or in a circle.

    Sizes are added up from the leaves on; a knob whose size is never known is in a circle.
    """
    waiting: dict[str, set[str]] = {}
    used_by: dict[str, list[str]] = {}
    for name, named in references.items():
        waiting[name] = named.keys() & sizes.keys()
        for each in waiting[name]:
            used_by.setdefault(each, []).append(name)
    whole: dict[str, int] = {}
    ready = [name for name, named in waiting.items() if not named]
    while ready:
        name = ready.pop()
        size = sizes[name]
        for each, times in references[name].items():
            size += times * whole.get(each, 0)
        if size > MAX_CHARACTERS:
            continue
        whole[name] = size
        for user in used_by.get(name, ()):
            waiting[user].discard(name)
            if not waiting[user]:
                ready.append(user)
    return frozenset(sizes.keys() - whole.keys())
