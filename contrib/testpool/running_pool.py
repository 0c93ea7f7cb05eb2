"""What one can do with a pool that runs: read its files, use its tools, switch its daemons, submit and clear jobs."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from installation import installation_of
from pool_config import settings_text
from pool_home import Home, PoolError, PoolRecord
from process_tree import descendants

Found = TypeVar("Found")

#: MyType of the ad by which each daemon shows that it is up. The master's comes five seconds after
#: all others and says nothing that they do not.
DAEMON_ADS = {
    "collector": "Collector",
    "negotiator": "Negotiator",
    "schedd": "Scheduler",
    "startd": "Machine",
}

LOGS = {
    "collector": "CollectorLog",
    "negotiator": "NegotiatorLog",
    "schedd": "SchedLog",
    "startd": "StartLog",
}

#: What :meth:`Pool.ads` can list, and the tool that lists it.
AD_KINDS = {
    "slots": ("condor_status",),
    "jobs": ("condor_q", "-allusers"),
    "any": ("condor_status", "-any"),
    "collector": ("condor_status", "-collector"),
    "master": ("condor_status", "-master"),
    "negotiator": ("condor_status", "-negotiator"),
    "schedd": ("condor_status", "-schedd"),
    "submitters": ("condor_status", "-submitters"),
}

#: What a job is unless its submitter says otherwise: it sleeps, far longer than any test lasts.
SLEEPER = {
    "executable": "/bin/sleep",
    "arguments": "86400",
    "transfer_executable": "false",
    "request_disk": "1000",
}

#: JobStatus of a job that is being removed.
REMOVED = "3"
#: Seconds between two questions to a pool, the first time and after long waiting: each is a process
#: that takes time from the daemons.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 0.3

#: The kernel keeps 15 characters of a command's name.
_CUT_SHORT = {"collecto": "collector", "negotiat": "negotiator"}


class ToolError(PoolError):
    """One of HTCondor's tools failed."""


