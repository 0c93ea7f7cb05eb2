"""Values whose computation may end the process, each tried in a process that may end.

Up to 25.12 the library calls EXCEPT where a macro such as $INT(NAME) cannot be computed, and
crashes at $CHOICE with an index that is too large (src/condor_utils/config.cpp); from 25.13 on such
a knob has no value. Seen with the wheels from 23.10.29 to 25.14.1.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO

from htcq.errors import UnreadableError

#: The exit status of EXCEPT.
_EXCEPT = 4
#: A text with more such knobs is no configuration that was ever in force.
_MAX_ENDS = 50

Value = tuple[str, str]


def surviving(
    values: Callable[[Iterable[str]], Iterator[Value]], names: Sequence[str]
) -> Iterator[Value]:
    """Yield what ``values`` yields for ``names``, one for each, but for those that end the process.

    Raises:
        UnreadableError: a process ended for another reason, such as a limit, or too many did.
    """
    left = names
    for _ in range(_MAX_ENDS):
        found, status = _until_it_ends(values, left)
        yield from found
        if not status:
            return
        ended_by_knob = status == _EXCEPT or status == -signal.SIGSEGV
        if not ended_by_knob:
            raise UnreadableError("HTCondor cannot read it: its values take too much to compute")
        left = left[len(found) + 1 :]
    raise UnreadableError(f"HTCondor cannot read it: {_MAX_ENDS} of its knobs cannot be computed")


def _until_it_ends(
    values: Callable[[Iterable[str]], Iterator[Value]], names: Sequence[str]
) -> tuple[list[Value], int]:
    """Return the values that a child computes, and its exit status; a signal is a negative one."""
    answers, out = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(answers)
            # What it says at its end is not wanted: the knob is left out. A confined process opens
            # no file to write, not even /dev/null.
            os.dup2(os.memfd_create("said"), 2)
            with os.fdopen(out, "wb", buffering=0) as stream:
                for value in values(names):
                    stream.write(pickle.dumps(value))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(out)
    with os.fdopen(answers, "rb") as stream:
        found = list(_loaded(stream))
    return found, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _loaded(stream: BinaryIO) -> Iterator[Value]:
    with contextlib.suppress(EOFError):
        while True:
            yield pickle.load(stream)
