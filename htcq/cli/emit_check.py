"""``htcq emit --write DIR --check``: compares the file with all that should agree with it.

That is the configuration in effect, the node and the running startd.

Every state has its own words, and all that is found is said. A daemon that could not be asked is
named; where nothing else differs the exit status says so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from htcq.cli.writing import warn_of_managed
from htcq.emit import EXECUTE, SUBSYSTEMS
from htcq.emit.install import DIRECTORIES_KNOB, EXCLUDED_KNOB, without_version
from htcq.emit.made_for import hardware_changes, node_made_for, same_node
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, PoolError
from htcq.report.printable import printable, tell
from htcq.units import first_named

if TYPE_CHECKING:
    from htcq.cli.request import Request
    from htcq.emit.install import Target
    from htcq.live.own_machine import InEffect
    from htcq.node import Node

_MAX_NAMES = 5


@dataclass
class _Report:
    """What was found, what was compared, and what could not be."""

    differences: list[str] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    unknown: bool = False


def check(arguments: argparse.Namespace, target: Target, request: Request, node: Node) -> int:
    """Compare ``target`` with all that is in effect on ``node``, and return the exit status.

    The text in ``target`` is the one for the node that its file was made for.
    """
    report = _Report(compared=["the file"])
    if arguments.diff:
        sys.stdout.write(printable(target.diff()))
    if target.present is None:
        report.differences.append(f"missing: {target.path} is not there")
    else:
        report.differences += _edited(target)
        _compare_hardware(report, target, request, node)
        _compare_in_effect(report, arguments, target, request, node)
    return _told(report, target)


def _told(report: _Report, target: Target) -> int:
    for each in report.differences:
        tell(f"htcq: {each}")
    for each in report.not_compared:
        tell(f"htcq: {each}")
    warn_of_managed(target)
    if report.differences:
        return EXIT_FINDINGS
    if report.unknown:
        return EXIT_UNKNOWN
    tell(f"{target.path}: in effect; compared: {', '.join(report.compared)}")
    return EXIT_FINE


def _edited(target: Target) -> Iterator[str]:
    """Yield how the file differs from what would be written.

    The version of htcq that wrote the file is no difference.
    """
    if without_version(target.present or "") == without_version(target.wanted or ""):
        return
    changed = target.changed()
    if "HTCQMODELHASH" in changed:
        yield (
            f"out of date: {target.path} was written for other capacity settings (--diff shows "
            "the difference)"
        )
    else:
        names = first_named(changed, _MAX_NAMES) or "comments only"
        yield (
            f"edited: {target.path} differs from what would be written: {names} (--diff shows "
            "the difference)"
        )


def _compare_hardware(report: _Report, target: Target, request: Request, node: Node) -> None:
    made = node_made_for(target.present or "", node)
    if made is None:
        return
    if not request.literal and not same_node(made, node):
        report.not_compared.append(
            f"{target.path} was made for {made.hostname or 'another node'}: not compared with it"
        )
        return
    report.compared.append("the node's hardware")
    for each in hardware_changes(made, node):
        report.differences.append(f"hardware changed: {each} (since {target.path} was written)")


def _compare_in_effect(
    report: _Report, arguments: argparse.Namespace, target: Target, request: Request, node: Node
) -> None:
    from htcq.emit.overrides import BESIDE, overrides, raw_values
    from htcq.emit.pending import shortened
    from htcq.live.own_machine import configuration_in_effect
    from htcq.operations.configuration_files import reading_knobs
    from htcq.pool.configuration import assignments

    text = target.present or ""
    knobs = reading_knobs()
    own = bool(knobs.get(DIRECTORIES_KNOB))
    subsystem = SUBSYSTEMS[arguments.role]
    directory = "" if own else str(target.path.parent.resolve())
    names = [each.name for each in assignments(text)]
    wanted = (*names, *_POLICY, *BESIDE, *_PLACES)
    effect = configuration_in_effect(subsystem, directory, wanted, raw_values(text))
    report.compared.append(
        "the configuration of this machine" if own else f"the other files of {target.path.parent}"
    )
    for each in overrides(text, effect.expanded, effect.values):
        place = _place(each.name, subsystem, target, effect, knobs.get(EXCLUDED_KNOB, ""), own)
        file = target.path.name
        instead = (
            f"instead of {shortened(each.wanted)} of {file}"
            if each.wanted
            else f"and wins over {file}"
        )
        report.differences.append(
            f"overridden: {each.name} is {shortened(each.value) or 'not set'} at {place}, {instead}"
        )
    if arguments.role != EXECUTE:
        report.not_compared.append(
            f"a running {subsystem.lower()} does not publish these knobs: it was not looked at"
        )
    elif not own:
        report.not_compared.append(
            f"the running startd was not looked at: {target.path.parent} is not in this "
            "machine's LOCAL_CONFIG_DIR"
        )
    else:
        _compare_startd(report, effect, request, node)


#: What decides how slots are made, should the file not set it.
_POLICY = ("CONSUMPTION_POLICY", "NUM_CLAIMS", "SLOT_WEIGHT")
_PLACES = ("DAEMON_LIST", "STARTD_ADDRESS_FILE", "LOCAL_CONFIG_DIR", "LOCAL_CONFIG_FILE")


def _place(
    name: str, subsystem: str, target: Target, effect: InEffect, excluded: str, own: bool
) -> str:
    """Return file and line of the assignment that wins: from HTCondor's tool, or from the files."""
    from pathlib import Path

    from htcq.emit.overrides import files_in, place_of
    from htcq.probe.condor_parser import place_by_tool

    told = place_by_tool(name, subsystem) if own else ""
    if told:
        return told
    directories = effect.values.get("LOCAL_CONFIG_DIR", "").replace(",", " ").split() or [
        str(target.path.parent)
    ]
    files = [path for each in directories for path in files_in(Path(each), excluded)]
    files += [
        Path(each) for each in effect.values.get("LOCAL_CONFIG_FILE", "").replace(",", " ").split()
    ]
    others = [path for path in files if path.resolve() != target.path.resolve()]
    return place_of(name, subsystem, others) or "a place outside of these files"


def _compare_startd(report: _Report, effect: InEffect, request: Request, node: Node) -> None:
    from htcq.emit.pending import hardware_changes as changes_of_slots
    from htcq.emit.pending import reconfig_pending, restart_pending
    from htcq.live.own_machine import startd_address, startd_slots
    from htcq.pool.daemons import listed_daemons

    daemons = listed_daemons(effect.values.get("DAEMON_LIST", ""))
    if "STARTD" not in daemons:
        report.not_compared.append(
            "the running startd was not looked at: DAEMON_LIST of this machine has none"
        )
        return
    try:
        ads = startd_slots(startd_address(effect.values))
    except PoolError as error:
        report.not_compared.append(str(error))
        report.unknown = True
        return
    report.compared.append("the running startd")
    shares = request.slots[0].policy.cpu_shares
    for each in changes_of_slots(ads, node, shares, effect.values):
        report.differences.append(f"hardware changed: {each} (since the startd started)")
    restart = restart_pending(ads, effect.values)
    for each in restart:
        report.differences.append(
            f"restart pending: {each} (condor_restart -startd, after draining)"
        )
    for each in reconfig_pending(ads, effect.values):
        waits = "that restart" if restart else "condor_reconfig"
        report.differences.append(f"reconfig pending: {each} ({waits})")
