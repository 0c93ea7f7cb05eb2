"""A real pool whose quotas htcq keeps elastic: two groups, their file, and the commands that write it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from broken import break_it, policy
from conftest import ROOT, Site
from testpool import Pool

from htcq.elastic.journal import JournalState
from htcq.store.elastic_journal import read_journal

FILE = "60-htcq-elastic.config"
#: The usual settings, but that a negotiator of a few seconds per cycle is not waited for so long.
SETTINGS = {"verify_within": '"90s"'}
#: What elastic quotas ask for.
NO_PREEMPTION = {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
BOTH_MAY_ALL = {
    "busy": "min = {cpus = 4}\nmax = {cpus = 8}\n",
    "quiet": "min = {cpus = 4}\nmax = {cpus = 8}\n",
}


def fixed(busy: int, quiet: int) -> dict[str, str]:
    """Two groups that lend nothing, and so always have what they are guaranteed."""
    amounts = {"busy": busy, "quiet": quiet}
    return {
        name: f"lend = false\nmin = {{cpus = {n}}}\nmax = {{cpus = {n}}}\n"
        for name, n in amounts.items()
    }


def elastic_policy(**changes: str) -> dict[str, str]:
    """Return the sound policy, with what elastic quotas ask for, with some knobs changed."""
    return policy(**{**NO_PREEMPTION, **changes})


@dataclass
class Elastic:
    """The pool, where its quotas are declared and journaled, and what else is given to every command."""

    pool: Pool
    directory: Path
    settings: dict[str, str] = field(default_factory=lambda: dict(SETTINGS))

    @property
    def path(self) -> Path:
        return self.pool.config_dir / FILE

    @property
    def journal(self) -> Path:
        return self.directory / "journal"

    @property
    def state(self) -> JournalState:
        return read_journal(self.journal).state

    def declare(self, groups: dict[str, str], **settings: str) -> None:
        places = {"directory": f'"{self.pool.config_dir}"', "journal": f'"{self.journal}"'}
        table = {**places, **self.settings, **settings}
        text = "[elastic.write]\n" + "".join(f"{name} = {value}\n" for name, value in table.items())
        text += "".join(f"[groups.{name}]\n{body}" for name, body in groups.items())
        (self.directory / "elastic.toml").write_text(text)

    def words(self, action: str, *more: str) -> list[str]:
        """The words of a command."""
        if action in ("rollback", "disable"):
            return ["elastic", action, "--journal", str(self.journal), "--within", "90", *more]
        return [
            "elastic",
            action,
            "--quotas",
            str(self.directory / "elastic.toml"),
            "--pool",
            self.pool.collector,
            *more,
        ]

    def start(self, action: str, *more: str, log: IO[str] | None = None) -> subprocess.Popen[str]:
        """Start a command; what it says goes to ``log``, if one is given."""
        command = [sys.executable, "-m", "htcq", *self.words(action, *more)]
        said = log or subprocess.PIPE
        return subprocess.Popen(command, stdout=said, stderr=said, text=True, cwd=ROOT)

    def htcq(self, action: str, *more: str) -> tuple[int, str, str]:
        process = self.start(action, *more)
        out, err = process.communicate(timeout=600)
        return process.returncode, out, err

    def step(self, *more: str) -> str:
        """Take one step, which must succeed, and return what it says.

        Schedds whose ads are old and of which no jobs are known may be told of.
        """
        status, out, err = self.htcq("run", "--once", "--yes", *more)
        said = [line for line in err.splitlines() if "an ad of the schedd " not in line]
        assert (status, said) == (0, []), err
        return out

    def stopped_step(self) -> str:
        """Take a step that a person has stopped, and return what it says."""
        status, out, err = self.htcq("run", "--once", "--yes")
        assert (status, out) == (3, "")
        return err

    def step_while_claims_turn_over(self, busy: int, quiet: int) -> str:
        """Take steps, as a timer does, until the quotas in the configuration are these; return what the last one says.

        A look at so small a pool can miss some of it while claims end and others begin: then a
        step is refused, or divides a claim less."""
        for _ in range(60):
            status, out, err = self.htcq("run", "--once", "--yes")
            assert status == 0 or "the pool weighs" in err, err
            if tuple(map(float, self.configured())) == (busy, quiet):
                return out
        raise AssertionError(f"{self.configured()}: {out}{err}")

    def published(self) -> dict[str, tuple[float, str]]:
        """Return what the negotiator tells the collector of its groups: quota and surplus policy."""
        ads: list[dict[str, Any]] = self.pool.ads(
            "any",
            ["Name", "ConfigQuota", "SurplusPolicy"],
            constraint='MyType == "Accounting" && IsAccountingGroup',
        )
        return {
            ad["Name"]: (float(ad["ConfigQuota"]), ad["SurplusPolicy"])
            for ad in ads
            if ad["Name"] != "<none>"
        }

    def configured(self) -> tuple[str, ...]:
        """Return the quotas that HTCondor's own tool reads in the configuration, of both groups."""
        return tuple(
            self.pool.tool("condor_config_val", f"GROUP_QUOTA_{name}").strip()
            for name in ("busy", "quiet")
        )

    def cycles(self) -> int:
        """Return how many cycles the negotiator has finished."""
        return self.pool.log("NegotiatorLog").count("Finished Negotiation Cycle")


def elastic_pool(site: Site, directory: Path, **knobs: str) -> Elastic:
    """Start the site's daemons anew, without groups."""
    return Elastic(break_it(site, {**elastic_policy(), **knobs}), directory)
