"""What jobs of a sweep are told; that HTCondor takes it so is tested in tests/condor."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import InputError
from htcq.live.job_files import cannot_be_passed, forget, job_commands, job_item, log_of, outputs_of


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("--set=A=1", "'--set=A=1'"),
        ("a b", "'a b'"),
        ("it's", "'it''s'"),
        ('say "x"', '\'say ""x""\''),
        ("$(Cluster)", "'$(DOLLAR)(Cluster)'"),
        ("", "''"),
    ],
)
def test_words_are_quoted_as_condor_submit_says(word: str, quoted: str) -> None:
    assert job_item("k", ["simulate", word], ["s.tar.gz", "f"]) == {
        "htcq_key": "k",
        "htcq_files": "s.tar.gz,f",
        "htcq_words": f"'simulate' {quoted}",
    }


@pytest.mark.parametrize(
    ("words", "odd"),
    [
        (["a", "b$"], ""),
        (["$(x)", "$x"], ""),
        (["a", "--set=X=$$(Name)"], "--set=X=$$(Name)"),
        (["--set=X=$(Dollar)(Y)"], "--set=X=$(Dollar)(Y)"),
    ],
)
def test_what_htcondor_would_change_is_found(words: list[str], odd: str) -> None:
    assert cannot_be_passed(words) == odd


def commands(directory: str = "/d", **own: str) -> dict[str, str]:
    return job_commands("/bin/htcq", Path(directory), "t0", "htcq sweep $(x)", 3, own)


def test_the_users_commands_win_where_they_may() -> None:
    assert commands()["request_memory"] == "1024"
    assert commands(request_memory="64", rank="Mips")["request_memory"] == "64"
    assert commands(rank="Mips")["rank"] == "Mips"
    assert commands(notification="always")["notification"] == "always"


def test_bad_input_and_results_are_not_tried_again() -> None:
    found = commands()

    assert (found["max_retries"], found["retry_until"]) == ("3", "ExitCode =?= 1 || ExitCode =?= 2")


def test_a_macro_cannot_come_in_by_a_name() -> None:
    assert "$" not in commands()["batch_name"]
    for place in ("/d/$(x)", "/d/a\nb", "/d "):
        with pytest.raises(InputError, match="cannot be given to jobs"):
            commands(place)


def test_what_a_job_left_is_forgotten_the_log_last(tmp_path: Path) -> None:
    assert outputs_of(tmp_path, "k") == ("", "")
    for ending in ("out", "err", "log"):
        (tmp_path / f"k.{ending}").write_bytes(ending.encode() + b"\xff")
    assert outputs_of(tmp_path, "k") == (
        "out\N{REPLACEMENT CHARACTER}",
        "err\N{REPLACEMENT CHARACTER}",
    )
    assert log_of(tmp_path, "k").exists()
    forget(tmp_path, "k")
    forget(tmp_path, "k")

    assert list(tmp_path.iterdir()) == []
