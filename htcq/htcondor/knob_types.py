"""The type of each knob, who reads it, and what becomes of a value that does not fit.

From HTCondor's sources 25.14.0 (``knobs.tsv``, ``expressions.tsv``, ``composed.tsv``), and seen on
25.14.1 (``tests/golden/knobs/outcomes.json``).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from htcq.htcondor.tables import Row, rows

#: What a row of expressions.tsv does not say; knobs.tsv has these as strings.
_AS_EXPRESSION = {"type": "expression"}


class Type(enum.Enum):
    """What the value of a knob must be."""

    INTEGER = "integer"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    EXPRESSION = "expression"
    STRING = "string"
    LIST = "list"
    PATH = "path"


class Misfit(enum.Enum):
    """What a daemon does with a value that it cannot use.

    ``EXITS``: it exits with status 4 whenever it reads the value, and its master starts it again.
    ``ERROR``: the attribute in its ads is an error. ``DEFAULT``: it uses HTCondor's default.
    ``DROPPED``: it goes on as if the knob were not set. ``REFUSED``: condor_submit refuses each
    job. ``SHUT``: a condition of its slots is undefined, and they take no job. ``READ``: it takes
    what it can read of the value, or nothing is known.
    """

    EXITS = "exits"
    ERROR = "error"
    DEFAULT = "default"
    DROPPED = "dropped"
    REFUSED = "refused"
    SHUT = "shut"
    READ = "read"


class KnobType(NamedTuple):
    """One knob; ``name`` has parts in angle brackets where a name of the site's own stands.

    ``daemons`` read it; "all" stands for any daemon, "submit" for condor_submit. Those
    that are ``careless`` read it too, and go on without it where they cannot use it. ``my`` and
    ``target`` are the ads in which an expression is evaluated. ``low`` and ``high`` are the range
    of a number where it is known, ``since`` is the first version that reads it (empty: it was
    there in 23.0). ``logged`` says whether the daemon's log names what it could not use.
    ``with_ads``: a number or truth value is evaluated beside ads, and may name their attributes.
    ``needs_restart``: "true" where a reconfig does not serve. ``source`` is file and line of the
    caller in 25.14.0.
    """

    name: str
    type: Type
    misfit: Misfit
    daemons: tuple[str, ...] = ()
    careless: tuple[str, ...] = ()
    my: str = ""
    target: str = ""
    low: float | None = None
    high: float | None = None
    since: str = ""
    needs_restart: str = ""
    logged: bool = True
    with_ads: bool = False
    source: str = ""


class Pattern(NamedTuple):
    """The upper-case names with a part of the site's own: what is before it, and what is after.

    A slot type is a number.
    """

    head: str
    tail: str
    is_number: bool

    @classmethod
    def of(cls, name: str) -> Pattern:
        """Return the pattern of a name with one part in angle brackets."""
        head, _, rest = name.partition("<")
        part, _, tail = rest.partition(">")
        return cls(head.upper(), tail.upper(), part == "n")

    def matches(self, name: str) -> bool:
        """Return whether it is the pattern of ``name``, which is in upper case."""
        if not (name.startswith(self.head) and name.endswith(self.tail)):
            return False
        part = name[len(self.head) : len(name) - len(self.tail)]
        return part.isdigit() if self.is_number else bool(part)


class _Tables(NamedTuple):
    """The rows by exact name, and those of names with a part of the site's own."""

    read: Mapping[str, Row]
    by_hand: Mapping[str, Row]
    patterns: tuple[tuple[Pattern, Row], ...]


#: The largest number of 64 bits.
_LONG = 2.0**63
#: Calls that end the daemon at a value that they cannot use.
_EXIT = frozenset(
    ("param_integer", "param_longlong", "param_double", "param_boolean", "param_boolean_crufty")
)


def knob_type(name: str) -> KnobType | None:
    """Return what is known of the knob ``name``, without the prefix of a daemon.

    The prefix of a slot type counts as part of the name. None: HTCondor reads no such knob.
    """
    return _known(name.upper())


@lru_cache(maxsize=4096)
def _known(name: str) -> KnobType | None:
    tables = _tables()
    read = tables.read.get(name)
    if name in tables.by_hand or (read is not None and "\tstring\t" not in f"\t{read.rest}"):
        return _merged(name)
    for pattern, row in tables.patterns:
        if pattern.matches(name):
            return _of({**_AS_EXPRESSION, **row.cells()})
    return None if read is None else _merged(name)


def all_types() -> Iterator[KnobType]:
    """Yield all knobs, those with a part of the site's own last."""
    tables = _tables()
    for name in {**tables.read, **tables.by_hand}:
        yield _merged(name)
    for _, row in tables.patterns:
        yield _of({**_AS_EXPRESSION, **row.cells()})


def plain_names() -> Iterator[str]:
    """Yield the names, in upper case, of the knobs that have no part of the site's own."""
    tables = _tables()
    yield from {**tables.read, **tables.by_hand}


def _merged(name: str) -> KnobType:
    """Return one knob: what is kept by hand says more than what the calls say."""
    tables = _tables()
    cells: dict[str, str] = {}
    for table in (tables.read, tables.by_hand):
        if name in table:
            own = {column: cell for column, cell in table[name].cells().items() if cell}
            cells.update({**_AS_EXPRESSION, **own})
    return _of(cells)


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    by_hand: dict[str, Row] = {}
    patterns = []
    for file in ("expressions.tsv", "composed.tsv"):
        for row in rows(file):
            if "<" in row.key:
                patterns.append((Pattern.of(row.key), row))
            else:
                by_hand[row.key] = row
    # Of two patterns the longer one says more: GROUP_QUOTA_DYNAMIC_<group>.
    patterns.sort(key=lambda each: -len(each[1].key))
    return _Tables({row.key: row for row in rows("knobs.tsv")}, by_hand, tuple(patterns))


def _of(row: dict[str, str]) -> KnobType:
    reader, _, ads = row.get("reader", "").partition(" ")
    known = row.get("misfit", "")
    if not known:
        known = Misfit.EXITS.value if reader in _EXIT else Misfit.READ.value
    low, high = _number(row.get("low", "")), _number(row.get("high", ""))
    if reader == "param_longlong" and low is None and high is None:
        low, high = -_LONG, _LONG
    return KnobType(
        name=row["name"],
        type=Type(row["type"]),
        misfit=Misfit(known),
        daemons=tuple(row.get("daemons", "").split()),
        careless=tuple(row.get("careless", "").split()),
        my=row.get("my", ""),
        target=row.get("target", ""),
        low=low,
        high=high,
        since=row.get("since", ""),
        needs_restart=row.get("restart", ""),
        logged=row.get("logged", "yes") == "yes",
        with_ads=bool(ads),
        source=row["source"],
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
