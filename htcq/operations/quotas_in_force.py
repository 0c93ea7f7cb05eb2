"""The quotas in force: those of the file, or of the last one that was accepted.

The writer keeps a copy of each file that it accepts beside its journal. While the file is refused,
it goes on with the copy: a mistake in a file must not end the guarantees of all groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from htcq.errors import InputError
from htcq.operations.elastic_quotas import (
    WHAT,
    Declared,
    read_declared,
    refuse_unsound_file,
)
from htcq.operations.trusted import refuse_shared
from htcq.report.failure import reason
from htcq.report.printable import tell
from htcq.settings.elastic_write import WriteSettings
from htcq.whole_file import put

#: The copy is called like the journal, with this after its name.
SUFFIX = ".quotas"
_MODE = 0o644


class FileInForce(NamedTuple):
    """The name of the file to read, and why the named one is refused (empty: it is not)."""

    name: str
    refused: str = ""


def keep_accepted(declared: Declared) -> None:
    """Keep a copy of an accepted file; the caller holds the lock of the quotas' file.

    A copy that cannot be written is named on standard error: nothing else depends on it.
    """
    if declared.refused:
        return
    copy = _copy_beside(declared.settings.journal)
    text = declared.text.encode("utf-8")
    try:
        if not copy.is_file() or copy.read_bytes() != text:
            put(copy, text, _MODE)
    except OSError as error:
        tell(f"htcq: no copy of the quotas in {copy}: {error.strerror}")


def declared_in_force(
    name: str,
    negotiator: str,
    directory: str | None = None,
    journal: str | None = None,
    known: str = "",
) -> Declared:
    """Return the quotas in the file ``name``, or while it is refused those of the last good one.

    A file that others can write is refused. ``directory`` and ``journal`` replace those in the
    file; ``known`` is the journal of an earlier step, if any.

    Raises:
        InputError: the file is refused, and no good one is kept.
    """
    try:
        refuse_shared(Path(name), WHAT)
        return read_declared(name, negotiator, directory, journal)
    except InputError as error:
        copy = _copy_of(name, negotiator, journal or "", known)
        try:
            refuse_shared(copy, WHAT)
            declared = read_declared(str(copy), negotiator, directory, journal)
        except InputError:
            raise error from None
        return replace(declared, refused=_sentence(error, copy))


def file_in_force(name: str, negotiator: str) -> FileInForce:
    """Return the file of the quotas that a writer of the file ``name`` keeps.

    It is ``name`` itself where no good one is kept.
    """
    try:
        _check(name, negotiator)
    except InputError as error:
        copy = _copy_of(name, negotiator, "", "")
        try:
            _check(str(copy), negotiator)
        except InputError:
            return FileInForce(name)
        return FileInForce(str(copy), _sentence(error, copy))
    return FileInForce(name)


def _check(name: str, negotiator: str) -> None:
    """Refuse the file ``name`` as the writer would.

    Raises:
        InputError: it is refused.
    """
    from htcq.operations.elastic_quotas import parsed_quota_file, tree_for

    refuse_shared(Path(name), WHAT)
    file = parsed_quota_file(name)
    only = tree_for(file.trees, negotiator) if negotiator else None
    for tree in file.trees:
        if only in (None, tree):
            refuse_unsound_file(file, name, tree)


def _sentence(error: InputError, copy: Path) -> str:
    try:
        since = datetime.fromtimestamp(copy.stat().st_mtime, timezone.utc)
    except OSError:
        return f"the file is refused: {reason(error)}"
    return (
        f"the file is refused, and that of {since:%Y-%m-%dT%H:%M:%SZ} ({copy}) stays in force: "
        f"{reason(error)}"
    )


def _copy_beside(journal: str) -> Path:
    return Path(f"{journal}{SUFFIX}")


def _copy_of(name: str, negotiator: str, journal: str, known: str) -> Path:
    """Return the copy beside ``journal``, or that which the file ``name`` names, or ``known``."""
    found = journal or _journal_in(name, negotiator) or known or WriteSettings().journal
    return _copy_beside(found)


def _journal_in(name: str, negotiator: str) -> str:
    """Return the journal that a file names that is refused, if it can be read so far."""
    from htcq.operations.site_file import parse_toml

    try:
        content = parse_toml(Path(name), "")
    except InputError:
        return ""
    trees = _table(content, "trees")
    for tree in (_table(trees, negotiator), content, *(_table(trees, each) for each in trees)):
        journal = _table(_table(tree, "elastic"), "write").get("journal")
        if isinstance(journal, str) and journal.isprintable():
            return journal
    return ""


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key)
    if isinstance(found, Mapping):
        return found
    return {}
