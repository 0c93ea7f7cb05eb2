"""The configuration files of a directory as a pool of which nothing else is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from htcq.errors import InputError
from htcq.live.configuration import read_dump
from htcq.pool.configuration import (
    STATEMENTS,
    Configuration,
    Statement,
    configuration_of_files,
)
from htcq.pool.daemons import NEGOTIATOR
from htcq.pool.pool import Pool
from htcq.store.snapshot import Opened, Snapshot

_WORD = re.compile(r"@?([A-Za-z]+)\b")
#: The lines that are named; the rest is counted.
_MAX_NAMED = 20
_CONDITIONS = ("elif", "else", "endif")
_REASONS = {
    "if": "HTCondor refuses the conditions: the assignments of all branches are read",
    "include": "is not followed: what it sets is not known",
    "use": "is not expanded: what it sets is not known",
}
_UNKNOWN = "is not evaluated"


def pool_of_directory(opened: Opened, source: str) -> Pool:
    """Return the pool whose central configuration are the files that are open.

    Files that cannot be read are its damage. So are lines that are no statement of HTCondor.
    ``include``, ``use`` and ``if`` are named: they are not carried out.

    Raises:
        InputError: none of the files can be read, or HTCondor's parser refuses their assignments.
    """
    snapshot = Snapshot(opened.path, opened.members, limits=opened.limits)
    texts: dict[str, str] = {}
    damage: list[str] = []
    for name in opened.members:
        text, flaw = _text_of(snapshot, name)
        if flaw:
            damage.append(flaw)
        else:
            texts[str(opened.path / name)] = text
    if not texts:
        raise InputError("; ".join(damage), "none of its files can be used")
    central = configuration_of_files(source, texts, read_dump, NEGOTIATOR)
    return Pool(
        source,
        central=central,
        damage=(*damage, *_named(_not_understood(central))),
        failed=tuple(_named_with_reasons(central)),
        only_files=True,
    )


def _text_of(snapshot: Snapshot, name: str) -> tuple[str, str]:
    """Return the text of the file ``name``, or else why it cannot be read."""
    try:
        return snapshot.text(name) or "", ""
    except InputError as error:
        return "", str(error)


def _word(statement: Statement) -> str:
    """Return the first word of a statement in lower case; empty where it has none."""
    found = _WORD.match(statement.text)
    if found is None:
        return ""
    return found.group(1).lower()


def _not_understood(configuration: Configuration) -> Iterator[str]:
    for each in configuration.statements:
        if _word(each) not in STATEMENTS:
            yield f"{configuration.place_of(each)} is no statement of HTCondor: {each.text[:80]}"


def _named(sentences: Iterator[str]) -> Iterator[str]:
    yield from islice(sentences, _MAX_NAMED)
    more = sum(1 for _ in sentences)
    if more:
        yield f"{more} more such lines"


def _named_with_reasons(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield the statements that are not carried out, each with what that means."""
    evaluated = _CONDITIONS if configuration.conditional else ("if", *_CONDITIONS)
    found = (
        (f"{configuration.place_of(each)} ({_word(each)})", _REASONS.get(_word(each), _UNKNOWN))
        for each in configuration.statements
        if _word(each) in STATEMENTS and _word(each) not in evaluated
    )
    yield from islice(found, _MAX_NAMED)
    more = sum(1 for _ in found)
    if more:
        yield f"{more} more lines", _UNKNOWN
