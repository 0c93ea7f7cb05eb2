"""Which group a submitter's jobs belong to, those that name no group included.

The order is Koordinator's (pkg/scheduler/plugins/elasticquota/pod_handler.go, commit a7a1b76:
the name, then the one who submits, then the default group); where a submitter's name has its
group is HTCondor's (src/condor_negotiator.V6/GroupEntry.cpp:GetAssignedGroup, 25.14).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from htcq.quota.elastic.declaration import DEFAULT, Amounts, ElasticDemand, ElasticGroup
from htcq.quota.group_tree import name_key


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
        return bool(self.named) and self.group == DEFAULT


class Members:
    """Who belongs where among ``groups``; names are the same whatever their case, users are not."""

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
        """Return where the jobs of ``submitter`` (``group.user@domain`` or ``user@domain``) belong.

        Who names no group belongs to the group that has the user among its ``users``; who names
        none that there is, to the default group.
        """
        owner = submitter.rpartition("@")[0]
        path, dot, user = owner.rpartition(".")
        if dot:
            known = self.group(path)
            return Membership(known, path) if known is not None else Membership(DEFAULT, path)
        return Membership(self._users.get(user, DEFAULT))


@dataclass(frozen=True)
class Assigned:
    """Demand by group, out of what was by group or submitter.

    ``default_request`` is what the jobs ask for that no group takes. ``unknown`` are the names
    of groups that are not there, ``lost`` the submitters that name such a group.
    """

    demand: ElasticDemand
    default_request: Amounts
    unknown: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def assign(groups: Iterable[ElasticGroup], demand: ElasticDemand) -> Assigned:
    """Return the demand by group.

    A name with ``@`` is a submitter's; amounts of one group add up.

    What jobs of no group use counts as ``default_used``.
    """
    members = Members(groups)
    unknown: set[str] = set()
    by_group = {}
    for kind, amounts in (
        ("request", demand.request),
        ("used", demand.used),
        ("guarantee", demand.guarantee),
    ):
        by_group[kind], strange = _gathered(members, amounts)
        unknown |= strange
    submitters = {
        name for amounts in (demand.request, demand.used) for name in amounts if "@" in name
    }
    default_used = dict(demand.default_used)
    _add(default_used, by_group["used"].pop(DEFAULT, {}))
    default_request = by_group["request"].pop(DEFAULT, {})
    request, used, guarantee = by_group["request"], by_group["used"], by_group["guarantee"]
    return Assigned(
        replace(demand, request=request, used=used, guarantee=guarantee, default_used=default_used),
        default_request,
        tuple(sorted(unknown)),
        tuple(sorted(name for name in submitters if members.membership(name).unknown)),
    )


def _gathered(
    members: Members, amounts: Mapping[str, Amounts]
) -> tuple[dict[str, dict[str, int]], set[str]]:
    found: dict[str, dict[str, int]] = {}
    unknown = set()
    for name in sorted(amounts):
        group = members.membership(name).group if "@" in name else members.group(name)
        if group is None:
            unknown.add(name)
        else:
            _add(found.setdefault(group, {}), amounts[name])
    return found, unknown


def _add(into: dict[str, int], amounts: Amounts) -> None:
    for dimension, amount in amounts.items():
        into[dimension] = into.get(dimension, 0) + amount
