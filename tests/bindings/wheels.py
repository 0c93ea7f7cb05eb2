"""Installs the bindings of a series beside this environment, which stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "contrib/lock/bindings"
PLACE = ROOT / ".testpool/bindings"
SERIES = sorted(
    (lock.stem for lock in LOCKS.glob("*.txt")),
    key=lambda series: [int(part) for part in series.split(".")],
)


def locked_version(series: str) -> str:
    """Return the version of ``series`` that its lock names."""
    (line,) = (line for line in (LOCKS / f"{series}.txt").read_text().splitlines() if "==" in line)
    return line.partition("==")[2].split()[0]


def installed(series: str) -> Path:
    """Return the directory with the bindings of ``series``, which pip fills where it is missing."""
    place = PLACE / locked_version(series)
    if not place.is_dir():
        new = place.with_name(f"{place.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        subprocess.run(
            [
                sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--require-hashes",
                "--only-binary=:all:", "--root-user-action=ignore", "--target", str(new),
                "--requirement", str(LOCKS / f"{series}.txt"),
            ],
            check=True,
        )  # fmt: skip
        new.rename(place)
    return place


def environment(series: str) -> dict[str, str]:
    """Return the environment of a Python that imports the bindings of ``series``."""
    return {**os.environ, "PYTHONPATH": f"{installed(series)}:{ROOT}"}
