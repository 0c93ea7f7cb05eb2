"""The claims of a pool as the ads of its slots spell them, without evaluating anything.

A startd writes these attributes as plain values (src/condor_startd.V6/claim.cpp:Claim::publish,
25.14). So a process that acts can check what a confined one has found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from htcq.classads import Value
from htcq.pool.ad_lines import AdSchema
from htcq.pool.adtext import Damage, read_ads
from htcq.pool.slot import SLOT_TYPES, charged_to, is_claimed
from htcq.pool.values import Literals

_READ = AdSchema(
    ("name", "state", "accountinggroup", "remoteuser", "remotescheddname", "jobid"),
)


class LiteralClaim(NamedTuple):
    """Which submitter is charged for a slot, and for which job; empty where that is no text."""

    slot: str
    submitter: str
    schedd: str
    job: str


@dataclass(frozen=True)
class LiteralClaims:
    """How many slots are claimed, and whose they are.

    Two startds of one name make two claims of one slot.
    """

    count: int
    claims: frozenset[LiteralClaim]


def literal_claims(chunks: Iterable[bytes]) -> LiteralClaims:
    """Return the claims in the text of a collector's ads.

    Raises:
        InputError: one of the ads is far too long.
    """
    count, found = 0, set()
    schemas = dict.fromkeys(SLOT_TYPES, _READ)
    for ad in read_ads(chunks, schemas, Damage(), Literals()):
        name, state, group, user, schedd, job = ad.own
        if is_claimed(state):
            count += 1
            charged = charged_to(group, user)
            found.add(LiteralClaim(_text(name), charged, _text(schedd), _text(job)))
    return LiteralClaims(count, frozenset(found))


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return ""
