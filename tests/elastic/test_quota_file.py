"""What the file of quotas says, as knobs."""

from __future__ import annotations

import pytest

from htcq.elastic.quota_file import ABSENT, digest_of, elastic_file, file_of, number_text
from tests.elastic.writing import target


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.0, "0"),
        (4.0, "4"),
        (1.25, "1.25"),
        (0.1, "0.1"),
        (0.001, "0.001"),
        (1e6, "1000000"),
        (2.0004, "2"),
    ],
)
def test_numbers_have_three_decimals_at_most(amount: float, text: str) -> None:
    assert number_text(amount) == text


def test_parents_come_before_those_below_them_and_siblings_by_name() -> None:
    goals = [
        target("phys.hep", 0.0),
        target("Chem", 0.0),
        target("phys", 0.0, surplus=True, leaf=False),
        target("bio", 0.0),
    ]
    file = elastic_file(goals, {"phys": 6.0, "phys.hep": 5.5, "Chem": 1.0, "bio": 2.0})

    assert file.knobs() == (
        ("GROUP_NAMES", "bio, Chem, phys, phys.hep"),
        ("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "False"),
        ("GROUP_QUOTA_bio", "2"), ("GROUP_ACCEPT_SURPLUS_bio", "False"),
        ("GROUP_QUOTA_Chem", "1"), ("GROUP_ACCEPT_SURPLUS_Chem", "False"),
        ("GROUP_QUOTA_phys", "6"), ("GROUP_ACCEPT_SURPLUS_phys", "True"),
        ("GROUP_QUOTA_phys.hep", "5.5"), ("GROUP_ACCEPT_SURPLUS_phys.hep", "False"),
    )  # fmt: skip
    assert file_of(file.quotas) == file


def test_many_names_are_broken_into_lines_and_none_is_lost() -> None:
    names = [f"department_{number:02d}" for number in range(40)]
    lines = file_of(dict.fromkeys(names, (1.0, True))).lines_of_names()

    assert ", ".join(lines).split(", ") == names
    assert len(lines) > 1
    assert all(len(line) <= 120 for line in lines)


def test_no_file_is_not_an_empty_one() -> None:
    assert digest_of(None) == ABSENT
    assert digest_of("") != ABSENT
    assert digest_of("a") != digest_of("b")
