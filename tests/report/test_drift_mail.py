"""The mail that cron sends: ASCII, 78 columns, about a hundred lines, whatever there is to tell."""

from __future__ import annotations

import pytest

from htcq.drift.explanation import DriftExplanation
from htcq.report.views.drift_mail import WIDTH, drift_mail
from tests.report.stories import LONG, ODD, QUIET, STORY, UNSEEN, ZONE, crowd

every_story = pytest.mark.parametrize(
    "story", [STORY, QUIET, UNSEEN, crowd(400)], ids=["story", "quiet", "unseen", "crowd"]
)


def mail(story: DriftExplanation) -> str:
    return drift_mail(story, ZONE)


@every_story
def test_it_is_narrow_and_short_and_in_ascii(story: DriftExplanation) -> None:
    lines = mail(story).splitlines()

    assert max(map(len, lines)) <= WIDTH == 78
    assert len(lines) <= 100
    assert mail(story).isascii()
    assert not [line for line in lines if not line.isprintable()]


def test_it_says_what_changed_and_what_disagrees() -> None:
    text = " ".join(mail(STORY).split())

    assert (
        "2026-11-04 00:00 physics: configured quota 100 -> 60, accept_surplus false -> true" in text
    )
    assert "2026-11-03 00:00 SlotWeight: \\x1b[31mZ\\xfcrich came into use" in text
    assert f"since 2026-11-07 00:15 {ODD}: quota published 5 where 10 should be" in text
    assert "in doubt: the published usage of chem is -3" in text


def test_it_has_the_numbers_of_each_group() -> None:
    lines = mail(STORY).splitlines()
    physics = next(line for line in lines if line.startswith("physics "))

    assert physics.split()[1:] == ["50", "50", "73.3", "23.3", "17%", "0%", "0%", "86%"]
    assert LONG in lines


def test_of_many_changes_it_has_the_last_and_says_how_many_it_leaves_out() -> None:
    """400 groups changed, and each is now other than declared."""
    text = mail(crowd(400))

    assert text.count("(376 more before these; 'htcq drift report' has them all)") == 2
    assert "2026-11-03 00:00 group_399: configured quota 400 -> 500" in text
    assert "group_000: configured" not in text


def test_of_many_groups_it_has_the_ten_with_most_trouble() -> None:
    """All want 500, and the first of them has least of it."""
    text = mail(crowd(400)).partition("Groups with most trouble")[2]

    assert text.startswith(" (390 more are not shown)")
    assert [f"group_{number:03d}" for number in range(12) if f"group_{number:03d}" in text] == [
        f"group_{number:03d}" for number in range(10)
    ]


def test_of_a_time_of_which_nothing_is_known_it_says_so() -> None:
    assert "Nothing was observed in this time.\n" in mail(UNSEEN)
