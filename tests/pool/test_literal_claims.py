"""Claims as the ads of slots spell them: what is no plain value is unknown, and nothing is evaluated."""

from __future__ import annotations

import pytest

from htcq.pool import values
from htcq.pool.literal_claims import LiteralClaim, literal_claims
from tests.audit.sites import dynamic_slot, schedd, slot

OF_JOB = {"RemoteScheddName": '"access1"', "JobId": '"7.1"', "JobStart": 1795248000}


def found(*ads: str) -> tuple[int, set[LiteralClaim]]:
    claims = literal_claims(["\n".join((*ads, "")).encode()])
    return claims.count, set(claims.claims)


def test_a_claim_has_its_slot_submitter_and_job() -> None:
    claim = dynamic_slot("slot1_1@node1", "physics.ann@site", **OF_JOB)
    assert found(slot("slot1@node1"), claim, schedd()) == (
        1,
        {LiteralClaim("slot1_1@node1", "physics.ann@site", "access1", "7.1", 1795248000.0)},
    )


def test_nothing_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> object:
        raise AssertionError

    monkeypatch.setattr(values, "Expr", never)
    odd = {**OF_JOB, "AccountingGroup": 'strcat("physics", ".ann@site")'}
    odd["RemoteUser"] = "MY.AccountingGroup"
    claim = dynamic_slot("slot1_1@node1", "physics.ann@site", **odd)
    assert found(claim) == (1, {LiteralClaim("slot1_1@node1", "", "access1", "7.1", 1795248000.0)})


def test_what_is_no_state_is_no_claim() -> None:
    """A share of the claims must not grow by what nobody has evaluated."""
    claim = dynamic_slot("slot1_1@node1", "physics.ann@site", State='strcat("Cl", "aimed")')
    assert found(claim, slot("slot1@node1", State='"Preempting"'))[0] == 1
