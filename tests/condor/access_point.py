"""A test pool's machine as a user's access point: htcq is installed there, and the user has a directory."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conftest import ROOT
from testpool import Pool

#: A job's environment has no PATH that could be relied on.
_HTCQ = '#!/bin/sh\nPYTHONPATH="{place}/code" exec /usr/bin/python3 -m htcq "$@"\n'


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str


class AccessPoint:
    """A directory of the pool's machine that its unprivileged user may write to, with htcq in it.

    ``place`` is the directory as the host sees it, ``inside`` as the pool's machine does.
    """

    def __init__(self, pool: Pool, name: str) -> None:
        self.pool = pool
        self.place = pool.path(name)
        self.inside = str(self.place)[len(pool.record.root) :]
        self.place.mkdir()
        self.place.chmod(0o777)
        shutil.copytree(
            ROOT / "htcq", self.place / "code/htcq", ignore=shutil.ignore_patterns("__pycache__")
        )
        self.htcq = self.program("htcq", _HTCQ.format(place=self.inside))

    def program(self, name: str, text: str) -> str:
        """Write an executable file and return its path on the pool's machine."""
        path = self.place / name
        path.write_text(text)
        path.chmod(0o755)
        return f"{self.inside}/{name}"

    def run(self, *arguments: str) -> Done:
        """Run htcq there as the user, in the directory."""
        done = self.pool.run(
            self._command(*arguments), as_job_user=True, capture_output=True, text=True
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def _command(self, *arguments: str) -> list[str]:
        return [
            "sh",
            "-c",
            'cd "$0" && exec "$@"',
            self.inside,
            self.htcq,
            *arguments,
        ]

    def results(self, directory: str) -> dict[str, dict[str, Any]]:
        """Return the kept results by item, without what only tells how they came to be."""
        found = {}
        for path in sorted((self.place / directory).glob("*.json")):
            told: Mapping[str, Any] = json.loads(path.read_text())
            found[path.stem] = {name: value for name, value in told.items() if name != "tries"}
        return found
