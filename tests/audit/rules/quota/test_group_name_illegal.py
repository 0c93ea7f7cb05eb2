"""condor_config_val of 25.14.1 refuses GROUP_QUOTA_nice-user: names have letters, digits, '_', '.' and '/' only."""

from __future__ import annotations

from tests.audit.sites import found, pool

RULE = "group-name-illegal"


def test_a_name_with_a_hyphen_is_found() -> None:
    (finding,) = found(RULE, pool(config="GROUP_NAMES = nice-user, a\nGROUP_QUOTA_a = 1\n"))
    assert finding.subject == "group nice-user"
    assert "'-'" in finding.message


def test_names_between_semicolons_are_found_with_the_right_separator() -> None:
    """25.14.1 takes "a; b" for the groups "a;" and "b"."""
    (finding,) = found(RULE, pool(config="GROUP_NAMES = a; b\nGROUP_QUOTA_a = 1\n"))
    assert "separate the groups with commas" in finding.message
    assert not found("group-names-overridden", pool(config="GROUP_NAMES = a; b; c\n"))


def test_names_of_legal_characters_are_not() -> None:
    assert not found(RULE, pool(config="GROUP_NAMES = a_1, A/b, a_1.x2\n"))
