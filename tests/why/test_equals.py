"""Equal submitters: the verdicts on a real pool of 24, and what is said where their order is not known."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from htcq.pool.pool import Pool
from htcq.report.views.why import why_json
from htcq.report.views.why_text import show_verdicts
from htcq.why.verdict import Verdict, Verdicts
from tests.pool.negotiations import DIRECTORY, expected, pool

_USERS = DIRECTORY.with_name("many-equals") / "sid-users-equal-24"
_SLOTS = _USERS.with_name("sid-slots-equal-24")


def verdicts(of: Pool, *order: str) -> tuple[Verdict, ...]:
    return Verdicts(of, order).on(of.jobs or ())


def text(of: Pool, *order: str) -> str:
    out = io.StringIO()
    show_verdicts(verdicts(of, *order), of, out)
    return out.getvalue()


def test_the_verdicts_on_equals_are_what_the_negotiator_did() -> None:
    """With no order given."""
    started = {each.submitter for each in verdicts(pool(_USERS)) if each.starts}

    assert started == {each["submitter"] for each in expected(_USERS)["matches"]}
    assert len(started) == 10


def test_where_the_order_of_the_collector_is_not_known_each_is_one_of_the_equals() -> None:
    here = pool(_USERS)

    assert text(here).count("one of 24 equals: ") == len(verdicts(here))
    assert {job["equals"] for job in why_json(verdicts(here), here)["jobs"]} == {24}


@pytest.mark.parametrize("known", ["captured", "given"])
def test_where_it_is_known_nothing_is_said(known: str) -> None:
    here, order = pool(_USERS), ()
    if known == "captured":
        here = replace(here, in_order=True)
    else:
        order = tuple(expected(_USERS)["submitter_order"])

    assert "equals" not in text(here, *order)


def test_submitters_that_are_not_equal_are_none_of_many() -> None:
    """Two users of other priorities, one of whom is rejected."""
    assert "equals" not in text(pool(_SLOTS))
