"""``htcq snapshot`` where there is no pool; with pools see tests/condor."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call, names


@pytest.fixture(autouse=True)
def no_condor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "/dev/null")


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a peer that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("goal", ["snap", "snap.tar.gz"])
def test_a_collector_that_does_not_answer_is_one_line_status_3_and_nothing_left(
    call: Call, silent: str, goal: str, quiet_place: Path
) -> None:
    done = call("snapshot", goal, "--pool", silent, "--timeout", "1")

    assert (done.status, done.out) == (3, "")
    assert done.err.startswith(
        f"htcq: {silent}: its collector cannot be queried: no answer within 1 s ("
    )
    assert done.err.count("\n") == 1
    assert names(quiet_place) == ["node.json"]


def test_the_classic_spelling_is_taken(call: Call) -> None:
    done = call("snapshot", "snap", "-pool", "no-such-host.invalid")

    assert done.status == 3
    assert "there is no host no-such-host.invalid" in done.err


def test_without_a_pool_it_says_what_to_give(call: Call) -> None:
    done = call("snapshot", "snap")

    assert (done.status, done.out) == (3, "")
    assert "--pool" in done.err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_timeout_that_is_none_is_refused(call: Call, seconds: str) -> None:
    done = call("snapshot", "snap", "--pool", "127.0.0.1:1", f"--timeout={seconds}")

    assert (done.status, done.out) == (2, "")
    assert "timeout" in done.err


def test_what_is_there_is_refused_before_anybody_is_asked(
    call: Call, silent: str, quiet_place: Path
) -> None:
    done = call("snapshot", "node.json", "--pool", silent)

    assert done.status == 2
    assert names(quiet_place) == ["node.json"]


def test_nothing_to_make_is_a_usage_error(call: Call) -> None:
    assert call("snapshot", "--pool", "127.0.0.1:1").status == 2


def test_two_pools_of_one_name_are_refused(call: Call) -> None:
    assert "one by one" in call("snapshot", "snap", "--pool", "a/b", "--pool", "a_b").err


@pytest.mark.parametrize("option", [("--key", "secret"), ("--keep-groups",)])
def test_options_of_anonymous_snapshots_need_one(
    call: Call, option: tuple[str, ...], quiet_place: Path
) -> None:
    done = call("snapshot", "snap", "--pool", "127.0.0.1:1", *option)

    assert (done.status, done.out) == (2, "")
    assert done.err == f"htcq: {option[0]} without --anonymize (give --anonymize too)\n"
    assert names(quiet_place) == ["node.json"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--job-attribute", "a b"), "--job-attribute a b: not the name of an attribute"),
        (("--job-attribute", "A", "--anonymize"), "--job-attribute and --anonymize contradict"),
    ],
)
def test_attributes_that_cannot_be_captured_are_refused_before_anybody_is_asked(
    call: Call, options: tuple[str, ...], message: str, quiet_place: Path
) -> None:
    done = call("snapshot", "snap", "--pool", "127.0.0.1:1", *options)

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"htcq: {message}")
    assert names(quiet_place) == ["node.json"]


def test_a_key_that_others_can_read_is_refused_before_anybody_is_asked(
    call: Call, quiet_place: Path
) -> None:
    (quiet_place / "secret").write_text("0" * 64)
    (quiet_place / "secret").chmod(0o644)
    done = call("snapshot", "snap", "--pool", "127.0.0.1:1", "--anonymize", "--key", "secret")

    assert (done.status, done.out) == (2, "")
    assert "others can read or change it" in done.err
