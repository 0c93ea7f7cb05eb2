"""Access points with one and with two domains."""

from __future__ import annotations

from tests.audit.sites import found, pool

RULE = "uid-domains-differ"


def test_the_access_point_with_another_domain_is_found() -> None:
    (finding,) = found(
        RULE,
        pool(access={
            "ap1": "UID_DOMAIN = site\n", "ap2": "UID_DOMAIN = site\n",
            "ap3": "UID_DOMAIN = ap3.site\n",
        }),
    )  # fmt: skip
    assert finding.message == (
        "UID_DOMAIN is ap3.site on ap3 and site on ap1, ap2: a user of both is two submitters"
    )


def test_the_same_domain_in_other_letters_is_not() -> None:
    same = {"ap1": "UID_DOMAIN = site\n", "ap2": "UID_DOMAIN = SITE\n"}
    assert not found(RULE, pool(access=same))
