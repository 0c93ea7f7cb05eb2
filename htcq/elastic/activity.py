"""Whether elastic quotas are kept at the moment, and the reason: one state for all that acts.

The writer, reclaim, the dead-man timer and those who look at them ask the same question of the
same journal.
"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.elastic.journal import VERIFIED, JournalState

#: Elastic quotas are in force and kept; they are, but the last step was refused; nothing was ever
#: written; a person has stopped all of it; writes came to nothing; static quotas are in force; the
#: negotiator does not show the last write; the journal cannot be read; another central manager
#: serves, and the file is as its negotiator shows.
ON, HELD, NEVER, OFF, FAILED, STATIC, UNVERIFIED, UNKNOWN, FOLLOWS = (
    "on",
    "held",
    "never",
    "off",
    "failed",
    "static",
    "unverified",
    "unknown",
    "follows",
)
WORDS = (ON, HELD, NEVER, OFF, FAILED, STATIC, UNVERIFIED, UNKNOWN, FOLLOWS)
#: How the words are said that do not follow "elastic quotas are".
_SAID = {
    NEVER: "elastic quotas are not in force",
    FAILED: "elastic quotas are not in force",
    UNKNOWN: "it is not known whether elastic quotas are in force",
    FOLLOWS: "elastic quotas are written by another central manager",
}


@dataclass(frozen=True)
class Activity:
    """One of the words above, and a sentence on why, empty where it is :data:`ON`."""

    word: str
    why: str = ""

    @property
    def sentence(self) -> str:
        """The state and why it is so, for people."""
        said = _SAID.get(self.word, f"elastic quotas are {self.word}")
        return f"{said}: {self.why}" if self.why else said

    @property
    def writes(self) -> bool:
        """Whether the writer may take a step without a person."""
        return self.word not in (OFF, FAILED, UNKNOWN)

    @property
    def vacates(self) -> bool:
        """Whether jobs may be vacated: only for quotas that the negotiator really has."""
        return self.word in (ON, HELD, NEVER)


@dataclass(frozen=True)
class LastDay:
    """What the journals have of the last 24 hours.

    ``refused`` steps, ``writes``, jobs that reclaim has ``vacated``, and the work that these have
    ``lost``, in slot weight times hours.
    """

    refused: int = 0
    writes: int = 0
    vacated: int = 0
    lost: float = 0.0


def activity_of(state: JournalState, max_failures: int) -> Activity:
    """Return whether elastic quotas are kept after ``state``.

    After ``max_failures`` failed writes in a row only a person may begin again; 0: no limit.
    """
    if state.stopped:
        return Activity(OFF, f"stopped by {state.stopped}; 'htcq elastic on' begins again")
    if state.failures >= max_failures > 0:
        why = f"the last {state.failures} writes failed; 'htcq elastic on' begins again"
        return Activity(FAILED, why)
    if state.follows:
        return Activity(FOLLOWS, state.follows)
    if state.in_force is None:
        return Activity(NEVER, "no quotas were written yet")
    if state.unfinished is not None or state.result != VERIFIED:
        return Activity(UNVERIFIED, "the negotiator was not seen to have the last quotas written")
    if not state.elastic:
        why = f"static quotas are in force since {state.in_force.what}"
        return Activity(STATIC, f"{why}; the next step of 'htcq elastic run' makes them elastic")
    if state.refused:
        return Activity(HELD, f"the last step was refused: {state.refused}")
    return Activity(ON)
