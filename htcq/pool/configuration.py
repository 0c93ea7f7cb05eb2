"""The configuration of one machine: each knob with its value, its raw text and its place.

The text is what ``condor_config_val -dump`` prints, with ``-verbose`` file and line too. Values
come from HTCondor's own parser; this module only remembers where the text said so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Callable, NamedTuple

from htcq.pool.secrets import is_secret_knob, scrub
from htcq.quota.knobs import truth_of

_ASSIGNMENT = re.compile(r"\s*([^\s=:#]+?)\s*(@?)=[ \t]*(.*)")
#: What HTCondor takes for the name of a knob (src/condor_utils/config.cpp:is_valid_param_name,
#: 25.14).
LEGAL_NAME = re.compile(r"[A-Za-z0-9_./]+\Z")
_READS_FILES = frozenset(
    (
        "LOCAL_CONFIG_FILE", "LOCAL_CONFIG_DIR", "USER_CONFIG_FILE", "LOCAL_ROOT_CONFIG_FILE",
        "REQUIRE_LOCAL_CONFIG_FILE", "ENABLE_PERSISTENT_CONFIG", "ENABLE_RUNTIME_CONFIG",
        "PERSISTENT_CONFIG_DIR",
    )
)  # fmt: skip
#: Shared libraries and Python modules with functions for ClassAds.
_LOADS_CODE = re.compile(r"CLASSAD_USER_")
#: Names that are statements; the parser ends the process where one is incomplete (25.14).
STATEMENTS = frozenset(("if", "elif", "else", "endif", "include", "use", "error", "warning"))
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")
#: A backslash at the end of a line makes the next one a part of it.
_CONTINUED = re.compile(r"[\s\\]+\Z")
_END = "htcq_end_of_value"
#: No value of a real configuration is so long with all macros filled in.
MAX_CHARACTERS = 256 * 1024
#: What a macro call may name: $(NAME), $(NAME:default), $INT(NAME), $CHOICE(INDEX,NAME) …
_CALL = re.compile(r"\$([$A-Z_]*)\((?=([^)]*))")
_NAME = re.compile(r"[A-Z0-9_./]+")
_PLACE = re.compile(r"\s*#\s*at:\s*(.*?)(?:,\s*line\s*(\d+).*)?\s*\Z")


@dataclass(frozen=True)
class Knob:
    """One knob: its name as written, its value with all macros expanded, and its place.

    ``place`` is file and line, where they are known.

    ``overridden`` are former assignments of it, the first one first, which this one replaces.
    ``column`` is where the value begins in its line, counted from 1; 0 where it is not known.
    """

    name: str
    value: str
    raw: str = ""
    place: str = ""
    overridden: tuple[Assignment, ...] = ()
    column: int = 0


class Statement(NamedTuple):
    """A line that assigns nothing, by its number; ``file`` is empty where the text is one file."""

    line: int
    text: str
    file: str = ""


@dataclass(frozen=True)
class Configuration:
    """The knobs of one machine, by name whatever its case.

    ``statements`` are the lines that assign nothing and are no comments (``include``, ``use``,
    ``if`` …); a dump has none, a configuration file may.
    """

    source: str
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()

    def place_of(self, statement: Statement) -> str:
        """Return file and line of one of the statements."""
        return f"{statement.file or self.source}:{statement.line}"

    def __contains__(self, name: str) -> bool:
        return name.upper() in self.knobs

    def __iter__(self) -> Iterator[Knob]:
        return iter(self.knobs.values())

    def knob(self, name: str) -> Knob | None:
        """Return the knob ``name``; None where the text does not have it."""
        return self.knobs.get(name.upper())

    def value(self, name: str, default: str = "") -> str:
        """Return the value of ``name``: the text's, else HTCondor's default, else ``default``."""
        knob = self.knobs.get(name.upper())
        if knob is not None:
            return knob.value
        return self.defaults.get(name.upper(), default)

    def truth(self, name: str, default: bool) -> bool:
        """Return a knob as HTCondor reads truth values; ``default`` where it is none."""
        found = truth_of(self.value(name).strip())
        if found is None:
            return default
        return found


@dataclass(frozen=True)
class Assignment:
    """One assignment in a configuration text.

    ``raw`` is its value before macros are expanded, ``place`` the file and line that a comment
    below it names. ``conditional`` says that it stands between ``if`` and ``endif``. ``column`` is
    where the value begins in its line, counted from 1; 0 where it goes on in the next line.
    """

    name: str
    raw: str
    place: str
    line: int
    conditional: bool = False
    column: int = 0


def assignments(text: str) -> list[Assignment]:
    """Return the assignments of a dump, in its order.

    File and line come from its ``# at:`` comments.
    """
    return _read(text)[0]


def _read(text: str) -> tuple[list[Assignment], list[Statement]]:
    """Return the assignments and the other statements of ``text``."""
    found: list[Assignment] = []
    statements: list[Statement] = []
    lines = text.splitlines()
    index = depth = 0
    while index < len(lines):
        line, number = lines[index], index + 1
        index += 1
        place = _PLACE.match(line)
        if place and found:
            found[-1] = replace(found[-1], place=_place_text(place))
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ASSIGNMENT.match(line)
        if match is None:
            raw, index = _joined(lines, index, line)
            statements.append(Statement(number, raw.strip()))
            depth = max(0, depth + _deeper(raw))
            continue
        name, multiline, raw = match.groups()
        column, first = match.start(3) + 1, raw
        if multiline:
            body, index = _until(lines, index, f"@{raw.strip()}")
            raw = "\n".join(body)
        else:
            raw, index = _joined(lines, index, raw)
        if raw != first:
            column = 0
        found.append(Assignment(name, raw.strip(), "", number, depth > 0, column))
    return found, statements


def _deeper(statement: str) -> int:
    """Return by how much the lines after ``statement`` are deeper within conditions."""
    words = statement.lower().split(maxsplit=1)
    return {"if": 1, "endif": -1}.get("".join(words[:1]), 0)


def _place_text(place: re.Match[str]) -> str:
    file, line = place.groups()
    if line:
        return f"{file}:{line}"
    return str(file)


def _joined(lines: list[str], index: int, raw: str) -> tuple[str, int]:
    """Return ``raw`` with the lines that continue it, and the index of the line after them."""
    while raw.endswith("\\") and index < len(lines):
        raw = raw[:-1] + lines[index].strip()
        index += 1
    return raw, index


def safe_text(found: Iterable[Assignment]) -> str:
    """Return a text of plain assignments only, for HTCondor's parser.

    A configuration from elsewhere must not run a command or read a file here, as ``include`` and
    some knobs do. Names that HTCondor refuses would end its parser and are left out too. So are
    knobs that refer to themselves in a circle or grow without end: the parser would never return.
    """
    return "".join(_statement(name, raw) for name, raw in _harmless(found))


def _harmless(found: Iterable[Assignment]) -> list[tuple[str, str]]:
    plain = [(each.name, _one_assignment(each.raw)) for each in found if _is_harmless(each.name)]
    endless = endless_knobs(plain)
    return [(name, raw) for name, raw in plain if name.upper() not in endless]


def _is_harmless(name: str) -> bool:
    """Return whether HTCondor's parser takes ``name`` for a knob that only has a value."""
    if not LEGAL_NAME.match(name) or name.lower() in STATEMENTS:
        return False
    # SUBSYSTEM.KNOB comes before KNOB.
    knob = name.upper().rpartition(".")[2]
    return knob not in _READS_FILES and not _LOADS_CODE.match(knob)


