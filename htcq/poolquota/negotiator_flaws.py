"""Knobs of any kind at which the negotiator exits when it reads them.

Those of groups are met while the groups are read (:mod:`htcq.quota.group_tree`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from htcq.htcondor.knob_names import split_prefix
from htcq.htcondor.knob_types import Type
from htcq.pool.configuration import Configuration
from htcq.pool.knob_values import Flaw, flaws
from htcq.quota.knobs import ProblemKind, TreeProblem

#: It reads these when a job has a limit, or a submitter of the group has no factor of its own.
_ON_DEMAND = frozenset(
    (
        "CONCURRENCY_LIMIT_DEFAULT",
        "CONCURRENCY_LIMIT_DEFAULT_<scope>",
        "GROUP_PRIO_FACTOR_<group>",
    )
)
#: It reads these when groups have their turns (GroupEntry.cpp).
_OF_GROUPS_ALONE = frozenset(
    (
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
        "GROUP_QUOTA_ROUND_ROBIN_RATE",
        "HFS_MAX_ALLOCATION_ROUNDS",
        "HFS_ROUND_ROBIN_RATE",
    )
)
_READERS = frozenset(("negotiator", "all"))


def with_unusable(
    configuration: Configuration | None, known: Sequence[TreeProblem]
) -> tuple[TreeProblem, ...]:
    """Return the problems that are ``known`` and what else makes the negotiator exit."""
    if configuration is None:
        return tuple(known)
    return (*known, *_unusable(configuration, known))


def _unusable(configuration: Configuration, known: Sequence[TreeProblem]) -> Iterator[TreeProblem]:
    named = {problem.knob.upper() for problem in known if problem.fatal}
    for flaw in flaws(configuration, _READERS):
        prefix, own = split_prefix(flaw.knob.name)
        if not flaw.exits or flaw.known.name in _ON_DEMAND or own.upper() in named:
            continue
        if prefix.upper() in ("", "NEGOTIATOR."):
            yield TreeProblem(_kind(flaw), "", flaw.knob.name, flaw.text)


def first_fatal(problems: Iterable[TreeProblem], grouped: bool) -> TreeProblem | None:
    """Return the first problem on which the negotiator exits before, or in, each cycle.

    ``grouped`` says that there are groups, whose turns have knobs of their own.
    """
    for problem in problems:
        if problem.fatal and (grouped or problem.knob.upper() not in _OF_GROUPS_ALONE):
            return problem
    return None


def _kind(flaw: Flaw) -> ProblemKind:
    if flaw.known.type is Type.EXPRESSION:
        return "not-an-expression"
    if flaw.out_of_range:
        return "out-of-range"
    if flaw.known.type is Type.BOOLEAN:
        return "not-a-boolean"
    return "not-a-number"
