"""What must not stand in a snapshot: claim ids, tokens, passwords, keys and jobs' environments.

Attributes that HTCondor itself holds back are those of src/condor_utils/compat_classad.cpp
(ClassAdPrivateAttrs and the prefix _condor_priv, 25.14). What sites and users invent is
recognized by its name or by its value.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Stands where a secret was.
REMOVED = "[removed]"

_PRIVATE = frozenset({
    "capability", "childclaimids", "claimid", "claimidlist", "claimids", "pairedclaimid",
    "publicclaimid", "publicclaimids", "transferkey", "env", "environment", "envdelim",
    "starteruserlog",
})  # fmt: skip
_SECRET_WORD = re.compile(
    r"_condor_priv|claim_?ids?\Z|passw(?:or)?d|passphrase|secret|credential|x509|macaroon|bearer"
    r"|cookie|(?:private|access|api|signing|transfer|session|ssh)_?key"
    r"|(?:auth|access|refresh|id|sci)_?token(?!s?\Z)|(?:auth|access|refresh|sci)_?tokens?\Z"
    r"|token_?(?:file|value|secret)|capability_?(?:string|url)",
    re.IGNORECASE,
)
#: Assets may be called so (tokens that claims take); then their values are numbers or expressions.
_SUSPECT_WORD = re.compile(r"tokens?\Z|keys?\Z", re.IGNORECASE)
_SECRET_KNOB = re.compile(
    r"passw(?:or)?d|passphrase|secret|credential|(?:\A|[_.])cred(?:d|mon|_|\Z)|macaroon|claimtobe"
    r"|x509|(?:\A|\.)sec_|(?:\A|[_.])(?:ca|api|host|ssh)?key(?:s|_?file)?(?:_|\Z)|oauth|claim_id(?!le)",
    re.IGNORECASE,
)
#: A claim token is what HTCondor's own wiki calls an asset; knobs of assets are no secrets.
_ASSET_KNOB = re.compile(
    r"(?:\A|[_.])(?:consumption|machine_resource|modify_request|request|job_default_request"
    r"|slot_type|num_slots)",
    re.IGNORECASE,
)
#: These end in the name of a group, which may be any word.
_GROUP_KNOB = re.compile(
    r"(?:\w+\.)?GROUP_(?:QUOTA|ACCEPT|AUTOREGROUP|PRIO|SORT|NAMES|DYNAMIC)", re.IGNORECASE
)
#: Amounts of concurrency limits, which may be called after a licence key or a token.
_LIMIT_KNOB = re.compile(r"(?:\w+\.)?(?:CONCURRENCY_LIMIT_DEFAULT_.+|.+_LIMIT)\Z", re.IGNORECASE)
#: Levels and names of methods, by which daemons agree how they talk; no key stands there.
_SECURITY_KNOB = re.compile(
    r"(?:\w+\.)?SEC_(?:(?:DEFAULT|CLIENT|READ|WRITE|NEGOTIATOR|ADMINISTRATOR|CONFIG|DAEMON"
    r"|ADVERTISE_(?:MASTER|SCHEDD|STARTD))"
    r"_(?:NEGOTIATION|AUTHENTICATION|ENCRYPTION|INTEGRITY|AUTHENTICATION_METHODS|CRYPTO_METHODS)"
    r"|ENABLE_MATCH_PASSWORD_AUTHENTICATION|USE_FAMILY_SESSION)\Z",
    re.IGNORECASE,
)
_SECURITY_WORDS = re.compile(
    r"(?:(?:REQUIRED|PREFERRED|OPTIONAL|NEVER|YES|NO|TRUE|FALSE|FS|FS_REMOTE|(?:ID|SCI)?TOKENS?"
    r"|SSL|KERBEROS|PASSWORD|MUNGE|CLAIMTOBE|ANONYMOUS|NTSSPI|GSI|AES|BLOWFISH|3DES)(?:[\s,]+|\Z)"
    r")*",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[-+*/().0-9eE\s]*\Z")
_KEYBOARD = re.compile(r"keyboard|keyword", re.IGNORECASE)
_TOKEN = re.compile(r"token", re.IGNORECASE)

#: A claim id: a daemon's address, its birthday, a number, then session and key
#: (condor_claimid_parser.h).
_CLAIM_ID = r"<[^<>\s]*>#[0-9]+#[0-9]+(?:#?\[[^\]]*\])?[^\s\"',\\}]*"
_JWT = r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"
_PEM = r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)"
_URL_PASSWORD = r"(?<=://)[^\s/@:\"]*:[^\s/@\"]+(?=@)"
_SECRET_VALUE = re.compile("|".join((_CLAIM_ID, _JWT, _PEM, _URL_PASSWORD)), re.DOTALL)
#: What follows such a word in a command line; not the truth value in ``if $(USE_PASSWORD:no)``.
_SPELLED_OUT = re.compile(
    r"((?:passw(?:or)?d|passphrase|secret)['\"]?(?:[^\S\n]*[=:][^\S\n]*|[^\S\n]+)['\"]?)"
    r"(?!(?:yes|no|true|false|t|f|0|1)\))[^\s'\"|,;]+",
    re.IGNORECASE,
)


#: Environments that a site gives to all jobs, and the words of one without its quotes.
_ENVIRONMENT_KNOB = re.compile(r"(?:\w+\.)?STARTER_JOB_ENVIRONMENT\Z", re.IGNORECASE)
_ENVIRONMENT_WORD = re.compile(r"(\A\w+=|(?<=[\s\"';|])\w+=)?([^\s\"';|]*)")


def is_secret_attribute(name: str, value: str = "") -> bool:
    """Return whether an attribute called ``name`` must be left out.

    ``value`` is the text of its expression, if that is known: a name such as Tokens is a secret
    where a text stands behind it, and an asset where a number does.
    """
    secret, suspect = _secrecy(name)
    return secret or (suspect and value.lstrip().startswith('"'))


@lru_cache(maxsize=4096)
def _secrecy(name: str) -> tuple[bool, bool]:
    """Return whether an attribute of that ``name`` is a secret, and whether it is one as a text."""
    secret = name.lower() in _PRIVATE or bool(_SECRET_WORD.search(name))
    suspect = bool(_SUSPECT_WORD.search(name)) and not _KEYBOARD.search(name)
    return secret, suspect


def is_secret_knob(name: str, value: str = "") -> bool:
    """Return whether a configuration knob called ``name`` must be left out.

    Of SEC_* only levels and methods are kept. ``value`` is its value, if that is known: the amount
    of a concurrency limit is no secret, whatever the limit is called.
    """
    if _SECURITY_KNOB.match(name):
        return not _SECURITY_WORDS.fullmatch(value.strip())
    if _GROUP_KNOB.match(name):
        return False
    if _LIMIT_KNOB.match(name) and _AMOUNT.match(value):
        return False
    if _SECRET_KNOB.search(_KEYBOARD.sub("", name)):
        return True
    return bool(_TOKEN.search(name)) and not _ASSET_KNOB.search(name)


def scrub_across_lines(text: str) -> str:
    """Return ``text`` without secrets that may go over several lines, which stay as many.

    A word such as password is not looked at: :func:`scrub` does that, on each part of the text.
    """
    if ">#" in text or "eyJ" in text or "-----BEGIN" in text or "://" in text:
        text = _SECRET_VALUE.sub(_removed, text)
    return text


def _removed(found: re.Match[str]) -> str:
    return REMOVED + "\n" * found.group().count("\n")


def scrub(text: str) -> str:
    """Return ``text`` without secrets.

    Claim ids, tokens, private keys, and passwords in addresses and command lines.
    """
    text = scrub_across_lines(text)
    lower = text.lower()
    if "pass" in lower or "secret" in lower:
        text = _SPELLED_OUT.sub(rf"\g<1>{REMOVED}", text)
    return text


def scrub_knob(name: str, text: str) -> str:
    """Return the value of a knob without secrets: of environments the names and quotes are kept."""
    if not _ENVIRONMENT_KNOB.match(name):
        return scrub(text)
    return _ENVIRONMENT_WORD.sub(_nameless, text)


def _nameless(found: re.Match[str]) -> str:
    name, value = found.group(1) or "", found.group(2)
    return name + (REMOVED if value and value != REMOVED else value)
