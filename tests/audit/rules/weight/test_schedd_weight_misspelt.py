"""An undefined weight counts as RequestCpus (schedd.cpp:count_a_job, 25.14)."""

from __future__ import annotations

import pytest

from tests.audit.sites import found, job, pool, schedd, slot

RULE = "schedd-weight-misspelt"


def messages(weight: str, jobs: list[str] | None = None) -> list[str]:
    given = pool(
        slot(), schedd(), jobs=jobs, access={"access1": f"SCHEDD_SLOT_WEIGHT = {weight}\n"}
    )
    return [finding.message for finding in found(RULE, given)]


@pytest.mark.parametrize("jobs", [None, [job()]])
def test_a_misspelt_request_is_found_with_the_right_name(jobs: list[str] | None) -> None:
    (message,) = messages("RequestCpu", jobs)
    assert "refers to RequestCpu, which no job has: " in message
    assert message.endswith("; did you mean RequestCpus?")
    assert "not a number" in message


def test_the_setting_corrects_it() -> None:
    given = pool(
        slot(), access={"access1": "SCHEDD_SLOT_WEIGHT = max({RequestCpu, RequestMemory/2048})\n"}
    )
    (finding,) = found(RULE, given)
    assert [each.line for each in finding.settings] == [
        "SCHEDD_SLOT_WEIGHT = max({RequestCpus, RequestMemory/2048})"
    ]


def test_a_default_hides_it_and_counts_all_jobs_alike() -> None:
    (message,) = messages("RequestCpu ?: 1")
    assert "an ordinary job weighs 1" in message
    assert "no number" not in message


@pytest.mark.parametrize(
    "weight",
    [
        "RequestCpus",
        "RequestCpus + 8 * (RequestGPUs ?: 0)",
        "max({RequestCpus, RequestMemory/2048})",
        "Cpus",
        "4 *",
    ],
)
def test_others_are_not(weight: str) -> None:
    assert messages(weight, [job()]) == []


def test_an_attribute_of_the_site_is_not() -> None:
    """A snapshot need not have it; and jobs may get it from a transform."""
    assert messages("CmsWeight ?: RequestCpus", [job()]) == []
    assert messages("RequestCore", [job(RequestCore=4)]) == []


def test_a_schedd_that_weighs_nothing_is_not() -> None:
    config = {"access1": "SCHEDD_SLOT_WEIGHT = RequestCpu\nSCHEDD_USE_SLOT_WEIGHT = False\n"}
    assert not found(RULE, pool(slot(), access=config))
