"""Requests as schedds send them: a job without the attributes that are not significant.

Follows compute_significant_attrs of src/condor_negotiator.V6/matchmaker.cpp,
src/condor_schedd.V6/autocluster.cpp (config, getClusterid) and schedd_negotiate.cpp
(sendJobInfo), HTCondor 23.9 to 25.14. What expressions of slots name is significant, less what
the negotiator leaves out of it, since 25.5. The lists of each schedd add to that, leave more
out, or replace it. What the job's own significant expressions name is significant whatever these
say. To slots a request does not have the others, and jobs that differ in the others alone are
one autocluster. A request that is asked for alone (SEND_JOB_INFO) is the whole job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from htcq.classads import UNDEFINED
from htcq.htcondor.releases import REMOVED_BY_NEGOTIATOR
from htcq.pool.job import PLACES, Job
from htcq.pool.projection import reached
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.values import text_of
from htcq.poolquota.access.access_points import AccessPoints
from htcq.poolquota.access.significant_lists import (
    ONLY,
    REMOVED,
    SignificantLists,
    removed_names,
)
from htcq.quota.knobs import Knobs
from htcq.simulate.cycle.job_queues import NOT_COMPARED, Likeness, likeness

_PATTERN, _USUAL_PATTERN = "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX", "^Slot[0-9]*_"
#: What the negotiator takes for attributes of slots since it leaves any out.
_OF_SLOTS = frozenset({
    "lastheardfrom", "remoteuser", "remoteowner", "totaljobruntime", "machinelastmatchtime",
    "jobcurrentstartdate", "jobstate", "mips", "kflops", "slotid", "dslotid", "partitionableslot",
    "dynamicslot", "offline", "pelicanpluginversion",
})  # fmt: skip
#: In a request in any case.
_SENT = frozenset({"owner", "clusterid", "procid", "globaljobid", "autoclusterid"})
#: Kept of jobs for what comes after a match: jobs that differ in these alone are one autocluster,
#: unless an expression names them.
_LATER = frozenset(
    {"isnoopjob", "jobmaterializepaused", "managed", "maxjobretirementtime", "niceuser"}
)
#: Longer is no name that a pattern is meant for.
_MAX_LETTERS = 100


@dataclass(frozen=True)
class _Sent:
    """What requests show of the jobs of one frame.

    ``hidden`` are the places in the job of what a request lacks, ``places`` those of what tells
    jobs apart.
    """

    frame: SharedAttributes
    hidden: frozenset[int]
    places: tuple[int, ...]


class Significant:
    """The attributes of jobs that requests have.

    ``named`` are the words of all expressions of slots.

    ``compared`` are the words of all expressions that may tell jobs apart, as far as they are
    attributes of a job's own. ``negotiator`` is the
    version of the negotiator; empty where it is not known, then it counts as a new one.
    """

    def __init__(
        self,
        knobs: Knobs,
        named: Iterable[str],
        compared: Iterable[str],
        access: AccessPoints,
        negotiator: tuple[int, ...] = (),
    ) -> None:
        self._removed, self._pattern = frozenset[str](), None
        if REMOVED_BY_NEGOTIATOR.holds(negotiator):
            self._removed = removed_names(knobs, negotiator) | _OF_SLOTS
            self._pattern = _compiled(knobs.text_or(_PATTERN, _USUAL_PATTERN))
        self._named = frozenset(name for name in named if not self._left_out(name))
        self._compared = frozenset(compared).intersection(PLACES) - NOT_COMPARED
        #: The access points whose jobs it is asked for.
        self.access = access
        self._roots: dict[SignificantLists, frozenset[str]] = {}
        self._known: dict[tuple[int, str], tuple[_Sent, SharedAttributes]] = {}
        #: One frame for all that show the same, also where nothing is left out of it.
        self._alike: dict[frozenset[tuple[str, str]], SharedAttributes] = {}
        self._expressions = Expressions()

    def sent(self, job: Job) -> Job:
        """Return ``job`` as the request for it shows it.

        The same one where that shows all of it: always where one request at a time is asked for.
        """
        if self.access[self.access.name_of(job)].lists_one:
            return job
        known = self._of(job)
        if known.frame is job.frame and not known.hidden:
            return job
        shown = (
            UNDEFINED if place in known.hidden else value
            for place, value in enumerate(job[1:-1], 1)
        )
        return Job._make((known.frame, *shown, job.life))

    def left_out_by(self, name: str, job: Job) -> str:
        """Return the knob for which requests like that for ``job`` lack ``name``, with its daemon.

        Empty where none leaves it out.
        """
        key, access = name.lower(), self.access.of(job)
        if access.lists_one or key in _SENT:
            return ""
        if access.significant.lacks(key):
            return f"{ONLY if access.significant.only else REMOVED} of {access.name}"
        if key in self._removed - _OF_SLOTS:
            return f"{REMOVED} of the negotiator"
        return f"{_PATTERN} of the negotiator" if self._left_out(key) else ""

    def likeness(self, job: Job) -> Likeness:
        """Return what is equal for jobs of one autocluster."""
        known = self._of(job)
        return likeness(job, known.frame, known.places)

    def _of(self, job: Job) -> _Sent:
        schedd = self.access.name_of(job)
        key = (id(job.frame), schedd)
        found = self._known.get(key)
        if found is None:
            sent = self._found(job.frame, self.access[schedd].significant)
            # What is known by its id must live.
            found = self._known[key] = (sent, job.frame)
        return found[0]

    def _found(self, frame: SharedAttributes, lists: SignificantLists) -> _Sent:
        """Return what requests for jobs with ``frame`` show that a schedd with ``lists`` sends."""
        plain = self.access.plain(frame)
        if lists not in self._roots:
            self._roots[lists] = lists.significant(self._named)
        present = {*plain.texts, *PLACES}
        left_out = {name for name in present - _SENT if self._is_left_out(name, lists)}
        left_out |= present & _LATER
        if left_out:
            left_out -= reached(self._roots[lists], plain)
        # What other jobs' expressions name is not significant for these.
        told_apart = self._compared & (self._named | plain.words())
        told_apart = (told_apart | ((lists.only or lists.added) & PLACES.keys())) - left_out
        return _Sent(
            self._shown(frame, left_out & frame.texts.keys()),
            frozenset(PLACES[name] for name in left_out & self._compared),
            tuple(sorted(PLACES[name] for name in told_apart)),
        )

    def _shown(self, frame: SharedAttributes, left_out: set[str]) -> SharedAttributes:
        if not left_out:
            return self._alike.setdefault(frozenset(frame.texts.items()), frame)
        kept = frozenset((name, text) for name, text in frame.texts.items() if name not in left_out)
        if kept not in self._alike:
            lines = tuple(line for line in frame.lines if text_of(line[0]).lower() not in left_out)
            self._alike[kept] = SharedAttributes(lines, self._expressions)
        return self._alike[kept]

    def _is_left_out(self, name: str, lists: SignificantLists) -> bool:
        if lists.only:
            return True
        return name in lists.removed or self._left_out(name)

    def _left_out(self, name: str) -> bool:
        """Return whether the negotiator leaves ``name`` out."""
        if name in self._removed:
            return True
        return self._pattern is not None and self._pattern.search(name[:_MAX_LETTERS]) is not None


def _compiled(text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text, re.IGNORECASE) if text else None
    except re.error:
        return None
