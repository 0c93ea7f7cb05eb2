"""The elastic group of a submitter: the one that the negotiator would charge.

:mod:`htcq.quota.elastic.membership` has the rule. HTCondor does not know of ``users`` of a group:
it charges jobs that name no group to the root.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from htcq.quota.elastic.declaration import DEFAULT, SYSTEM, ElasticGroup
from htcq.quota.elastic.membership import Members

#: Most submitters that a sentence names.
_SHOWN = 3


class GroupMembership:
    """The groups of submitters, and the submitters that count for an unexpected group."""

    def __init__(self, groups: Iterable[ElasticGroup]) -> None:
        self._members = Members(groups)
        self._known: dict[str, str] = {}
        self._lost: set[str] = set()
        self._adopted: dict[str, str] = {}

    def group_of(self, submitter: str) -> str:
        """Return the group of ``submitter``.

        It is the default group where no other is found, and the system's for an empty name.
        """
        if not submitter:
            return SYSTEM
        if submitter not in self._known:
            self._known[submitter] = self._found(submitter)
        return self._known[submitter]

    def declared(self, name: str) -> str | None:
        """Return the declared spelling of a group's name; None where there is no such group."""
        return self._members.group(name)

    def _found(self, submitter: str) -> str:
        found = self._members.membership(submitter)
        if found.unknown:
            self._lost.add(submitter)
        elif not found.named and found.group != DEFAULT:
            self._adopted[submitter] = found.group
        return found.group

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """The submitters that count for an unexpected group, as sentences.

        It is computed once, after all submitters were asked for.
        """
        problems = []
        lost = [(name, self._known[name]) for name in self._lost]
        for group, names in _by_group(lost):
            problems.append(
                f"{_some(names)} name groups that do not exist: their jobs count for {group}"
            )
        for group, names in _by_group(self._adopted.items()):
            problems.append(
                f"{_some(names)} name no group and count for {group}: the negotiator charges "
                "them to the root"
            )
        return tuple(problems)


def _by_group(found: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for name, group in sorted(found):
        groups.setdefault(group, []).append(name)
    return sorted(groups.items())


def _some(names: list[str]) -> str:
    """Return how many submitters there are, and the first of them."""
    shown = names[:_SHOWN]
    if len(names) > _SHOWN:
        shown.append("…")
    return f"{len(names)} submitters ({', '.join(shown)})"
