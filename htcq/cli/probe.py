"""Find out what this execution point has: cpus, memory, disk, swap, GPUs and custom resources.

HTCondor's own detection is asked first, then psutil, NVML and the kernel; every number comes
with its source.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from htcq.cli.options import add_json
from htcq.errors import EXIT_FINE
from htcq.node import Node, Source, node_facts
from htcq.report.printable import one_line
from htcq.units import CPUS, DISK, MEMORY, show_amount

if TYPE_CHECKING:
    from htcq.probe import CondorParams

_ASSETS = {"memory_mb": MEMORY, "swap_mb": MEMORY, "disk_kb": DISK}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of ``htcq probe``."""
    form = parser.add_mutually_exclusive_group()
    add_json(
        form, "print the node facts as the JSON object that --node of the other commands reads"
    )
    form.add_argument("--long", "-long", action="store_true", help="print ClassAd lines")
    form.add_argument(
        "--cron", "-cron", action="store_true",
        help=("print the ClassAd lines as a job of STARTD_CRON must, so that the startd adds them "
            "to its slot ads"),
    )  # fmt: skip
    parser.add_argument(
        "--execute", "-execute", metavar="DIR",
        help="directory in which jobs run, whose file system is measured (default: HTCondor's "
        "EXECUTE, or /var/lib/condor/execute)",
    )  # fmt: skip


def main(args: Namespace, condor_params: CondorParams | None = None) -> int:
    """Probe this machine and print its facts.

    ``condor_params`` asks HTCondor's bindings where its tools are missing.
    """
    from htcq.live.configuration import installed_configuration
    from htcq.probe import cron_lines, long_lines, probe_node

    node = probe_node(args.execute, condor_params or installed_configuration())
    if args.json:
        print(json.dumps(node_facts(node), indent=2))
    elif args.cron:
        print("\n".join(cron_lines(node)))
    elif args.long:
        print("\n".join(long_lines(node)))
    else:
        _show(node)
    return EXIT_FINE


def _show(node: Node) -> None:
    from htcq.report.terminal import show_table

    condor = f"HTCondor {node.condor_version}" if node.condor_version else "no HTCondor"
    rows = [[each.fact, _value(each), each.origin, _why(each)] for each in node.sources]
    show_table(
        f"{node.hostname or 'this machine'} ({condor})",
        ("FACT", "VALUE", "ORIGIN", "WHY"),
        rows,
        sys.stdout,
    )
    for gpu in node.gpu_devices:
        memory = show_amount(MEMORY, gpu.memory_mb) if gpu.memory_mb else "memory unknown"
        print(one_line(f"GPU {gpu.id}: {gpu.name or 'name unknown'}, {memory}"))
    for note in node.notes:
        print(one_line(f"note: {note}"))


def _value(source: Source) -> str:
    return show_amount(_ASSETS.get(source.fact, CPUS), source.value)


def _why(source: Source) -> str:
    others = ", ".join(
        f"{origin}: {show_amount(_ASSETS.get(source.fact, CPUS), amount)}"
        for origin, amount in source.others
    )
    if others:
        return f"{source.why} [{others}]"
    return source.why
