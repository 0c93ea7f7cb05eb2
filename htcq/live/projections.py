"""The attributes that a snapshot asks of each type of ad.

It asks for nothing else: nothing private, no command lines, no paths, no environments. Daemons add
the attributes of the same ad that the requested expressions name (seen in 23.9 and 25.14:
Requirements brings Start, WithinResourceLimits and what these name). htcq adds the attributes of
the other ad of a match.
"""

from __future__ import annotations

from collections.abc import Iterable

from htcq.htcondor import attributes
from htcq.htcondor.attributes import ASKED, EVALUATED, WEIGHED, names

SLOT = names(attributes.SLOT, ASKED)
#: Of every slot where only its weight matters, and whom it is charged to.
WEIGHED_SLOT = names(attributes.SLOT, WEIGHED)
#: With which expressions a slot meets a job; asked before the jobs, so that the jobs are asked for
#: what these name.
SLOT_EXPRESSIONS = names(attributes.SLOT, EVALUATED)
JOB = names(attributes.JOB, ASKED)
#: Expressions of a job that are evaluated against a slot, besides all of Request*.
JOB_EXPRESSIONS = names(attributes.JOB, EVALUATED)
#: The ads of schedds hold some hundred counters.
SCHEDD = names(attributes.SCHEDD, ASKED)
SUBMITTER = names(attributes.SUBMITTER, ASKED)
#: Of what a schedd knows of each user.
USER = names(attributes.USER, ASKED)
COLLECTOR = names(attributes.COLLECTOR, ASKED)
DEFRAG = ("Name", "Machine", "MyType", "DaemonStartTime", "CondorVersion")
#: All of what negotiators and accounting records say: few ads, and the numbers of cycles end in a
#: count.
EVERYTHING: tuple[str, ...] = ()


def slot_projection(assets: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return what to ask of slots with ``assets`` where jobs and negotiator name ``named``."""
    wanted = [*SLOT, *named]
    for asset in assets:
        wanted += [asset] + [
            f"{word}{asset}"
            for word in ("Total", "TotalSlot", "Detected", "Consumption", "Assigned")
        ]
        wanted += [f"{word}{asset}" for word in ("Child", "Available")]
    return _once(wanted)


def weighed_slot_projection(named: Iterable[str]) -> list[str]:
    """Return what to ask of slots for quotas alone, whose knobs name ``named``."""
    return _once([*WEIGHED_SLOT, *named])


def job_projection(assets: Iterable[str], named: Iterable[str]) -> list[str]:
    """Return what to ask of jobs where slots hand out ``assets`` and name ``named``."""
    wanted = [*JOB, *named]
    for asset in assets:
        wanted += [
            f"Request{asset}",
            f"Require{asset}",
            f"{asset}Provisioned",
            f"_condor_Request{asset}",
        ]
    return _once(wanted)


def _once(names: Iterable[str]) -> list[str]:
    return list({name.lower(): name for name in reversed(list(names))}.values())[::-1]
