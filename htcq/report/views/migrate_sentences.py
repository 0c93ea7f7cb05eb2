"""What every form of a migration's report says of a group, of a submitter and of priorities."""

from __future__ import annotations

import shlex

from htcq.report.moments import lasting
from htcq.report.printable import one_line
from htcq.simulate.migration.records import GroupMove, Migration, SubmitterMove
from htcq.units import show_number

#: Priorities that are off by less than this factor are not worth a command.
_SAME_PRIORITY = 1.1


def amount(number: float) -> str:
    """Return an amount as it can be typed: without separators of thousands."""
    return show_number(number).replace(",", "")


def verdict(group: GroupMove) -> str:
    """Return what happens to a group right after the switch; empty where nothing does."""
    if group.over > 0 and not group.accept_surplus:
        return f"over by {show_number(group.over)}: no new job until so much has ended"
    if group.over > 0:
        return f"over by {show_number(group.over)}: surplus"
    if group.starves and group.starves_later:
        return f"starves: {group.starves_later}"
    if group.starves:
        return f"starves until schedds are restarted: {group.starves}"
    return ""


def ceiling_commands(found: Migration) -> tuple[str, ...]:
    """Return the commands that put ceilings and floors into the new unit."""
    commands = []
    for each in found.submitters:
        if each.ceiling is not None:
            commands.append(_userprio("-setceiling", each.name, each.ceiling.after))
        if each.floor is not None:
            commands.append(_userprio("-setfloor", each.name, each.floor.after))
    return tuple(commands)


def priority_commands(found: Migration) -> tuple[str, ...]:
    """Return the commands that put stored priorities into the new unit."""
    return tuple(
        _userprio("-setprio", each.name, round(each.priority.after, 2))
        for each in found.submitters
        if each.priority is not None and is_off(each)
    )


def is_off(each: SubmitterMove) -> bool:
    """Return whether the stored priority of a submitter is not what it would be in the new unit."""
    return not 1 / _SAME_PRIORITY <= each.too_good <= _SAME_PRIORITY


def priority_sentence(each: SubmitterMove) -> str:
    """Return what the stored priority of a submitter means in the first days."""
    if not is_off(each):
        return ""
    times = show_number(round(max(each.too_good, 1 / each.too_good), 2))
    if each.too_good > 1:
        goes = f"{times} times too good: goes first"
    else:
        goes = f"{times} times too bad: goes last"
    if not each.until_seconds:
        return goes
    return f"{goes} for about {lasting(each.until_seconds)}"


def _userprio(option: str, name: str, value: float) -> str:
    return f"condor_userprio {option} {shlex.quote(one_line(name))} {amount(value)}"
