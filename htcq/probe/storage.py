"""Decisions on the disk of the EXECUTE partition, and on swap."""

from __future__ import annotations

from htcq.errors import ProbeError
from htcq.probe.readings import Readings
from htcq.probe.verdict import Claim, Verdict, site_claim, verdict


def decide_disk(readings: Readings) -> Verdict:
    """Return the disk (KiB) that jobs can fill.

    It is DISK if the site set it, else the free space less RESERVED_DISK.

    Raises:
        ProbeError: the site set no DISK and the free space cannot be read.
    """
    knobs, place = readings.knobs, readings.execute
    notes = _notes(readings)
    site = site_claim(knobs, "DISK", notes)
    claims = list[Claim]()
    if site is not None:
        claims.append(site)
    if place.free_kb is not None:
        claims.append(_free(readings, place.free_kb, notes))
    if not claims:
        raise ProbeError(
            f"the free space of {place.path} cannot be read",
            "name the directory with --execute DIR",
        )
    return verdict("disk_kb", claims[0], claims, notes)


def _free(readings: Readings, free_kb: int, notes: list[str]) -> Claim:
    place, reserved_mb = readings.execute, readings.knobs.number("RESERVED_DISK") or 0
    left = free_kb - reserved_mb * 1024
    why = f"free space of {place.path} ({place.origin}), measured as HTCondor does"
    if reserved_mb:
        why += f"; {free_kb} KiB less RESERVED_DISK = {reserved_mb} MB"
    if left < 1:
        notes.append(
            f"{place.path} has no space to give ({free_kb} KiB free, {reserved_mb} MB reserved): "
            "1 KiB stands in"
        )
    return Claim("free space", max(1, left), why)


def _notes(readings: Readings) -> list[str]:
    if readings.knobs.text("STARTD_ENFORCE_DISK_LIMITS").lower() not in ("true", "t", "1", "yes"):
        return []
    return [
        (
            "STARTD_ENFORCE_DISK_LIMITS is on: with LVM the startd gives the volume group's space, "
            "not the free space"
        )
    ]


def decide_swap(readings: Readings) -> Verdict | None:
    """Return the swap (MB), None where psutil could not tell."""
    size = readings.psutil.get("swap_bytes")
    if size is None:
        return None
    claim = Claim("psutil", int(size) // 2**20, "HTCondor's configuration does not tell it")
    return verdict("swap_mb", claim, [claim], [])
