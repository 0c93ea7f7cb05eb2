"""What an access point puts into the ads of its jobs, and its own policies on them.

Follows initAndReconfig and transformJob of src/condor_schedd.V6/job_transforms.cpp, and
SUBMIT_ATTRS in src/condor_utils/submit_utils.cpp, HTCondor 25.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from htcq.classad.parser import parse
from htcq.classad.tree import AdOf
from htcq.classads import literal
from htcq.htcondor.releases import TRANSFORMS_AS_ADS, Version
from htcq.pool.config_lines import lines_of
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


def setters_of(
    configuration: Configuration | None, attribute: str, version: Version = ()
) -> tuple[Knob, ...]:
    """Return the knobs of an access point of ``version`` that set ``attribute`` of jobs."""
    return tuple(dict.fromkeys(knob for knob, _ in assigned(configuration, attribute, version)))


def assigned(
    configuration: Configuration | None, attribute: str, version: Version = ()
) -> Iterator[tuple[Knob, str]]:
    """Yield the knobs that set ``attribute`` of jobs, each with an expression that it is set to.

    A transform that is written as a ClassAd counts where the schedd takes it: ``version``, the
    newest where it is empty.
    """
    if configuration is None:
        return
    for knob in transforms_of(configuration):
        if knob.value.lstrip().startswith("["):
            found = _in_ad(knob.value, attribute, version)
        else:
            found = _in_lines(knob.value, attribute)
        yield from ((knob, each) for each in found)
    added = configuration.value(_OF_SUBMIT).replace(",", " ").replace("+", " ").upper().split()
    own = configuration.knob(attribute) if attribute.upper() in added else None
    if own is not None:
        yield own, own.value


def _in_lines(text: str, attribute: str) -> Iterator[str]:
    sets = re.compile(rf"(?:EVALSET|SET|DEFAULT)\s+{attribute}\b\s*[=,]?\s*(.*)", re.IGNORECASE)
    for line in lines_of(text):
        found = sets.match(line.text)
        if found is not None:
            yield found.group(1)


def _in_ad(text: str, attribute: str, version: Version) -> Iterator[str]:
    """Yield what a transform sets that is an ad (xform_utils.cpp), if the schedd takes it."""
    tree = parse(text)
    if TRANSFORMS_AS_ADS.holds(version) or not isinstance(tree, AdOf):
        return
    wanted = {f"set_{attribute}".lower(), f"eval_set_{attribute}".lower()}
    for name, value in tree.attributes:
        if name.lower() in wanted:
            yield text[value.span.start : value.span.end]


def policies_of(configuration: Configuration, knob: str) -> Sequence[Knob]:
    """Return the policy ``knob``, such as SYSTEM_PERIODIC_HOLD, and those with a further name.

    One that is just false is no policy.
    """
    found = [each for each in configuration if each.bare.upper().startswith(knob) and each.value]
    policies = [each for each in found if not each.bare.upper().endswith(_BESIDE)]
    return [each for each in policies if literal(each.value) not in (0, False)]
