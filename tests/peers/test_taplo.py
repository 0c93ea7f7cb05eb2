"""Taplo, the checker of TOML behind many editors, finds the schema of a site file by its first line, and uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from htcq.cli.main import run
from tests.docs.documents import ROOT
from tests.pins.places import MISTAKES, TEXTS

TAPLO = Path(sys.executable).with_name("taplo")
INSTALLED = "#:schema /usr/share/htcq/schemas/htcq.toml.json"
BESIDE = "#:schema ./htcq.toml.json\n"


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A directory that has the schemas of both files, as 'htcq explain' prints them."""
    for name in ("htcq.toml", "elastic.toml"):
        assert run(["explain", "--schema", name]) == 0
        (tmp_path / f"{name}.json").write_text(capsys.readouterr().out)
    return tmp_path


def lint(place: Path, text: str) -> tuple[int, str]:
    """Return exit status and what Taplo says of a file with ``text``."""
    (place / "site.toml").write_text(text)
    command = [str(TAPLO), "lint", "--no-auto-config", "site.toml"]
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stderr


def test_it_takes_the_example_and_names_what_an_edit_breaks(place: Path) -> None:
    example = (ROOT / "contrib/config.d/htcq.toml").read_text()
    assert example.startswith(f"{INSTALLED}\n")
    example = example.replace(INSTALLED, f"#:schema {place}/htcq.toml.json")
    status, told = lint(place, example)
    assert (status, "error" in told) == (0, False), told

    status, told = lint(place, example.replace("weights = ", "weight = "))

    assert status == 1
    assert "'weight' was unexpected" in told


@pytest.mark.parametrize("name", ["kinds.toml", "groups.toml", "history.toml", "ledger.toml"])
def test_it_takes_what_htcq_takes(name: str, place: Path) -> None:
    status, told = lint(place, BESIDE + TEXTS[name])

    assert status == 0, told


def test_it_names_mistakes_at_the_lines_where_htcq_does(place: Path) -> None:
    told = lint(place, BESIDE + MISTAKES)[1]

    for line, message in (
        (7, "'tempaltes' was unexpected"),
        (11, "'modle' was unexpected"),
        (18, "'weigths' was unexpected"),
        (39, "86400 is not of type"),
    ):
        assert message in told
        assert f"site.toml:{line}:" in told


def test_elastic_quotas_have_a_schema_too(place: Path) -> None:
    beside = BESIDE.replace("htcq.toml", "elastic.toml")
    assert lint(place, beside + TEXTS["amounts.toml"])[0] == 0

    status, told = lint(place, f"{beside}[groups.a]\nminimum = {{ cpus = 1 }}\n")

    assert status == 1
    assert "site.toml:3:" in told
