"""The settings that fix an audit's findings, as configuration files.

There is one file for each role, or for machines that differ.

The files are to be looked at; nothing reads them where they are written. Every line says which
finding it mends. Where two findings want different values of one knob, none of them is written,
and each file says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from htcq import WRITTEN_BY, __version__
from htcq.audit.engine import Audit, Finding
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Severity
from htcq.emit.install import needs_restart
from htcq.units import first_named

#: The names of all files begin so.
BEGINNINGS = tuple(role.value.replace(" ", "-") for role in Role)
SUFFIX = ".config"
_ODD = re.compile(r"[^A-Za-z0-9.-]+")
_LONGEST_NAME = 80
_LONGEST_LINE = 400
#: Most machines that a file lists in its header; JSON has them all.
_MAX_LISTED = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True)
class Wanted:
    """One setting, and the findings that it mends."""

    setting: Setting
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Conflict:
    """Settings of one knob that differ, for machines that have both."""

    wanted: tuple[Wanted, ...]

    @property
    def sentence(self) -> str:
        """What each of the findings wants."""
        first = self.wanted[0].setting
        wants = " and ".join(
            f"{_rules(each.findings)} wants '{each.setting.value}'" for each in self.wanted
        )
        return _one_line(f"{first.knob} of the {first.role.value}s is not written: {wants}")


def fix_files(audit: Audit) -> tuple[dict[str, str], tuple[Conflict, ...]]:
    """Return the files by name, and the knobs of which findings want different values."""
    wanted = _wanted(audit.findings)
    conflicts = tuple(_conflicts(wanted))
    contradicted = {each.setting for conflict in conflicts for each in conflict.wanted}
    files: dict[str, str] = {}
    for machines, settings in _by_machines(
        [each for each in wanted if each.setting not in contradicted]
    ).items():
        role, nodes = machines
        told = [conflict for conflict in conflicts if conflict.wanted[0].setting.role is role]
        files[_file_name(role, nodes, files)] = _text(audit, role, nodes, settings, told)
    return files, conflicts


def _wanted(findings: Sequence[Finding]) -> list[Wanted]:
    found: dict[Setting, list[Finding]] = {}
    for finding in findings:
        if finding.severity is Severity.INFO:
            # What only informs is no mistake: a site decides on it.
            continue
        for setting in finding.settings:
            found.setdefault(setting, []).append(finding)
    return [Wanted(setting, tuple(mended)) for setting, mended in found.items()]


def _conflicts(wanted: Sequence[Wanted]) -> Iterator[Conflict]:
    by_knob: dict[tuple[Role, str], list[Wanted]] = {}
    for each in wanted:
        by_knob.setdefault((each.setting.role, each.setting.knob.upper()), []).append(each)
    for some in by_knob.values():
        differing = [
            each
            for each in some
            if any(_contradicts(each.setting, other.setting) for other in some)
        ]
        if differing:
            yield Conflict(tuple(differing))


def _contradicts(one: Setting, other: Setting) -> bool:
    shared = not one.nodes or not other.nodes or not set(one.nodes).isdisjoint(other.nodes)
    return one.value != other.value and shared


def _by_machines(wanted: Sequence[Wanted]) -> dict[tuple[Role, tuple[str, ...]], list[Wanted]]:
    """Return settings by the machines of a file: all of a role, or those with the same settings."""
    found: dict[tuple[Role, tuple[str, ...]], list[Wanted]] = {}
    of_machine: dict[tuple[Role, str], list[int]] = {}
    for number, each in enumerate(wanted):
        if not each.setting.nodes:
            found.setdefault((each.setting.role, ()), []).append(each)
        for machine in each.setting.nodes:
            of_machine.setdefault((each.setting.role, machine), []).append(number)
    alike: dict[tuple[Role, tuple[int, ...]], list[str]] = {}
    for (role, machine), numbers in of_machine.items():
        alike.setdefault((role, tuple(numbers)), []).append(machine)
    for (role, which), machines in alike.items():
        found[role, tuple(machines)] = [wanted[number] for number in which]
    return found


def _file_name(role: Role, nodes: tuple[str, ...], taken: dict[str, str]) -> str:
    """Return the name of a file: ``central-manager.config`` or ``execution-points.config`` (all).

    The file of one machine is ``execution-point-NAME.config``.
    """
    beginning = role.value.replace(" ", "-")
    if role is not Role.CENTRAL and len(nodes) != 1:
        beginning += "s"
    names = [_ODD.sub("_", each)[:_LONGEST_NAME] for each in nodes[:1]]
    more = [f"and-{len(nodes) - 1}-more"] if len(nodes) > 1 else []
    whole = "-".join([beginning, *names, *more])
    number, name = 1, f"{whole}{SUFFIX}"
    while name in taken:
        number += 1
        name = f"{whole}-{number}{SUFFIX}"
    return name


def _text(
    audit: Audit,
    role: Role,
    nodes: tuple[str, ...],
    wanted: Sequence[Wanted],
    told: Sequence[Conflict],
) -> str:
    lines = [
        (
            f"{WRITTEN_BY} {__version__}: audit --fix, from "
            f"{audit.source}{f' of {audit.taken}' if audit.taken else ''}"
        ),
        f"# For {_whose(role, nodes)}. Nothing reads this file here: look at it first.",
        (
            "# To use it, copy it into a directory of LOCAL_CONFIG_DIR, under a name that sorts "
            "after all others,"
        ),
        f"# and run {_how(role, wanted)}.",
    ]
    lines += [f"# {conflict.sentence}." for conflict in told]
    for each in wanted:
        lines += ["", *_mended(each.findings)]
        if each.setting.file:
            lines.append(f"# Set now in {each.setting.file}.")
        lines.append(each.setting.line)
    return "".join(f"{_comment(line)}\n" for line in lines)


def _whose(role: Role, nodes: tuple[str, ...]) -> str:
    if role is Role.CENTRAL:
        return f"the {role.value}"
    if not nodes:
        return f"every {role.value}"
    return f"{role.value} {first_named(nodes, _MAX_LISTED)}"


def _how(role: Role, wanted: Sequence[Wanted]) -> str:
    if role is Role.EXECUTE and needs_restart(each.setting.knob for each in wanted):
        return "condor_restart -startd, after the node is drained"
    return "condor_reconfig"


def _mended(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield f"# {finding.severity.word}: {finding.rule}: {finding.subject}: {finding.message}"
        yield f"#   {finding.advice}"


def _rules(findings: Sequence[Finding]) -> str:
    return ", ".join(dict.fromkeys(finding.rule for finding in findings))


def _one_line(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())


def _comment(line: str) -> str:
    """Return a comment as one short line that does not continue; a setting stays as it is."""
    if not line.startswith("#"):
        return line
    one = _CONTROL.sub(" ", line)
    if len(one) > _LONGEST_LINE:
        one = f"{one[:_LONGEST_LINE]} ..."
    return one.rstrip("\\ ")
