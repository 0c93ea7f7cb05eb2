"""Decisions on cpus and memory: the kernel's limits, then HTCondor's detection, then psutil's.

HTCondor counts the processors in /proc/cpuinfo and knows neither affinity nor a cgroup cpu
limit; of the cgroup memory limits it knows those of its own group and its parent
(src/condor_sysapi, 25.14).
"""

from __future__ import annotations

from htcq.errors import ProbeError
from htcq.probe.condor import Knobs
from htcq.probe.readings import Readings
from htcq.probe.verdict import NO_CONDOR, Claim, Verdict, must_be_set, site_claim, verdict

_HINT = (
    "install psutil (python3 -m pip install psutil) or run this where condor_config_val is on PATH"
)


def condor_cpus(knobs: Knobs) -> int:
    """Return the cpus that HTCondor would advertise without configuration.

    They are 0 where there is no HTCondor.
    """
    return knobs.number("DETECTED_CPUS_LIMIT") or knobs.number("DETECTED_CPUS") or 0


def condor_memory_mb(knobs: Knobs) -> int:
    """Return the memory (MB) that HTCondor would advertise without MEMORY.

    It is 0 where there is no HTCondor.
    """
    detected = knobs.number("DETECTED_MEMORY") or 0
    return max(0, detected - (knobs.number("RESERVED_MEMORY") or 0))


def decide_cpus(readings: Readings) -> Verdict:
    """Return the cpus that jobs can use.

    Raises:
        ProbeError: neither HTCondor nor psutil could count them.
    """
    knobs, notes = readings.knobs, _environment_note(readings.knobs)
    site = site_claim(knobs, "NUM_CPUS", notes)
    detected = condor_cpus(knobs)
    counted = [
        Claim("DETECTED_CPUS", detected, "HTCondor's own detection, which the startd advertises")
    ]
    counted.append(Claim(_counter(readings), int(readings.psutil.get("logical") or 0), NO_CONDOR))
    counted = [claim for claim in counted if claim.amount > 0]
    if site is None and not counted:
        raise ProbeError("no authority could tell the number of cpus", _HINT)
    limits = _cpu_limits(readings)
    base = site or counted[0]
    tightest = min(limits, key=lambda claim: claim.amount, default=base)
    beaten = tightest.amount < base.amount
    if site is not None and beaten:
        notes.append(
            f"NUM_CPUS = {site.amount} is more than {tightest.origin} lets run ({tightest.amount})"
        )
    winner = base
    if beaten and site is None:
        winner = tightest
        if detected:
            otherwise = f"HTCondor would hand out {detected} cpus"
            notes.append(must_be_set(knobs, "NUM_CPUS", winner.amount, otherwise))
    if site is not None:
        counted.insert(0, site)
    return verdict("cpus", winner, [*counted, *limits], notes)


def _counter(readings: Readings) -> str:
    """Return who counted cpus and memory beside HTCondor."""
    return str(readings.psutil.get("origin", "psutil"))


def _cpu_limits(readings: Readings) -> list[Claim]:
    limits = []
    allowed, logical = readings.psutil.get("affinity") or (), readings.psutil.get("logical") or 0
    if 0 < len(allowed) < logical:
        why = (
            f"this process may run on {len(allowed)} of {logical} cpus, and HTCondor sees no "
            "affinity"
        )
        limits.append(Claim("cpu affinity", len(allowed), why))
    limit = readings.cgroup.cpus
    if limit is not None:
        why = (
            f"{limit.file} allows {float(limit.amount):g} cpus, and HTCondor sees no cgroup cpu "
            "limit"
        )
        limits.append(Claim(limit.origin, max(1, int(limit.amount)), why))
    return limits


def _environment_note(knobs: Knobs) -> list[str]:
    limited, detected = knobs.number("DETECTED_CPUS_LIMIT"), knobs.number("DETECTED_CPUS")
    if limited is None or detected is None or limited >= detected:
        return []
    return [
        f"DETECTED_CPUS_LIMIT is {limited} of {detected}: OMP_THREAD_LIMIT or SLURM_CPUS_ON_NODE "
        "in this environment"
        " (the startd's may differ), or the configuration, lowers it"
    ]


def decide_physical_cpus(readings: Readings) -> Verdict | None:
    """Return the cores, hyper-threads not counted; None where nobody knows."""
    claims = [
        Claim(
            "DETECTED_PHYSICAL_CPUS",
            readings.knobs.number("DETECTED_PHYSICAL_CPUS") or 0,
            "HTCondor's own detection",
        ),
        Claim("psutil", int(readings.psutil.get("physical") or 0), NO_CONDOR),
    ]
    claims = [claim for claim in claims if claim.amount > 0]
    if not claims:
        return None
    return verdict("physical_cpus", claims[0], claims, [])


def decide_memory(readings: Readings) -> Verdict:
    """Return the memory (MB) that jobs can use, less RESERVED_MEMORY.

    Raises:
        ProbeError: neither HTCondor nor psutil knows the memory, or RESERVED_MEMORY leaves none.
    """
    knobs, notes = readings.knobs, list[str]()
    site = site_claim(knobs, "MEMORY", notes)
    counted = [
        Claim("DETECTED_MEMORY", knobs.number("DETECTED_MEMORY") or 0, "HTCondor's own detection"),
        Claim(
            _counter(readings), int(readings.psutil.get("memory_bytes") or 0) // 2**20, NO_CONDOR
        ),
    ]
    counted = [claim for claim in counted if claim.amount > 0]
    if site is None and not counted:
        raise ProbeError("no authority could tell the memory", _HINT)
    limits = _memory_limits(readings)
    base = site or counted[0]
    tightest = min(limits, key=lambda claim: claim.amount, default=base)
    beaten = tightest.amount < base.amount
    if site is not None and beaten:
        notes.append(
            f"MEMORY = {site.amount} is more than {tightest.origin} gives ({tightest.amount} MB)"
        )
    winner = base
    if beaten and site is None:
        winner = tightest
        if knobs.known:
            otherwise = f"HTCondor would hand out {base.amount} MB"
            notes.append(must_be_set(knobs, "MEMORY", winner.amount, otherwise))
    if site is not None:
        counted.insert(0, site)
    return verdict("memory_mb", _less_reserved(knobs, winner), [*counted, *limits], notes)


def _memory_limits(readings: Readings) -> list[Claim]:
    limit = readings.cgroup.memory
    if limit is None:
        return []
    why = f"{limit.file}, the tightest limit of this group and its ancestors"
    return [Claim(limit.origin, max(1, int(limit.amount) // 2**20), why)]


def _less_reserved(knobs: Knobs, claim: Claim) -> Claim:
    """Take off RESERVED_MEMORY, as the startd does even where MEMORY is set (seen in 25.14)."""
    reserved = knobs.number("RESERVED_MEMORY") or 0
    if not reserved:
        return claim
    left = claim.amount - reserved
    if left < 1:
        raise ProbeError(
            f"RESERVED_MEMORY = {reserved} leaves nothing of {claim.amount} MB",
            "the startd would not start: lower it",
        )
    return Claim(
        claim.origin, left, f"{claim.why}; {claim.amount} MB less RESERVED_MEMORY = {reserved}"
    )
