"""The time limit of the whole command, ``--deadline``: one moment, for all that it waits for.

What asks a daemon, takes a lock or waits for a child shares out the seconds that are left. At the
moment itself SIGALRM raises :class:`Late`, wherever the command is; a process that is busy in a
library does not hear of it, and is killed soon after. Child processes keep the moment, and no
alarm: their parent ends them.
"""

from __future__ import annotations

import math
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Iterator
    from types import FrameType

#: What is waited for is over before the deadline: so many seconds, or this part of all, are left to
#: say what was not heard.
_RESERVE, _RESERVED_PART = 1.0, 0.05
#: Seconds after the deadline, for temporary files and children; then the kernel ends the process.
_GRACE = 1.8
#: Of sigevent(7) and timer_create(2).
_SIGEV_SIGNAL, _SIGEV_INTS = 0, 16

_seconds = math.inf
_until = math.inf
#: Whether a person has said how long it may take, and what it may take as it is now.
_given = False
_allowed = math.inf
#: Holds the kernel's timer once there is one.
_timers: list[ctypes.c_void_p] = []


class Late(BaseException):
    """The time is up; no handler of errors takes it for one of its own."""

    def __init__(self) -> None:
        super().__init__(f"not done within {_allowed:.4g} s")


@contextmanager
def limited(seconds: float, given: bool = True) -> Iterator[None]:
    """Let the block be over in so many ``seconds``; math.inf: without a limit.

    ``given``: a person has said so, and nothing adds to it.

    Raises:
        Late: it was not.
    """
    global _seconds, _given
    if seconds == math.inf:
        yield
        return
    _seconds, _given = seconds, given
    before = signal.signal(signal.SIGALRM, _end)
    try:
        begin_again()
        yield
    finally:
        rest()
        _seconds = math.inf
        signal.signal(signal.SIGALRM, before)


def begin_again() -> None:
    """Give what is done now as much time as the command had: a step of several."""
    global _until, _allowed
    if _seconds < math.inf:
        _until, _allowed = time.monotonic() + _seconds, _seconds
        _alarm(_seconds)


def add(seconds: float) -> None:
    """Add what a wait with a limit of its own may take, unless a person has set the limit."""
    global _until, _allowed
    if _until < math.inf and not _given:
        _until, _allowed = _until + seconds, _allowed + seconds
        _alarm(_until - time.monotonic())


def rest() -> None:
    """Wait for the next step without a limit."""
    global _until
    if _seconds < math.inf:
        _until = math.inf
        _alarm(math.inf)


def within(seconds: float) -> float:
    """Return ``seconds``, or those that are left to wait where they are fewer."""
    if _until == math.inf:
        return seconds
    reserve = min(_RESERVE, _RESERVED_PART * _seconds)
    return max(0.0, min(seconds, _until - reserve - time.monotonic()))


def _end(number: int, frame: FrameType | None) -> None:
    raise Late


def _alarm(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0 if seconds == math.inf else max(seconds, 0.001))
    _kill_after(0.0 if seconds == math.inf else seconds + _GRACE)


def _kill_after(seconds: float) -> None:
    """Let the kernel end this process in so many seconds, whatever it does; 0: not at all."""
    # Most commands have no limit, and this takes time to load.
    import ctypes

    libc = ctypes.CDLL(None)
    if not hasattr(libc, "timer_create"):
        # Before glibc 2.34 timers were in a library of their own.
        libc = ctypes.CDLL("librt.so.1")
    if not _timers:
        event = (ctypes.c_int * _SIGEV_INTS)(0, 0, signal.SIGKILL, _SIGEV_SIGNAL)
        timer = ctypes.c_void_p()
        if libc.timer_create(time.CLOCK_MONOTONIC, event, ctypes.byref(timer)):
            return
        _timers.append(timer)
    whole, part = divmod(seconds, 1)
    setting = (ctypes.c_long * 4)(0, 0, int(whole), int(part * 1e9))
    libc.timer_settime(_timers[0], 0, setting, None)
