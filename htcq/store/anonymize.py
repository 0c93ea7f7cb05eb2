"""Anonymization of a snapshot in place: ads, configurations, failures and file names.

At the end everything is read again and searched for every name that was there before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from htcq.errors import AnonymityError
from htcq.pool.anonymize import Rewriter
from htcq.pool.configuration import Assignment
from htcq.pool.daemons import NEGOTIATOR, SCHEDD, STARTD, Daemon, asked_daemon
from htcq.pool.files import (
    ACCESS,
    COLLECTOR_ADS,
    CONFIG,
    EXECUTE,
    JOBS_ADS,
    META,
    PRIORITIES_ADS,
    USERS_ADS,
)
from htcq.pool.left_out import KINDS, left_out_from, left_out_json
from htcq.pool.named import Collector
from htcq.pool.precedence import effective

_ADS = (COLLECTOR_ADS, JOBS_ADS, PRIORITIES_ADS, USERS_ADS)
#: What an ad without MyType is: HTCondor's tools do not always say.
_UNTYPED = {PRIORITIES_ADS: "accounting", USERS_ADS: "owner"}
#: Whose configurations a directory has.
_SUBSYSTEMS = {ACCESS: SCHEDD, EXECUTE: STARTD}
_OPENED = re.compile(r"\s*([^\s=:#]+?)\s*@=\s*(\S+)\s*\Z")
_ASSIGNED = re.compile(r"\s*([^\s=:#]+?)\s*=(.*)\Z", re.DOTALL)
#: What could not be had, and of which daemon.
_OF_A_DAEMON = ("jobs of ", "configuration of ")
#: What is no UTF-8 comes through as it is, up to where it is replaced.
_BYTES = "surrogateescape"
_META_KEPT = ("schema", "taken", "htcq", "counts", "accountant_log", "slot_parts")


@dataclass(frozen=True)
class Anonymized:
    """The new names; ``common`` names are also words of HTCondor and cannot be searched for.

    ``patterns`` expressions look into texts, such as regexp does: what they match is different now.
    ``exact`` are the times and sizes that are not rounded, because expressions name them.
    """

    rewriter: Rewriter
    names: int
    common: int
    patterns: int
    exact: tuple[str, ...]


@dataclass(frozen=True)
class _Files:
    ads: list[Path]
    configurations: list[Path]
    metas: list[Path]

    @classmethod
    def below(cls, directory: Path) -> _Files:
        machines = (directory.rglob(f"{place}/*.txt") for place in (ACCESS, EXECUTE))
        return cls(
            sorted(path for name in _ADS for path in directory.rglob(name)),
            sorted({*directory.rglob(CONFIG), *(path for found in machines for path in found)}),
            sorted(directory.rglob(META)),
        )

    def alone(self, directory: Path) -> None:
        """Remove every other file."""
        known = {*self.ads, *self.configurations, *self.metas}
        for path in directory.rglob("*"):
            if not path.is_dir() and path not in known:
                path.unlink()


def anonymize_directory(directory: Path, key: bytes, keep_groups: bool = False) -> Anonymized:
    """Replace every name in all snapshots below ``directory``, everywhere by the same new one.

    ``key`` determines the new names.

    Only in a directory that is not yet in its place: a failure on the way leaves half of it as it
    was.

    Raises:
        AnonymityError: a name is left.
    """
    files = _Files.below(directory)
    files.alone(directory)
    collector = Collector()
    _collect(files, collector)
    rewriter = Rewriter(collector.names, collector.settle(), key, keep_groups, collector.times)
    for path in files.ads:
        _rewrite_ads(path, rewriter)
    for path in files.configurations:
        _rewrite_configuration(path, rewriter)
    for path in files.metas:
        _rewrite_meta(path, rewriter)
    _rename(directory, rewriter)
    _check(directory, rewriter)
    names = collector.names
    people_and_places = names.users | names.labels | names.groups
    return Anonymized(
        rewriter,
        len(people_and_places),
        len(rewriter.search.common),
        len(rewriter.patterns),
        rewriter.exact,
    )


# First pass: collect the names
# --------------------------------------------------------------------------------------------------


def _collect(files: _Files, collector: Collector) -> None:
    # The names of daemons are needed for texts that name somebody "at" a daemon.
    for path in files.configurations:
        if path.parent.name in (ACCESS, EXECUTE):
            collector.place(path.stem)
        for name, value in _seen_knobs(path):
            if name:
                collector.knob(name, value)
            else:
                collector.text(value)
    for path in files.ads:
        for ad in _ads(path):
            collector.ad(ad, _untyped(path))
    for path in files.metas:
        _collect_meta(_meta(path), collector)


def _collect_meta(meta: dict[str, Any], collector: Collector) -> None:
    for key in ("pool", "negotiator"):
        collector.place(str(meta.get(key, "")))
    for each in meta.get("failed", ()):
        collector.text(f"{each['what']} {each['why']}")
        if each["what"].startswith(_OF_A_DAEMON):
            collector.place(each["what"].partition(" of ")[2])


def _meta(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _ads(path: Path) -> Iterator[list[str]]:
    lines: list[str] = []
    with path.open(encoding="utf-8", errors=_BYTES, newline="\n") as text:
        for line in text:
            if line == "\n":
                if lines:
                    yield lines
                lines = []
            else:
                lines.append(line.rstrip("\n"))
    if lines:
        yield lines


def _untyped(path: Path) -> str:
    return _UNTYPED.get(path.name, "job")


def _knobs(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (tag, name, value) of each knob; ``tag`` where the value has several lines.

    A line that is no knob is ("", "", line).
    """
    text = path.read_text(encoding="utf-8", errors=_BYTES)
    lines = iter(text.split("\n"))
    for line in lines:
        opened, assigned = _OPENED.match(line), _ASSIGNED.match(line)
        if line.lstrip().startswith("#"):
            yield "", "", line
        elif opened:
            value: list[str] = []
            for inner in lines:
                if inner.strip() == f"@{opened.group(2)}":
                    break
                value.append(inner)
            yield opened.group(2), opened.group(1), "\n".join(value)
        elif assigned:
            yield "", assigned.group(1), assigned.group(2).strip()
        elif line.strip():
            yield "", "", line


