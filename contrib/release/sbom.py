"""Prints the bill of materials of htcq as CycloneDX JSON: what it needs to run, and what builds and tests it.

Versions are those of contrib/lock/dev.txt, licences those that the installed packages state. The
same commit gives the same text: its time is SOURCE_DATE_EPOCH. Usage: python
contrib/release/sbom.py >sbom.json
"""

from __future__ import annotations

import json
import os
import re
import sys
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "contrib/lock/dev.txt"
_PINNED = re.compile(r"^(?P<requirement>[A-Za-z0-9][^\\\n]*?)\s*\\?$", re.MULTILINE)
#: The name of htcq in the graph of dependencies, and the namespace of serial numbers.
_HTCQ = "htcq"
_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, _HTCQ)


def pinned(lock: str) -> dict[str, str]:
    """Return the version of each package that ``lock`` has for this machine."""
    found = {}
    for line in _PINNED.finditer(lock):
        requirement = Requirement(line["requirement"])
        if requirement.marker is None or requirement.marker.evaluate():
            (version,) = requirement.specifier
            found[canonicalize_name(requirement.name)] = version.version
    return found


def needed(name: str, versions: Mapping[str, str]) -> Iterator[str]:
    """Yield the packages of the lock that the installed package ``name`` needs itself."""
    for text in metadata.requires(name) or ():
        requirement = Requirement(text)
        wanted = canonicalize_name(requirement.name)
        if wanted in versions and (
            requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ):
            yield wanted


def closure(name: str, versions: Mapping[str, str]) -> set[str]:
    """Return all packages that ``name`` needs, directly or not."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(needed(waiting.pop(), versions)) - found
        found |= new
        waiting += new
    return found


def bill(versions: Mapping[str, str], made: int) -> dict[str, Any]:
    """Return the bill of materials, made at that time (seconds since 1970)."""
    runs = closure(_HTCQ, versions)
    names = sorted(versions)
    own = {**_component(_HTCQ, metadata.version(_HTCQ)), "type": "application"}
    components = [
        {**_component(name, versions[name]), "scope": "required" if name in runs else "excluded"}
        for name in names
    ]
    links = [
        {"ref": name, "dependsOn": sorted(set(needed(name, versions)))} for name in (_HTCQ, *names)
    ]
    when = datetime.fromtimestamp(made, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    serial = uuid.uuid5(_SPACE, json.dumps([own, components, when]))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": serial.urn,
        "version": 1,
        "metadata": {"timestamp": when, "component": own},
        "components": components,
        "dependencies": links,
    }


def _component(name: str, version: str) -> dict[str, Any]:
    """Return a package with the licence that it states."""
    found: dict[str, Any] = {
        "type": "library", "bom-ref": name, "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}",
    }  # fmt: skip
    told = metadata.metadata(name)
    stated = told.get("License-Expression")
    if stated:
        found["licenses"] = [{"expression": stated}]
    elif told.get("License") and "\n" not in told["License"]:
        found["licenses"] = [{"license": {"name": told["License"]}}]
    return found


def main() -> None:
    """Print it."""
    versions = pinned(LOCK.read_text(encoding="utf-8"))
    made = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    json.dump(bill(versions, made), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
