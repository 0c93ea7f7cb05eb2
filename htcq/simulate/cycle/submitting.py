"""Requests as the negotiator sees them: with what it writes into them about their submitters.

Follows negotiate and getGroupInfoFromUserId of src/condor_negotiator.V6/matchmaker.cpp, HTCondor
25.14. A request has those attributes that some expression names; they change while a submitter
is matched, and make it another request.
"""

from __future__ import annotations

from collections.abc import Container

from htcq.pool.job import Job
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.poolquota.pool_quotas import PoolQuotas
from htcq.quota.group_tree import ROOT
from htcq.simulate.cycle.accounts import Accounts
from htcq.simulate.cycle.queues import Request
from htcq.simulate.cycle.significant import Significant

_PRIORITIES = ("SubmitterUserPrio", "SubmittorPrio")
_USED, _NEGOTIATING, _REGROUPS = (
    "SubmitterUserResourcesInUse",
    "SubmitterNegotiatingGroup",
    "SubmitterAutoregroup",
)
_GROUP, _GROUP_USED, _GROUP_QUOTA = (
    "SubmitterGroup",
    "SubmitterGroupResourcesInUse",
    "SubmitterGroupQuota",
)
#: All of them, in lower case.
NAMES = frozenset(
    name.lower()
    for name in (*_PRIORITIES, _USED, _NEGOTIATING, _REGROUPS, _GROUP, _GROUP_USED, _GROUP_QUOTA)
)


class Submitting:
    """Requests with the attributes of their submitters.

    ``words`` are those of all expressions of a cycle.
    """

    def __init__(
        self,
        quotas: PoolQuotas,
        accounts: Accounts,
        words: Container[str],
        significant: Significant,
    ) -> None:
        self._quotas, self._accounts, self._significant = quotas, accounts, significant
        self._named = frozenset(name for name in NAMES if name in words)
        self._sent: dict[int, Job] = {}
        self._known: dict[tuple[int, tuple[tuple[str, str], ...]], Request] = {}
        self._frames: dict[tuple[int, tuple[tuple[str, str], ...]], SharedAttributes] = {}
        self._expressions = Expressions()

    def of(self, request: Request, submitter: str, priority: float, negotiating: str) -> Request:
        """Return ``request`` as ``submitter`` makes it now, with the group ``negotiating``."""
        sent = self._sent.get(id(request))
        if sent is None:
            sent = self._sent[id(request)] = self._significant.sent(request.first)
        if not self._named and sent is request.first:
            return request
        texts = tuple(self._texts(submitter, priority, negotiating))
        key = (id(request), texts)
        if key not in self._known:
            self._known[key] = Request(sent._replace(frame=self._frame(sent.frame, texts)))
        return self._known[key]

    def _frame(
        self, frame: SharedAttributes, texts: tuple[tuple[str, str], ...]
    ) -> SharedAttributes:
        key = (id(frame), texts)
        if key not in self._frames:
            self._frames[key] = frame.changed(dict(texts), self._expressions)
        return self._frames[key]

    def _texts(self, submitter: str, priority: float, negotiating: str) -> list[tuple[str, str]]:
        regroups = negotiating == ROOT and self._quotas.tree[ROOT].autoregroup
        values: dict[str, str] = {
            **dict.fromkeys(_PRIORITIES, repr(float(priority))),
            _USED: repr(float(self._accounts.usage(submitter))),
            _NEGOTIATING: f'"{negotiating}"',
            _REGROUPS: "true" if regroups else "false",
        }
        if self._quotas.grouped:
            group = self._accounts.group_of(submitter)
            values[_GROUP] = f'"{group}"'
            values[_GROUP_USED] = repr(float(self._accounts.groups[group]))
            values[_GROUP_QUOTA] = repr(self._accounts.quota(group))
        return [(name, text) for name, text in values.items() if name.lower() in self._named]
