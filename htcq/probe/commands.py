"""Execution of HTCondor's tools, with a mark so that none of them starts htcq again.

``htcq emit`` may stand in condor_config as ``include command``. Every tool of HTCondor reads
that configuration, so a tool that htcq starts would start htcq, which would start the tool: the
mark in the environment ends that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from htcq.errors import NESTED_VARIABLE
from htcq.passing import begin_child, forget_child

# A startd gives its cron jobs its own PATH, which need not lead to HTCondor's tools.
_USUAL_PLACES = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/libexec/condor")
# Initialising the drivers of many GPUs without persistence mode takes tens of seconds.
_PATIENCE_S = 120
_COMPLAINT_LENGTH = 200


@dataclass(frozen=True)
class Answer:
    """A tool's exit status, its standard output, and its standard error as one line."""

    status: int
    output: str
    complaint: str = ""


def find_tool(name: str) -> str | None:
    """Return the path of the executable ``name``, None where there is none.

    ``name`` is a path, or a name on PATH or in the usual places.
    """
    candidates = [name]
    if "/" not in name:
        places = filter(None, os.environ.get("PATH", "").split(os.pathsep))
        candidates = [f"{place}/{name}" for place in (*places, *_USUAL_PLACES)]
    return next((path for path in candidates if os.access(path, os.X_OK)), None)


def run_tool(command: Sequence[str], meanwhile: Callable[[], None] | None = None) -> Answer | None:
    """Return the answer of ``command``, None where there is no such tool.

    ``meanwhile`` is called while the tool runs.
    """
    path = find_tool(command[0])
    if path is None:
        return None
    import subprocess

    try:
        process = subprocess.Popen(
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, NESTED_VARIABLE: "1"},
        )
    except OSError as error:
        return Answer(126, "", error.strerror or str(error))
    begin_child(process.pid)
    if meanwhile is not None:
        meanwhile()
    try:
        output, complaint = process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Answer(124, "", f"no answer within {_PATIENCE_S} s")
    finally:
        forget_child(process.pid)
    return Answer(process.returncode, output, " ".join(complaint.split())[:_COMPLAINT_LENGTH])
