"""The tables of knobs that ``contrib/knobs --tables`` writes into ``htcq/htcondor``.

``knobs.tsv`` has every knob that the newest sources read or give a default: its type is that of the
function that reads it (``param_integer`` …), else that of ``param_info.in``. ``defaults.tsv`` has
each default with the first version of each text. Both begin with a line that says where they come
from. Nothing here is judged: what the calls do not say is in ``expressions.tsv``.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

#: The daemon whose sources lie in a directory; sources of all daemons have no row.
_DAEMONS = {
    "condor_collector.V6": "collector",
    "condor_credd": "credd",
    "condor_dagman": "dagman",
    "condor_gridmanager": "gridmanager",
    "condor_had": "had",
    "condor_job_router": "job_router",
    "condor_kbdd": "kbdd",
    "condor_master.V6": "master",
    "condor_negotiator.V6": "negotiator",
    "condor_power": "rooster",
    "condor_procd": "procd",
    "condor_schedd.V6": "schedd",
    "condor_shadow.V6.1": "shadow",
    "condor_shared_port": "shared_port",
    "condor_startd.V6": "startd",
    "condor_starter.V6.1": "starter",
    "defrag": "defrag",
    "gangliad": "gangliad",
}
_OF_ALL = (
    "ccb",
    "classad",
    "condor_daemon_client",
    "condor_daemon_core.V6",
    "condor_includes",
    "condor_io",
)
_OF_ALL += ("condor_procapi", "condor_sysapi", "condor_utils", "safefile")
#: A call that reads a knob by a name that is written out.
_CALL = re.compile(r'\b(param(?:_[a-z_]+)?)\s*\(([^"()]*)"([A-Za-z][A-Za-z0-9_.]*)"([^;]*)')
#: These look a knob's description up, or change it, and read no value.
_NO_READER = re.compile(
    r"param_(?:default|range|info|meta|names|get|entry|subsys|generic|append|name|insert\b)"
)
_TYPES = {
    "param_integer": "integer",
    "param_longlong": "integer",
    "param_boolean": "boolean",
    "param_boolean_crufty": "boolean",
    "param_true": "boolean",
    "param_false": "boolean",
    "param_double": "double",
    "param_and_insert_attrs": "list",
    "param_and_insert_unique_items": "list",
}
#: Of several readers the first of these says what the value must be.
_STRICTEST = (
    "param_integer",
    "param_longlong",
    "param_double",
    "param_boolean",
    "param_boolean_crufty",
)
_OF_INFO = {
    "int": "integer",
    "long": "integer",
    "bool": "boolean",
    "double": "double",
    "path": "path",
}
_BEGINS = r"\bparam[a-z_]*[[:space:]]*\("
#: A line of git grep that is a hit, and what stands before the text of one that follows a hit.
_FIRST_LINE = re.compile(r"[^:]+:([^:]+):([0-9]+):(.*)")
_AFTER = re.compile(r"^.*?-[0-9]+-")
_COMMENT = re.compile(r"//.*")
#: After the name: the default and the least value.
_LEAST = re.compile(r"\s*,[^,()]*,\s*(-?[0-9]+(?:\.[0-9]+)?)\s*[,)]")
#: Knobs of param_info.in that are no knobs of a site's: metaknobs begin with a dollar sign.
_ENTRY = re.compile(r"\[([^\]$][^\]]*)\]\s*$")
_PAIR = re.compile(r"\s*(\w+)\s*([=:])\s?(.*)$")
_COLUMNS = ("name", "type", "reader", "daemons", "since", "low", "high", "restart", "source")


class Info(NamedTuple):
    """What param_info.in says of one knob."""

    type: str
    default: str | None
    low: str
    high: str
    restart: str


class Call(NamedTuple):
    """One call that reads a knob."""

    reader: str
    directory: str
    place: str
    with_ads: bool
    low: str


def git(source: str, *arguments: str) -> str:
    """Return what git prints of SOURCE; a search without a hit prints nothing."""
    done = subprocess.run(["git", "-C", source, *arguments], capture_output=True, check=False)
    return done.stdout.decode("latin-1")


def infos(text: str) -> dict[str, Info]:
    """Return the knobs of a param_info.in, by name in upper case.

    A name with a dot, as MASTER.KNOB, is the default of one daemon.
    """
    found: dict[str, dict[str, str]] = {}
    entry: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        header = _ENTRY.match(line)
        if header is not None:
            entry = found.setdefault(header.group(1).strip().upper(), {})
            continue
        if line.startswith("["):
            entry = {}
        pair = _PAIR.match(line)
        if pair is None or line.lstrip().startswith("#"):
            continue
        key, sign, value = pair.groups()
        if sign == ":" and value.startswith("@"):
            value = "\n".join(_until(lines, value.strip()))
        entry[key] = value.strip()
    return {name: _info(entry) for name, entry in found.items()}


def _until(lines: Iterator[str], end: str) -> Iterator[str]:
    for line in lines:
        if line.strip() == end:
            return
        yield line


def _info(entry: Mapping[str, str]) -> Info:
    low, _, high = entry.get("range", "").partition(",")
    kind = _OF_INFO.get(entry.get("type", "string"), "string")
    return Info(kind, entry.get("default"), low.strip(), high.strip(), entry.get("restart", ""))


def calls(source: str, version: str) -> dict[str, list[Call]]:
    """Return the calls of the sources of a version, by the knob's name in upper case."""
    found: dict[str, list[Call]] = {}
    for path, number, text in _lines(source, version):
        directory = path.split("/")[1]
        if directory not in _DAEMONS and directory not in _OF_ALL:
            continue
        if text.lstrip().startswith("//"):
            continue
        for reader, _, name, after in _CALL.findall(text):
            if _NO_READER.match(reader) or "%" in name:
                continue
            with_ads = (
                after.count(",") > 2 and re.search(r"\b\w*(?:[aA]d|classad)\b", after) is not None
            )
            least = _LEAST.match(after)
            low = least.group(1) if least is not None else ""
            call = Call(reader, directory, f"{path}:{number}", with_ads, low)
            found.setdefault(name.upper(), []).append(call)
    return found


