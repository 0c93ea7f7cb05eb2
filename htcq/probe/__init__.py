"""What this machine has: asks HTCondor first, then psutil, NVML and the kernel, and says who was believed and why."""

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
    """Return what the machine that runs this program has.

    Args:
        execute: the directory jobs will run in; None: HTCondor's EXECUTE, or the usual place.
        condor_params: asks HTCondor's bindings where condor_config_val is not installed.
        essential: only what decides a configuration, which is faster: neither swap nor cores.

    Raises:
        ProbeError: cpus, memory or disk cannot be found out.
    """
    machine = (
        this_machine(condor_params, essential=True) if essential else this_machine(condor_params)
    )
    return probe_machine(machine, execute)


def probe_machine(machine: Machine, execute: str | None = None) -> Node:
    """Return what ``machine``, this one or a recorded one, has; errors as :func:`probe_node`."""
    return decide(read_machine(machine, execute))
