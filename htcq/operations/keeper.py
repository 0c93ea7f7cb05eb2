"""The process beside a confined one: waits for its end, and takes files and a record from it.

See ``htcq.operations.confined``.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import selectors
import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from htcq.errors import BudgetError
from htcq.limits import MIB, OPTION, Limits
from htcq.live.deadline import signal_name
from htcq.live.process_limits import children_now
from htcq.operations.handed_over import RECORD
from htcq.passing import begin_child, forget_child, noted_children
from htcq.whole_file import put, put_new

#: Longest file that is written for the child: its limit of memory is far below that.
_MAX_FILE = 1 << 31
#: Longest record, before the factor of the limits: that of 100,000 machines has half of it.
_MAX_RECORD = 64 * MIB
_MAX_COMPLAINT = 16 * 1024
#: As which status and with which words the ClassAd library ends a process for which there is no
#: memory.
_NO_MEMORY, _NO_ROOM = 127, ("bad_alloc", "length_error", "allocate memory")
#: Of a new file in a directory that the command line names.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RAISES = f"{OPTION} raises the limit"
#: In seconds: a request of which nothing more comes for so long is none, and how often the child is
#: looked at.
_PATIENCE, _PAUSE = 10.0, 1.0
#: Of prctl(2).
_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36


@dataclass(frozen=True)
class Child:
    """A confined process: its requests, its ticks, messages of its libraries, and its limits."""

    pid: int
    requests: socket.socket
    ticks: int
    complaints: int
    name: str
    memory: int
    seconds: int


def guard() -> None:
    """Let nobody look into this process, and make it the parent of whatever its children leave.

    Before the child is forked: a process of the same account could read its memory.
    """
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def keep(child: Child, limits: Limits, files: Sequence[str]) -> tuple[int, bytes | None]:
    """Wait for the end of ``child``, which does not outlive this call.

    Returns its exit status, and the record that it gave, if any.

    Raises:
        BudgetError: a limit ended it, or what it read did.
    """
    others = noted_children()
    begin_child(child.pid)
    child.requests.settimeout(_PATIENCE)
    handle = os.pidfd_open(child.pid)
    watched = _Watched(child, handle, files, limits)
    ended = False
    try:
        with selectors.DefaultSelector() as selector:
            for each in (handle, child.ticks, child.requests):
                selector.register(each, selectors.EVENT_READ)
            while not ended:
                ready = selector.select(_PAUSE)
                ended = any(watched.serve(key.fd, selector) for key, _ in ready)
                _wake(child.pid)
    finally:
        if not ended:
            _kill(child.pid)
        forget_child(child.pid)
        _, status = os.waitpid(child.pid, 0)
        os.close(handle)
        _end_what_is_left(others)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != _NO_MEMORY:
        return os.WEXITSTATUS(status), watched.record
    raise _why(child, status, watched.stuck, limits)


@dataclass
class _Watched:
    """A child that is waited for."""

    child: Child
    handle: int
    files: Sequence[str]
    limits: Limits
    silent: int = 0
    record: bytes | None = None

    @property
    def stuck(self) -> bool:
        """Whether it spends too long in one call."""
        return self.silent > self.limits.one_step

    def serve(self, ready: int, selector: selectors.BaseSelector) -> bool:
        """Do what ``ready`` asks for; return whether the child has ended."""
        if ready == self.handle:
            return True
        if ready == self.child.ticks:
            self.silent = _counted(os.read(ready, 4096), self.silent)
            if self.stuck:
                _kill(self.child.pid)
        elif not self._served(self.child.requests):
            selector.unregister(self.child.requests)
        return False

    def _served(self, requests: socket.socket) -> bool:
        """Take one file or the record; False where the child wants no more."""
        name = _part(requests)
        content = None if name is None else _part(requests)
        if name is None or content is None:
            return False
        if name == RECORD.encode():
            told = self._taken(content)
        else:
            told = _written(name.decode("utf-8", "replace"), content, self.files)
        requests.sendall(f"{told}\n".encode())
        return True

    def _taken(self, record: bytes) -> str:
        """Keep ``record``; return why it is not taken, empty where it is."""
        most = round(_MAX_RECORD * self.limits.factor)
        if len(record) > most:
            return f"{self.child.name}: what was found has more than {most // MIB} MiB"
        self.record = record
        return ""


def _wake(pid: int) -> None:
    """Let a child go on that was stopped: whoever may signal it could keep this process waiting."""
    with contextlib.suppress(ChildProcessError):
        if os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG):
            os.kill(pid, signal.SIGCONT)


def _end_what_is_left(others: frozenset[int]) -> None:
    """End what the child has started, whatever it calls itself; ``others`` are not of it.

    A process without its parent becomes a child of this one: there are more until there are none.
    """
    while left := children_now() - others:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                _kill(pid)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _counted(beats: bytes, silent: int) -> int:
    """Return the seconds of processor time that the child has spent in one call."""
    for beat in beats:
        silent += 1
        if beat != signal.SIGPROF:
            silent = 0
    return silent


def _written(name: str, text: bytes, files: Sequence[str]) -> str:
    """Write a file that the command line names; return why that failed, empty where it did not."""
    directory, _, last = name.rpartition("/")
    new = f"{directory}/" in files and _PLAIN_NAME.fullmatch(last)
    if name not in files and not new:
        return "a file that the command line does not name was to be written"
    try:
        (put_new if new else put)(Path(name), text.decode("utf-8", "replace"))
    except OSError as error:
        return f"{name} cannot be written: {error.strerror}"
    return ""


def _part(requests: socket.socket) -> bytes | None:
    size = int.from_bytes(_received(requests, 8), "big")
    found = _received(requests, size) if 0 < size < _MAX_FILE else b""
    if not found or len(found) != size:
        return None
    return bytes(found)


def _received(requests: socket.socket, size: int) -> bytearray:
    found = bytearray()
    while len(found) < size:
        try:
            part = requests.recv(min(size - len(found), MIB))
        except socket.timeout:  # Before Python 3.10 it is no TimeoutError.
            break
        if not part:
            break
        found += part
    return found


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def _why(child: Child, status: int, stuck: bool, limits: Limits) -> BudgetError:
    """Return what ended the child."""
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if stuck:
        seconds = limits.one_step
        return BudgetError(
            f"{child.name}: one of its expressions takes more than {seconds} s to evaluate", _RAISES
        )
    if number == signal.SIGXCPU:
        return BudgetError(
            f"{child.name}: it takes more than {child.seconds} s of processor time", _RAISES
        )
    size = min(_MAX_COMPLAINT, os.fstat(child.complaints).st_size)
    told = os.pread(child.complaints, size, 0).decode("utf-8", "replace")
    if number == 0 or (number == signal.SIGABRT and any(word in told for word in _NO_ROOM)):
        return BudgetError(
            f"{child.name}: it takes more than {child.memory // MIB} MB of memory", _RAISES
        )
    last = " ".join(told.split()[-12:])
    why = f": {last}" if last else ""
    return BudgetError(
        f"{child.name}: what it holds ended the process that read it: {signal_name(number)}{why}"
    )
