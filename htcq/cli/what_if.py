"""What-ifs of ``htcq simulate``: options for other machines, capacity models and demand."""

from __future__ import annotations

import argparse
import math

from htcq.cli.options import seconds
from htcq.errors import InputError
from htcq.operations.site_file import read_site_file
from htcq.pool.past import PlannedDrain
from htcq.settings.changes import Changes
from htcq.simulate.as_version import as_version_of
from htcq.simulate.models import MachineModel
from htcq.simulate.what_if import WhatIf
from htcq.units import whole_number

_MAX_ADDED, _MAX_TIMES = 100_000, 1_000


def add_what_if(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    what = parser.add_argument_group("other machines, models and demand")
    what.add_argument(
        "--remove", metavar="MACHINE", action="append",
        help="remove the machines whose names match a shell pattern, such as 'node1*'; repeatable",
    )  # fmt: skip
    what.add_argument(
        "--drain", metavar="MACHINE[@FROM[..UNTIL]]", action="append",
        help=("drain the machines whose names match: they accept no more jobs, and what they run "
            "goes on; with --cycles and @2h..6h their jobs leave from that time on, as with "
            "condor_drain, and they take jobs again after the other; repeatable"),
    )  # fmt: skip
    what.add_argument(
        "--add",
        metavar="N:MACHINE",
        action="append",
        help="add N empty machines like this one; repeatable",
    )
    what.add_argument(
        "--demand", metavar="NAME=FACTOR", action="append",
        help=("multiply the idle jobs of a submitter, or of a group with those below it: "
            "physics=x2; repeatable"),
    )  # fmt: skip
    what.add_argument(
        "--model", metavar="[MACHINE=]FILE", action="append",
        help="use the model of this site file on all machines, or on those named; the last for a "
        "machine counts; repeatable",
    )  # fmt: skip
    what.add_argument(
        "--scale-quotas", action="store_true",
        help="with --model: scale quotas, so that each keeps its share of the pool's weight",
    )  # fmt: skip
    what.add_argument(
        "--as-version", metavar="ROLE=VERSION", action="append",
        help="simulate all machines of a role (central, access or execute) as if they had this "
        "version of HTCondor, and list what changes with it; repeatable",
    )  # fmt: skip
    what.add_argument(
        "--arrivals", metavar="FILE",
        help="with --cycles: let the jobs of this file, as 'condor_history -long' prints them, "
        "arrive one after another",
    )  # fmt: skip


def read_what_if(arguments: argparse.Namespace) -> WhatIf:
    """Return what the options say.

    Raises:
        InputError: one of them says nothing that can be understood.
    """
    added, demand = [], []
    for text in arguments.add or ():
        count, _, machine = text.partition(":")
        if not 1 <= (whole_number(count) or 0) <= _MAX_ADDED or not machine:
            raise InputError(f"--add {text}: not N:MACHINE", "such as --add 10:node1.example.net")
        added.append((int(count), machine))
    for text in arguments.demand or ():
        name, _, factor = text.rpartition("=")
        number = _factor(factor)
        if not name or number is None:
            raise InputError(f"--demand {text}: not NAME=FACTOR", "such as --demand physics=x2")
        demand.append((name, number))
    models = tuple(_model(text) for text in arguments.model or ())
    if arguments.scale_quotas and not models:
        raise InputError("--scale-quotas without --model", "give --model too")
    drains = [_drain(text) for text in arguments.drain or () if "@" in text]
    if drains and arguments.cycles is None:
        raise InputError("--drain MACHINE@FROM without --cycles", "give --cycles N too")
    return WhatIf(
        tuple(arguments.remove or ()),
        tuple(each for each in arguments.drain or () if "@" not in each),
        tuple(added), tuple(demand), models, arguments.arrivals or "", arguments.scale_quotas,
        tuple(as_version_of(text) for text in arguments.as_version or ()), tuple(drains),
    )  # fmt: skip


def told(arguments: argparse.Namespace) -> Changes:
    """Return the options that make another pool, with their values, as a report shows them."""
    given: list[tuple[str, str]] = []
    for name in ("remove", "drain", "add", "demand", "model", "as-version"):
        values = getattr(arguments, name.replace("-", "_")) or ()
        given += [(f"--{name}", value) for value in values]
    if arguments.scale_quotas:
        given.append(("--scale-quotas", ""))
    return (*given, *([("--arrivals", arguments.arrivals)] if arguments.arrivals else []))


def _drain(text: str) -> PlannedDrain:
    """Return the drain of a machine from one time to another as ``MACHINE@2h..6h`` says it."""
    machine, _, times = text.rpartition("@")
    first, _, last = times.partition("..")
    try:
        at, until = seconds(first), seconds(last) if last else math.inf
    except argparse.ArgumentTypeError as error:
        raise InputError(f"--drain {text}: {error}", "such as --drain 'node1*@2h..6h'") from None
    if not machine or not 0 <= at < until:
        raise InputError(
            f"--drain {text}: no time from which and until which", "such as --drain 'node1*@2h..6h'"
        )
    return PlannedDrain(machine, at, until)


def _model(text: str) -> MachineModel:
    """Return a model on machines as ``FILE`` or ``MACHINE=FILE`` says it."""
    machines, named, file = text.rpartition("=")
    if not file or (named and not machines):
        raise InputError(
            f"--model {text}: not a site file",
            "such as --model htcq.toml or --model 'node1*=htcq.toml'",
        )
    settings = read_site_file(file)
    if not settings.slot_types and not settings.kinds:
        raise InputError(
            f"--model {text}: {file} has no model",
            "give it [capacity], [slot_types.1] or [nodes.NAME], see htcq.toml(5)",
        )
    return MachineModel(file, settings.slot_types, machines, settings.literal, settings.kinds)


def _factor(text: str) -> float | None:
    """Return a factor such as 2, x2 or 0.5; None where ``text`` is none."""
    try:
        factor = float(text.lstrip("x\N{MULTIPLICATION SIGN}"))
    except ValueError:
        return None
    if 0 <= factor <= _MAX_TIMES:
        return factor
    return None
