"""Levels and methods of security of a negotiator, access points and execution points, side by side."""

from __future__ import annotations

import pytest

from htcq.audit.rule import Severity
from htcq.pool.pool import Pool
from tests.audit.sites import found, job, negotiator, pool, schedd, slot

RULE = "security-does-not-match"
FS, TOKENS = (
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = IDTOKENS\n",
)
REQUIRED = "SEC_DEFAULT_AUTHENTICATION = REQUIRED\n"
ALONE = "SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION = False\n"


def site(central: str, access: str, execute: str = "", machine: str = "access1") -> Pool:
    """Return a pool of three machines, or of fewer where the access point is on the central one."""
    return pool(
        slot(),
        schedd(Machine=f'"{machine}"'),
        negotiator(),
        jobs=[job(), job("2.0")],
        config=central,
        access={"access1": access},
        execute={"node1": execute},
    )


@pytest.mark.parametrize(
    ("central", "access", "said"),
    [
        (FS, f"{TOKENS}SEC_NEGOTIATOR_AUTHENTICATION = REQUIRED\n", "no method of authentication in common"),
        (f"{FS}{REQUIRED}", TOKENS, "no method of authentication in common"),
        ("SEC_CLIENT_INTEGRITY = NEVER\n", "SEC_NEGOTIATOR_INTEGRITY = REQUIRED\n", "no integrity"),
        ("SEC_DEFAULT_ENCRYPTION = REQUIRED\n", "SEC_DEFAULT_ENCRYPTION = NEVER\n", "no encryption"),
        ("SEC_DEFAULT_AUTHENTICATION = NEVER\n", REQUIRED, "no authentication"),
    ],
)  # fmt: skip
def test_what_one_side_requires_and_the_other_does_not_do(
    central: str, access: str, said: str
) -> None:
    assert not found(RULE, site(central, access))
    (finding,) = found(RULE, site(central, access + ALONE))

    assert finding.severity is Severity.ERROR
    assert "the negotiator has SEC_" in finding.message
    assert "schedd access1 has SEC_" in finding.message
    assert said in finding.message
    assert finding.harm.jobs == 2


@pytest.mark.parametrize(
    ("central", "access"),
    [
        (f"{FS}{REQUIRED}", f"{FS}{REQUIRED}"),
        # IDTOKENS, TOKEN and TOKENS are one method.
        (f"SEC_DEFAULT_AUTHENTICATION_METHODS = FS,TOKEN\n{REQUIRED}", f"{TOKENS}{REQUIRED}"),
        # The settings of the level come before those of DEFAULT.
        (FS, f"{TOKENS}{REQUIRED}SEC_NEGOTIATOR_AUTHENTICATION_METHODS = SSL FS\n"),
        # Without REQUIRED a failed authentication is no end.
        (FS, f"{TOKENS}SEC_DEFAULT_AUTHENTICATION = PREFERRED\n"),
        ("SEC_DEFAULT_AUTHENTICATION = OPTIONAL\n", REQUIRED),
        ("SEC_DEFAULT_AUTHENTICATION = NEVER\n", "SEC_DEFAULT_AUTHENTICATION = PREFERRED\n"),
        # What is not set depends on what the machine has.
        (REQUIRED, f"{TOKENS}{REQUIRED}"),
    ],
)
def test_what_can_be_agreed_on_is_none(central: str, access: str) -> None:
    assert not found(RULE, site(central, access + ALONE))


def test_children_of_one_master_have_a_session() -> None:
    central, access = f"{FS}{REQUIRED}", f"{TOKENS}{ALONE}"
    apart = "SEC_USE_FAMILY_SESSION = False\n"

    assert not found(RULE, site(central, access, machine="central"))
    assert found(RULE, site(central, access + apart, machine="central"))


def test_a_claim_needs_an_agreement_only_without_the_session_of_the_match() -> None:
    access, execute = f"{FS}{REQUIRED}", f"{TOKENS}{REQUIRED}"

    assert not found(RULE, site(FS, access, execute))
    (finding,) = found(RULE, site(FS, access, f"{execute}{ALONE}"))
    assert "schedd access1 has SEC_DEFAULT_AUTHENTICATION_METHODS = FS" in finding.message
    assert "startd node1 has SEC_DEFAULT_AUTHENTICATION_METHODS = IDTOKENS" in finding.message
