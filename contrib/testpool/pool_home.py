"""Where pools are written down: one directory a pool, and a lock that is held for as long as the pool lives.

The lock is the truth about life and death. The supervisor holds it and hands it to what it
starts, so the kernel frees it when the last of them is gone, however they went. A pool whose
lock is free is dead, and anyone may sweep it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

#: A pool of everything, in the order in which the master starts them.
ALL_DAEMONS = ("MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD")


class PoolError(Exception):
    """What the test pool refuses or cannot do; ``hint`` says what would help."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.hint = hint


@dataclass(frozen=True)
class PoolRecord:
    """What another process must know to find a pool; written once, before its daemons start."""

    name: str
    suite: str
    version: str
    # the Debian root directory as the host sees it; empty where HTCondor is the one on PATH
    root: str
    directory: str  # the daemons' LOCAL_DIR as the host sees it
    port: int  # the collector's, on 127.0.0.1
    daemons: tuple[str, ...]

    @property
    def inner_directory(self) -> str:
        """The daemons' LOCAL_DIR as they see it themselves."""
        return self.directory[len(self.root) :]

    @property
    def config_file(self) -> str:
        """CONDOR_CONFIG as the daemons see it."""
        return f"{self.inner_directory}/condor_config"


class Home:
    """The directory that remembers pools and keeps Debian roots."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_home()

    @property
    def roots(self) -> Path:
        """Where the Debian root directories lie."""
        return self.path / "roots"

    def place(self, name: str) -> Path:
        """The directory of the pool called ``name``: its lock, record, supervisor's pid and messages."""
        return self.path / "pools" / name

    def names(self) -> list[str]:
        """The names of all pools that left a trace, alive or not."""
        pools = self.path / "pools"
        return (
            sorted(p.name for p in pools.iterdir() if not p.name.startswith("."))
            if pools.is_dir()
            else []
        )

    def claim(self, name: str, patience: float = 0.0) -> int | None:
        """Lock the pool's name and return the descriptor that holds the lock; None when the pool is alive.

        Args:
            name: the pool's name.
            patience: seconds to try again, because whoever looks or sweeps holds the lock for a
                moment too.
        """
        place = self.place(name)
        deadline = time.monotonic() + patience
        while True:
            place.mkdir(parents=True, exist_ok=True)
            try:
                descriptor = os.open(place / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:  # swept between the two lines above
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(descriptor).st_ino == (place / "lock").stat().st_ino:
                    return descriptor
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    return None
                time.sleep(0.02)
            except FileNotFoundError:
                pass
            os.close(descriptor)  # somebody else's lock, or a file that was swept meanwhile

    def is_alive(self, name: str) -> bool:
        """Whether anything of the pool still runs."""
        try:
            descriptor = os.open(self.place(name) / "lock", os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            # Shared, so that two onlookers never take each other for the pool.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def save(self, record: PoolRecord) -> None:
        """Write the pool's record; the caller holds its lock."""
        (self.place(record.name) / "record.json").write_text(
            json.dumps(asdict(record), indent=1), encoding="utf-8"
        )

    def record(self, name: str) -> PoolRecord | None:
        """The pool's record, or None where it has none (yet)."""
        try:
            fields = json.loads((self.place(name) / "record.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return PoolRecord(**{**fields, "daemons": tuple(fields["daemons"])})

    def supervisor(self, name: str) -> int | None:
        """The pid of the pool's supervisor, or None where none was started."""
        try:
            return int((self.place(name) / "supervisor.pid").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def remove(self, name: str) -> None:
        """Remove the pool's directories; the caller holds its lock."""
        record = self.record(name)
        if record:
            shutil.rmtree(record.directory, ignore_errors=True)
        # Moved away in one step, so that a newcomer of the same name never meets half a directory.
        gone = tempfile.mkdtemp(prefix=".gone-", dir=self.place(name).parent)
        self.place(name).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def sweep(self) -> list[str]:
        """Remove what dead pools left behind and return their names."""
        for left in (self.path / "pools").glob(".gone-*"):
            shutil.rmtree(left, ignore_errors=True)
        swept = []
        for name in self.names():
            descriptor = None if self.is_alive(name) else self.claim(name)
            if descriptor is not None:
                self.remove(name)
                os.close(descriptor)
                swept.append(name)
        return swept


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on ``path``, waiting for it as long as it takes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def default_home() -> Path:
    """TESTPOOL_HOME, else ``.testpool`` in the checkout, else (a checkout we may not write) the user's cache."""
    named = os.environ.get("TESTPOOL_HOME")
    if named:
        return Path(named).absolute()
    checkout = Path(__file__).resolve().parents[2]
    if os.access(checkout, os.W_OK):
        return checkout / ".testpool"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "testpool"
