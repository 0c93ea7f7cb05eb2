"""Transforms and submit requirements, which a schedd applies to jobs at submission.

Follows initAndReconfig of src/condor_schedd.V6/job_transforms.cpp and Init of schedd.cpp,
HTCondor 25.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from htcq.classads import parsed
from htcq.htcondor.releases import TRANSFORMS_AS_ADS
from htcq.pool.configuration import Configuration
from htcq.pool.secrets import is_secret_knob
from htcq.pool.set_by_access_point import TRANSFORMS, listed_names
from htcq.pool.transforms import BrokenLine, Loss, broken_lines

_OLD_SYNTAX = "it is written as a ClassAd, which schedds since 25.8.2 do not know any more"


@dataclass(frozen=True)
class JobPolicy:
    """One transform or submit requirement that is listed.

    ``ignored`` says why this schedd ignores it, ``ignored_later`` why a newer one would; both are
    empty where it is applied. ``depends_on_version`` says that the version decides, and is not
    known. ``broken`` are the lines of a transform that do not parse. ``unparsable`` says that
    nothing is applied because of one, or because a requirement does not parse: that is for the
    rule on knobs that do not parse.
    """

    knob: str
    text: str
    place: str = ""
    ignored: str = ""
    ignored_later: str = ""
    depends_on_version: bool = False
    only_warns: bool = False
    broken: tuple[BrokenLine, ...] = ()
    unparsable: bool = False


class JobPolicies:
    """The job policies of one schedd; ``version`` is empty where it is not known.

    ``as_written``: the configuration is that of files, not a dump, which has macros expanded.
    """

    def __init__(
        self, configuration: Configuration, version: tuple[int, ...], as_written: bool = False
    ) -> None:
        self._configuration, self._version = configuration, version
        self._expanded = not as_written

    def transforms(self) -> Iterator[JobPolicy]:
        """Yield the transforms that JOB_TRANSFORM_NAMES lists."""
        for name in listed_names(self._configuration, TRANSFORMS):
            knob = f"JOB_TRANSFORM_{name}"
            text, place = self._text(knob)
            if not text and is_secret_knob(knob):
                continue
            if not text:
                yield JobPolicy(knob, "", place, ignored="it is not defined")
            elif not text.startswith("["):
                yield self._transform(knob, text, place)
            elif not self._version:
                yield JobPolicy(knob, text, place, depends_on_version=True)
            elif TRANSFORMS_AS_ADS.holds(self._version):
                yield JobPolicy(knob, text, place, ignored=_OLD_SYNTAX)
            else:
                yield JobPolicy(knob, text, place, ignored_later=_OLD_SYNTAX)

    def requirements(self) -> Iterator[JobPolicy]:
        """Yield the submit requirements that SUBMIT_REQUIREMENT_NAMES lists."""
        for name in listed_names(self._configuration, "SUBMIT_REQUIREMENT_NAMES"):
            knob = f"SUBMIT_REQUIREMENT_{name}"
            text, place = self._text(knob)
            only_warns = self._configuration.truth(f"{knob}_IS_WARNING", False)
            if not text and is_secret_knob(knob):
                continue
            yield JobPolicy(
                knob,
                text,
                place,
                ignored="" if text else "it is not defined",
                only_warns=only_warns,
                unparsable=bool(text) and parsed(text) is None,
            )

    def _transform(self, name: str, text: str, place: str) -> JobPolicy:
        """Return a transform; the schedd expands its macros when a job is submitted."""
        knob = self._configuration.knob(name)
        broken = tuple(broken_lines(knob.raw if knob and knob.raw else text, self._expanded))
        unparsable = any(each.loss is Loss.TRANSFORM for each in broken)
        return JobPolicy(name, text, place, broken=broken, unparsable=unparsable)

    def _text(self, name: str) -> tuple[str, str]:
        """Return the text of a knob, and the place where it was set."""
        knob = self._configuration.knob(name)
        if knob is None:
            return self._configuration.value(name).strip(), ""
        return (knob.value or knob.raw).strip(), knob.place
