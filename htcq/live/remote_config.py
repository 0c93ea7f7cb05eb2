"""The configuration of a running daemon, knob by knob.

It needs READ authorisation and uses DC_CONFIG_VAL (HTCondor 25.14). A daemon lists the names of
its knobs in one answer and gives each value in an answer of its own, with its macros expanded. So
htcq requests only the knobs that affect which job gets which part of which slot. A knob without a
value cannot be distinguished from one whose value is "Not defined".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from htcq.live.ads import References, Written, location_ad, whole
from htcq.live.bindings import load
from htcq.live.config_files import ConfigFiles
from htcq.pool.configuration import Assignment
from htcq.pool.secrets import is_secret_knob, scrub

_NO_VALUE = "Not defined"
_WANTED = re.compile(
    r"\A(?:GROUP_|\w*_?QUOTA|\w*SURPLUS|\w*AUTOREGROUP|\w*CONSUMPTION_|\w*SLOTS?(?:_|\Z)|\w*WEIGHT"
    r"|\w*CLAIM"
    r"|NEGOTIATOR(?:_|\Z)|\w*ACCOUNTING|ACCOUNTANT_|(?:UID|FILESYSTEM)_DOMAIN\Z|\w*MODIFY_REQUEST_"
    r"|JOB_DEFAULT_"
    r"|MACHINE_RESOURCE_|NUM_CPUS\Z|COUNT_HYPERTHREAD_CPUS\Z|(?:MEMORY|DISK|GPUS?)\Z|DETECTED_"
    r"|RESERVED_|HFS_"
    r"|\w*PREEMPT|(?:SLOT_TYPE_[0-9]+_)?(?:START|RANK|REQUIREMENTS)\Z|START_VANILLA_UNIVERSE\Z"
    r"|CURB_MATCHMAKING\Z|\w*WITHINRESOURCELIMITS|\w*CATALOG"
    r"|\w*LOCAL_CONFIG_|USER_CONFIG_FILE\Z|INCLUDE|SETTABLE_ATTRS"
    r"|ENABLE_(?:RUNTIME|PERSISTENT)_CONFIG\Z|FLOCK_"
    r"|USE_GLOBAL_JOB_PRIOS\Z|CONCURRENCY_LIMIT_DEFAULT_|PRIORITY_HALFLIFE\Z|\w*PRIO_FACTOR"
    r"|\w*_(?:ATTRS|EXPRS)\Z|STARTD_CRON|STARTD_NAME\Z"
    r"|SCHEDD_NAME\Z|SCHEDD_ENABLE_|SCHEDD_REFUND_|PERSISTENT_PROJECT_RECORDS\Z|MAX_CONCURRENT_"
    r"|SUBMIT_REQUIREMENT|JOB_TRANSFORM_|\w*_LIMIT(?:_DEFAULT)?\Z|MAX_JOBS|MAX_RUNNING"
    r"|DAEMON_LIST\Z"
    r"|(?:COLLECTOR|CONDOR)_HOST\Z|DEFRAG|MAXJOBRETIREMENTTIME\Z|\w*SIGNIFICANT_ATTR"
    r"|SCHEDD_INTERVAL\Z"
    r"|UPDATE_INTERVAL\Z|CLASSAD_LIFETIME\Z|CONDOR_VERSION\Z|CGROUP_MEMORY|BASE_CGROUP\Z|HTCQ_)",
    re.IGNORECASE,
)
#: Knobs that match, and say nothing of who gets what: logs, sockets, other tools.
_UNWANTED = re.compile(
    r"_(?:LOG|DEBUG|DEBUG_WAIT|ADDRESS_FILE|SOCKET_CACHE_SIZE)\Z|\AALLOW_(?!PSLOT)|\ADAGMAN_",
    re.IGNORECASE,
)
#: The negotiator evaluates these against slots.
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
    )
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: The negotiator and the schedds evaluate these in the ads of jobs.
_IN_JOBS = frozenset(("NEGOTIATOR_JOB_CONSTRAINT", "START_VANILLA_UNIVERSE", "SCHEDD_SLOT_WEIGHT"))


def is_wanted(name: str) -> bool:
    """Tell whether the knob ``name`` is asked for: it matters and is no secret."""
    return bool(_WANTED.match(name)) and not _UNWANTED.search(name) and not is_secret_knob(name)


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
            lines += [knob_text(name, former.raw), _at(former)]
        lines.append(knob_text(name, value))
        if of_it:
            lines.append(_at(of_it[-1]))
    return f"# {title}\n" + scrub("".join(lines))


def _at(assignment: Assignment) -> str:
    """Return the comment by which condor_config_val names file and line."""
    return f" # at: {' '.join(assignment.place.split())}\n"


def query_configuration(location: dict[str, str], path: Path) -> Written:
    """Write the knobs of one daemon to ``path``, and return what their expressions name.

    The expressions are those that are evaluated on slots and in jobs.
    """
    htcondor2 = load()
    remote = htcondor2.RemoteParam(location_ad(location))
    values: dict[str, str] = {}
    for name in filter(is_wanted, remote):
        value = str(remote[name])
        if value != _NO_VALUE:
            values[name] = value
    title = " ".join(
        f"Configuration from machine: {location.get('Machine', location['Name'])}".split()
    )
    assigned: dict[str, tuple[Assignment, ...]] = {}
    if location.get("Machine") == htcondor2.param.get("FULL_HOSTNAME"):
        # The daemon runs here: the files of this machine are those that it has read.
        files = ConfigFiles(htcondor2.param)
        assigned = {name: files.of(name, value) for name, value in values.items()}
    return write_configuration(path, title, values, assigned)


def write_configuration(
    path: Path,
    title: str,
    values: Mapping[str, str],
    assigned: Mapping[str, tuple[Assignment, ...]] | None = None,
) -> Written:
    """Write ``values`` and the places in ``assigned``, and return what their expressions name.

    The expressions are those that are evaluated on slots and in jobs.
    """
    import classad2

    with whole(path) as out:
        out.write(dump_text(title, values.items(), assigned or {}))
    ad = classad2.ClassAd()
    references = References()
    of_jobs: set[str] = set()
    for each, text in values.items():
        name = each.upper()
        if name in _IN_JOBS:
            of_jobs.update(_WORD.findall(text))
        if name not in _ON_SLOTS:
            continue
        try:
            ad[name] = classad2.ExprTree(text)
        except classad2.ClassAdException:
            continue
        references.add(ad, name)
    return Written(len(values), named=references.wanted(), of_jobs=frozenset(of_jobs))


def query_answer(location: dict[str, str]) -> Written:
    """Ask a daemon for the names of its knobs, which tells that it answers."""
    htcondor2 = load()
    return Written(len(htcondor2.RemoteParam(location_ad(location))))
