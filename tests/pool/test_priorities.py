"""What the negotiator tells of its accountant: read in both forms, and used where it publishes less."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.operations.pool_source import pool_of
from htcq.pool.priorities import read_priorities
from htcq.poolquota.published import Published
from htcq.store.snapshot import open_snapshot

#: As condor_userprio -allusers -long of 23.9.6 prints them, shortened, and as the bindings give
#: them.
NUMBERED = """\
IsAccountingGroup1 = true
IsAccountingGroup2 = false
IsAccountingGroup10 = false
Ceiling2 = -1
Ceiling10 = 5
LastUpdate = 1795274533
Name1 = "chem"
Name2 = "chem.ann@test"
Name10 = "chem.ben@test"
NumSubmittors = 3
PriorityFactor2 = 2999.999999
PriorityFactor10 = 1000.0
"""
ONE_EACH = """\
IsAccountingGroup = true
Name = "chem"

IsAccountingGroup = false
Ceiling = -1
Name = "chem.ann@test"
PriorityFactor = 2999.999999

IsAccountingGroup = false
Ceiling = 5
Name = "chem.ben@test"
PriorityFactor = 1000.0

"""
PUBLISHED = """\
MyType = "Accounting"
Name = "chem"
IsAccountingGroup = true
NegotiatorName = "cm"

MyType = "Accounting"
Name = "chem.ann@test"
IsAccountingGroup = false
NegotiatorName = "cm"
PriorityFactor = 1.0

"""


@pytest.mark.parametrize("text", [NUMBERED, ONE_EACH], ids=["numbered", "one each"])
def test_both_forms_say_the_same(text: str) -> None:
    found = {each.name: each for each in read_priorities(lambda: [text.encode()])}

    assert list(found) == ["chem", "chem.ann@test", "chem.ben@test"]
    assert found["chem.ann@test"].number("PriorityFactor") == 2999.999999
    assert [each.number("Ceiling") for each in found.values()] == [None, -1, 5]


def test_a_number_that_no_record_has_is_passed_over() -> None:
    strange = f'Name{"1" * 5000} = "x"\n'
    read = read_priorities(lambda: [NUMBERED.encode(), strange.encode()])

    assert {record.name for record in read} >= {"chem", "chem.ann@test", "chem.ben@test"}


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(InputError, match="lines that are no attributes"):
        read_priorities(lambda: [b"Name = 1\nwhat is this\n\n"])


def published(directory: Path, accounting: str, negotiator: str = "") -> Published:
    (directory / "collector.ads").write_text(accounting)
    (directory / "priorities.ads").write_text(NUMBERED)
    return Published(pool_of(open_snapshot(directory), "snapshot"), negotiator)


def test_what_the_negotiator_says_of_a_submitter_is_newer_than_what_is_published(
    tmp_path: Path,
) -> None:
    found = published(tmp_path, PUBLISHED).accounts

    assert found["chem.ben@test"].number("Ceiling") == 5
    assert found["chem.ann@test"].number("PriorityFactor") == 2999.999999
    assert found["chem.ann@test"].text("NegotiatorName") == "cm"


def test_of_two_negotiators_they_count_for_the_one_that_is_asked_for(tmp_path: Path) -> None:
    both = PUBLISHED + PUBLISHED.replace('"cm"', '"other"')

    assert "chem.ben@test" not in published(tmp_path, both).accounts
    assert "chem.ben@test" in published(tmp_path, both, "cm").accounts


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "collector.ads").write_text(PUBLISHED)
    (tmp_path / "priorities.ads").write_text("no ads at all\n\n")
    pool = pool_of(open_snapshot(tmp_path), "snapshot")

    assert [each for each in pool.damage if each.startswith("priorities.ads has 1 lines")]
    assert pool.priorities == ()
