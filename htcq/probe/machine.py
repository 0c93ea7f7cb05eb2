"""All access of the probe to a machine, as one record of readers.

A recorded machine can replace it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from htcq.probe.commands import Answer, run_tool
from htcq.probe.libraries import kernel_facts, load_psutil, nvml_facts, psutil_facts

#: From names of knobs (a trailing ``*`` stands for all that begin so) to their expanded values,
#: where defined.
CondorParams = Callable[[Sequence[str]], Mapping[str, str]]

#: From a command's words to its answer, None where there is no such tool.
CommandRunner = Callable[[Sequence[str]], Optional[Answer]]


@dataclass(frozen=True)
class Machine:
    """The readers of one machine.

    ``read`` returns a file's text and raises OSError; ``match`` returns the paths that fit a
    pattern, sorted; ``command`` runs a tool (None: not installed); ``free_kb`` is the space of a
    directory's file system that an ordinary user may fill (KiB) and raises OSError;
    ``psutil_facts`` and ``nvml_facts`` raise ProbeError; ``condor_params`` asks HTCondor's
    bindings (None: not installed).
    """

    read: Callable[[str], str]
    match: Callable[[str], tuple[str, ...]]
    command: CommandRunner
    free_kb: Callable[[str], int]
    psutil_facts: Callable[[], Mapping[str, Any]]
    nvml_facts: Callable[[], Mapping[str, Any]]
    condor_params: CondorParams | None = None


def this_machine(condor_params: CondorParams | None = None, essential: bool = False) -> Machine:
    """Return the readers of the machine that runs this program.

    ``essential``: they read only the facts that a configuration needs.
    """
    if essential:
        return Machine(_read, _match, run_tool, _free_kb, kernel_facts, nvml_facts, condor_params)
    return Machine(_read, _match, _run_tool, _free_kb, psutil_facts, nvml_facts, condor_params)


def _run_tool(command: Sequence[str]) -> Answer | None:
    return run_tool(command, load_psutil)


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8", errors="replace")


def _match(pattern: str) -> tuple[str, ...]:
    return tuple(sorted(glob.glob(pattern)))  # noqa: PTH207 - Path.glob knows no absolute patterns


def _free_kb(path: str) -> int:
    # The formula of HTCondor's own sysapi (f_bavail), so that root's reserve is not promised to
    # jobs.
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize // 1024