def _seen_knobs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield name and value of each knob, as the daemon sees it whose configuration this is.

    Its own prefix is left out, which may be a name of the site's. A line that is no knob is
    ("", line).
    """
    found = []
    for _, name, value in _knobs(path):
        if name:
            found.append(Assignment(name, value, "", 0))
        else:
            yield "", value
    subsystem = _SUBSYSTEMS.get(path.parent.name, NEGOTIATOR)
    daemon = asked_daemon(found)
    if daemon.subsystem != subsystem:
        daemon = Daemon(subsystem)
    for bare, each in effective(daemon, found).values():
        yield bare, each.raw


# Second pass: rewrite the files
# --------------------------------------------------------------------------------------------------


def _rewrite_ads(path: Path, rewriter: Rewriter) -> None:
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8", newline="\n") as out:
        changed: Iterable[list[str]] = (rewriter.ad(ad, _untyped(path)) for ad in _ads(path))
        if path.name in _UNTYPED:
            # Accounts and users are ordered by their names, which would reveal them.
            changed = sorted(changed, key=_name_of)
        for lines in changed:
            if lines:
                out.writelines(f"{line}\n" for line in lines)
                out.write("\n")
    new.replace(path)


def _name_of(lines: list[str]) -> str:
    return next((line for line in lines if line.lower().startswith(("name =", "user ="))), "")


def _rewrite_configuration(path: Path, rewriter: Rewriter) -> None:
    lines = []
    for old_name, old_value in _seen_knobs(path):
        if not old_name:
            continue
        for name, value in rewriter.knob(old_name, old_value):
            lines.append(_assignment(name, value))
    path.write_text("".join(lines), encoding="utf-8")


def _assignment(name: str, value: str) -> str:
    if "\n" in value:
        return f"{name} @=end\n{value}\n@end\n"
    return f"{name} = {value}\n"


def _rewrite_meta(path: Path, rewriter: Rewriter) -> None:
    old = _meta(path)
    meta: dict[str, Any] = {key: old[key] for key in _META_KEPT if key in old}
    meta["anonymized"] = True
    for key in ("pool", "negotiator"):
        if key in old:
            meta[key] = rewriter.identities.place(str(old[key]))
    # Names and reasons are text from the pool; the counts are enough.
    unnamed = (
        replace(each, named=()) for each in left_out_from(old.get("left_out")) if each.what in KINDS
    )
    meta["left_out"] = left_out_json(unnamed)
    meta["failed"] = [
        {"what": _what(str(each["what"]), rewriter), "why": rewriter.free(str(each["why"]))}
        for each in old.get("failed", ())
    ]
    path.write_text(f"{json.dumps(meta, indent=1, ensure_ascii=False)}\n", encoding="utf-8")


def _what(text: str, rewriter: Rewriter) -> str:
    for beginning in _OF_A_DAEMON:
        if text.startswith(beginning):
            return f"{beginning}{rewriter.identities.place(text[len(beginning) :])}"
    return rewriter.free(text)


def _rename(directory: Path, rewriter: Rewriter) -> None:
    """Rename files after daemons and directories after pools; the deepest first."""
    known = {*_ADS, CONFIG, META, ACCESS, EXECUTE}
    for path in sorted(directory.rglob("*"), key=lambda each: -len(each.parts)):
        if path.name in known and path.parent.name not in (ACCESS, EXECUTE):
            continue
        stem, ending = path.name, ""
        if stem.endswith(".txt"):
            stem, ending = stem[:-4], ".txt"
        new = path.with_name(f"{rewriter.identities.place(stem)}{ending}")
        if new != path:
            path.rename(new)


# Last pass: search for names that are left
# --------------------------------------------------------------------------------------------------


def _check(directory: Path, rewriter: Rewriter) -> None:
    """Search the files, and their names, for every name that was there before.

    Raises:
        AnonymityError: one is left.
    """
    search = rewriter.search
    search.allow(rewriter.pseudonyms.made)
    for path in sorted(directory.rglob("*")):
        if search.holds_name(path.name):
            raise _left(f"the name of a file in {path.parent.relative_to(directory)}/")
        if path.is_file():
            _check_file(path, str(path.relative_to(directory)), rewriter)


def _check_file(path: Path, shown: str, rewriter: Rewriter) -> None:
    passed: set[str] = set()
    with path.open(encoding="utf-8", errors=_BYTES, newline="\n") as text:
        for number, line in enumerate(text, 1):
            if line in passed:
                continue
            if rewriter.search.holds_name(line) or rewriter.names_stand(line):
                raise _left(f"{shown}, line {number}")
            if len(passed) < _MAX_PASSED:
                passed.add(line)


_MAX_PASSED = 200_000


def _left(where: str) -> AnonymityError:
    return AnonymityError(
        f"a name of the pool is left in {where}: the snapshot is not handed out",
        (
            "nothing was written; tell the authors of htcq which attribute or knob it is, without "
            "the name"
        ),
    )
