"""The text of elastic quotas says to HTCondor's own parser what was meant, and what does not is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.elastic.quota_file import file_of
from htcq.emit.elastic import check_values, quota_text
from htcq.errors import InputError, PolicyError
from htcq.live.configuration import read_configuration

FILE = file_of({"phys": (6.0, True), "phys.hep": (5.25, False), "cms/prod": (0.0, True)})
NAMES = [name for name, _ in FILE.knobs()]


@pytest.mark.parametrize("static", [True, False])
def test_htcondor_reads_the_numbers_that_were_meant(static: bool) -> None:
    values = read_configuration(quota_text(FILE, "cm:/var/lib/journal", static), NAMES)

    # HTCondor keeps the default's spelling of a value that is equal but for the case.
    assert {name: value.lower().split() for name, value in values.items()} == {
        name: text.lower().split() for name, text in FILE.knobs()
    }
    check_values(FILE, values, "in the file")


def test_many_groups_are_read_as_many() -> None:
    many = file_of({f"department_of_things_{number}": (1.0, True) for number in range(60)})
    text = quota_text(many, "cm:/j")

    assert max(map(len, text.splitlines())) < 140
    check_values(many, read_configuration(text, [name for name, _ in many.knobs()]), "in the file")


def test_the_text_is_the_same_each_time_and_tells_who_keeps_it() -> None:
    text = quota_text(FILE, "cm.example.org:/var/lib/journal")

    assert text == quota_text(FILE, "cm.example.org:/var/lib/journal")
    assert "# Kept by cm.example.org:/var/lib/journal.\n" in text


@pytest.mark.parametrize("instance", ["cm:/j\nGROUP_QUOTA_phys = 99", "cm:/j\\"])
def test_a_name_of_an_instance_cannot_become_configuration(instance: str) -> None:
    check_values(FILE, read_configuration(quota_text(FILE, instance), NAMES), "in the file")


@pytest.mark.parametrize("name", ["a b", "a=b", "", "a..b", "a\nb", "$(X)", "é"])
def test_a_name_that_cannot_stand_in_a_knob_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot be written for HTCondor"):
        quota_text(file_of({name: (1.0, True)}), "cm:/j")


def test_a_template_that_says_something_else_is_found(tmp_path: Path) -> None:
    (tmp_path / "condor").mkdir()
    (tmp_path / "condor/elastic.config.j2").write_text("GROUP_NAMES = phys\nGROUP_QUOTA_phys = 7\n")
    values = read_configuration(quota_text(FILE, "cm:/j", templates=tmp_path), NAMES)

    with pytest.raises(
        PolicyError, match=r"GROUP_NAMES would be phys in the file, not phys, phys.hep, cms/prod"
    ):
        check_values(FILE, values, "in the file")
