"""Real pools for the tests: one a worker and HTCondor version, kept for the whole run.

``--suite sid`` or ``--suite trixie`` restricts the run to one version; CI runs both.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from testpool import Pool, PoolError

ROOT = Path(__file__).resolve().parents[2]
#: The suites of Debian that have HTCondor, with the version that each ships.
SUITES = {"sid": "25.14", "trixie": "23.9"}
NEWEST = "sid"
NODE = {"cpus": 8, "memory_mb": 16384, "disk_kb": 20_000_000}
#: Roles in the order their files are read; all of them hold on the one machine of a test pool.
ROLES = ("central", "access", "execute")
#: Files of a pool's configuration directory that tests write.
_WRITTEN = ("50-htcq-*", "60-htcq-*", ".60-htcq-*", "99-*")
#: Exit statuses with an answer: 3 where the pool is not healthy, as where a test keeps the
#: negotiator off.
ANSWERED = (0, 3)
#: Faster than the test pool's own pace. (Without a minimum the schedd counts its jobs anew every 5
#: seconds, whatever SCHEDD_INTERVAL says.)
PACE = (
    "NEGOTIATOR_INTERVAL = 1\nSCHEDD_INTERVAL = 1\nSCHEDD_MIN_INTERVAL = 1\nUPDATE_INTERVAL = 2\n"
)
# Several pools run at a time, on few cores. What comes in time takes no longer for it.
Pool.patience = 10.0
#: What is true of every pool of the tests: its slots have more than the machine on which it runs.
FAR_ABOVE = frozenset({"cpus-above-machine", "memory-above-machine"})


@dataclass
class Site:
    """A pool that htcq configures, and the version that its daemons really have."""

    pool: Pool
    suite: str
    version: str
    node: dict[str, Any] = field(default_factory=dict)

    def htcq(self, *arguments: str, check: bool = True) -> str:
        """Run the command htcq and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "htcq", *arguments],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        if check and done.returncode not in ANSWERED:
            raise AssertionError(f"htcq {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def node_file(self, tmp_path: Path) -> str:
        """Write the facts of the pool's execution point and return the file's name."""
        path = tmp_path / "node.json"
        path.write_text(json.dumps({**self.node, "condor_version": self.version}))
        return str(path)

    def plan(self, tmp_path: Path, model: tuple[str, ...], jobs: list[str]) -> dict[str, Any]:
        """Return what htcq predicts."""
        shapes = [word for job in jobs for word in ("--job", job)]
        printed = self.htcq("plan", "--node", self.node_file(tmp_path), *model, *shapes, "--json")
        found: dict[str, Any] = json.loads(printed)
        return found

    def adopt(self, tmp_path: Path, model: tuple[str, ...], knobs: str = "") -> None:
        """Let htcq write the configuration of all three roles, and start the daemons anew with it.

        With --force, since the models that htcq refuses are measured as well.
        """
        self.emptied()
        place = str(self.pool.config_dir)
        for role in ROLES:
            self.htcq(
                "emit",
                "--role",
                role,
                "--node",
                self.node_file(tmp_path),
                *model,
                "--force",
                "--write",
                place,
            )
        self.start(knobs)

    def emptied(self) -> None:
        """Take away the jobs of earlier tests, and what they wrote to the configuration.

        The jobs go first: a schedd that starts anew while jobs run waits to hear of them, and
        removes none meanwhile."""
        self.pool.remove_jobs()
        for pattern in _WRITTEN:
            for old in self.pool.config_dir.glob(pattern):
                old.unlink()

    def start(self, knobs: str) -> None:
        """Start the daemons anew with ``knobs``, and forget who used what.

        The restart ends the claims: one whose job is removed while it is being made can outlive
        that job for long."""
        self.pool.configure(PACE + knobs)
        self.pool.restart()
        with suppress(PoolError):  # a negotiator that cannot even start
            self.pool.forget_usage()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--suite", choices=sorted(SUITES), help="test one HTCondor version only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the modules that only run with an option of theirs, ``ONLY_WITH``."""
    left = [item for item in items if not _is_chosen(config, item)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if _is_chosen(config, item)]


def _is_chosen(config: pytest.Config, item: pytest.Item) -> bool:
    option = getattr(getattr(item, "module", None), "ONLY_WITH", None)
    return option is None or bool(config.getoption(option))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "suite" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--suite")
        # A module may name the suites that it is about; the others would only tell the same again.
        suites = getattr(metafunc.module, "ONLY_SUITES", sorted(SUITES))
        metafunc.parametrize(
            "suite", [each for each in suites if chosen in (None, each)], scope="session"
        )


@pytest.fixture(scope="session")
def site(suite: str) -> Iterator[Site]:
    """A pool of ``suite`` with one execution point of 8 cpus, 16 GiB and 20 GB."""
    pool = Pool.start(
        suite=suite,
        settings=PACE,
        cpus=NODE["cpus"],
        memory_mb=NODE["memory_mb"],
        disk_kb=NODE["disk_kb"],
    )
    with pool:
        version = pool.record.version
        assert version.startswith(SUITES[suite]), f"{suite} ships HTCondor {version}"
        yield Site(pool, suite, version, dict(NODE))
