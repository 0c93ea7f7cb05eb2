"""What lending and borrowing keep, whatever the groups, the pool and the demand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from htcq.poolquota.lent_quota import lent_by, own_allocations
from htcq.quota.condor import compute_quotas
from htcq.quota.settings import Settings
from tests.properties.test_group_quotas import Site, sites


@given(sites(st.builds(Settings, oversubscription=st.booleans())))
def test_with_weights_what_is_lent_is_what_is_borrowed(site: Site) -> None:
    quotas = compute_quotas(site.inputs)
    own = own_allocations(quotas, weighted=True)
    borrowed = sum(max(0.0, own[group.name] - group.quota) for group in quotas.groups)

    assert sum(lent_by(quotas).values()) == pytest.approx(borrowed, rel=1e-9, abs=1e-6)


@given(sites())
def test_nobody_lends_more_than_is_left_of_its_quota(site: Site) -> None:
    quotas = compute_quotas(site.inputs)
    lent = lent_by(quotas)

    assert set(lent) == {group.name for group in quotas.groups}
    for group in quotas.groups:
        assert -1e-9 <= lent[group.name] <= max(0.0, group.quota - group.requested) + 1e-9


@given(sites())
def test_no_group_is_allocated_for_itself_more_than_it_requests(site: Site) -> None:
    """A root that regroups is allocated the whole pool, and not that; fractions are rounded to whole slots."""
    quotas = compute_quotas(site.inputs)
    weighted = site.inputs.settings.use_slot_weights
    own = own_allocations(quotas, weighted)
    for group in quotas.groups:
        assert -1e-9 <= own[group.name] <= group.requested + (1e-6 if weighted else 0.5 + 1e-6)


@given(sites())
def test_a_root_that_regroups_has_for_itself_what_it_would_have_if_it_did_not(site: Site) -> None:
    tree = site.inputs.tree
    quotas = compute_quotas(site.inputs)
    calm = replace(tree, groups=(replace(tree.root, autoregroup=False), *tree.groups[1:]))
    plain = compute_quotas(replace(site.inputs, tree=calm))
    weighted = site.inputs.settings.use_slot_weights

    assert own_allocations(quotas, weighted)["<none>"] == pytest.approx(
        own_allocations(plain, weighted)["<none>"]
    )
