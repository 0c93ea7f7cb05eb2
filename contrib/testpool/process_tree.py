"""Processes as Linux shows them in /proc, and the two prctl(2) calls that tie their lives together."""

from __future__ import annotations

import ctypes
import os
import signal
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Process:
    """One process: its pid, its parent's pid, and its command name (at most 15 characters)."""

    pid: int
    parent: int
    command: str


def processes() -> list[Process]:
    """All processes of this pid namespace that are not zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                head, _, tail = (
                    (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
                )
            except (FileNotFoundError, ProcessLookupError):
                continue
            state, parent = tail.split()[:2]
            if state not in "ZX":
                found.append(Process(int(entry.name), int(parent), head.partition("(")[2]))
    return found


def descendants(pid: int) -> list[Process]:
    """The living children of ``pid``, their children, and so on; parents before children."""
    everyone = processes()
    family = [process for process in everyone if process.parent == pid]
    for member in family:
        family += [process for process in everyone if process.parent == member.pid]
    return family


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, so that none gets away."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(death_signal: int) -> None:
    """Ask the kernel to send this process ``death_signal`` when its parent dies."""
    _prctl(_PR_SET_PDEATHSIG, death_signal)


def send(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone already."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def kill_descendants() -> None:
    """Kill every descendant of this process at once."""
    for process in descendants(os.getpid()):
        send(process.pid, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
