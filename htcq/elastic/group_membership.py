"""Which elastic group a submitter's jobs count for: the one that the negotiator would charge, were the groups its own.

Follows GroupEntry::GetAssignedGroup of src/condor_negotiator.V6/GroupEntry.cpp, HTCondor 25.14:
who names a group below one that is there is charged to that one. Jobs that name no group belong
to the group that has their user among its ``users``, which HTCondor does not know: it charges
them to the root.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from htcq.quota.elastic.declaration import DEFAULT, SYSTEM, ElasticGroup
from htcq.quota.elastic.membership import Members

#: Most submitters that a sentence names.
_SHOWN = 3


class GroupMembership:
    """The groups of submitters, and who was found to be where nobody would look."""

    def __init__(self, groups: Iterable[ElasticGroup]) -> None:
        self._members = Members(groups)
        self._known: dict[str, str] = {}
        self._lost: set[str] = set()
        self._adopted: dict[str, str] = {}

    def group_of(self, submitter: str) -> str:
        """Return the group of ``submitter``: the default one where there is none, the system's for no name at all."""
        if not submitter:
            return SYSTEM
        if submitter not in self._known:
            self._known[submitter] = self._found(submitter)
        return self._known[submitter]

    def declared(self, name: str) -> str | None:
        """Return the declared spelling of a group's name; None where there is no such group."""
        return self._members.group(name)

    def _found(self, submitter: str) -> str:
        owner = submitter.rpartition("@")[0]
        path = owner.rpartition(".")[0]
        if not path:
            group = self._members.membership(submitter).group
            if group != DEFAULT:
                self._adopted[submitter] = group
            return group
        found, place = DEFAULT, ""
        for component in path.split("."):
            place = f"{place}.{component}" if place else component
            below = self._members.group(place)
            if below is None:
                self._lost.add(submitter)
                break
            found = below
        return found

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """What is to be said of the submitters that were asked for: read once, when all were."""
        told = []
        for group, names in _by_group((name, self._known[name]) for name in self._lost):
            told.append(
                f"{_some(names)} name groups that do not exist: their jobs count for {group}"
            )
        for group, names in _by_group(self._adopted.items()):
            told.append(
                f"{_some(names)} name no group and count for {group}: the negotiator charges "
                "them to the root"
            )
        return tuple(told)


def _by_group(found: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for name, group in sorted(found):
        groups.setdefault(group, []).append(name)
    return sorted(groups.items())


def _some(names: list[str]) -> str:
    """Return how many submitters there are, and the first of them."""
    more = ", …" if names[_SHOWN:] else ""
    return f"{len(names)} submitters ({', '.join(names[:_SHOWN])}{more})"
