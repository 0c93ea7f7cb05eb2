"""HTCondor's defaults that decide what a claim takes, by the version of the daemon that has them.

Read from src/condor_utils/param_info.in of every release from 23.0.0 to 25.14.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

from htcq.releases import ABSOLUTE_DISK, CATALOGS, DISK_QUANTUM, Version
from htcq.units import CPUS, DISK, MEMORY, whole_number

Number = Union[int, float]

#: What a job that says nothing asks for (JOB_DEFAULT_REQUESTCPUS, -MEMORY, -DISK, since 25.2).
DEFAULT_REQUEST: Mapping[str, Number] = {CPUS: 1, MEMORY: 128, DISK: 1024 * 1024}
#: The order in which a startd changes requests; a later expression sees earlier changes.
MODIFIED = (CPUS, DISK, MEMORY)

_NEWEST = (999,)
#: KiB that the catalogs take which a job shares with others on its node.
CATALOG_SPACE = (
    'ifthenelse(MappingMethod ?: "" != "Copy", ifthenelse(RequestedCatalogs is undefined || '
    "catalogs is undefined, 0, "
    "sum(evalInEachContext(member(CatalogID, RequestedCatalogIDs) ? CatalogSize : 0, catalogs))), "
    "0)"
)


def version_tuple(text: str) -> Version:
    """Return '25.14.1' as (25, 14, 1); nothing known counts as the newest."""
    numbers = [whole_number(part) for part in text.split(".")]
    return tuple(number for number in numbers if number is not None) or _NEWEST


def default_modifications(version: Version = _NEWEST) -> dict[str, str]:
    """Return the default MODIFY_REQUEST_EXPR_REQUEST<asset> by asset of a startd of ``version``."""
    quantum, disk = "1024", "RequestDisk"
    if DISK_QUANTUM.holds(version):
        quantum = "TARGET.DiskQuantum ?: 1024"
    if CATALOGS.holds(version):
        disk = f"RequestDisk - {CATALOG_SPACE}"
    return {
        CPUS: "quantize(RequestCpus,{1})",
        DISK: f"quantize({disk},{{{quantum}}})",
        MEMORY: "quantize(RequestMemory,{128})",
    }


def disk_slop(machine_disk_kb: Number, version: Version) -> int:
    """Return the KiB that a startd before 25.4 adds to each dynamic slot's disk."""
    if ABSOLUTE_DISK.holds(version):
        return 0
    return max(1024, int(machine_disk_kb) // 1048576)
