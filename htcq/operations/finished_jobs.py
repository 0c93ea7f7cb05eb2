"""Finished jobs, from files that the options of ``htcq simulate`` name.

They give run times, and jobs that arrive.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from htcq.errors import InputError
from htcq.pool.ads import Read, read_past
from htcq.pool.adtext import Chunks
from htcq.pool.shared_attributes import Expressions
from htcq.report.printable import one_line, tell
from htcq.simulate.course.history import run_time_of
from htcq.simulate.course.runtimes import RunTime, run_time
from htcq.store.job_history import past_chunks

_HISTORY, _ATTRIBUTE = "history:", "attribute:"


@dataclass(frozen=True)
class PastFile:
    """The text of such a file, and the attributes of slots that its jobs' expressions name."""

    chunks: Chunks
    names: frozenset[str]


def read_arrivals(name: str) -> PastFile:
    """Return the jobs of ``--arrivals``; what of them cannot be read is told.

    Raises:
        InputError: the file cannot be read, or holds no job.
    """
    read, chunks = _read(f"--arrivals {name}", name)
    return PastFile(chunks, frozenset(name for name in read.wanted if name.isidentifier()))


def read_run_time(text: str) -> RunTime:
    """Return how long jobs run, as ``--run-time`` says it.

    Raises:
        InputError: it says nothing, or its file holds no finished job.
    """
    if not text.startswith(_HISTORY):
        return run_time(text)
    option, name = f"--run-time {text}", text[len(_HISTORY) :]
    read, _ = _read(option, name)
    try:
        return run_time_of(read.past)
    except InputError as error:
        raise InputError(f"{option}: {error}", error.hint) from error


def attribute_of_run_time(text: str) -> frozenset[str]:
    """Return the attribute of jobs that ``--run-time`` names; none where it names none.

    Jobs are read with it, which no expression has to name.
    """
    name = text[len(_ATTRIBUTE) :]
    if text.startswith(_ATTRIBUTE) and name.isidentifier():
        return frozenset((name,))
    return frozenset()


def _read(option: str, name: str) -> tuple[Read, Chunks]:
    try:
        chunks = past_chunks(Path(name))
        read = read_past(chunks, Expressions())
    except InputError as error:
        # What the file itself says is wrong names it.
        told = str(error) if error.hint else f"{option}: it {error}"
        raise InputError(one_line(told), "condor_history -long prints one") from error
    if not read.jobs:
        raise InputError(f"{option}: no job in it", "condor_history -long prints them")
    damaged = [f"it {sentence}" for sentence in read.damage.sentences()]
    left_out = [each.sentence for each in read.damage.left_out.found()]
    for sentence in (*damaged, *left_out):
        tell(f"htcq: {option}: {sentence}")
    return read, chunks
