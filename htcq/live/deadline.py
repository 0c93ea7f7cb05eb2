"""Runs functions in child processes of their own, each with a deadline if there is one.

HTCondor's bindings wait as long as a daemon lets them, and cannot be interrupted; a process can. What a child has
allocated is gone with it, and what ends it ends nothing else.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import pickle
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: Children that run at the same time.
WORKERS = 8
#: A child ends by itself so long after its deadline, in seconds, should nobody end it by then.
_GRACE = 2.0
#: How the reason begins where a child ended by itself without a word to its parent.
ENDED = "its process ended"
_LAST_LINES = 3
#: Of prctl(2).
_PR_SET_PDEATHSIG = 1
_MOST_COMPLAINT = 64 * 1024


@dataclass(frozen=True)
class Task:
    """One call; ``what`` names it to a person."""

    what: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What came of a task: its value, or why there is none, with what the child wrote on its standard error."""

    what: str
    value: Any = None
    why: str = ""
    complaint: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a value."""
        return not self.why


@dataclass
class _Child:
    index: int
    pid: int
    answers: int
    complaints: int
    deadline: float
    answer: bytes = b""


def run_all(
    tasks: Sequence[Task],
    timeout: float,
    finished: Callable[[Outcome], None] = lambda outcome: None,
    workers: int = WORKERS,
) -> list[Outcome]:
    """Run ``tasks``, at most ``workers`` at a time, and return what came of them, in their order.

    No child outlives this call, nor this process, nor ``timeout`` seconds (math.inf: as long as it takes).
    ``finished`` is called as each of them ends.
    """
    outcomes: list[Outcome | None] = [None] * len(tasks)
    waiting = list(range(len(tasks)))[::-1]
    running: dict[int, _Child] = {}
    with selectors.DefaultSelector() as selector:
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    child = _start(waiting.pop(), tasks, timeout)
                    running[child.answers] = child
                    selector.register(child.answers, selectors.EVENT_READ)
                for child in _ended(selector, running):
                    selector.unregister(child.answers)
                    del running[child.answers]
                    outcome = outcomes[child.index] = _outcome(child, tasks[child.index], timeout)
                    finished(outcome)
        finally:
            for child in running.values():
                _kill(child)
                _close(child)
    return [outcome for outcome in outcomes if outcome is not None]


def _start(index: int, tasks: Sequence[Task], timeout: float) -> _Child:
    complaints = os.memfd_create("complaints")
    answers, out = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(out)
        return _Child(index, pid, answers, complaints, time.monotonic() + timeout)
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _die_with(parent)
        if timeout < math.inf:
            signal.setitimer(signal.ITIMER_REAL, timeout + _GRACE)
        os.close(answers)
        for stream in (1, 2):
            os.dup2(complaints, stream)
        sys.stdout = sys.stderr = open(complaints, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        _answer(tasks[index], out)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _die_with(parent: int) -> None:
    """Ask the kernel to end this process when ``parent`` dies."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _answer(task: Task, out: int) -> None:
    try:
        answer = (True, task.function(*task.arguments))
    except Exception as error:
        answer = (False, str(error) or type(error).__name__)
    with os.fdopen(out, "wb") as stream:
        pickle.dump(answer, stream)


def _ended(selector: selectors.BaseSelector, running: dict[int, _Child]) -> Iterator[_Child]:
    """Yield the children that have closed their pipe, and those whose time is up, after killing them."""
    nearest = min(child.deadline for child in running.values())
    for key, _ in selector.select(max(0.0, nearest - time.monotonic()) if nearest < math.inf else None):
        child = running[key.fd]
        part = os.read(key.fd, 1 << 20)
        child.answer += part
        if not part:
            yield child
    now = time.monotonic()
    for child in [child for child in running.values() if child.deadline <= now]:
        _kill(child)
        child.answer = b""
        yield child


def _kill(child: _Child) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGKILL)


def _close(child: _Child) -> tuple[int, str]:
    """Wait for the child's end and return its status and its last words."""
    _, status = os.waitpid(child.pid, 0)
    os.close(child.answers)
    size = os.lseek(child.complaints, 0, os.SEEK_END)
    os.lseek(child.complaints, max(0, size - _MOST_COMPLAINT), os.SEEK_SET)
    with os.fdopen(child.complaints, encoding="utf-8", errors="replace") as stream:
        return status, stream.read()


def _outcome(child: _Child, task: Task, timeout: float) -> Outcome:
    status, complaint = _close(child)
    late = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGALRM)
    if late and time.monotonic() >= child.deadline:
        return Outcome(task.what, why=f"no answer within {timeout:g} s", complaint=complaint)
    if status or not child.answer:
        told = " ".join(complaint.strip().split("\n")[-_LAST_LINES:])
        return Outcome(task.what, why=f"{ENDED}: {told or _ending(status)}", complaint=complaint)
    done, value = pickle.loads(child.answer)
    return Outcome(task.what, value, complaint=complaint) if done else Outcome(task.what, None, value, complaint)


def _ending(status: int) -> str:
    """Return how a process ended that waitpid(2) tells ``status`` of."""
    if not os.WIFSIGNALED(status):
        return f"status {os.WEXITSTATUS(status)}"
    return f"killed by {signal_name(os.WTERMSIG(status))}"


def signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
