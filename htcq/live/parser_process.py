"""A child process that reads one configuration with HTCondor's own parser, and ends.

The parser ends the process at a syntax error (src/condor_utils/config.cpp, 25.14), so it runs in
a process of its own. That process can be started early: it loads the bindings while the caller
does something else. Neither the environment nor the files of this machine get into a
configuration from elsewhere, whatever the parent has loaded (htcq.library).
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from htcq.errors import NESTED_VARIABLE, BindingsError, HtcqError, InputError, UnreadableError
from htcq.library import library, read_own
from htcq.passing import begin_child, forget_child

_NO_BINDINGS = "htcondor2"
#: The whole environment of a child that reads a text from elsewhere.
_FOREIGN = {"TZ": "UTC0", NESTED_VARIABLE: "1"}


class ParserProcess:
    """A child process with the bindings loaded that runs one function and ends."""

    def __init__(self, own: bool = False, foreign: bool = False) -> None:
        """Start the child.

        ``own``: with this machine's configuration; else with none. ``foreign``: it reads a text
        from elsewhere, which must not see the environment of this process.
        """
        self._own, self._foreign = own, foreign
        self._to_child, self._from_child, self._complaints, self._pid = _start(own, foreign)

    def call(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Run ``function`` in the child and return its result, or raise its error.

        The function must be importable by name.

        Raises:
            InputError: the child ended without an answer, as the parser does at a syntax error.
                It is an UnreadableError for a configuration that htcq did not write.
            HtcqError: whatever the function raised.
        """
        # A child that has ended already says why below.
        with contextlib.suppress(BrokenPipeError), os.fdopen(self._to_child, "wb") as out:
            pickle.dump((function, arguments), out)
        with os.fdopen(self._from_child, "rb") as answers:
            answer = answers.read()
        with os.fdopen(self._complaints, encoding="utf-8", errors="replace") as err:
            complaint = err.read()
        forget_child(self._pid)
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if not answer:
            raise self._unreadable(_why(complaint, status))
        result, error = pickle.loads(answer)
        if error == _NO_BINDINGS:
            raise BindingsError(_NO_BINDINGS)
        if error is not None:
            raise error
        return result

    def _unreadable(self, why: str) -> InputError:
        if self._own:
            return UnreadableError(
                f"HTCondor cannot read its configuration on this machine: {why}",
                "'condor_config_val -dump' shows where it ends",
            )
        if self._foreign:
            return UnreadableError(
                f"HTCondor cannot read it: {why}",
                "'condor_config_val -dump' on its machine prints it anew",
            )
        return InputError(f"HTCondor cannot read it: {why}", "fix the template that wrote it")


def _why(complaint: str, status: int) -> str:
    """Return why a child ended: its last words, or the signal of a limit."""
    if status == -signal.SIGXCPU:
        return "that takes too long"
    return " ".join(complaint.split("\n")[-3:]).strip() or "no reason given"


def _start(own: bool, foreign: bool) -> tuple[int, int, int, int]:
    questions, to_child = os.pipe()
    from_child, answers = os.pipe()
    complaints, stderr = os.pipe()
    pid = os.fork()
    if pid:
        begin_child(pid)
        for end in (questions, answers, stderr):
            os.close(end)
        return to_child, from_child, complaints, pid
    try:
        # The parent's end must not stay open here, or this process would wait forever when the
        # parent dies.
        for end in (to_child, from_child, complaints):
            os.close(end)
        os.dup2(stderr, 2)
        # That of this process may be another descriptor than 2.
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        os.environ[NESTED_VARIABLE] = "1"
        if foreign:
            _forget_the_caller()
        _answer(questions, answers, own)
    except Exception:
        # A mistake of our own must not pass for a text that HTCondor cannot read: its last lines
        # are the complaint.
        import traceback

        traceback.print_exc()
    finally:
        os._exit(1)


def _forget_the_caller() -> None:
    os.environ.clear()
    os.environ.update(_FOREIGN)
    time.tzset()
    os.chdir("/")


def _answer(questions: int, answers: int, own: bool) -> None:
    """Load the bindings, run the requested function, and send its result or its error."""
    result: Any = None
    error: Any = None
    try:
        library()
        if own:
            read_own()
    except BindingsError:
        error = _NO_BINDINGS
    with os.fdopen(questions, "rb") as asked:
        question = asked.read()
    if not question:
        return
    if error is None:
        function, arguments = pickle.loads(question)
        try:
            result = function(*arguments)
        except HtcqError as refused:
            error = refused
    with os.fdopen(answers, "wb") as out:
        pickle.dump((result, error), out)
