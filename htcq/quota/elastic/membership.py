"""The group of a submitter's jobs, those that name no group included.

The order is Koordinator's (pkg/scheduler/plugins/elasticquota/pod_handler.go, commit a7a1b76:
the name, then the one who submits, then the default group); where a submitter's name has its
group, and what becomes of a group that does not exist, is HTCondor's
(src/condor_negotiator.V6/GroupEntry.cpp:GetAssignedGroup, 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from htcq.quota.elastic.declaration import DEFAULT, Amounts, ElasticDemand, ElasticGroup
from htcq.quota.group_tree import name_key

#: Among the ``users`` of a group: everybody whose jobs belong to no other group.
EVERYBODY = "*"


@dataclass(frozen=True)
class Membership:
    """The group of a submitter.

    ``named`` is the one that it names (empty: none), whether it exists or not.
    """

    group: str
    named: str = ""

    @property
    def unknown(self) -> bool:
        """Whether it names a group that is not there."""
        return bool(self.named) and name_key(self.group) != name_key(self.named)


class Members:
    """Members of ``groups``; the case of group names does not matter, that of users does."""

    def __init__(self, groups: Iterable[ElasticGroup]) -> None:
        self._groups: dict[bytes, str] = {}
        self._users: dict[str, str] = {}
        for group in sorted(groups, key=lambda each: each.name):
            self._groups.setdefault(name_key(group.name), group.name)
            for user in group.users:
                self._users.setdefault(user, group.name)

    def group(self, name: str) -> str | None:
        """Return the declared spelling of a group's name; None where there is no such group."""
        return self._groups.get(name_key(name))

    def membership(self, submitter: str) -> Membership:
        """Return the group of ``submitter`` (``group.user@domain`` or ``user@domain``).

        A submitter that names no group belongs to the group that has the user among its ``users``.
        One that names a group which does not exist belongs to the nearest one above that exists.
        Everybody else belongs to the group of :data:`EVERYBODY`, or to the default group.
        """
        owner = submitter.rpartition("@")[0]
        path, dot, user = owner.rpartition(".")
        if not dot:
            return Membership(self._users.get(user, self.catch_all))
        return Membership(self.group(path) or self._nearest(path), path)

    def _nearest(self, path: str) -> str:
        """Return the last group on the way to ``path``; the catch-all where there is none."""
        found, place = self.catch_all, ""
        for component in path.split("."):
            place = f"{place}.{component}".lstrip(".")
            below = self.group(place)
            if below is None:
                break
            found = below
        return found

    @property
    def catch_all(self) -> str:
        """The group of jobs that no other group has."""
        return self._users.get(EVERYBODY, DEFAULT)


@dataclass(frozen=True)
class Assigned:
    """Demand by group, from demand by group or submitter.

    ``default_request`` is the request of jobs without a group. ``unknown`` are the names of groups
    that do not exist, ``lost`` the submitters that name such a group.
    """

    demand: ElasticDemand
    default_request: Amounts
    unknown: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def assign(groups: Iterable[ElasticGroup], demand: ElasticDemand) -> Assigned:
    """Return the demand by group.

    A name with ``@`` is a submitter's; amounts of one group add up. The usage of jobs without a
    group counts as ``default_used``.
    """
    members = Members(groups)
    request, unknown = _gathered(members, demand.request)
    used, unknown_users = _gathered(members, demand.used)
    guarantee, unknown_guaranteed = _gathered(members, demand.guarantee)
    default_used = dict(demand.default_used)
    _add(default_used, used.pop(DEFAULT, {}))
    default_request = request.pop(DEFAULT, {})
    lost = set()
    for name in (*demand.request, *demand.used):
        if "@" in name and members.membership(name).unknown:
            lost.add(name)
    return Assigned(
        replace(demand, request=request, used=used, guarantee=guarantee, default_used=default_used),
        default_request,
        tuple(sorted(unknown | unknown_users | unknown_guaranteed)),
        tuple(sorted(lost)),
    )


def _gathered(
    members: Members, amounts: Mapping[str, Amounts]
) -> tuple[dict[str, dict[str, int]], set[str]]:
    found: dict[str, dict[str, int]] = {}
    unknown = set()
    for name in sorted(amounts):
        group = members.group(name)
        if "@" in name:
            group = members.membership(name).group
        if group is None:
            unknown.add(name)
        else:
            _add(found.setdefault(group, {}), amounts[name])
    return found, unknown


def _add(into: dict[str, int], amounts: Amounts) -> None:
    for dimension, amount in amounts.items():
        into[dimension] = into.get(dimension, 0) + amount
