"""Which assignments of a text a daemon looks up, and what HTCondor's parser reads for it.

Follows lookup_macro and expand_self_macro of src/condor_utils/config.cpp, HTCondor 25.13 (equal in
23.9 and 25.14.1 by trial): the local name in the files, then in the defaults; the subsystem in the
files, then in the defaults; the bare name in the files, then in the defaults. An empty value
counts. Macros and conditions are looked up alike, while the files are read. Of the defaults with a
subsystem only IsNegotiator and its like matter here (param_info.in).

The bindings know a subsystem and no local name. So the parser gets the local name for the
subsystem, and the subsystem's knobs as bare ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Union

from htcq.htcondor.matching import is_in_table
from htcq.pool.daemons import NOBODY, SUBSYSTEMS, Daemon, asked_daemon
from htcq.pool.plain_assignments import (
    endless_knobs,
    is_harmless,
    one_assignment,
    statement_text,
)

if TYPE_CHECKING:
    from htcq.pool.config_statements import Assignment, Statement

    #: A line of a text: an assignment, or the statement of a condition.
    Entry = Union[Assignment, Statement]

_CONDITION = re.compile(r"(if|elif|else|endif)\b\s*([^\n]*)\Z", re.IGNORECASE)
#: Set where a branch of a condition is taken.
_TAKEN = "HTCQ_TAKEN_"
#: Set where the knob of a subsystem was seen.
_SEEN = "HTCQ_SEEN_"
#: What a macro call may name.
_CALLED = re.compile(r"\$[$A-Z_]*\(([^)]*)", re.IGNORECASE)
_NAME = re.compile(r"[A-Z0-9_./]+")
#: What differs between daemons without any prefix.
_OF_DAEMON = frozenset(("SUBSYSTEM", "LOCALNAME", *(f"IS{each}" for each in (*SUBSYSTEMS, "TOOL"))))
#: The startd lists the bare names of these before it looks them up.
_LISTED = re.compile(r"SLOT_TYPE_[0-9]+")


class Reading(NamedTuple):
    """A text for HTCondor's parser, and the knobs whose values are wanted.

    ``subsystem`` is what the parser takes for its own; empty: a tool. ``specials`` are knobs that
    the parser sets itself after it has read the text, and that have these values.
    """

    text: str
    names: tuple[str, ...]
    subsystem: str
    specials: Mapping[str, str]


class Effective(NamedTuple):
    """An assignment that counts for a daemon, and the knob's name without the daemon's prefix."""

    bare: str
    assignment: Assignment


def split(daemon: Daemon, name: str) -> tuple[str, int]:
    """Return the name of a knob without the daemon's prefix, and how early it is looked up.

    0 for a bare name, 1 for the subsystem's, 2 for the local name's.
    """
    if "." not in name:
        return name, 0
    upper = name.upper()
    for level, prefix in zip((2, 1), _both(daemon)):
        if prefix and upper.startswith(prefix) and len(upper) > len(prefix):
            return name[len(prefix) :], level
    return name, 0


def _both(daemon: Daemon) -> tuple[str, str]:
    local = f"{daemon.local.upper()}." if daemon.local else ""
    return local, f"{daemon.subsystem}." if daemon.subsystem else ""


def effective(daemon: Daemon, found: Iterable[Assignment]) -> dict[str, Effective]:
    """Return the assignments that count for ``daemon``, by bare name in upper case."""
    chosen: dict[str, Effective] = {}
    levels: dict[str, int] = {}
    bare_ones: set[str] = set()
    for each in found:
        bare, level = split(daemon, each.name)
        key = bare.upper()
        if not level:
            bare_ones.add(key)
        if level >= levels.get(key, 0):
            chosen[key], levels[key] = Effective(bare, each), level
    for key in levels.keys() - bare_ones:
        if _LISTED.match(key):
            del chosen[key]
    return chosen


class View:
    """What ``daemon`` sees of a text.

    ``entries`` are its assignments and conditions in their order, ``users`` the knobs that refer to
    others (see :func:`users_of`). With ``conditions`` False the assignments of all branches count.
    """

    def __init__(
        self,
        daemon: Daemon,
        entries: Sequence[Entry],
        users: Mapping[str, AbstractSet[str]],
        conditions: bool,
    ) -> None:
        self.daemon = daemon
        self.conditions = conditions and _is_balanced(entries)
        self._entries = entries
        self._found = [each for each in entries if not _is_condition(each)]
        self.found: list[Assignment] = _without_foreign(daemon, self._found)  # type: ignore[arg-type]
        own = {split(daemon, each.name)[0].upper() for each in self.found if _has(daemon, each)}
        self._own = frozenset(own)
        # The first reading is a tool's.
        tools = Daemon("TOOL")
        changed = own | _OF_DAEMON
        changed |= {split(tools, each.name)[0].upper() for each in self.found if _has(tools, each)}
        dependents = _dependents(users, changed)
        self._affected = changed | dependents
        #: Whether any knob that htcq reads may have another value than for a tool.
        self.differs = (
            self.conditions
            or bool(changed - _OF_DAEMON)
            or len(self.found) != len(self._found)
            or any(map(is_in_table, dependents))
        )

    def reads(self, key: str) -> bool:
        """Return whether the value of a knob, by bare name in upper case, is asked for."""
        return self.conditions or key in self._affected

    def reading(self, plain: str, before: str) -> Reading:
        """Return what HTCondor's parser has to read for it.

        ``plain`` is the text of all assignments, ``before`` what the parser reads before them.
        """
        local, subsystem = self.daemon.local, self.daemon.subsystem
        endless = self._endless if self._own or self.conditions else frozenset()
        seen = effective(self.daemon, self.found)
        names = [
            each.bare
            for key, each in seen.items()
            if key not in endless and is_harmless(each.assignment.name)
        ]
        if self.conditions:
            names += [f"{_TAKEN}{number}" for number in range(len(self._entries))]
        else:
            names = [name for name in names if name.upper() in self._affected]
            if not endless and not local and len(self.found) == len(self._found):
                return Reading(plain, tuple(names), subsystem, {})
        text = before + "".join(self._lines())
        if not local:
            return Reading(text, tuple(names), subsystem, {})
        specials = {"SUBSYSTEM": subsystem, "LOCALNAME": local}
        first = f"SUBSYSTEM = {subsystem}\n{local}.Is{subsystem.capitalize()} = true\n"
        return Reading(f"{first}{text}", tuple(names), local, specials)

    def counting(self, values: Mapping[str, str]) -> list[Assignment]:
        """Return the assignments that are read, those of branches that are not taken left out.

        ``values`` are what the parser answered.
        """
        if not self.conditions:
            return self.found
        counts: list[Assignment] = []
        taken: list[bool] = []
        kept = set(map(id, self.found))
        for number, each in enumerate(self._entries):
            word = _word(each)
            if not word:
                if all(taken) and id(each) in kept:
                    counts.append(each)  # type: ignore[arg-type]
                continue
            if word != "if":
                taken.pop()
            if word != "endif":
                taken.append(f"{_TAKEN}{number}" in values)
        return counts

    def _lines(self) -> Iterator[str]:
        endless = self._endless
        kept = set(map(id, self.found))
        seen: dict[str, str] = {}
        for number, each in enumerate(self._entries):
            if _word(each):
                if self.conditions:
                    yield _condition_line(each, number)  # type: ignore[arg-type]
                continue
            assert not isinstance(each, tuple)
            bare, level = split(self.daemon, each.name)
            if id(each) not in kept or not is_harmless(each.name):
                continue
            if bare.upper() in endless:
                # Conditions may look whether it is defined.
                yield f"{each.name} = 1\n" if self.conditions else ""
                continue
            raw = one_assignment(each.raw)
            if self.daemon.local:
                yield from self._emulated(each.name, raw, bare, level, seen)
            else:
                yield statement_text(each.name, raw)

    def _emulated(
        self, name: str, raw: str, bare: str, level: int, seen: dict[str, str]
    ) -> Iterator[str]:
        """Yield the lines of an assignment for a parser whose subsystem is the local name."""
        key = bare.upper()
        if level == 1 and split(self.daemon, bare)[1] == 2:
            # Only a macro that names the prefix finds it; the parser takes its own prefix first.
            yield statement_text(name, raw)
            yield statement_text(f"{self.daemon.local}.{bare}", raw)
        elif level == 1:
            as_bare = raw
            if key in seen:
                as_bare = re.sub(
                    rf"(\$\w*\()\s*{re.escape(name)}(?=[:)])", rf"\g<1>{bare}", raw, flags=re.I
                )
            seen.setdefault(key, f"{_SEEN}{len(seen)}")
            yield statement_text(name, raw)
            yield statement_text(bare, as_bare)
            if self.conditions:
                yield f"{seen[key]} = 1\n"
        elif level == 0 and key in seen:
            # The subsystem's knob hides it, if its branch was taken.
            if self.conditions:
                yield f"if ! defined {seen[key]}\n{statement_text(name, raw)}endif\n"
        else:
            yield statement_text(name, raw)

    @cached_property
    def _endless(self) -> frozenset[str]:
        """Return the bare names (upper case) of knobs by which the parser would not return."""
        plain = []
        for each in self.found:
            raw = one_assignment(each.raw)
            bare, level = split(self.daemon, each.name)
            plain.append((bare, raw))
            if level:
                plain.append((each.name, raw))
        return frozenset(split(self.daemon, name)[0] for name in endless_knobs(plain))


def _without_foreign(daemon: Daemon, found: list[Assignment]) -> list[Assignment]:
    """Return what a dump says of ``daemon``: of its bare knobs those that count for another one.

    A daemon that is asked for X answers with what it looks up itself, which may be its own.
    """
    asked = asked_daemon(found)
    if asked in (NOBODY, daemon):
        return found
    hidden = {
        split(asked, each.name)[0].upper()
        for each in found
        if _has(asked, each) and not _has(daemon, each)
    }
    return [each for each in found if each.name.upper() not in hidden]


def _has(daemon: Daemon, each: Assignment) -> bool:
    return split(daemon, each.name)[1] > 0


def users_of(found: Iterable[Assignment]) -> dict[str, set[str]]:
    """Return by name, in upper case, the knobs whose macros refer to it."""
    users: dict[str, set[str]] = {}
    for each in found:
        if "$" in each.raw:
            user = each.name.upper()
            for called in _CALLED.findall(each.raw):
                for name in _NAME.findall(called.upper()):
                    users.setdefault(name, set()).add(user)
    return users


def _dependents(users: Mapping[str, AbstractSet[str]], changed: Iterable[str]) -> set[str]:
    """Return the names (upper case) of knobs that refer to one of ``changed``."""
    reached: set[str] = set()
    waiting = list(changed)
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user not in reached:
                reached.add(user)
                waiting.append(user)
    return reached


# Conditions
# --------------------------------------------------------------------------------------------------


def _word(entry: Entry) -> str:
    """Return the word of a condition; empty for an assignment."""
    if not isinstance(entry, tuple):
        return ""
    found = _CONDITION.match(entry.text)
    return "" if found is None else found.group(1).lower()


def is_condition(statement: Statement) -> bool:
    """Return whether a statement begins, goes on with, or ends a condition."""
    return not statement.sets and _CONDITION.match(statement.text) is not None


def _is_condition(entry: Entry) -> bool:
    return isinstance(entry, tuple)


def _is_balanced(entries: Iterable[Entry]) -> bool:
    """Return whether there are conditions, and an end for each beginning."""
    depth, any_ = 0, False
    for each in entries:
        word = _word(each)
        if not word:
            continue
        any_ = True
        if word == "if":
            depth += 1
        elif not depth:
            return False
        depth -= word == "endif"
    return any_ and not depth


def _condition_line(statement: Statement, number: int) -> str:
    """Return the lines of a condition, with what tells whether its branch is taken."""
    line = one_assignment(statement.text)
    if _word(statement) == "endif":
        return f"{line}\n"
    return f"{line}\n{_TAKEN}{number} = 1\n"
