"""Runs functions in child processes of their own, each with a deadline if there is one.

HTCondor's bindings wait as long as a daemon lets them, and cannot be interrupted; a process can.
What a child has allocated is gone with it, and what ends it ends nothing else.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import math
import os
import pickle
import resource
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from htcq import time_limit
from htcq.limits import OPTION, Limits
from htcq.live.process_limits import limit_process, memory_here
from htcq.passing import begin_child, end_children, forget_child

#: Children that run at the same time.
WORKERS = 8
#: A child that has not answered for so many seconds is likely to wait for a daemon: it costs no
#: processor time.
SLOW = 5.0
#: So many times more tasks than may wait at a time are left to silent daemons.
_MAX_SILENT = 8
#: Where many share the time, each child has so many seconds at least: those that are not asked then
#: are named.
_LEAST_SHARE = 1.0
#: A child ends by itself so long after its deadline, in seconds, should nobody end it by then.
_GRACE = 2.0
#: How the reason begins where a child ended by itself without a word to its parent.
ENDED = "its process ended"
#: And where a child did not end in time.
NO_ANSWER = "no answer"
#: How the reason goes on where it was not asked.
NOT_ASKED = f"{NO_ANSWER}: not asked"
_LAST_LINES = 3
#: Why there is no value where a budget was not enough.
TOO_LARGE = f"the answer is larger than there is room for it ({OPTION} raises the limit)"
#: Bytes that every answer may have: where there is no room for them the disk is full, and no answer
#: is too large.
_MIN_FILE = 64 * 1024 * 1024
#: Of prctl(2).
_PR_SET_PDEATHSIG = 1
_MAX_COMPLAINT = 64 * 1024


@dataclass(frozen=True)
class Task:
    """One call; ``what`` names it to a person.

    ``host`` is that of a daemon of which there may be many; one without it shares no time with
    others.
    """

    what: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    host: str = ""


@dataclass(frozen=True)
class TaskOutcome:
    """The outcome of a task: its value, or why there is none.

    ``complaint`` is the standard error of the child.
    """

    what: str
    value: Any = None
    why: str = ""
    complaint: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a value."""
        return not self.why


@dataclass(frozen=True)
class Budget:
    """The limits of one child: its ``memory`` and the size of each of its files, in bytes."""

    memory: int
    file: int


def answer_budget(directory: Path, children: int, limits: Limits) -> Budget:
    """Return the limits of each of ``children`` that write into ``directory``.

    All of them together stay within ``limits``.
    """
    part = limits.part_of_machine / max(1, children)
    disk = os.statvfs(directory)
    return Budget(
        round(memory_here() * part), max(_MIN_FILE, round(disk.f_bavail * disk.f_frsize * part))
    )


@dataclass
class _Child:
    index: int
    pid: int
    answers: int
    complaints: int
    started: float
    patience: float
    answer: bytes = b""

    @property
    def deadline(self) -> float:
        """When it is ended."""
        return self.started + self.patience


def run_all(
    tasks: Sequence[Task],
    timeout: float,
    finished: Callable[[TaskOutcome], None] = lambda outcome: None,
    workers: int = WORKERS,
    budget: Budget | None = None,
    max_slow: int = 0,
    seconds: float = math.inf,
) -> list[TaskOutcome]:
    """Run ``tasks``, at most ``workers`` at a time, and return their outcomes in their order.

    No child outlives this call, nor this process, nor ``timeout`` seconds (math.inf: without a
    limit). All of them share ``seconds``, and what is left of the command's time
    (htcq.time_limit): the more there are to ask, the less a silent one gets. ``finished`` is called
    as each of them ends. ``budget`` has the limits of each child.

    With ``max_slow`` silent daemons cost little time. Children that have not answered for
    :data:`SLOW` seconds do not count as workers, up to ``max_slow`` of them. Once ``max_slow``
    have not answered, those that start later get :data:`SLOW` seconds. Once :data:`_MAX_SILENT`
    times ``max_slow`` have not answered, no more are started.
    """
    pace = _Pace(timeout, workers, max_slow, time.monotonic() + time_limit.within(seconds))
    slow = pace.slow(len(tasks))
    outcomes: list[TaskOutcome | None] = [None] * len(tasks)
    waiting = list(range(len(tasks)))[::-1]
    running: dict[int, _Child] = {}
    silent = 0
    with selectors.DefaultSelector() as selector:
        try:
            while waiting or running:
                while waiting and len(running) - min(_older(running, slow), max_slow) < workers:
                    index = waiting.pop()
                    if why := pace.why_not(silent, index > 0):
                        outcome = outcomes[index] = TaskOutcome(tasks[index].what, why=why)
                        finished(outcome)
                        continue
                    many = len(waiting) if tasks[index].host else 0
                    patience = pace.patience(silent + _older(running, slow), many)
                    child = _start(index, tasks, patience, budget)
                    running[child.answers] = child
                    selector.register(child.answers, selectors.EVENT_READ)
                if not running:
                    break
                wake = math.inf
                if waiting and max_slow:
                    wake = _next(running, slow)
                for child in _ended(selector, running, wake):
                    selector.unregister(child.answers)
                    del running[child.answers]
                    outcome = outcomes[child.index] = _outcome(child, tasks[child.index])
                    silent += outcome.why.startswith(NO_ANSWER)
                    finished(outcome)
        finally:
            end_children([child.pid for child in running.values()])
            for child in running.values():
                _close(child)
    return [outcome for outcome in outcomes if outcome is not None]


