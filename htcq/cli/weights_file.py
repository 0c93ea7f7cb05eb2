"""Writes the weights of the linear model into a site file; the rest of the file stays as it is."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from htcq.capacity.choice import LINEAR
from htcq.errors import InputError
from htcq.operations.output_files import place_of, put_file, replace_file
from htcq.operations.site_file import parse_toml, toml_of
from htcq.report.printable import tell, tell_lines
from htcq.units import show_weight

_HEADER = re.compile(r"\s*\[\s*capacity\s*\]\s*(#.*)?\Z")
_TABLE = re.compile(r"\s*\[")
_WEIGHTS = re.compile(r"\s*weights\s*=")
#: Settings of [capacity] beside weights that the linear model has.
_LINEAR_KEYS = {"model", "weights", "scale", "optional_assets", "cpu_shares", "splitting"}
_BY_HAND = "write the line yourself"


def weights_line(weights: Mapping[str, Fraction]) -> str:
    """Return ``weights`` as a line of a site file."""
    parts = []
    for asset, weight in weights.items():
        text = show_weight(asset, weight)
        value = text if re.fullmatch(r"[0-9.]+", text) else f'"{text}"'
        parts.append(f"{asset} = {value}")
    return f"weights = {{ {', '.join(parts)} }}"


def write_weights(name: str, weights: Mapping[str, Fraction]) -> None:
    """Write ``weights`` into the site file ``name``; it need not exist.

    The difference goes to standard error. The former file is kept under ``<name>~``, byte by
    byte; the new one has its owner, its mode and its line ends.

    Raises:
        InputError: the file has another model, or cannot be written; it is as it was.
    """
    path = place_of(name)
    line = weights_line(weights)
    if not path.exists():
        put_file(name, f'[capacity]\nmodel = "{LINEAR}"\n{line}\n')
        tell(f"{path}: written")
        return
    before = parse_toml(path, "see htcq.toml(5)")
    _check_model(path, before)
    old = path.read_bytes().decode("utf-8")
    new = _edited(old, line)
    _check_edit(path, before, new, line)
    if new == old:
        tell(f"{path}: unchanged")
        return
    replace_file(name, new)
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"{path}~", str(path))
    tell_lines(lines)
    tell(f"{path}: written")


def _check_model(path: Path, content: Mapping[str, Any]) -> None:
    """Refuse a file whose model is not the linear one."""
    if "slot_types" in content:
        raise InputError(f"{path} has [slot_types] with models of their own", _BY_HAND)
    capacity = content.get("capacity", {})
    if not isinstance(capacity, Mapping) or capacity.get("model", LINEAR) != LINEAR:
        raise InputError(f"{path} has another model in [capacity]", f"remove it, or {_BY_HAND}")
    others = sorted(set(capacity) - _LINEAR_KEYS)
    if others:
        raise InputError(
            f"{path}: {others[0]} in [capacity] belongs to another model",
            f"remove it, or {_BY_HAND}",
        )


def _edited(text: str, line: str) -> str:
    """Return ``text`` with ``line`` in [capacity]; that table is added at the end if missing."""
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines()
    start = next((number for number, each in enumerate(lines) if _HEADER.match(each)), None)
    if start is None:
        gap = [""] if lines and lines[-1].strip() else []
        lines += [*gap, "[capacity]", f'model = "{LINEAR}"', line]
        return end_of_line.join(lines) + end_of_line
    end = next(
        (number for number in range(start + 1, len(lines)) if _TABLE.match(lines[number])),
        len(lines),
    )
    place = next(
        (number for number in range(start + 1, end) if _WEIGHTS.match(lines[number])), None
    )
    if place is None:
        lines.insert(start + 1, line)
    else:
        lines[place] = line
    return end_of_line.join(lines) + end_of_line


def _check_edit(path: Path, before: Mapping[str, Any], text: str, line: str) -> None:
    """Refuse an edit that changed anything but the weights."""
    wanted = dict(before)
    capacity = {"model": LINEAR} if "capacity" not in before else dict(before["capacity"])
    wanted["capacity"] = {**capacity, **toml_of(line)}
    try:
        found = toml_of(text)
    except ValueError:
        found = {}
    if found != wanted:
        raise InputError(
            f"{path} is written in a way that cannot be edited safely", f"{_BY_HAND}: {line}"
        )
