"""Attributes that an access point, not the owner of a job, puts into its ad.

Follows transformJob of src/condor_schedd.V6/job_transforms.cpp, and SUBMIT_ATTRS in
src/condor_utils/submit_utils.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re

from htcq.pool.configuration import Configuration, Knob

_NAMES, _TRANSFORM, _OF_SUBMIT = "JOB_TRANSFORM_NAMES", "JOB_TRANSFORM_", "SUBMIT_ATTRS"


def setters_of(configuration: Configuration | None, attribute: str) -> tuple[Knob, ...]:
    """Return the knobs of an access point that set ``attribute`` of jobs."""
    if configuration is None:
        return ()
    sets = re.compile(rf"^\s*(?:EVALSET|SET|DEFAULT)\s+{attribute}\b", re.IGNORECASE | re.MULTILINE)
    names = configuration.value(_NAMES).replace(",", " ").split()
    transforms = [configuration.knob(f"{_TRANSFORM}{name}") for name in names]
    found = [each for each in transforms if each is not None and sets.search(each.value)]
    added = configuration.value(_OF_SUBMIT).replace(",", " ").replace("+", " ").upper().split()
    own = configuration.knob(attribute) if attribute.upper() in added else None
    return (*found, own) if own is not None else tuple(found)
