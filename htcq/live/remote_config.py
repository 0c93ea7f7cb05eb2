"""The configuration of a running daemon, knob by knob.

It needs READ authorisation and uses DC_CONFIG_VAL (HTCondor 25.14). A daemon lists the names of
its knobs in one answer and gives each value in an answer of its own, with its macros expanded. So
htcq requests only the knobs that affect which job gets which part of which slot, those that its
rules read, and those that look alike: HTCondor ignores a misspelt one. A knob without a value
cannot be distinguished from one whose value is "Not defined".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from htcq.classads import refusals
from htcq.htcondor.knob_types import Type, knob_type
from htcq.htcondor.matching import is_in_table, looks_alike
from htcq.htcondor.starting import is_on_the_way
from htcq.library import library
from htcq.live.ads import References, Written, location_ad, whole
from htcq.live.bindings import load
from htcq.live.config_files import ConfigFiles
from htcq.pool.configuration import Assignment
from htcq.pool.daemons import before_dot
from htcq.pool.secrets import is_secret_knob, scrub, scrub_knob

_NO_VALUE = "Not defined"
#: They say which daemon answers.
_WHOSE = ("SUBSYSTEM", "LOCALNAME")
#: Knobs that look like those of the table, and say nothing of who gets what: logs, sockets.
_UNWANTED = re.compile(r"_(?:LOG|DEBUG|DEBUG_WAIT|ADDRESS_FILE|SOCKET_CACHE_SIZE)\Z", re.IGNORECASE)
#: The negotiator and condor_defrag evaluate these against slots.
_ON_SLOTS = frozenset(
    (
        "NEGOTIATOR_PRE_JOB_RANK",
        "NEGOTIATOR_POST_JOB_RANK",
        "NEGOTIATOR_SLOT_CONSTRAINT",
        "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
        "GROUP_DYNAMIC_MACH_CONSTRAINT",
        "PREEMPTION_REQUIREMENTS",
        "PREEMPTION_RANK",
        "SLOT_WEIGHT",
        "DEFRAG_CANCEL_REQUIREMENTS",
        "DEFRAG_RANK",
        "DEFRAG_REQUIREMENTS",
        "DEFRAG_WHOLE_MACHINE_EXPR",
    )
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: The negotiator and the schedds evaluate these in the ads of jobs, or list attributes of them.
_IN_JOBS = frozenset(
    (
        "NEGOTIATOR_JOB_CONSTRAINT",
        "START_VANILLA_UNIVERSE",
        "SCHEDD_SLOT_WEIGHT",
        "PREEMPTION_REQUIREMENTS",
        "PREEMPTION_RANK",
        "SIGNIFICANT_ATTRIBUTES",
        "ADD_SIGNIFICANT_ATTRIBUTES",
        "SYSTEM_ON_VACATE_COOL_DOWN",
    )
)
#: So do schedds and shadows with knobs that begin so.
_POLICIES = "SYSTEM_PERIODIC_"


def is_wanted(name: str) -> bool:
    """Return whether the knob ``name`` is asked for: it matters, or may be meant to.

    So are all expressions: a daemon may end at one that does not parse.
    """
    if is_secret_knob(name):
        return False
    bare = name[len(before_dot(name)) :].lstrip(".")
    if is_in_table(name) or is_in_table(bare) or bare.upper() in _WHOSE or is_on_the_way(bare):
        return True
    if looks_alike(bare) and not _UNWANTED.search(bare):
        return True
    known = knob_type(bare)
    return known is not None and known.type is Type.EXPRESSION


def knob_text(name: str, value: str) -> str:
    """Return the line or lines that give ``name`` the value ``value`` when HTCondor reads them.

    A value of several lines stands between ``@=tag`` and ``@tag``, as condor_config_val prints it.
    """
    if "\n" not in value:
        return f"{name} = {value.strip()}\n"
    tag = "end"
    while f"@{tag}" in value:
        tag += "_"
    return f"{name} @={tag}\n{value}\n@{tag}\n"


def dump_text(
    title: str,
    values: Iterable[tuple[str, str]],
    assigned: Mapping[str, tuple[Assignment, ...]] | None = None,
) -> str:
    """Return a configuration text of ``values``, sorted by name, without what looks like a secret.

    ``assigned`` are the assignments of some of them: those that a later one overrides stand
    before the value.
    """
    lines = []
    for name, value in sorted(values, key=lambda each: each[0].lower()):
        of_it = (assigned or {}).get(name, ())
        for former in of_it[:-1]:
            lines += [knob_text(name, scrub_knob(name, former.raw)), _at(former)]
        lines.append(knob_text(name, scrub_knob(name, value)))
        if of_it:
            lines.append(_at(of_it[-1]))
    return f"# {title}\n" + "".join(lines)


def _at(assignment: Assignment) -> str:
    """Return the comment by which condor_config_val names file and line."""
    return f" # at: {scrub(' '.join(assignment.place.split()))}\n"


def query_configuration(location: dict[str, str], path: Path) -> Written:
    """Write the knobs of one daemon to ``path``, and return what their expressions name.

    The expressions are those that are evaluated on slots and in jobs.
    """
    htcondor2 = load()
    remote = htcondor2.RemoteParam(location_ad(location))
    values = values_of(remote)
    title = " ".join(
        f"Configuration from machine: {location.get('Machine', location['Name'])}".split()
    )
    assigned: dict[str, tuple[Assignment, ...]] = {}
    if location.get("Machine") == htcondor2.param.get("FULL_HOSTNAME"):
        # The daemon runs here: the files of this machine are those that it has read.
        files = ConfigFiles(htcondor2.param)
        assigned = {name: files.of(name, value) for name, value in values.items()}
    return write_configuration(path, title, values, assigned)


def values_of(remote: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a daemon's knobs by the names that it lists.

    What it has under its own prefix alone is there under the bare name as well.
    """
    asked = {name: str(remote[name]) for name in filter(is_wanted, remote)}
    whose = {name.upper(): value for name, value in asked.items() if name.upper() in _WHOSE}
    subsystem, local = (whose.get(name, "").upper() for name in _WHOSE)
    prefixes = [f"{each}." for each in dict.fromkeys((local, subsystem)) if each]
    values = {}
    for name, value in asked.items():
        own = name.upper().startswith(tuple(prefixes))
        if value == _NO_VALUE and own:
            # An empty knob of its own hides the bare one.
            value = ""
        if value != _NO_VALUE and not is_secret_knob(name, value):
            values[name] = value
    listed = {name.upper() for name in remote}
    for prefix in prefixes:
        for name in [name for name in values if name.upper().startswith(prefix)]:
            bare = name[len(prefix) :]
            if bare.upper() not in listed:
                listed.add(bare.upper())
                values[bare] = values[name]
    return values


def write_configuration(
    path: Path,
    title: str,
    values: Mapping[str, str],
    assigned: Mapping[str, tuple[Assignment, ...]] | None = None,
) -> Written:
    """Write ``values`` and the places in ``assigned``, and return what their expressions name.

    The expressions are those that are evaluated on slots and in jobs.
    """
    with whole(path) as out:
        out.write(dump_text(title, values.items(), assigned or {}))
    classad2 = library().classad2
    ad = classad2.ClassAd()
    references = References()
    of_jobs: set[str] = set()
    for each, text in values.items():
        name = each.upper()
        if name in _IN_JOBS or name.startswith(_POLICIES):
            of_jobs.update(_WORD.findall(text))
        if name not in _ON_SLOTS:
            continue
        try:
            ad[name] = classad2.ExprTree(text)
        except refusals():
            continue
        references.add(ad, name)
    return Written(len(values), named=references.wanted(), of_jobs=frozenset(of_jobs))


def query_answer(location: dict[str, str]) -> Written:
    """Ask a daemon for the names of its knobs, which tells that it answers."""
    htcondor2 = load()
    return Written(len(htcondor2.RemoteParam(location_ad(location))))
