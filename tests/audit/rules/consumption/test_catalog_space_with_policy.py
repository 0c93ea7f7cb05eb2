"""Read in param_info.in: since 25.12.2 the default MODIFY_REQUEST_EXPR_REQUESTDISK subtracts CATALOG_SPACE."""

from __future__ import annotations

from tests.audit.sites import VERSION, found, job, policy_slot, pool, slot

RULE = "catalog-space-with-policy"


CATALOGS = {"RequestedCatalogIDs": '{ "a1" }', "RequestedCatalogs": '{ [ CatalogID = "a1" ] }'}


def test_jobs_with_catalogs_meet_a_policy() -> None:
    (finding,) = found(RULE, pool(policy_slot(), jobs=[job(), job("9.0", **CATALOGS)]))
    assert finding.message.startswith("job 9.0 has catalogs")


def test_older_startds_subtract_nothing() -> None:
    old = f'"{VERSION.replace("25.14.1", "25.12.1")}"'
    assert not found(RULE, pool(policy_slot(CondorVersion=old), jobs=[job(**CATALOGS)]))


def test_a_node_that_leaves_the_request_alone_subtracts_nothing() -> None:
    text = "MODIFY_REQUEST_EXPR_REQUESTDISK = UNDEFINED\n"
    assert not found(RULE, pool(policy_slot(), jobs=[job(**CATALOGS)], execute={"node1": text}))
    assert found(
        RULE, pool(policy_slot(), jobs=[job(**CATALOGS)], execute={"node1": "NUM_CPUS = 8\n"})
    )


def test_without_catalogs_or_without_a_policy_there_is_nothing_to_subtract() -> None:
    assert not found(RULE, pool(policy_slot(), jobs=[job()]))
    assert not found(RULE, pool(slot(), jobs=[job(**CATALOGS)]))
