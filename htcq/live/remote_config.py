"""The configuration of a running daemon, knob by knob (READ authorisation, DC_CONFIG_VAL, HTCondor 25.14).

A daemon lists the names of its knobs in one answer and gives each value in an answer of its own, with its macros
expanded; so only those are asked for that decide who gets which part of which slot. A knob that has no value is not
told from one whose value is "Not defined".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from htcq.live.ads import References, Written, location_ad, whole
from htcq.live.bindings import load
from htcq.pool.secrets import is_secret_knob, scrub

_NO_VALUE = "Not defined"
_WANTED = re.compile(
    r"\A(?:GROUP_|\w*_?QUOTA|\w*SURPLUS|\w*AUTOREGROUP|\w*CONSUMPTION_|\w*SLOTS?(?:_|\Z)|\w*WEIGHT|\w*CLAIM"
    r"|NEGOTIATOR(?:_|\Z)|\w*ACCOUNTING|ACCOUNTANT_|(?:UID|FILESYSTEM)_DOMAIN\Z|\w*MODIFY_REQUEST_|JOB_DEFAULT_"
    r"|MACHINE_RESOURCE_|NUM_CPUS\Z|COUNT_HYPERTHREAD_CPUS\Z|(?:MEMORY|DISK|GPUS?)\Z|DETECTED_|RESERVED_|HFS_"
    r"|\w*PREEMPT|(?:SLOT_TYPE_[0-9]+_)?(?:START|RANK|REQUIREMENTS)\Z|\w*WITHINRESOURCELIMITS|\w*CATALOG"
    r"|\w*LOCAL_CONFIG_|USER_CONFIG_FILE\Z|INCLUDE|SETTABLE_ATTRS|ENABLE_(?:RUNTIME|PERSISTENT)_CONFIG\Z|FLOCK_"
    r"|USE_GLOBAL_JOB_PRIOS\Z|PRIORITY_HALFLIFE\Z|\w*PRIO_FACTOR|\w*_(?:ATTRS|EXPRS)\Z|STARTD_CRON|STARTD_NAME\Z"
    r"|SCHEDD_NAME\Z|SCHEDD_ENABLE_|MAX_CONCURRENT_|SUBMIT_REQUIREMENT|JOB_TRANSFORM_|\w*_LIMIT(?:_DEFAULT)?\Z|MAX_JOBS|MAX_RUNNING|DAEMON_LIST\Z"
    r"|(?:COLLECTOR|CONDOR)_HOST\Z|DEFRAG|MAXJOBRETIREMENTTIME\Z|\w*SIGNIFICANT_ATTR|SCHEDD_INTERVAL\Z"
    r"|UPDATE_INTERVAL\Z|CLASSAD_LIFETIME\Z|CONDOR_VERSION\Z|CGROUP_MEMORY|BASE_CGROUP\Z|HTCQ_)",
    re.IGNORECASE,
)
#: Knobs that match, and say nothing of who gets what: logs, sockets, other tools.
_UNWANTED = re.compile(
    r"_(?:LOG|DEBUG|DEBUG_WAIT|ADDRESS_FILE|SOCKET_CACHE_SIZE)\Z|\AALLOW_(?!PSLOT)|\ADAGMAN_", re.IGNORECASE
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


def dump_text(title: str, values: Iterable[tuple[str, str]]) -> str:
    """Return a configuration text of ``values``, sorted by name, without what looks like a secret."""
    ordered = sorted(values, key=lambda each: each[0].lower())
    return f"# {title}\n" + scrub("".join(knob_text(name, value) for name, value in ordered))


def query_configuration(location: dict[str, str], path: Path) -> Written:
    """Write the knobs of one daemon to ``path``, and tell what those that are evaluated on slots name."""
    htcondor2 = load()
    import classad2

    remote = htcondor2.RemoteParam(location_ad(location))
    values: dict[str, str] = {}
    for name in filter(is_wanted, remote):
        value = str(remote[name])
        if value != _NO_VALUE:
            values[name] = value
    title = " ".join(f"Configuration from machine: {location.get('Machine', location['Name'])}".split())
    with whole(path) as out:
        out.write(dump_text(title, values.items()))
    ad = classad2.ClassAd()
    references = References()
    for name in _ON_SLOTS & {each.upper() for each in values}:
        text = next(value for each, value in values.items() if each.upper() == name)
        try:
            ad[name] = classad2.ExprTree(text)
        except classad2.ClassAdException:
            continue
        references.add(ad, name)
    return Written(len(values), named=references.wanted())
