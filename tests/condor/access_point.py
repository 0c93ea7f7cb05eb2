"""A test pool's machine as a user's access point: htcq is installed there, and the user has a directory."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
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

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start htcq there as the user, in the directory."""
        joined = self.pool._installation.join_command(
            self._command(*arguments), self.pool.master_pid(), True
        )
        environment = self.pool._installation.environment(self.pool.record.config_file)
        # A shell that runs the tests in the background lets them, and all that they start, ignore
        # SIGINT.
        command = ["/usr/bin/env", "--default-signal=INT", *joined]
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _command(self, *arguments: str) -> list[str]:
        return [
            "sh",
            "-c",
            'cd "$0" && echo $$ > pid && exec "$@"',
            self.inside,
            self.htcq,
            *arguments,
        ]

    def signal(self, name: str) -> None:
        """Send a signal to the htcq that was started last."""
        self.pool.tool("sh", "-c", f'kill -{name} "$(cat "{self.inside}/pid")"')

    def results(self, directory: str) -> dict[str, dict[str, Any]]:
        """Return the kept results by item, without what only tells how they came to be."""
        found = {}
        for path in sorted((self.place / directory).glob("*.json")):
            told: Mapping[str, Any] = json.loads(path.read_text())
            found[path.stem] = {name: value for name, value in told.items() if name != "tries"}
        return found

    def tries(self, directory: str) -> dict[str, int]:
        """Return how often each item was tried."""
        places = sorted(Path(self.place / directory).glob("*.json"))
        return {path.stem: json.loads(path.read_text())["tries"] for path in places}

    def jobs_ever(self, directory: str) -> list[str]:
        """Return the numbers of all jobs that were submitted for a sweep, from the queue and its history."""
        token = json.loads((self.place / directory / "jobs/sweep.json").read_text())["token"]
        asked = ("-constraint", f'HtcqSweep == "{token}"', "-af:j", "NumJobStarts")
        told = self.pool.tool("condor_q", "-allusers", *asked) + self.pool.tool(
            "condor_history", *asked
        )
        return sorted(line.split()[0] for line in told.splitlines())
