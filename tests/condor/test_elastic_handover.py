"""One account looks at a real pool and plans, another one writes: neither can do what the other does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claims import come_to, queued
from conftest import ROOT, Site
from elastic_pool import BOTH_MAY_ALL, Elastic, elastic_pool

from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota
from htcq.elastic.quota_plan import plan_id

pytestmark = pytest.mark.condor
PLANNER = 61234
#: Runs a command and tells on standard error which modules of htcq it has loaded.
_TELLING = (
    "import sys; from htcq.cli.main import run; status = run(sys.argv[1:]); "
    "print(*sorted(name for name in sys.modules if name.startswith('htcq.')), file=sys.stderr); "
    "sys.exit(status)"
)
#: What asks for ads of slots, jobs and schedds, and what evaluates them; both are loaded where they
#: are used.
LOOKING = {"htcq.live.capture", "htcq.elastic.observation"}


class Accounts:
    """A pool, a directory for plans that belongs to an account without rights, and the commands of both accounts."""

    def __init__(self, elastic: Elastic) -> None:
        self.elastic = elastic
        self.directory = elastic.directory / "run"
        self.directory.mkdir()
        os.chown(self.directory, PLANNER, PLANNER)
        self.plan_file = self.directory / "plan.json"

    def planner(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run htcq as an account that owns nothing but the directory of plans."""
        become = [
            "setpriv",
            f"--reuid={PLANNER}",
            f"--regid={PLANNER}",
            "--clear-groups",
            "--no-new-privs",
        ]
        return self._run([*become, sys.executable, "-m", "htcq", *words])

    def plan(self) -> subprocess.CompletedProcess[str]:
        return self.planner(*self.elastic.words("plan", "--save", str(self.plan_file)))

    def write(self) -> subprocess.CompletedProcess[str]:
        """Run the writer as root, telling what it has loaded."""
        words = self.elastic.words(
            "apply", "--from", str(self.plan_file), "--planner", str(PLANNER)
        )
        return self._run([sys.executable, "-c", _TELLING, *words])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(self.directory)}
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd="/",
            env=environment,
            check=False,
            timeout=600,
        )

    def forged(self, **quotas: float) -> dict[str, Any]:
        """Return the saved plan with other quotas and the id that goes with them, as whoever became the planner can."""
        told: dict[str, Any] = json.loads(self.plan_file.read_text())
        for each in told["groups"]:
            each["quota"] = quotas.get(each["group"], each["quota"])
        told["groups"] += [
            {"group": name, "quota": quota, "accept_surplus": False}
            for name, quota in quotas.items()
            if name not in ("busy", "quiet")
        ]
        file = QuotaKnobs(tuple(WrittenQuota(*each.values()) for each in told["groups"]))
        told["plan"] = plan_id(time.time(), told["inputs"], file)
        return told


@pytest.fixture
def accounts(site: Site) -> Iterator[Accounts]:
    """The planner must be able to read what is declared and journaled."""
    with tempfile.TemporaryDirectory(prefix="htcq-two-") as name:
        Path(name).chmod(0o755)
        yield Accounts(elastic_pool(site, Path(name)))


def test_one_account_plans_what_another_one_writes(accounts: Accounts) -> None:
    elastic = accounts.elastic
    elastic.declare(
        {
            "busy": BOTH_MAY_ALL["busy"].replace("8", "8, weight = 8000"),
            "quiet": BOTH_MAY_ALL["quiet"],
        }
    )
    queued(elastic.pool, {"busy.ann": 9})
    come_to(elastic.pool, {"busy.ann": 8})
    tried = accounts.planner(*elastic.words("run", "--once", "--yes"))
    assert (tried.returncode, tried.stdout) == (3, "")
    assert "Permission denied" in tried.stderr
    assert not elastic.path.exists()

    planned = accounts.plan()
    assert (planned.returncode, planned.stderr) == (0, ""), planned.stderr
    assert accounts.plan_file.stat().st_uid == PLANNER
    saved = accounts.plan_file.read_text()
    done = accounts.write()
    assert done.returncode == 0, done.stderr
    assert ": written, and the negotiator shows plan " in done.stdout
    assert LOOKING & set(done.stderr.split()) == set()
    assert {name: quota for name, (quota, _) in elastic.published().items()} == {
        "busy": 4.0,
        "quiet": 4.0,
    }
    assert elastic.path.stat().st_uid == 0

    # The same plan again, and one that was made before.
    for told in (accounts.write(), accounts.write()):
        assert told.returncode == 3
        assert "nothing is written: the plan follows record " in told.stderr
    assert accounts.plan().returncode == 0
    assert ": unchanged, as the plan " in accounts.write().stdout
    accounts.plan_file.write_text(saved)
    assert "nothing is written: the plan follows record " in accounts.write().stderr

    text = elastic.path.read_text()
    assert accounts.plan().returncode == 0
    for quotas, said in (
        ({"busy": 9.0}, "above its max of 8"),
        ({"quiet": 9.0}, "quiet would have 9, more than the pool, which has 8"),
        ({"evil": 0.0}, "has the group 'evil', which is not declared"),
    ):
        honest = accounts.plan_file.read_text()
        accounts.plan_file.write_text(json.dumps(accounts.forged(**quotas)))
        told = accounts.write()
        accounts.plan_file.write_text(honest)
        assert (told.returncode, told.stdout) == (3, "")
        assert "nothing is written" in told.stderr
        assert said in told.stderr
    assert elastic.path.read_text() == text