@dataclass(frozen=True)
class _Pace:
    """How long children may take: each of them ``timeout`` seconds, all of them until ``end``."""

    timeout: float
    workers: int
    max_slow: int
    end: float

    def slow(self, count: int) -> float:
        """Return after how many seconds one of ``count`` children counts as no worker."""
        return min(SLOW, self.timeout / 4, self._share(count) / 4)

    def why_not(self, silent: int, some_asked: bool) -> str:
        """Return why one more is not asked where ``silent`` did not answer; empty where it is."""
        if self.max_slow and silent >= _MAX_SILENT * self.max_slow:
            return f"{NOT_ASKED}, since {silent} others did not answer"
        if some_asked and time.monotonic() > self.end - _LEAST_SHARE / 2:
            return f"{NOT_ASKED}, since the time was over"
        return ""

    def patience(self, silent: int, waiting: int) -> float:
        """Return the seconds of a child while ``silent`` did not answer, and others wait."""
        timeout = self.timeout
        if self.max_slow and silent >= self.max_slow:
            timeout = min(timeout, SLOW)
        return min(timeout, self._share(waiting))

    def _share(self, waiting: int) -> float:
        turns = 1 + waiting // (self.workers + self.max_slow)
        left = max(0.0, self.end - time.monotonic())
        return min(left, max(_LEAST_SHARE, left / turns))


def _older(running: Mapping[int, _Child], seconds: float) -> int:
    """Return how many of the children have run for so many seconds."""
    before = time.monotonic() - seconds
    return sum(child.started <= before for child in running.values())


def _next(running: Mapping[int, _Child], seconds: float) -> float:
    """Return when the next child will have run for so many seconds; math.inf where all have."""
    now = time.monotonic()
    times = (child.started + seconds for child in running.values())
    return min((at for at in times if at > now), default=math.inf)


def _start(index: int, tasks: Sequence[Task], timeout: float, budget: Budget | None) -> _Child:
    complaints = os.memfd_create("complaints")
    answers, out = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        begin_child(pid)
        os.close(out)
        return _Child(index, pid, answers, complaints, time.monotonic(), timeout)
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        die_with(parent)
        _keep_to(budget)
        if timeout < math.inf:
            signal.setitimer(signal.ITIMER_REAL, timeout + _GRACE)
        os.close(answers)
        for stream in (1, 2):
            os.dup2(complaints, stream)
        errors = open(complaints, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        sys.stdout = sys.stderr = errors
        _answer(tasks[index], out)
        os._exit(0)
    except SystemExit as ended:
        # The half of a confined command that waits for the other; that one has answered.
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def die_with(parent: int) -> None:
    """Ask the kernel to end this process when ``parent`` dies."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _keep_to(budget: Budget | None) -> None:
    """Limit the memory and the files of this process; beyond the limit each request fails."""
    if budget is None:
        return
    # A file beyond its limit is an error of the write, as on a full disk.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    wanted = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, budget.memory),
        (resource.RLIMIT_FSIZE, budget.file),
    )
    limit_process((limit, most, most) for limit, most in wanted)


def _answer(task: Task, out: int) -> None:
    try:
        answer = (True, task.function(*task.arguments))
    except MemoryError:
        answer = (False, TOO_LARGE)
    except OSError as error:
        answer = (False, str(error))
        if error.errno == errno.EFBIG:
            answer = (False, TOO_LARGE)
    except Exception as error:
        answer = (False, str(error) or type(error).__name__)
    with os.fdopen(out, "wb") as stream:
        pickle.dump(answer, stream)


def _ended(
    selector: selectors.BaseSelector, running: dict[int, _Child], wake: float
) -> Iterator[_Child]:
    """Yield the children that have closed their pipe, and kill and yield those whose time is up.

    Returns at ``wake`` at the latest.
    """
    nearest = min(wake, *(child.deadline for child in running.values()))
    wait = None
    if nearest < math.inf:
        wait = max(0.0, nearest - time.monotonic())
    for key, _ in selector.select(wait):
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
    forget_child(child.pid)
    _, status = os.waitpid(child.pid, 0)
    os.close(child.answers)
    size = os.lseek(child.complaints, 0, os.SEEK_END)
    os.lseek(child.complaints, max(0, size - _MAX_COMPLAINT), os.SEEK_SET)
    with os.fdopen(child.complaints, encoding="utf-8", errors="replace") as stream:
        return status, stream.read()


def _outcome(child: _Child, task: Task) -> TaskOutcome:
    status, complaint = _close(child)
    if os.WIFSIGNALED(status) and "bad_alloc" in complaint:
        return TaskOutcome(task.what, why=TOO_LARGE, complaint=complaint)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGALRM)
    if killed and time.monotonic() >= child.deadline:
        why = f"{NO_ANSWER} within {child.patience:.3g} s"
        return TaskOutcome(task.what, why=why, complaint=complaint)
    if status or not child.answer:
        last_lines = " ".join(complaint.strip().split("\n")[-_LAST_LINES:])
        why = f"{ENDED}: {last_lines or _ending(status)}"
        return TaskOutcome(task.what, why=why, complaint=complaint)
    done, value = pickle.loads(child.answer)
    if done:
        return TaskOutcome(task.what, value, complaint=complaint)
    return TaskOutcome(task.what, None, value, complaint)


def _ending(status: int) -> str:
    """Return how a process ended; ``status`` is that of waitpid(2)."""
    if not os.WIFSIGNALED(status):
        return f"status {os.WEXITSTATUS(status)}"
    return f"killed by {signal_name(os.WTERMSIG(status))}"


def signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
