"""This checkout's htcq as a program, for programs of others that run it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def program(place: Path) -> Path:
    """Return a program that is ``htcq``, with an empty configuration of HTCondor, whatever its environment is."""
    path, configuration = place / "htcq", place / "condor_config"
    configuration.write_text("")
    root, python = shlex.quote(str(ROOT)), shlex.quote(sys.executable)
    path.write_text(
        f'#!/bin/sh\nCONDOR_CONFIG={configuration} PYTHONPATH={root} exec {python} -m htcq "$@"\n'
    )
    path.chmod(0o755)
    return path
