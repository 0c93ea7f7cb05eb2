"""HTCondor's bindings in a child process, and the reasons why a daemon did not answer.

The reasons stand in what the bindings log, not in what they raise
(src/condor_io/condor_secman.cpp, 25.14).
"""

from __future__ import annotations

import os
import re
import resource
from typing import Any

from htcq.errors import NESTED_VARIABLE
from htcq.library import read_own

#: What an exception says that stands for missing bindings.
NO_BINDINGS = "HTCondor's Python bindings are missing"
#: How it begins if the bindings are there, but older than what is asked of them.
OLD_BINDINGS = "the Python bindings of HTCondor "
#: What the bindings say where neither the user nor the configuration names a pool
#: (src/condor_utils/dc_collector.cpp).
NO_POOL = "Unable to determine collector host"
#: Bytes of stack; the kernel leaves about 128 MiB of addresses free for the stack of a process that
#: runs already.
_STACK = 120 * 1024 * 1024
_DENIED = re.compile(r'Received "DENIED" from server for user (\S+)')
_SILENT = re.compile(r"did not respond in a reasonable time|no classad from server")
_CONNECT = re.compile(r"attempt to connect to (<[^>]*>) failed: ([^\n(]+)")
_UNRESOLVED = re.compile(r"Can't resolve collector (\S+?)[;,]|unknown host (\S+)", re.IGNORECASE)


def load() -> Any:
    """Return htcondor2 with this machine's configuration.

    Where HTCondor is not configured the configuration is empty. Only inside a process of its own:
    the configuration's parser ends the process at a mistake.
    """
    os.environ[NESTED_VARIABLE] = "1"
    _deepen_stack()
    htcondor2 = read_own()
    htcondor2.set_subsystem("TOOL")
    htcondor2.enable_debug()
    return htcondor2


def failures(htcondor2: Any) -> tuple[type[Exception], ...]:
    """Return what the bindings raise: an exception of their own (25.14), or Python's (23.9)."""
    own = getattr(htcondor2, "HTCondorException", RuntimeError)
    return (own, OSError)


def _deepen_stack() -> None:
    """Let the stack of this process grow far.

    The library recurses once for each term of an expression. With the usual 8 MiB one job whose
    Rank names a.a.a… 30,000 times ends the process (25.14); with more the library refuses such an
    expression by itself.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _STACK
    if hard != resource.RLIM_INFINITY:
        wanted = min(_STACK, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


def refused(complaint: str) -> str:
    """Return whom a daemon refused to let read; empty where nobody was refused."""
    found = _DENIED.search(complaint)
    if found is None:
        return ""
    return found.group(1)


def reason(why: str, complaint: str) -> str:
    """Return one line that says why a query failed: what was raised or logged, in plain words."""
    text = f"{why}\n{complaint}"
    user = refused(text)
    if user:
        return f"refused: {user} has no READ authorisation there (ALLOW_READ)"
    found = _UNRESOLVED.search(complaint)
    if found:
        return f"there is no host {found.group(1) or found.group(2)}"
    found = _CONNECT.search(complaint)
    if found:
        return f"cannot connect to {found.group(1)}: {found.group(2).strip().rstrip('.')}"
    if why.startswith("no answer"):
        return why
    if _SILENT.search(complaint):
        return "it is there, but does not answer as HTCondor's daemons do"
    return " ".join(why.split())
