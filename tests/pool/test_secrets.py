"""What is a secret, by its name or by its looks."""

from __future__ import annotations

import pytest

from htcq.pool.secrets import REMOVED, is_secret_attribute, is_secret_knob, scrub, scrub_knob

CLAIM = (
    '<127.0.0.1:5501?addrs=127.0.0.1-5501&alias=node.test>#1795251229#4#[Integrity=\\"NO\\";Encryption=\\"NO\\";'
    'CryptoMethodsList=\\"AES.BLOWFISH.3DES\\";]47bdce5d7a64525915611eb81f16ee50'
)


@pytest.mark.parametrize(
    "name",
    [
        "ClaimId", "claimid", "ClaimIds", "ClaimIdList", "ChildClaimIds", "PairedClaimId", "PublicClaimId",
        "Capability",
        "TransferKey", "_condor_privSomething", "Env", "Environment", "MyPassword", "AuthTokenId", "ScitokensFile",
        "SciTokenFile", "x509UserProxySubject", "EC2SecretAccessKey", "OAuthAccessToken", "PoolSigningKey", "apikey",
    ],
)  # fmt: skip
def test_a_secret_attribute_is_known_by_its_name(name: str) -> None:
    assert is_secret_attribute(name)


@pytest.mark.parametrize(
    "name",
    [
        "NumClaims", "ClaimRequests", "CUDACapability", "GPUs_Capability", "LinuxCapabilities", "KeyboardIdle",
        "Tokens",
        "TotalSlotTokens", "ConsumptionTokens", "RequestTokens", "AcctGroup", "Owner", "State", "EnteredCurrentState",
    ],
)  # fmt: skip
def test_what_htcondor_publishes_for_all_is_no_secret(name: str) -> None:
    assert not is_secret_attribute(name, "1")


def test_a_name_that_an_asset_may_have_is_a_secret_where_a_text_stands_behind_it() -> None:
    assert not is_secret_attribute("Tokens", "12")
    assert is_secret_attribute("Tokens", '"abcdef"')


@pytest.mark.parametrize(
    "name",
    [
        "SEC_PASSWORD_FILE", "SEC_CLAIMTOBE_USER", "NEGOTIATOR.SEC_TOKEN_DIRECTORY", "HTCQ_PASSWORD",
        "SITE_TOKEN", "MY_SECRET", "CREDD_HOST", "AUTH_SSL_SERVER_KEYFILE", "SIGNING_KEY", "X_KEYS",
        "STARTD_CLAIM_ID_FILE", "BOX_CLIENT_SECRET_FILE", "CLAIMTOBE_USER",
    ],
)  # fmt: skip
def test_a_secret_knob_is_known_by_its_name(name: str) -> None:
    assert is_secret_knob(name)


@pytest.mark.parametrize(
    "name",
    [
        "CONSUMPTION_TOKENS", "SLOT_TYPE_1_CONSUMPTION_TOKENS", "MACHINE_RESOURCE_TOKENS", "CLAIM_WORKLIFE", "START",
        "KEEP_DATA_CLAIM_IDLE", "SLOTS_CONNECTED_TO_KEYBOARD", "STARTD_JOB_HOOK_KEYWORD", "GROUP_QUOTA_monkey",
         "GROUP_QUOTA_DYNAMIC_secret.tokens", "SLOT_WEIGHT",
    ],
)  # fmt: skip
def test_knobs_of_assets_and_policies_are_no_secrets(name: str) -> None:
    assert not is_secret_knob(name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SEC_DEFAULT_AUTHENTICATION", "REQUIRED"),
        ("SEC_NEGOTIATOR_AUTHENTICATION_METHODS", "FS, IDTOKENS,ssl PASSWORD"),
        ("SCHEDD.SEC_CLIENT_CRYPTO_METHODS", "AES,3DES"),
        ("SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION", "False"),
        ("SEC_ADVERTISE_STARTD_INTEGRITY", ""),
    ],
)
def test_levels_and_methods_of_security_are_no_secrets_and_nothing_else_in_their_place_is_kept(
    name: str, value: str
) -> None:
    assert not is_secret_knob(name, value)
    assert is_secret_knob(name, "open sesame")
    assert is_secret_knob(name, "REQUIREDabc")
    assert is_secret_knob(name, f"{value} hunter2")


@pytest.mark.parametrize(
    "name", ["CONCURRENCY_LIMIT_DEFAULT_token", "license_key_LIMIT", "NEGOTIATOR.host_key_LIMIT"]
)
def test_the_amount_of_a_concurrency_limit_is_no_secret_whatever_it_is_called(name: str) -> None:
    assert not is_secret_knob(name)
    assert not is_secret_knob(name, "2 * 10")
    assert is_secret_knob(name, "open sesame")


@pytest.mark.parametrize(
    "text",
    [
        f'Hidden = "{CLAIM}"',
        'Hidden = { "<10.0.0.1:9618?x=y>#1#2#abcdef0123","<[2001:db8::1]:9618>#33#4#..." }',
        'Hidden = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"',
        'Hidden = "https://anna:open-sesame@example.org/x"',
        "Hidden = -----BEGIN RSA PRIVATE KEY-----\nopen-sesame\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_secret_is_known_by_its_looks(text: str) -> None:
    cleaned = scrub(f"Before = 1\n{text}\nAfter = 2")

    for secret in ("47bdce5d", "abcdef0123", "#33#4", "eyJ", "open-sesame", "Integrity"):
        assert secret not in cleaned
    assert REMOVED in cleaned
    assert cleaned.startswith("Before = 1\nHidden = ")
    assert cleaned.endswith("\nAfter = 2")


@pytest.mark.parametrize(
    "text",
    [
        'GlobalJobId = "node.test#1.0#1795251257"',
        'MyAddress = "<127.0.0.1:33093?addrs=127.0.0.1-33093&alias=node.test>"',
        'Requirements = TARGET.Url == "https://example.org:8443/x@y"',
        "START = (A<B) && (C>D)",
        "if $(USE_POOL_PASSWORD:no)",
    ],
)
def test_nothing_else_is_touched(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ('"DB_LOGIN=ada KEY=x=y"', f'"DB_LOGIN={REMOVED} KEY={REMOVED}"'),
        ("\"A='x y' B=it's\"", f"\"A='{REMOVED} {REMOVED}' B={REMOVED}'{REMOVED}\""),
        ("A=1;B=2", f"A={REMOVED};B={REMOVED}"),
        ("", ""),
        (f'"A={REMOVED}"', f'"A={REMOVED}"'),
    ],
)
def test_of_the_environment_of_all_jobs_names_and_quotes_are_kept(value: str, kept: str) -> None:
    """A quote too few keeps each job from starting; what a site hands to jobs may be a password."""
    for name in ("STARTER_JOB_ENVIRONMENT", "starter.Starter_Job_Environment"):
        assert scrub_knob(name, value) == kept
    assert scrub_knob("STARTER_UPDATE_INTERVAL", "300") == "300"
