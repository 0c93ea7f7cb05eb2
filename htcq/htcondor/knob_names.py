"""Names of knobs that decide who gets which part of which slot.

They are in the tables of :mod:`htcq.htcondor.knob_types`, or in the list of defaults of a newer
library, or hold the name of a group, an asset or a slot type (GroupEntry.cpp, Resource.cpp,
HTCondor 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from htcq.htcondor.knob_types import plain_names

#: Begin the name of a knob; what follows is a name of the site's own.
GROUP_STEMS = (
    "GROUP_QUOTA_DYNAMIC", "GROUP_QUOTA", "GROUP_ACCEPT_SURPLUS", "GROUP_AUTOREGROUP",
    "GROUP_PRIO_FACTOR",
)  # fmt: skip
ASSET_STEM = "CONSUMPTION"
NUMBERED_STEMS = ("NUM_SLOTS_TYPE", "SLOT_TYPE")
_STEMS = (
    *GROUP_STEMS, ASSET_STEM, "MACHINE_RESOURCE_INVENTORY", "MACHINE_RESOURCE",
    "OFFLINE_MACHINE_RESOURCE", "SHARED_MACHINE_RESOURCE", *NUMBERED_STEMS,
)  # fmt: skip
#: Knobs that exist for slot types only.
_OF_SLOT_TYPES = ("PARTITIONABLE", "NAME_PREFIX")
_OF_SLOT_TYPE = re.compile(r"(SLOT_TYPE_[0-9]+_)(.+)\Z", re.IGNORECASE)
_DAEMON = re.compile(
    r"((?:MASTER|COLLECTOR|NEGOTIATOR|SCHEDD|STARTD|SHADOW|STARTER|TOOL|SUBMIT)\.)(.+)\Z",
    re.IGNORECASE,
)
#: Which of the knobs with a default matter here.
_MATTER = re.compile(
    r"(?:GROUP_|NEGOTIATOR_|CONSUMPTION_|SLOT_WEIGHT|SCHEDD_\w*WEIGHT|FORCE_NEGOTIATOR_"
    r"|MODIFY_REQUEST_|MUST_MODIFY_|MAX_SLOT_TYPES|NUM_CPUS"
    r"|\w*PRIO_FACTOR|NICE_USER_ACCOUNTING|CLAIM_|PREEMPTION_R"
    r"|HFS_|NUM_CLAIMS\Z|NUM_SLOTS\Z|MACHINE_RESOURCE_NAMES\Z)"
)


def split_prefix(name: str) -> tuple[str, str]:
    """Return what stands before the knob's own name, a daemon or a slot type, and that name."""
    for pattern in (_DAEMON, _OF_SLOT_TYPE):
        found = pattern.match(name)
        if found:
            return found.group(1), found.group(2)
    return "", name


def stem_of(name: str) -> str:
    """Return the stem that a name of the site's own follows.

    Empty where the knob has no such stem.
    """
    upper = name.upper()
    for stem in _STEMS:
        if upper.startswith(f"{stem}_") and len(upper) > len(stem) + 1:
            return stem
    return ""


def lacks_underscore(name: str) -> bool:
    """Return whether ``name`` goes on after a longer stem than its own: GROUP_QUOTA_DYNAMICphys."""
    upper, stem = name.upper(), stem_of(name)
    return any(upper.startswith(each) and len(each) > len(stem) for each in GROUP_STEMS)


def stems() -> tuple[str, ...]:
    """Return every stem that a name of the site's own follows."""
    return _STEMS


def names_that_matter(defaults: Iterable[str]) -> frozenset[str]:
    """Return the names of knobs that decide who gets what.

    ``defaults`` are the knobs that have a default, in upper case.
    """
    matter = {name for name in (*defaults, *plain_names()) if _MATTER.match(name)}
    return frozenset((*_OF_SLOT_TYPES, *matter))
