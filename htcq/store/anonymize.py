"""Makes the files of a snapshot anonymous in place: ads, configurations, what failed, and the files' own names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from htcq.pool.anonymize import Collector, Rewriter
from htcq.pool.files import ACCESS, COLLECTOR_ADS, CONFIG, EXECUTE, JOBS_ADS, META, PRIORITIES_ADS
from htcq.pool.identities import Identities

_ADS = (COLLECTOR_ADS, JOBS_ADS, PRIORITIES_ADS)
_OPENED = re.compile(r"\s*([\w.]+)\s*@=(\w+)\s*\Z")
_ASSIGNED = re.compile(r"\s*([\w.]+)\s*=(.*)\Z", re.DOTALL)
#: What could not be had, and of which daemon.
_OF_A_DAEMON = ("jobs of ", "configuration of ")
#: What is no UTF-8 comes through as it is.
_BYTES = "surrogateescape"


def anonymize_directory(directory: Path) -> None:
    """Replace users, hosts, addresses and paths in all snapshots below ``directory``, everywhere by the same names.

    Only in a directory that is not yet in its place: a failure on the way leaves half of it as it was.
    """
    ads = sorted(path for name in _ADS for path in directory.rglob(name))
    configurations = sorted(
        {*directory.rglob(CONFIG), *directory.rglob(f"{ACCESS}/*.txt"), *directory.rglob(f"{EXECUTE}/*.txt")}
    )
    metas = sorted(directory.rglob(META))
    rewriter = Rewriter(_identities(ads, configurations, metas))
    for path in ads:
        _rewrite_ads(path, rewriter)
    for path in configurations:
        _rewrite_configuration(path, rewriter)
    for path in metas:
        _rewrite_meta(path, rewriter)
    _rename(directory, rewriter)


def _identities(ads: Iterable[Path], configurations: Iterable[Path], metas: Iterable[Path]) -> Identities:
    """Return who is named in the files."""
    collector = Collector()
    for path in ads:
        for ad in _ads(path):
            collector.ad(ad)
    for path in configurations:
        if path.parent.name in (ACCESS, EXECUTE):
            collector.host(path.stem)
        for _, name, value in _knobs(path):
            if name:
                collector.knob(name, value)
            else:
                collector.text(value)
    for path in metas:
        _collect_meta(json.loads(path.read_text(encoding="utf-8")), collector)
    return collector.settle()


def _collect_meta(meta: dict[str, Any], collector: Collector) -> None:
    for key in ("pool", "negotiator"):
        collector.host(str(meta.get(key, "")))
    for each in meta.get("failed", ()):
        collector.text(f"{each['what']} {each['why']}")
        if each["what"].startswith(_OF_A_DAEMON):
            collector.host(each["what"].partition(" of ")[2])


def _ads(path: Path) -> Iterator[list[str]]:
    lines: list[str] = []
    with path.open(encoding="utf-8", errors=_BYTES) as text:
        for line in text:
            if line == "\n":
                yield lines
                lines = []
            else:
                lines.append(line.rstrip("\n"))
    if lines:
        yield lines


def _rewrite_ads(path: Path, rewriter: Rewriter) -> None:
    new = path.with_name(f"{path.name}.new")
    with new.open("w", encoding="utf-8", errors=_BYTES) as out:
        for ad in _ads(path):
            changed = (rewriter.ad_line(line) for line in ad)
            out.writelines(f"{line}\n" for line in changed if line is not None)
            out.write("\n")
    new.replace(path)


def _knobs(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (tag, name, value) of each knob, tag where the value has several lines; else ("", "", line)."""
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


def _rewrite_configuration(path: Path, rewriter: Rewriter) -> None:
    out = []
    for tag, name, value in list(_knobs(path)):
        if not name:
            out.append(rewriter.free(value))
            continue
        name, value = rewriter.knob(name, value)
        out.append(f"{name} @={tag}\n{value}\n@{tag}" if tag else f"{name} = {value}")
    path.write_text("\n".join(out) + "\n", encoding="utf-8", errors=_BYTES)


def _rewrite_meta(path: Path, rewriter: Rewriter) -> None:
    meta = json.loads(path.read_text(encoding="utf-8"))
    meta["anonymized"] = True
    for key in ("pool", "negotiator", "failed"):
        if key in meta:
            meta[key] = _changed(meta[key], rewriter)
    path.write_text(f"{json.dumps(meta, indent=1, ensure_ascii=False)}\n", encoding="utf-8")


def _changed(value: Any, rewriter: Rewriter) -> Any:
    if isinstance(value, str):
        return rewriter.free(value)
    if isinstance(value, list):
        return [_changed(each, rewriter) for each in value]
    return {key: _changed(each, rewriter) for key, each in value.items()} if isinstance(value, dict) else value


def _rename(directory: Path, rewriter: Rewriter) -> None:
    """Rename files after daemons and directories after pools; the deepest first."""
    known = {*_ADS, CONFIG, META, ACCESS, EXECUTE}
    for path in sorted(directory.rglob("*"), key=lambda each: -len(each.parts)):
        if path.name in known and path.parent.name not in (ACCESS, EXECUTE):
            continue
        stem, ending = (path.name[:-4], ".txt") if path.name.endswith(".txt") else (path.name, "")
        new = path.with_name(f"{rewriter.free(stem)}{ending}")
        if new != path:
            path.rename(new)
