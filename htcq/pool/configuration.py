"""A configuration as one daemon of a machine sees it: each knob with its value and its place.

The text is what ``condor_config_val -dump`` prints, with ``-verbose`` file and line too. Values
come from HTCondor's own parser; this module only remembers where the text said so. Which of a
text's assignments count for a daemon says :mod:`htcq.pool.precedence`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Callable, Optional

from htcq.errors import InputError
from htcq.pool.config_lines import LEGAL_NAME as LEGAL_NAME
from htcq.pool.config_lines import STATEMENTS as STATEMENTS
from htcq.pool.config_statements import Assignment as Assignment
from htcq.pool.config_statements import Said, said_by
from htcq.pool.config_statements import Statement as Statement
from htcq.pool.daemons import NOBODY, Daemon, daemons_of
from htcq.pool.metaknobs import Templates, Use
from htcq.pool.plain_assignments import endless_knobs as endless_knobs
from htcq.pool.plain_assignments import harmless, is_harmless, reads_or_loads, statement_text
from htcq.pool.plain_assignments import safe_text as safe_text
from htcq.pool.precedence import Reading, View, effective, is_condition, split, users_of
from htcq.pool.secrets import is_secret_knob, scrub, scrub_across_lines, scrub_knob
from htcq.quota.knobs import truth_of

if TYPE_CHECKING:
    from htcq.pool.precedence import Entry

#: Begins the name under which the parser is given the value of a knob that reads files.
_WITHHELD = "HTCQ_WITHHELD_"


@dataclass(frozen=True)
class Knob:
    """One knob: its name as written, its value with all macros expanded, and its place.

    The name has the prefix of the daemon that it counts for, as in NEGOTIATOR.GROUP_NAMES;
    ``prefix`` is that, with the dot. ``place`` is file and line, where they are known.

    ``overridden`` are former assignments of it, the first one first, which this one replaces.
    ``column`` is where the value begins in its line, counted from 1; 0 where it is not known.
    """

    name: str
    value: str
    raw: str = ""
    place: str = ""
    overridden: tuple[Assignment, ...] = ()
    prefix: str = ""
    column: int = 0

    @property
    def bare(self) -> str:
        """The name by which the daemon looks it up."""
        return self.name[len(self.prefix) :]


@dataclass(frozen=True)
class Configuration:
    """The knobs that one daemon of a machine sees, by the name that it looks up, in upper case.

    Knobs with the prefixes of other daemons are there too, by their whole names. ``statements``
    are the lines that assign nothing and are no comments (``include``, ``use``, ``if`` …); a dump
    has none, a configuration file may. ``written`` are all knobs of the text by their whole names,
    as no daemon's prefix changes them. ``others`` are the same text as other daemons see it.
    ``conditional`` tells that its conditions could not be evaluated: all branches count.
    """

    source: str
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[Statement, ...] = ()
    daemon: Daemon = NOBODY
    written: Mapping[str, Knob] = field(default_factory=dict)
    others: tuple[Configuration, ...] = field(default=(), compare=False, repr=False)
    conditional: bool = False

    def of(self, subsystem: str, name: str = "") -> Configuration:
        """Return the configuration as another daemon of the machine sees it.

        ``name`` is that in the daemon's ad, such as NGPU@host; without it the likeliest daemon of
        the ``subsystem`` is meant, the one that the text is the dump of.
        """
        seen = [each for each in (self, *self.others) if each.daemon.subsystem == subsystem]
        head = name.partition("@")[0].lower()
        for each in seen:
            if head and head in each.names:
                return each
        return seen[0] if seen else self

    @property
    def names(self) -> tuple[str, ...]:
        """What the name in the daemon's ad may begin with, in lower case; none where nobody says.

        Follows initialize of matchmaker.cpp, schedd.cpp and startd_main.cpp, 25.13.
        """
        subsystem, local = self.daemon
        configured = self.value(f"{subsystem}_NAME").partition("@")[0]
        return tuple(each.lower() for each in (local, configured) if each)

    def with_knobs(self, changes: Mapping[str, Knob | None]) -> Configuration:
        """Return the configuration with other knobs, for every daemon that sees it.

        Under a bare name the knob counts for all of them. None takes a knob away.
        """
        knobs = dict(self.knobs)
        for name, knob in changes.items():
            key = split(self.daemon, name)[0].upper()
            knobs.pop(key, None)
            if knob is not None:
                knobs[key] = knob
        others = tuple(each.with_knobs(changes) for each in self.others)
        return replace(self, knobs=knobs, others=others)

    def changed(self, change: Callable[[Knob], Knob | None]) -> Configuration:
        """Return the configuration with what ``change`` makes of each knob; None takes it away.

        Knobs alone are replaced: where none changes, this configuration is returned.
        """
        knobs = {}
        for name, knob in self.knobs.items():
            new = change(knob)
            if new is not None:
                knobs[name] = new
        others = tuple(each.changed(change) for each in self.others)
        same = all(one is two for one, two in zip(others, self.others))
        if same and knobs == self.knobs:
            return self
        return replace(self, knobs=knobs, others=others)

    def place_of(self, statement: Statement) -> str:
        """Return file and line of one of the statements."""
        return f"{statement.file or self.source}:{statement.line}"

    def __contains__(self, name: str) -> bool:
        return self.knob(name) is not None

    def __iter__(self) -> Iterator[Knob]:
        return iter(self.knobs.values())

    def knob(self, name: str) -> Knob | None:
        """Return the knob that the daemon looks up as ``name``; None where the text has none.

        A name with a prefix stands for the knob as written so.
        """
        found = self.knobs.get(name.upper())
        if found is None and "." in name:
            found = self.knobs.get(split(self.daemon, name)[0].upper())
            if found is not None and found.name.upper() != name.upper():
                return None
        return found

    def value(self, name: str, default: str = "") -> str:
        """Return the value of ``name``: the text's, else HTCondor's default, else ``default``."""
        knob = self.knob(name)
        if knob is not None:
            return knob.value
        return self.defaults.get(name.upper(), default)

    def slot_value(self, type_id: int, name: str) -> str:
        """Return the value of ``name`` for slots of a type, else the value for all slots."""
        own = self.knob(f"SLOT_TYPE_{type_id}_{name}")
        return self.value(name) if own is None else own.value

    def truth(self, name: str, default: bool) -> bool:
        """Return a knob as HTCondor reads truth values; ``default`` where it is none."""
        found = truth_of(self.value(name).strip())
        if found is None:
            return default
        return found

    def texts(self) -> dict[str, str]:
        """Return the values by the names that the daemon looks up."""
        return {knob.bare: knob.value for knob in self}


def assignments(text: str) -> list[Assignment]:
    """Return the assignments of a dump, in its order.

    File and line come from its ``# at:`` comments.
    """
    return said_by(text).assignments


#: Returns the templates of metaknobs; None where they cannot be known.
Ask = Callable[[Iterable[Use]], Optional[Templates]]
#: HTCondor's parser: a text, the knobs whose values are wanted, and what daemons read besides.
Parse = Callable[
    [str, Sequence[str], Sequence[Reading]],
    tuple[dict[str, str], dict[str, str], list[dict[str, str]]],
]


def configuration_from(source: str, text: str, parse: Parse, subsystem: str = "") -> Configuration:
    """Return the configuration that ``text`` holds, as the daemon of ``subsystem`` sees it.

    ``parse`` is HTCondor's own parser. Without a subsystem, prefixes count for nobody.

    Raises:
        InputError: the parser refuses even plain assignments of it.
    """
    said = _said(text)
    lines = _in_order([*said.assignments, *said.statements])
    return _configuration(source, lines, parse, subsystem)


def configuration_of_files(
    source: str,
    files: Mapping[str, str],
    parse: Parse,
    subsystem: str = "",
    ask: Ask | None = None,
    machine: Mapping[str, str] | None = None,
) -> Configuration:
    """Return the configuration that ``files`` hold together, by name in the order of reading.

    Each file is read by itself: none goes on in the next one. Places are those in the files.
    ``ask`` returns the templates of metaknobs; without it these are left out. ``machine`` are
    macros that HTCondor itself sets, such as DETECTED_CPUS.

    Raises:
        InputError: the parser refuses even plain assignments of them.
    """
    templates = None
    uses = [use for text in files.values() for use in said_by(text).uses]
    if uses and ask is not None:
        templates = ask(uses)
    lines: list[Entry] = []
    for name, text in files.items():
        said = _said(text, templates)
        placed = [replace(each, place=f"{name}:{each.line}") for each in said.assignments]
        lines += _in_order([*placed, *(each._replace(file=name) for each in said.statements)])
    return _configuration(source, lines, parse, subsystem, machine)


def _said(text: str, templates: Templates | None = None) -> Said:
    """Return what ``text`` says, without secrets.

    Each part is looked at by itself: a password in a comment is not the line after it.
    """
    said = said_by(scrub_across_lines(text), templates)
    assigned = [replace(each, raw=scrub_knob(each.name, each.raw)) for each in said.assignments]
    statements = [
        each._replace(text=scrub(each.text), flaw=scrub(each.flaw)) for each in said.statements
    ]
    return Said(assigned, statements, said.uses)


def _in_order(lines: list[Entry]) -> list[Entry]:
    return sorted(lines, key=lambda each: each.line)


def _configuration(
    source: str,
    lines: Sequence[Entry],
    parse: Parse,
    subsystem: str,
    machine: Mapping[str, str] | None = None,
) -> Configuration:
    statements = tuple(each for each in lines if isinstance(each, Statement))
    entries = [each for each in lines if _is_kept(each)]
    found = [each for each in entries if isinstance(each, Assignment)]
    withheld = _withheld(found)
    plain = harmless([*found, *withheld])
    before = "".join(statement_text(name, value) for name, value in (machine or {}).items())
    text = before + "".join(statement_text(name, raw) for name, raw in plain)
    names = list(dict.fromkeys(name for name, _ in plain))
    daemons = daemons_of(found, subsystem) if subsystem else ()
    users = users_of(found) if daemons else {}
    views = [View(daemon, entries, users, True) for daemon in daemons]
    conditional = any(is_condition(each) for each in statements)
    try:
        values, defaults, seen = parse(text, names, _readings(views, text, before))
        conditional = conditional and not any(view.conditions for view in views)
    except InputError:
        if not any(view.conditions for view in views):
            raise
        views = [View(daemon, entries, users, False) for daemon in daemons]
        values, defaults, seen = parse(text, names, _readings(views, text, before))
    for each in withheld:
        values[each.name.removeprefix(_WITHHELD)] = values.get(each.name, each.raw)
    written = _written(source, found, values)
    of_htcondor = {name.upper(): value for name, value in defaults.items()}
    nobody = Configuration(
        source, written, of_htcondor, statements, NOBODY, written, (), conditional
    )
    if not views:
        return nobody
    answers = iter(seen)
    configurations = []
    for view in views:
        knobs: Mapping[str, Knob] = written
        if view.differs:
            knobs = _seen_by(source, view, next(answers), written)
        configurations.append(replace(nobody, knobs=knobs, daemon=view.daemon))
    first = next(each for each in configurations if each.daemon.subsystem == subsystem)
    return replace(first, others=tuple(each for each in configurations if each is not first))


def _readings(views: Iterable[View], text: str, before: str) -> list[Reading]:
    return [view.reading(text, before) for view in views if view.differs]


def _withheld(found: Iterable[Assignment]) -> list[Assignment]:
    """Return the assignments that the parser must not carry out, under names that do nothing.

    So their macros are filled in.
    """
    return [
        replace(each, name=f"{_WITHHELD}{each.name}")
        for each in found
        if "$" in each.raw and reads_or_loads(each.name)
    ]


def _is_kept(entry: Entry) -> bool:
    """Return whether an assignment or a statement counts.

    What is not kept cannot be disclosed.
    """
    if isinstance(entry, Statement):
        return is_condition(entry)
    return not is_secret_knob(entry.name, entry.raw)


def _written(
    source: str, found: Iterable[Assignment], values: Mapping[str, str]
) -> dict[str, Knob]:
    former = _overridden(found, source)
    return {
        each.name.upper(): _knob(source, each, values.get(each.name, each.raw), former)
        for each in found
    }


def _knob(
    source: str,
    each: Assignment,
    value: str,
    former: Mapping[str, tuple[Assignment, ...]],
    prefix: str = "",
) -> Knob:
    key, place = each.name.upper(), each.place
    if key in former and not place:
        place = f"{source}:{each.line}"
    # The column is that of the file only where the text is the file itself.
    column = each.column if place.endswith(f":{each.line}") else 0
    return Knob(each.name, value, each.raw, place, former.get(key, ()), prefix, column)


def _seen_by(
    source: str, view: View, values: Mapping[str, str], written: Mapping[str, Knob]
) -> dict[str, Knob]:
    """Return the knobs that a daemon sees; ``written`` are those of nobody."""
    found = view.counting(values)
    former = _overridden(found, source, conditional=not view.conditions)
    known = {name.upper(): value for name, value in values.items()}
    knobs = {}
    for key, (bare, each) in effective(view.daemon, found).items():
        prefix = each.name[: len(each.name) - len(bare)]
        own = written[each.name.upper()]
        asked = view.reads(key) and is_harmless(each.name)
        value = known.get(key, each.raw) if asked else own.value
        if prefix or view.conditions:
            knobs[key] = _knob(source, each, value, former, prefix)
        else:
            knobs[key] = own if own.value == value else replace(own, value=value)
    return knobs


def _overridden(
    found: Iterable[Assignment], source: str, conditional: bool = True
) -> dict[str, tuple[Assignment, ...]]:
    """Return the assignments that a later one replaces, by upper-case name.

    A dump has none, configuration files may have some.

    One that names itself, as in A = $(A) more, goes on with what there was. Of those under a
    condition it is not known whether they replace anything, unless ``conditional`` is False: then
    only those are there whose conditions hold.
    """
    last: dict[str, Assignment] = {}
    former: dict[str, list[Assignment]] = {}
    for each in found:
        key = each.name.upper()
        before = last.get(key)
        if before is not None:
            goes_on = re.search(rf"\$\w*\({re.escape(key)}[:)]", each.raw.upper())
            place = before.place or f"{source}:{before.line}"
            known = not conditional or not (before.conditional or each.conditional)
            if goes_on or before.raw == each.raw:
                former.pop(key, None)
            elif known:
                former.setdefault(key, []).append(replace(before, place=place))
        last[key] = each
    return {key: tuple(assignments) for key, assignments in former.items()}
