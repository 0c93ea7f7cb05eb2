"""'htcq config check' prints every mistake of a site file with its line, and says what it could not look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.docs.documents import ROOT
from tests.pins.places import MISTAKES

STRANGER = 65533


def of_the_file(out: str) -> list[str]:
    """Return the lines about the site file; those about the machine come last."""
    lines = [line for line in out.splitlines() if not line.startswith("sandbox: ")]
    assert out.splitlines()[: len(lines)] == lines
    return lines


def test_every_mistake_has_the_line_that_says_so(call: Call, quiet_place: Path) -> None:
    """The file says of itself, in comments, which lines are wrong."""
    (quiet_place / "site.toml").write_text(MISTAKES)
    done = call("config", "check", "--config", "site.toml")
    lines = MISTAKES.split("\n")
    wrong = [number for number, line in enumerate(lines, 1) if "# wrong: " in line]
    told = [line.split(":", 2) for line in of_the_file(done.out)]

    assert (done.status, done.err) == (2, "")
    assert [(name, int(line)) for name, line, _ in told] == [("site.toml", each) for each in wrong]
    for _, line, message in told:
        assert lines[int(line) - 1].partition("# wrong: ")[2] in message
        assert message.endswith(")"), "without a hint"


def test_the_example_of_the_distribution_has_none(call: Call) -> None:
    example = ROOT / "contrib/config.d/htcq.toml"
    done = call("config", "check", "--config", str(example))

    assert (done.status, done.err) == (0, "")
    assert of_the_file(done.out) == [f"{example}: no mistake (capacity, jobs)"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[capacity\n", "site.toml:1: this is no TOML: Expected ']' at the end of a table"),
        ("jobs = []\na = \n", "site.toml:2: this is no TOML: Invalid value"),
        ("a = 1\na = 2\n", "site.toml:2: this is no TOML: Cannot overwrite a value"),
    ],
)
def test_what_is_no_toml_is_named_with_its_line(
    text: str, line: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "site.toml").write_text(text)
    done = call("config", "check", "--config", "site.toml")

    assert done.status == 2
    assert done.out.startswith(line)


def test_it_reads_the_file_that_every_command_finds(call: Call, quiet_place: Path) -> None:
    done = call("config", "check")
    assert done.status == 0
    assert done.out.startswith("there is no site file (neither htcq.toml nor /etc/htcq/htcq.toml)")
    quiet_place.chmod(0o755)
    (quiet_place / "htcq.toml").write_text("jobs = ['cpus=1']\n[drift]\nstore = 'drift.db'\n")
    done = call("config", "check")
    assert done.status == 2
    assert done.out.startswith("htcq.toml:3: drift.store is not taken from a file in the current")
    (quiet_place / "htcq.toml").chmod(0o666)
    done = call("config", "check")

    assert (done.status, done.out) == (2, "")
    assert "htcq.toml is not used: others can write" in done.err


def test_files_that_it_names_are_looked_at(call: Call, quiet_place: Path) -> None:
    site = quiet_place / "site.toml"
    site.write_text("templates = 'none'\n[drift]\nquotas = 'elastic.toml'\n")
    (quiet_place / "elastic.toml").write_text(
        "[groups.a]\nmin = { cpus = 5 }\nmax = { cpus = 4 }\n"
    )
    done = call("config", "check", "--config", "site.toml")

    assert done.status == 2
    assert [line.partition(" ")[0] for line in of_the_file(done.out)] == [
        "site.toml:1:", "site.toml:3:",
    ]  # fmt: skip
    assert "min-above-max" in done.out
    assert "elastic.toml" in done.out


def test_what_an_account_cannot_read_is_not_fine(command: Call, quiet_place: Path) -> None:
    quiet_place.chmod(0o755)
    (quiet_place / "site.toml").write_text("[drift]\nquotas = 'elastic.toml'\n")
    (quiet_place / "elastic.toml").write_text("[groups.a]\nmin = { cpus = 1 }\n")
    (quiet_place / "elastic.toml").chmod(0o600)
    become = ("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups")
    done = command("config", "check", "--config", "site.toml", before=become)

    assert os.geteuid() == 0
    assert done.status == 3, done.err
    assert done.err == (
        "htcq: not checked: drift.quotas: elastic.toml is not here, or this account cannot read it\n"
    )
    (quiet_place / "elastic.toml").unlink()
    assert command("config", "check", "--config", "site.toml").status == 3


def test_a_section_of_nothing_but_mistakes_ends(call: Call, quiet_place: Path) -> None:
    groups = "".join(f"[groups.g{number}]\nqouta = 1\n" for number in range(300))
    (quiet_place / "site.toml").write_text(groups)
    done = call("config", "check", "--config", "site.toml")

    assert done.status == 2
    assert [line.partition(": ")[0] for line in of_the_file(done.out)] == [
        f"site.toml:{2 * number}" for number in range(1, 51)
    ]