def _one_assignment(raw: str) -> str:
    """Return ``raw`` without characters that would change how the parser reads it.

    Otherwise a part of it, or the line after it, could become a statement of its own.
    """
    lines = _CONTROL.sub(" ", raw).split("\n")
    return "\n".join(_CONTINUED.sub("", line) for line in lines)


def _statement(name: str, raw: str) -> str:
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


Parse = Callable[[str, Sequence[str]], tuple[dict[str, str], dict[str, str]]]


def configuration_from(source: str, text: str, parse: Parse) -> Configuration:
    """Return the configuration that ``text`` holds; ``parse`` is HTCondor's own parser.

    Raises:
        InputError: the parser refuses even plain assignments of it.
    """
    return _configuration(source, *_read(scrub(text)), parse)


def configuration_of_files(source: str, files: Mapping[str, str], parse: Parse) -> Configuration:
    """Return the configuration that ``files`` hold together, by name in the order of reading.

    Each file is read by itself: none goes on in the next one. Places are those in the files.

    Raises:
        InputError: the parser refuses even plain assignments of them.
    """
    everything: list[Assignment] = []
    statements: list[Statement] = []
    for name, text in files.items():
        assigned, others = _read(scrub(text))
        everything += [replace(each, place=f"{name}:{each.line}") for each in assigned]
        statements += [each._replace(file=name) for each in others]
    return _configuration(source, everything, statements, parse)


def _configuration(
    source: str, everything: list[Assignment], statements: list[Statement], parse: Parse
) -> Configuration:
    # What is not kept cannot be disclosed.
    found = [each for each in everything if not is_secret_knob(each.name, each.raw)]
    names = list(dict.fromkeys(name for name, _ in _harmless(found)))
    values, defaults = parse(safe_text(found), names)
    former = _overridden(found, source)
    knobs = {}
    for each in found:
        key = each.name.upper()
        place = each.place
        if key in former and not place:
            place = f"{source}:{each.line}"
        value = values.get(each.name, each.raw)
        # The column is that of the file only where the text is the file itself.
        column = each.column if place and f":{each.line}" == place[place.rfind(":") :] else 0
        knobs[key] = Knob(each.name, value, each.raw, place, former.get(key, ()), column)
    of_htcondor = {name.upper(): value for name, value in defaults.items()}
    return Configuration(source, knobs, of_htcondor, tuple(statements))


def _overridden(found: Iterable[Assignment], source: str) -> dict[str, tuple[Assignment, ...]]:
    """Return the assignments that a later one replaces, by upper-case name.

    A dump has none, configuration files may have some.

    One that names itself, as in A = $(A) more, goes on with what there was. Of those under a
    condition it is not known whether they replace anything.
    """
    last: dict[str, Assignment] = {}
    former: dict[str, list[Assignment]] = {}
    for each in found:
        key = each.name.upper()
        before = last.get(key)
        if before is not None:
            goes_on = re.search(rf"\$\w*\({re.escape(key)}[:)]", each.raw.upper())
            place = before.place or f"{source}:{before.line}"
            known = not before.conditional and not each.conditional
            if goes_on or before.raw == each.raw:
                former.pop(key, None)
            elif known:
                former.setdefault(key, []).append(replace(before, place=place))
        last[key] = each
    return {key: tuple(assignments) for key, assignments in former.items()}


def _until(lines: list[str], start: int, end: str) -> tuple[list[str], int]:
    for index in range(start, len(lines)):
        if lines[index].strip() == end:
            return lines[start:index], index + 1
    return lines[start:], len(lines)
