"""The process that stands behind a pool: it starts the master, waits for a reason to stop, and leaves nothing behind.

Run as ``pool_supervisor.py supervise`` it is the pool's supervisor: SIGTERM, SIGINT or the end
of its lifeline stop the pool, SIGHUP starts its daemons anew. In a Debian root directory the
kernel ends what the supervisor cannot: the daemons live in a pid namespace whose first process
dies with it. Elsewhere ``pool_supervisor.py guard`` stands between the two: each of supervisor
and guard adopts orphans, and each cleans up when the other is killed.
"""

from __future__ import annotations

import os
import pwd
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from installation import Installation, installation_of
from pool_home import Home, PoolRecord
from process_tree import adopt_orphans, descendants, die_with_parent, kill_descendants, send

#: Seconds that the daemons have for a fast shutdown.
GRACE = 2.0
WATCHED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


class Events:
    """Signals and the end of a lifeline, as things to wait for; ``stop`` remembers that one of them meant the end."""

    def __init__(self, lifeline: int | None = None) -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        self._signals = reader
        self.stop = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(reader, selectors.EVENT_READ)
        if lifeline is not None:
            self._selector.register(lifeline, selectors.EVENT_READ)
        signal.set_wakeup_fd(writer)
        for number in WATCHED:
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float | None = None) -> set[int]:
        """The signals that arrived; empty when the time is up."""
        arrived: set[int] = set()
        for key, _ in self._selector.select(seconds):
            if key.fd == self._signals:
                arrived |= set(os.read(self._signals, 4096))
            elif not os.read(key.fd, 1):
                self._selector.unregister(key.fd)
                self.stop = True
        self.stop = self.stop or bool(arrived & {signal.SIGTERM, signal.SIGINT})
        return arrived


def spawn(
    command: list[str], environment: dict[str, str], lock: int, user: str | None, farewell: int
) -> subprocess.Popen[bytes]:
    """Start ``command`` so that it holds the pool's lock and gets ``farewell`` when this process dies."""
    parent = os.getpid()

    def tie() -> None:
        die_with_parent(farewell)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)

    account = pwd.getpwnam(user) if user else None
    return subprocess.Popen(
        command,
        env=environment,
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        extra_groups=[] if account else None,
        stdin=subprocess.DEVNULL,
        pass_fds=[lock],
        cwd="/",
        preexec_fn=tie,  # one thread only
    )


def reap() -> None:
    """Collect every child that has ended, our own and adopted ones."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return


def stop_family(events: Events) -> None:
    """End every descendant: the master by a fast shutdown, and what is left after it (or after GRACE) by force."""
    for process in descendants(os.getpid()):
        if process.command == "condor_master":
            send(process.pid, signal.SIGQUIT)
            break
    else:
        kill_descendants()
    deadline = time.monotonic() + GRACE
    while descendants(os.getpid()):
        reap()
        left = deadline - time.monotonic()
        if left <= 0 or not any(
            process.command == "condor_master" for process in descendants(os.getpid())
        ):
            kill_descendants()
        events.wait(min(0.05, max(left, 0.01)))
    reap()


def keep(start: Callable[[], subprocess.Popen[bytes]], events: Events) -> None:
    """Start the family, start it anew on SIGHUP, and return once it is gone: told to stop, or ended by itself."""
    child = start()
    while True:
        arrived = events.wait()
        reap()
        if signal.SIGHUP in arrived and not events.stop:
            stop_family(events)
            child = start()
        if events.stop or child.poll() is not None:
            return stop_family(events)


def supervise(home: Home, name: str, lock: int, lifeline: int | None) -> None:
    """Keep the pool's daemons until told to stop, then remove what the pool wrote."""
    record = home.record(name)
    if record is None:
        return
    events = Events(lifeline)
    adopt_orphans()
    (home.place(name) / "supervisor.pid").write_text(str(os.getpid()), encoding="ascii")
    where = installation_of(record)
    command = _command(where, record, lock)
    environment = where.environment(record.config_file)
    # Namespaces must go at once with us; a guard has to clean up first.
    farewell = signal.SIGKILL if where.root else signal.SIGTERM
    keep(lambda: spawn(command, environment, lock, where.daemon_user, farewell), events)
    home.remove(name)


def guard(command: list[str], lock: int) -> None:
    """Keep one command and its descendants until it ends, or until we are told to stop or lose our parent."""
    events = Events()
    adopt_orphans()
    keep(lambda: spawn(command, dict(os.environ), lock, None, signal.SIGQUIT), events)


def _command(where: Installation, record: PoolRecord, lock: int) -> list[str]:
    master = [f"{where.release['SBIN']}/condor_master", "-f"]
    if where.root:
        return where.start_command(master)
    return [sys.executable, str(Path(__file__).resolve()), "guard", str(lock), *master]


def main(arguments: list[str]) -> None:
    """Be a supervisor (HOME, NAME, the lock's and the lifeline's descriptor) or a guard (the lock's, COMMAND)."""
    if arguments[0] == "supervise":
        if os.fork():  # whoever started us need not wait for our end
            os._exit(0)
        lifeline = int(arguments[4])
        supervise(
            Home(Path(arguments[1])),
            arguments[2],
            int(arguments[3]),
            lifeline if lifeline >= 0 else None,
        )
    else:
        guard(arguments[2:], int(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