class RunningPool:
    """One pool, seen from the host: its record, its files and its daemons."""

    #: All times that are waited for are so many times longer: for a machine that has other things
    #: to do.
    patience = 1.0

    def __init__(self, record: PoolRecord, home: Home) -> None:
        self.record = record
        self.home = home
        self._installation = installation_of(record)

    # --- places
    # -------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.record.name

    @property
    def collector(self) -> str:
        """The collector's address, ``127.0.0.1:PORT``."""
        return f"127.0.0.1:{self.record.port}"

    @property
    def config_file(self) -> Path:
        """The pool's condor_config, as the host sees it."""
        return self.path("condor_config")

    @property
    def config_dir(self) -> Path:
        """LOCAL_CONFIG_DIR, as the host sees it: files put here win over condor_config, not over :meth:`configure`."""
        return self.path("config.d")

    def path(self, *parts: str) -> Path:
        """A path under the pool's LOCAL_DIR, as the host sees it."""
        return Path(self.record.directory, *parts)

    def log(self, name: str) -> str:
        """The text of a daemon's log such as ``NegotiatorLog``; empty where there is none."""
        path = self.path("log", name)
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    # --- configuration
    # ------------------------------------------------------------------------------------------

    def configure(self, settings: Mapping[str, object] | str) -> None:
        """Replace ``condor_config.local``; :meth:`reconfig` or :meth:`restart` makes the daemons read it."""
        write_config(self.path("condor_config.local"), settings_text(settings))

    def reconfig(self, seconds: float = 20.0) -> None:
        """Make all daemons read their configuration again; returns when each of them has begun to."""
        logs = [LOGS[daemon] for daemon in self.daemon_pids() if daemon in LOGS]
        before = {log: self.log(log).count("Got SIGHUP") for log in logs}
        self.tool("condor_reconfig")

        def read() -> bool:
            return all(self.log(log).count("Got SIGHUP") > before[log] for log in logs)

        self.wait(read, seconds, "all daemons' reconfig", logs)

    # --- tools
    # --------------------------------------------------------------------------------------------------

    def run(
        self, command: Sequence[str], *, as_job_user: bool = False, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a command next to the daemons; ``options`` are those of :func:`subprocess.run`."""
        joined = self._installation.join_command(command, self.master_pid(), as_job_user)
        return subprocess.run(
            joined, env=self._installation.environment(self.record.config_file), **options
        )

    def tool(
        self, *command: str, check: bool = True, as_job_user: bool = False, text: str = ""
    ) -> str:
        """Run one of HTCondor's tools with ``text`` on its standard input, and return what it prints.

        Raises:
            ToolError: it failed and ``check`` is true; the message holds what it said.
            PoolError: there are no daemons to run it next to, and ``check`` is true.
        """
        try:
            done = self.run(
                command, as_job_user=as_job_user, input=text, capture_output=True, text=True
            )
        except PoolError:
            if check:
                raise
            return ""
        if check and done.returncode:
            said = (done.stderr.strip() or done.stdout.strip())[-2000:]
            raise ToolError(f"{' '.join(command)} ended with status {done.returncode}: {said}")
        return done.stdout

    def ads(
        self,
        kind: str = "slots",
        projection: Sequence[str] = (),
        *,
        constraint: str = "",
        direct: str = "",
    ) -> list[dict[str, Any]]:
        """Ads as the tools' ``-json`` gives them.

        Args:
            kind: a key of ``AD_KINDS``.
            projection: the attributes wanted; all of them without.
            constraint: a ClassAd expression.
            direct: the name or address of a daemon to ask itself, where the collector would be
                late.
        """
        if kind not in AD_KINDS:
            raise PoolError(
                f"there are no ads of kind '{kind}'", f"the kinds are: {', '.join(AD_KINDS)}"
            )
        options = ["-constraint", constraint] if constraint else []
        options += ["-direct", direct] if direct else []
        if projection:
            options += ["-attributes", ",".join(projection)]
        printed = self.tool(*AD_KINDS[kind], *options, "-json").strip()
        found: list[dict[str, Any]] = json.loads(printed) if printed else []
        return found

    def wait(
        self, predicate: Callable[[], Found], seconds: float, what: str, logs: Sequence[str] = ()
    ) -> Found:
        """Ask ``predicate`` until it gives something true, and return that.

        A tool that fails gives nothing true: daemons that are starting, or have much to do, do not
        always answer.

        Raises:
            PoolError: it did not within ``seconds``; the message ends with the last lines of
                ``logs``.
        """
        seconds *= self.patience
        began = time.monotonic()
        while True:
            failure = ""
            try:
                value = predicate()
                if value:
                    return value
            except ToolError as error:
                failure = f": {error}"
            waited = time.monotonic() - began
            if waited >= seconds:
                tails = [
                    f"\n--- {log}\n" + "\n".join(self.log(log).splitlines()[-15:]) for log in logs
                ]
                raise PoolError(
                    f"pool '{self.name}': no sign of {what} within {seconds:g} "
                    f"s{failure}{''.join(tails)}"
                )
            time.sleep(min(_FIRST_PAUSE + waited / 10, _LONGEST_PAUSE))

    # --- daemons
    # ------------------------------------------------------------------------------------------------

    def daemon_pids(self) -> dict[str, int]:
        """The pids, as the host sees them, of the master and of the daemons it runs, by name (``negotiator``)."""
        supervisor = self.home.supervisor(self.name)
        family = descendants(supervisor) if supervisor else []
        pids: dict[str, int] = {}
        for process in family:
            if process.command.startswith("condor_"):
                short = process.command[len("condor_") :]
                pids.setdefault(_CUT_SHORT.get(short, short), process.pid)
        return pids

    def master_pid(self) -> int:
        """The pid of condor_master, as the host sees it."""
        try:
            return self.daemon_pids()["master"]
        except KeyError:
            raise PoolError(f"the daemons of pool '{self.name}' are not running") from None

    def off(self, daemon: str, seconds: float = 20.0) -> None:
        """Stop one daemon (``negotiator``) fast; returns when its process and its ads are gone."""
        self.tool("condor_off", "-fast", "-daemon", daemon)
        self.wait(
            lambda: daemon not in self.daemon_pids(),
            seconds,
            f"the end of the {daemon}",
            ("MasterLog",),
        )
        self.wait(
            lambda: self._has_no_ad(daemon),
            seconds,
            f"the end of the {daemon}'s ad",
            ("CollectorLog",),
        )

    def on(self, daemon: str, seconds: float = 30.0) -> None:
        """Start one daemon that was off; returns when its ad is in the collector."""
        self.tool("condor_on", "-daemon", daemon)
        self.wait(lambda: self._has_ad(daemon), seconds, f"the {daemon}'s ad", ("MasterLog",))

    def _has_no_ad(self, daemon: str) -> bool:
        """Whether the collector has no ad of a daemon that is off; one that is left is invalidated.

        On a busy machine the last word of a daemon can be lost; its ad would stay for a quarter
        of an hour.
        """
        if not self._has_ad(daemon):
            return True
        query = f'MyType = "Query"\nTargetType = "{DAEMON_ADS[daemon]}"\nRequirements = true\n'
        self.tool(
            "condor_advertise", f"INVALIDATE_{daemon.upper()}_ADS", "-", text=query, check=False
        )
        return False

    def _has_ad(self, daemon: str) -> bool:
        types = self.tool("condor_status", "-any", "-af", "MyType", check=False).split()
        return DAEMON_ADS[daemon] in types

    def state(self) -> str:
        """``up``, ``partial`` (daemons are still missing, or off) or ``ending``."""
        running = set(self.daemon_pids())
        if {daemon.lower() for daemon in self.record.daemons} <= running:
            return "up"
        return "partial" if running or self.home.supervisor(self.name) is None else "ending"

    # --- jobs
    # ---------------------------------------------------------------------------------------------------

    def submit(
        self, description: Mapping[str, object] | str = "", count: int = 1, schedd: str = ""
    ) -> int:
        """Submit ``count`` jobs as the unprivileged user and return their cluster id.

        Args:
            description: submit commands, added to those of a job that sleeps.
            count: number of processes of the cluster.
            schedd: the name of another schedd of the pool.
        """
        where = ("-name", schedd) if schedd else ()
        text = settings_text(SLEEPER) + settings_text(description) + f"queue {count}\n"
        return int(
            self.tool("condor_submit", *where, "-terse", "-", as_job_user=True, text=text).split(
                "."
            )[0]
        )

    def remove_jobs(self, seconds: float = 30.0, tool: Callable[..., str] | None = None) -> None:
        """Remove all jobs and wait until the queue is empty; ``tool`` is :meth:`tool` with another schedd's settings.

        One condor_rm is not enough: a schedd that is busy or starting misses it. A shadow whose
        startd ended without a word waits for it as long as the job's lease lasts, 40 minutes, and
        its job stays in the queue, removed: after a third of the time that is forced.

        Raises:
            PoolError: jobs are left; the message has their numbers and states.
        """
        use = tool or self.tool
        began = time.monotonic()
        left: list[str] = []

        def none_left() -> bool:
            left[:] = use("condor_q", "-allusers", "-af", "JobStatus").split()
            if any(status != REMOVED for status in left):
                use("condor_rm", "-constraint", f"JobStatus != {REMOVED}", check=False)
            elif left and time.monotonic() - began > self.patience * seconds / 3:
                use("condor_rm", "-forcex", "-all", check=False)
            return not left

        try:
            self.wait(none_left, seconds, "an empty queue", ("SchedLog",))
        except PoolError as error:
            counts = ", ".join(
                f"{count} with JobStatus {status}"
                for status, count in sorted(Counter(left).items())
            )
            raise PoolError(
                f"jobs are left, {counts or 'how many is not known'}; {error}"
            ) from error

    def clear(self, seconds: float = 30.0) -> None:
        """Remove all jobs, wait until queue and machines are empty, and forget who used what."""
        self.remove_jobs(seconds)
        running = self.daemon_pids()
        if "startd" in running:
            self.wait(self._unclaimed, seconds, "machines without claims", ("StartLog",))
        if "negotiator" in running:
            self.forget_usage()

    def _unclaimed(self) -> bool:
        """Whether the startd has no claim left, and the collector has heard of that."""
        projection = ["Name", "MyAddress", "State", "DynamicSlot", "Cpus", "Memory", "Disk"]
        seen = self.ads("slots", projection)
        startds = sorted({ad["MyAddress"] for ad in seen})
        real = [ad for startd in startds for ad in self.ads("slots", projection, direct=startd)]
        claimed = [ad for ad in real if ad.get("DynamicSlot") or ad["State"] == "Claimed"]
        return not claimed and sorted(seen, key=str) == sorted(real, key=str)

    def forget_usage(self) -> None:
        """Delete every submitter's usage, priority and factor from the accountant."""
        listed = self.tool("condor_userprio", "-allusers", "-af", "Name")
        for submitter in filter(lambda name: "@" in name, listed.split()):
            self.tool("condor_userprio", "-delete", submitter)


def write_config(path: Path, text: str) -> None:
    """Write a configuration file that daemons and job user can read, whatever the caller's umask."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)
