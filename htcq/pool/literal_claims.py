"""The claims of a pool as the ads of its slots spell them, without evaluating anything.

A startd writes these attributes as plain values (src/condor_startd.V6/claim.cpp:Claim::publish,
25.14). So a process that acts can check what a confined one has found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from htcq.classads import Value, as_number
from htcq.pool.ad_lines import AdSchema
from htcq.pool.adtext import Damage, read_ads
from htcq.pool.slot import SLOT_TYPES, charged_to, is_claimed
from htcq.pool.values import Literals

_READ = AdSchema(
    (
        "name",
        "state",
        "accountinggroup",
        "remoteuser",
        "remotescheddname",
        "jobid",
        "jobstart",
        "lastheardfrom",
    ),
)


class LiteralClaim(NamedTuple):
    """The submitter and the job that a slot is charged for; empty where the ad has no text.

    ``started`` is when the job began, in seconds since 1970; 0 where the ad has no number.
    """

    slot: str
    submitter: str
    schedd: str
    job: str
    started: float = 0.0


@dataclass(frozen=True)
class LiteralClaims:
    """How many slots are claimed, and whose they are.

    Two startds of one name make two claims of one slot. ``heard`` is when the collector received
    the newest ad of a claim, in seconds since 1970 (0: unknown).
    """

    count: int
    claims: frozenset[LiteralClaim]
    heard: float = 0.0


def literal_claims(chunks: Iterable[bytes]) -> LiteralClaims:
    """Return the claims in the text of a collector's ads.

    Raises:
        InputError: one of the ads is far too long.
    """
    count, found, heard = 0, set(), 0.0
    schemas = dict.fromkeys(SLOT_TYPES, _READ)
    for ad in read_ads(chunks, schemas, Damage(), Literals()):
        name, state, group, user, schedd, job, started, last = ad.own
        if is_claimed(state):
            count += 1
            heard = max(heard, float(as_number(last) or 0))
            charged = charged_to(group, user)
            since = float(as_number(started) or 0)
            found.add(LiteralClaim(_text(name), charged, _text(schedd), _text(job), since))
    return LiteralClaims(count, frozenset(found), heard)


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    return ""
