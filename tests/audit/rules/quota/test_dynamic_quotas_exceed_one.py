"""hgq_assign_quotas divides dynamic quotas by their sum where it exceeds 1."""

from __future__ import annotations

from tests.audit.sites import found, pool

RULE = "dynamic-quotas-exceed-one"


def test_shares_of_more_than_the_whole_are_found() -> None:
    config = "GROUP_NAMES = a, b\nGROUP_QUOTA_DYNAMIC_a = 0.75\nGROUP_QUOTA_DYNAMIC_b = 0.75\n"
    (finding,) = found(RULE, pool(config=config))
    assert "add up to 1.5" in finding.message
    assert "a as 0.5" in finding.message


def test_so_they_are_below_another_group() -> None:
    config = (
        "GROUP_NAMES = p, p.a, p.b\nGROUP_QUOTA_p = 8\nGROUP_QUOTA_DYNAMIC_p.a = 1\n"
        "GROUP_QUOTA_DYNAMIC_p.b = 1\n"
    )
    (finding,) = found(RULE, pool(config=config))
    assert finding.subject == "group p"


def test_ten_tenths_are_not() -> None:
    names = [f"g{number}" for number in range(10)]
    quotas = "".join(f"GROUP_QUOTA_DYNAMIC_{name} = 0.1\n" for name in names)
    assert not found(RULE, pool(config=f"GROUP_NAMES = {' '.join(names)}\n{quotas}"))


def test_static_quotas_are_amounts() -> None:
    assert not found(
        RULE, pool(config="GROUP_NAMES = a, b\nGROUP_QUOTA_a = 8\nGROUP_QUOTA_DYNAMIC_b = 0.8\n")
    )
