"""The weights of a fleet go into the site file, and nothing else in it changes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from htcq.cli.weights_file import weights_line, write_weights
from htcq.errors import InputError
from htcq.operations.site_file import read_site_file
from tests.cli.conftest import Call

WEIGHTS = {"cpus": Fraction(1, 2), "memory": Fraction("0.102679") / 1024, "gpus": Fraction(8)}
LINE = 'weights = { cpus = 0.5, memory = "0.102679/GiB", gpus = 8 }'


def test_the_line_is_what_the_site_file_reads() -> None:
    assert LINE == weights_line(WEIGHTS)
    assert weights_line({"cpus": Fraction(1, 3)}) == 'weights = { cpus = "1/3" }'


@pytest.mark.parametrize(
    "before",
    [
        None,
        "",
        "# ours\njobs = ['cpus=1']\n",
        (
            "[capacity]\nmodel = 'linear' # the model\nweights = { cpus = 2 }\nscale = 3\n\n"
            "[groups.a]\nquota = 1\n"
        ),
        "[groups.a]\nquota = 1\n[ capacity ] # prices\nscale = 1\n[drift]\n",
        "jobs = ['cpus=1'] # no newline at the end",
    ],
)
def test_weights_are_written_and_the_rest_stays(before: str | None, tmp_path: Path) -> None:
    path = tmp_path / "htcq.toml"
    if before is not None:
        path.write_text(before)
    write_weights(str(path), WEIGHTS)
    settings = read_site_file(str(path))

    assert settings.slot_types[0].choice.weights == WEIGHTS
    lines = path.read_text().splitlines()
    assert LINE in lines
    for line in (before or "").splitlines():
        assert line in lines or line.startswith("weights")
    if before is not None:
        assert (tmp_path / "htcq.toml~").read_text() == before


def test_plan_writes_the_weights_of_a_fleet(call: Call, quiet_place: Path) -> None:
    (quiet_place / "large.json").write_text(
        '{"cpus": 64, "memory_mb": 524288, "disk_kb": 100000000}'
    )
    nodes = ("--node", "node.json", "--node", "large.json")
    first = call("plan", *nodes, "--write-weights")
    written = (quiet_place / "htcq.toml").read_text()
    again = call("plan", *nodes, "--write-weights")
    other = call("plan", *nodes[:2], "--write-weights")

    assert (first.status, first.err) == (0, "htcq.toml: written\n")
    assert written.startswith(
        '[capacity]\nmodel = "linear"\nweights = { cpus = 0.5, memory = "0.06'
    )
    assert (again.status, again.err) == (0, "htcq.toml: unchanged\n")
    # Weights that are there already do not stand for those of other nodes.
    assert other.status == 0
    assert 'memory = "0.25/GiB"' in (quiet_place / "htcq.toml").read_text()
    assert (quiet_place / "htcq.toml~").read_text() == written


@pytest.mark.parametrize(
    "flags", [("--weight", "cpus=1"), ("--charge", "cpus=1"), ("--claims", "4")]
)
def test_a_model_of_the_flags_is_no_choice_of_htcqs(
    flags: tuple[str, str], call: Call, quiet_place: Path
) -> None:
    done = call("plan", "--node", "node.json", *flags, "--write-weights", "htcq.toml")

    assert (done.status, done.out) == (2, "")
    assert "--write-weights: the weights are not htcq's own choice" in done.err
    assert not (quiet_place / "htcq.toml").exists()


def test_a_second_time_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "htcq.toml"
    write_weights(str(path), WEIGHTS)
    written = path.read_text()
    write_weights(str(path), WEIGHTS)

    assert path.read_text() == written
    assert f"{path}: unchanged" in capsys.readouterr().err
    assert [each.name for each in tmp_path.glob("htcq*")] == ["htcq.toml"]


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("[capacity]\nmodel = 'fixed'\nclaims = 3\n", "another model"),
        ("[capacity]\ncharge = { cpus = 1 }\n", "charge in .* belongs to another model"),
        ("[slot_types.1]\npart = '50%'\n", "slot_types"),
        ("[capacity.weights]\ncpus = 1\n", "cannot be edited safely"),
        ("capacity = { weights = { cpus = 1 } }\n", "cannot be edited safely"),
        (
            (
                "[capacity]\noptional_assets = [\n  'a',\n  # weights = 1\n]\n"
                "'weights' = { cpus = 1 }\n"
            ),
            "edited safely",
        ),
        ('text = """\n[capacity]\n"""\n', "cannot be edited safely"),
        ("[capacity\n", "htcq.toml"),
    ],
)
def test_a_file_that_cannot_be_edited_stays_as_it_is(
    before: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "htcq.toml"
    path.write_text(before)
    with pytest.raises(InputError, match=message) as refused:
        write_weights(str(path), WEIGHTS)

    assert refused.value.hint
    assert path.read_text() == before
    assert [each.name for each in tmp_path.glob("htcq*")] == ["htcq.toml"]


def test_a_site_file_keeps_its_mode_and_its_line_ends(tmp_path: Path) -> None:
    path, former = tmp_path / "htcq.toml", "# é\r\n[groups.a]\r\nquota = 1\r\n".encode()
    path.write_bytes(former)
    path.chmod(0o600)
    write_weights(str(path), WEIGHTS)
    text = path.read_bytes().decode()

    assert text.startswith(former.decode())
    assert text.count("\n") == text.count("\r\n")
    assert (tmp_path / "htcq.toml~").read_bytes() == former
    assert [each.stat().st_mode & 0o777 for each in (path, tmp_path / "htcq.toml~")] == [
        0o600,
        0o600,
    ]
