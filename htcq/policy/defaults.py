"""HTCondor's defaults that decide what a claim takes, by the version of the daemon that has them.

Texts are those of :mod:`htcq.htcondor.defaults`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Union

from htcq.htcondor.defaults import expanded_default
from htcq.htcondor.releases import ABSOLUTE_DISK, Version
from htcq.units import CPUS, DISK, MEMORY, whole_number

Number = Union[int, float]

#: What a job that says nothing asks for (JOB_DEFAULT_REQUESTCPUS, -MEMORY, -DISK, since 25.2).
DEFAULT_REQUEST: Mapping[str, Number] = {CPUS: 1, MEMORY: 128, DISK: 1024 * 1024}
#: The order in which a startd changes requests; a later expression sees earlier changes.
MODIFIED = (CPUS, DISK, MEMORY)

_NEWEST = (999,)


def version_tuple(text: str) -> Version:
    """Return '25.14.1' as (25, 14, 1); nothing known counts as the newest."""
    numbers = [whole_number(part) for part in text.split(".")]
    return tuple(number for number in numbers if number is not None) or _NEWEST


@lru_cache(maxsize=256)
def _default_modifications(version: Version) -> tuple[tuple[str, str], ...]:
    return tuple(
        (asset, expanded_default(f"MODIFY_REQUEST_EXPR_REQUEST{asset}", version))
        for asset in MODIFIED
    )


def default_modifications(version: Version = _NEWEST) -> dict[str, str]:
    """Return the default MODIFY_REQUEST_EXPR_REQUEST<asset> by asset of a startd of ``version``."""
    return dict(_default_modifications(version))


def catalog_space() -> str:
    """Return the KiB that the catalogs take which a job shares with others on its node."""
    return expanded_default("CATALOG_SPACE")


def disk_slop(machine_disk_kb: Number, version: Version) -> int:
    """Return the KiB that a startd before 25.4 adds to each dynamic slot's disk."""
    if ABSOLUTE_DISK.holds(version):
        return 0
    return max(1024, int(machine_disk_kb) // 1048576)
