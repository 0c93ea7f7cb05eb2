"""Check every section of the site file for mistakes: each is a line with file, line and hint.

The files that the site file names are looked at, too, and what this machine has to confine the
process that evaluates pools.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from htcq.cli.options import add_site_file
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE

if TYPE_CHECKING:
    from htcq.operations.rungs import Rung
    from htcq.operations.site_check import SiteCheck


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq config check``."""
    add_site_file(parser)


def main(arguments: argparse.Namespace) -> int:
    """Check, print, and tell by the exit status whether a command would take the file."""
    from htcq.cli.site_rules import plug_ins, tell_refusals
    from htcq.operations.rungs import rungs_here
    from htcq.operations.site_check import check_site_file
    from htcq.report.printable import one_line, tell

    plugged = plug_ins()
    own = None if tell_refusals(plugged) else [rule for each in plugged for rule in each.rules]
    checked = check_site_file(arguments.config, own)
    for line in _lines(checked):
        print(one_line(line))
    for rung in rungs_here():
        print(one_line(f"sandbox: {rung.name}: {_state_of(rung)}"))
    for line in checked.unseen:
        tell(f"htcq: not checked: {line}")
    if checked.mistakes:
        return EXIT_USAGE
    return EXIT_UNKNOWN if checked.unseen else EXIT_FINE


def _lines(checked: SiteCheck) -> list[str]:
    """Return a line for each mistake, or one that says that there is none."""
    from htcq.operations.site_check import places_looked_at

    if checked.path is None:
        return [f"there is no site file (neither {places_looked_at()}): all settings are defaults"]
    lines = []
    for each in checked.mistakes:
        place = str(checked.path)
        if each.line:
            place += f":{each.line}"
        hint = f" ({each.hint})" if each.hint else ""
        lines.append(f"{place}: {each.message}{hint}")
    if not lines:
        sections = ", ".join(checked.sections) or "it has no settings"
        lines.append(f"{checked.path}: no mistake ({sections})")
    return lines


def _state_of(rung: Rung) -> str:
    if not rung.missing:
        return rung.has
    return f"not here: {rung.missing}"
