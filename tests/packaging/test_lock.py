"""The locks in contrib/lock: everything that pyproject.toml asks for is there, in one version, with its hashes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.bindings.wheels import SERIES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "contrib/lock"
#: Each lock with the group whose packages are in it besides those that htcq needs to run, and the
#: Python it is for.
CASES = [("dev.txt", "dev", "3.11"), ("dev.txt", "dev", "3.13"), ("python3.9.txt", "test", "3.9")]
_ENTRY = re.compile(
    (
        r"^(?P<requirement>[^#\s][^\\\n]*?) *\\\n(?P<hashes>(?: +--hash=sha256:[0-9a-f]{64}(?: "
        r"\\)?\n)+)"
    ),
    re.MULTILINE,
)


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def asked(group: str) -> Iterator[Requirement]:
    """Yield what htcq needs to run and what a group names, those of the groups that it includes too."""
    told = project()
    yield from map(Requirement, told["project"]["dependencies"])
    yield from map(Requirement, told["build-system"]["requires"] if group == "dev" else ())
    groups = [group]
    while groups:
        for each in told["dependency-groups"][groups.pop()]:
            if isinstance(each, str):
                yield Requirement(each)
            else:
                groups.append(each["include-group"])


def locked(name: str, python: str) -> dict[str, Requirement]:
    """Return what a lock has for this Python on Linux."""
    text = (LOCKS / name).read_text(encoding="ascii")
    entries = [Requirement(entry["requirement"]) for entry in _ENTRY.finditer(text)]
    # Every line is a comment or belongs to an entry.
    assert _ENTRY.sub("", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)) == ""
    environment = {
        **default_environment(),
        "python_version": python,
        "python_full_version": f"{python}.0",
    }
    return {
        canonicalize_name(entry.name): entry
        for entry in entries
        if entry.marker is None or entry.marker.evaluate(environment)
    }


@pytest.mark.parametrize(("name", "group", "python"), CASES)
def test_the_lock_has_everything_that_the_project_asks_for(
    name: str, group: str, python: str
) -> None:
    found = locked(name, python)
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    wanted = [
        each for each in asked(group) if each.marker is None or each.marker.evaluate(environment)
    ]

    assert len(wanted) > len(project()["project"]["dependencies"])
    for requirement in wanted:
        entry = found[canonicalize_name(requirement.name)]
        (version,) = entry.specifier
        assert version.operator == "=="
        assert requirement.specifier.contains(version.version, prereleases=True), requirement


def test_each_series_of_the_bindings_has_a_lock() -> None:
    """The newest series is the one that all tests use."""
    newest = locked("dev.txt", "3.11")["htcondor"]
    (used,) = newest.specifier
    found = {series: locked(f"bindings/{series}.txt", "3.11") for series in SERIES}

    assert len(found) >= 8
    for series, entries in found.items():
        (version,) = entries["htcondor"].specifier
        assert entries.keys() == {"htcondor"}
        assert version.version.startswith(f"{series}.")
        assert Version(version.version) < Version(used.version)


@pytest.mark.parametrize(
    "name", ["dev.txt", "python3.9.txt", *(f"bindings/{series}.txt" for series in SERIES)]
)
def test_the_lock_names_no_place(name: str) -> None:
    """Where packages come from is said by the machine that installs them."""
    text = (LOCKS / name).read_text(encoding="ascii")

    assert "://" not in text
    assert re.findall(r"^ *--(?!hash=)", text, re.MULTILINE) == []
