"""The resources of this machine, with the source of each number and the reason for it.

The probe asks HTCondor first, then psutil, NVML and the kernel.
"""

from __future__ import annotations

from htcq.errors import NESTED_VARIABLE
from htcq.node import Node
from htcq.probe.classad_lines import cron_lines, long_lines
from htcq.probe.decide import decide
from htcq.probe.machine import CondorParams, Machine, this_machine
from htcq.probe.readings import read_machine

__all__ = [
    "NESTED_VARIABLE",
    "CondorParams",
    "Machine",
    "cron_lines",
    "long_lines",
    "probe_machine",
    "probe_node",
]


def probe_node(
    execute: str | None = None, condor_params: CondorParams | None = None, essential: bool = False
) -> Node:
    """Return the resources of the machine that runs this program.

    Args:
        execute: the directory jobs will run in; None: HTCondor's EXECUTE, or the usual place.
        condor_params: asks HTCondor's bindings where condor_config_val is not installed.
        essential: only what decides a configuration, which is faster: neither swap nor cores.

    Raises:
        ProbeError: cpus, memory or disk cannot be found out.
    """
    return probe_machine(this_machine(condor_params, essential), execute)


def probe_machine(machine: Machine, execute: str | None = None) -> Node:
    """Return the resources of ``machine``, this one or a recorded one.

    Raises:
        ProbeError: as :func:`probe_node`.
    """
    return decide(read_machine(machine, execute))
