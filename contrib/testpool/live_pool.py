"""The life of a test pool: start, restart, stop."""

from __future__ import annotations

import itertools
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from installation import installation
from pool_config import SUBDIRECTORIES, free_port, render, settings_text
from pool_home import ALL_DAEMONS, Home, PoolError, PoolRecord
from process_tree import send
from running_pool import DAEMON_ADS, RunningPool, write_config

_counter = itertools.count(1)


class Pool(RunningPool):
    """One pool. :meth:`start` makes one, :meth:`attach` finds one; as a context manager it stops at the end."""

    def __init__(self, record: PoolRecord, home: Home, lifeline: int | None = None) -> None:
        super().__init__(record, home)
        self._lifeline = lifeline

    @classmethod
    def start(
        cls,
        name: str | None = None,
        *,
        suite: str | None = None,
        settings: Mapping[str, object] | str = "",
        config_files: Iterable[Path] = (),
        daemons: Sequence[str] = ALL_DAEMONS,
        cpus: int = 8,
        memory_mb: int = 16384,
        disk_kb: int = 20_000_000,
        wait_seconds: float = 60.0,
        tied: bool = True,
        home: Home | None = None,
        roots: Path | None = None,
    ) -> Pool:
        """Start a pool and return it once the ads of all its daemons are in the collector.

        Args:
            name: without one, the pool gets a name of its own.
            suite: ``path``, ``sid`` or ``trixie``; without one, HTCondor on PATH before sid.
            settings: knobs for ``condor_config.local``, which wins over everything else.
            config_files: files to copy to ``config.d``, in this order.
            daemons: what the master shall run; MASTER and COLLECTOR are always there.
            cpus: NUM_CPUS; like the next two it may be far more than the machine has.
            memory_mb: MEMORY.
            disk_kb: DISK.
            wait_seconds: how long the daemons may take.
            tied: whether the pool ends with this process, however that ends.
            home: where pools are written down.
            roots: where Debian root directories lie, instead of in ``home``.

        Raises:
            PoolError: the name is taken, HTCondor is missing, or the daemons did not come up.
        """
        home = home or Home()
        home.sweep()
        name = name or f"pool-{secrets.token_hex(3)}-{next(_counter)}"
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}", name):
            raise PoolError(
                f"'{name}' cannot be a pool's name", "up to 41 letters, digits, '-' and '_'"
            )
        found = installation(suite, roots or home.roots)
        lock = home.claim(name, patience=1.0)
        if lock is None:
            raise PoolError(f"pool '{name}' is running already", f"'down {name}' ends it")
        try:
            daemons = tuple(
                dict.fromkeys(["MASTER", "COLLECTOR", *(daemon.upper() for daemon in daemons)])
            )
            directory = _new_directory(name, found.root)
            record = PoolRecord(
                name, found.suite, found.version(), found.root, str(directory), free_port(), daemons
            )
            home.save(record)
            machine = {"NUM_CPUS": cpus, "MEMORY": memory_mb, "DISK": disk_kb}
            _furnish(
                directory,
                render(record, found.release, machine),
                settings_text(settings),
                config_files,
            )
            found.give_away(directory)
            pool = cls(record, home, _launch(home, name, lock, tied))
        except BaseException:
            home.remove(name)
            raise
        finally:
            os.close(lock)
        pool._await_start(wait_seconds)
        return pool

    @classmethod
    def attach(cls, name: str, home: Home | None = None) -> Pool:
        """Find a pool that somebody else started; it lives on when this object goes."""
        home = home or Home()
        record = home.record(name)
        if record is None or not home.is_alive(name):
            raise PoolError(
                f"there is no pool '{name}'",
                f"'up {name}' starts it, 'status' lists those there are",
            )
        return cls(record, home)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self, seconds: float = 15.0) -> None:
        """Stop the pool and return when nothing of it is left."""
        supervisor = self.home.supervisor(self.name)
        if supervisor is not None and self.home.is_alive(self.name):
            send(supervisor, signal.SIGTERM)
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None
        self.wait(lambda: not self.home.is_alive(self.name), seconds, "the end of the pool")
        self.home.sweep()

    def restart(self, seconds: float = 60.0) -> None:
        """Stop the daemons fast and start them anew, on the same port and with what they have in their spool."""
        supervisor, before = self.home.supervisor(self.name), self.master_pid()
        if supervisor is None:
            raise PoolError(f"pool '{self.name}' has no supervisor")
        send(supervisor, signal.SIGHUP)
        self.wait(
            lambda: self.daemon_pids().get("master", before) != before, seconds, "a new master"
        )
        self._await_start(seconds)

    def _await_start(self, seconds: float) -> None:
        expected = {
            DAEMON_ADS[daemon]
            for daemon in map(str.lower, self.record.daemons)
            if daemon in DAEMON_ADS
        }

        def up() -> bool:
            if not self.home.is_alive(self.name):
                raise PoolError(f"pool '{self.name}' ended while it started{self._messages()}")
            return expected <= set(
                self.tool("condor_status", "-any", "-af", "MyType", check=False).split()
            )

        try:
            self.wait(up, seconds, "the ads of all daemons", ("MasterLog",))
        except BaseException:
            if self.home.is_alive(self.name):
                self.stop()
            raise

    def _messages(self) -> str:
        path = self.home.place(self.name) / "supervisor.log"
        return f": {path.read_text(errors='replace')[-2000:]}" if path.exists() else ""


def _new_directory(name: str, root: str) -> Path:
    parent = Path(root) / "pools" if root else Path(tempfile.gettempdir())
    parent.mkdir(exist_ok=True)
    directory = Path(
        tempfile.mkdtemp(prefix=f"testpool-{name}-" if not root else f"{name}-", dir=parent)
    )
    directory.chmod(0o755)
    return directory


def _furnish(directory: Path, config: str, local: str, files: Iterable[Path]) -> None:
    for sub in SUBDIRECTORIES:
        (directory / sub).mkdir()
        (directory / sub).chmod(0o700 if sub in ("passwords.d", "tokens.d") else 0o755)
    for number, file in enumerate(files):
        write_config(
            directory / "config.d" / f"{10 + number}-{file.name}", file.read_text(encoding="utf-8")
        )
    write_config(directory / "condor_config", config)
    write_config(directory / "condor_config.local", local)


def _launch(home: Home, name: str, lock: int, tied: bool) -> int | None:
    """Start the supervisor; the end of the pipe that keeps a tied pool alive."""
    reader, writer = os.pipe() if tied else (-1, -1)
    program = [sys.executable, str(Path(__file__).resolve().parent / "pool_supervisor.py")]
    with (home.place(name) / "supervisor.log").open("w") as messages:
        subprocess.run(
            [*program, "supervise", str(home.path), name, str(lock), str(reader)],
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            start_new_session=True,
            check=True,
            pass_fds=[lock, *([reader] if tied else [])],
        )
    if not tied:
        return None
    os.close(reader)
    return writer
