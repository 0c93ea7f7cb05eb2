"""New names: the same for one key, different for different names, and never an old one."""

from __future__ import annotations

import re

import pytest

from htcq.pool.pseudonyms import Pseudonyms

KEY = b"a key of the tests, long enough."


def test_a_name_is_the_hmac_of_its_kind_and_its_letters() -> None:
    import hashlib
    import hmac

    digest = hmac.new(KEY, b"user\0alice", hashlib.sha256).hexdigest()

    assert Pseudonyms(KEY).new("user", "alice") == f"user-{digest[:8]}"


def test_kinds_have_different_names() -> None:
    names = Pseudonyms(KEY)

    assert (
        names.new("user", "atlas").partition("-")[2] != names.new("host", "atlas").partition("-")[2]
    )


def test_many_names_are_all_different() -> None:
    names = Pseudonyms(KEY)
    found = {names.new("user", f"u{number}") for number in range(100_000)}

    assert len(found) == 100_000


def test_two_names_with_the_same_first_digits_get_more_digits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = Pseudonyms(KEY)
    monkeypatch.setattr(
        names, "_digest", lambda kind, name: f"00000000{ord(name[-1]):04x}{'0' * 52}"
    )

    assert names.new("user", "a") == "user-00000000"
    assert names.new("user", "b") == "user-000000000062"


def test_digits_never_spell_a_given_name() -> None:
    given = {f"{one}{other}{last}" for one in "abcdef" for other in "abcdef" for last in "abcdef"}
    names = Pseudonyms(KEY, given)

    assert not any(
        re.search("[a-f]{3}", names.new("user", f"u{number}").partition("-")[2])
        for number in range(1000)
    )


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="16"):
        Pseudonyms(b"short")
