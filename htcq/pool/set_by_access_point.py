"""What an access point puts into the ads of its jobs, and its own policies on them.

Follows initAndReconfig and transformJob of src/condor_schedd.V6/job_transforms.cpp, and
SUBMIT_ATTRS in src/condor_utils/submit_utils.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from htcq.classads import literal
from htcq.pool.configuration import Configuration, Knob

TRANSFORMS = "JOB_TRANSFORM_NAMES"
_TRANSFORM, _OF_SUBMIT = "JOB_TRANSFORM_", "SUBMIT_ATTRS"
#: JOB_TRANSFORM_NAMES itself is no transform.
_NO_NAME = "NAMES"
#: Ends of names of knobs that only go with a policy.
_BESIDE = ("_NAMES", "_REASON", "_SUBCODE")


def listed_names(configuration: Configuration, knob: str) -> list[str]:
    """Return the names of transforms, or of submit requirements, that a knob lists."""
    names = configuration.value(knob).replace(",", " ").split()
    return [name for name in dict.fromkeys(names) if name.upper() != _NO_NAME]


def transforms_of(configuration: Configuration | None) -> Iterator[Knob]:
    """Yield the transforms of jobs that are listed and set, in the order of the list."""
    if configuration is None:
        return
    for name in listed_names(configuration, TRANSFORMS):
        knob = configuration.knob(f"{_TRANSFORM}{name}")
        if knob is not None:
            yield knob


def setters_of(configuration: Configuration | None, attribute: str) -> tuple[Knob, ...]:
    """Return the knobs of an access point that set ``attribute`` of jobs."""
    if configuration is None:
        return ()
    sets = re.compile(rf"^\s*(?:EVALSET|SET|DEFAULT)\s+{attribute}\b", re.IGNORECASE | re.MULTILINE)
    found = [each for each in transforms_of(configuration) if sets.search(each.value)]
    added = configuration.value(_OF_SUBMIT).replace(",", " ").replace("+", " ").upper().split()
    own = configuration.knob(attribute) if attribute.upper() in added else None
    return (*found, own) if own is not None else tuple(found)


def policies_of(configuration: Configuration, knob: str) -> Sequence[Knob]:
    """Return the policy ``knob``, such as SYSTEM_PERIODIC_HOLD, and those with a further name.

    One that is just false is no policy.
    """
    found = [each for each in configuration if each.bare.upper().startswith(knob) and each.value]
    policies = [each for each in found if not each.bare.upper().endswith(_BESIDE)]
    return [each for each in policies if literal(each.value) not in (0, False)]