def _lines(source: str, version: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, number and text of each call that may read a knob: nine lines of it at most."""
    found = git(source, "grep", "-nE", "-A8", _BEGINS, version, "--", "src/*.cpp", "src/*.h")
    path = number = ""
    text: list[str] = []
    for line in found.splitlines():
        start = _FIRST_LINE.match(line)
        if start is None:
            text.append(_AFTER.sub("", line))
            continue
        if text:
            yield path, number, _one_call(text)
        path, number, text = start.group(1), start.group(2), [start.group(3)]
    if text:
        yield path, number, _one_call(text)


def _one_call(lines: list[str]) -> str:
    """Return a line, with those after it where the call goes on."""
    whole = lines[0]
    for line in lines[1:]:
        if ";" in whole or whole.rstrip().endswith("{"):
            break
        whole += f" {_COMMENT.sub('', line).strip()}"
    return whole


def _row(name: str, info: Info | None, read: list[Call], since: str) -> dict[str, str]:
    readers = [call.reader for call in read]
    strictest = next((each for each in _STRICTEST if each in readers), "")
    reader = strictest or next((each for each in readers if each in _TYPES), "")
    chosen = next((call for call in read if call.reader == reader), read[0] if read else None)
    kind = _TYPES.get(reader, "")
    if not kind and info is not None:
        kind = info.type
    if any(call.with_ads for call in read if call.reader == reader):
        reader += " with ads"
    daemons = sorted({_DAEMONS.get(call.directory, "all") for call in read})
    low, high = (info.low, info.high) if info is not None else ("", "")
    if strictest == "param_double":
        # It leaves the range of param_info.in alone (condor_config.cpp).
        low, high = "", ""
    if not (low or high) and chosen is not None and reader.startswith(_STRICTEST[:3]):
        low = chosen.low
    return {
        "name": name,
        "type": kind or "string",
        "reader": reader or "".join(readers[:1]),
        "daemons": " ".join(daemons),
        "since": since,
        "low": low,
        "high": high,
        "restart": info.restart if info else "",
        "source": chosen.place if chosen else "src/condor_utils/param_info.in",
    }


def write(source: str, versions: list[str], newest: str, place: Path) -> None:
    """Write both tables; ``versions`` are tags in their order, ``newest`` is that of HEAD."""
    first: dict[str, str] = {}
    defaults: list[tuple[str, str, str]] = []
    latest: dict[str, str | None] = {}
    path = "src/condor_utils/param_info.in"
    for version in [*versions, newest]:
        commit = "HEAD" if version == newest else f"v{version}"
        known, read = infos(git(source, "show", f"{commit}:{path}")), calls(source, commit)
        for name in {**known, **read}:
            first.setdefault(name, version)
        texts = {name: info.default for name, info in known.items() if info.default is not None}
        for name in sorted(latest.keys() | texts.keys()):
            text = texts.get(name)
            if latest.get(name) != text:
                latest[name] = text
                # A text of None: the version has no default any more.
                defaults.append((name, version, "-" if text is None else f"={text}"))
    rows = [
        _row(name, known.get(name), read.get(name, []), _since(first[name], versions[0]))
        for name in sorted({**known, **read})
    ]
    origin = f"# HTCondor's sources {versions[0]} to {newest}; written by contrib/knobs --tables"
    lines = [origin, "\t".join(_COLUMNS)]
    lines += ["\t".join(row[column] for column in _COLUMNS) for row in rows]
    (place / "knobs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [origin, "name\tsince\tdefault"]
    for name, since, text in sorted(defaults, key=lambda row: row[0]):
        written = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        lines.append(f"{name}\t{_since(since, versions[0])}\t{written}")
    (place / "defaults.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _since(version: str, oldest: str) -> str:
    return "" if version == oldest else version
