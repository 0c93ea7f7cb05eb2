"""What ends a command is one line and exit status 2 or 3, whatever it is: 1 is for findings and drift alone."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from htcq.cli import plan
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE, NESTED_VARIABLE
from tests.cli.conftest import ROOT, Call
from tests.cli.looks import snapshot

PLAN = ("plan", "--node", "node.json")
NO_ROOM = "htcq: standard output: No space left on device\n"


def raises(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> NoReturn:
        raise error

    monkeypatch.setattr(plan, "main", fail)


def test_a_bug_is_one_line_that_says_so_with_its_place_and_how_to_report_it(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What lies within htcq is a mapping without this key.
    monkeypatch.setattr(plan, "main", lambda _: __import__("htcq.cli.main").cli.main.COMMANDS[()])
    done = call(*PLAN)

    assert (done.status, done.out) == (EXIT_UNKNOWN, "")
    assert re.fullmatch(
        r"htcq: this is a bug in htcq: KeyError: \(\) at htcq/cli/main\.py:\d+ \(report it with "
        r"this line and the "
        r"output of 'htcq --version'; HTCQ_TRACEBACK=1 prints the traceback\)\n",
        done.err,
    )


def test_the_traceback_is_there_for_those_who_ask(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    raises(KeyError("x"), monkeypatch)
    monkeypatch.setenv("HTCQ_TRACEBACK", "1")
    done = call(*PLAN)

    assert done.err.startswith("Traceback (most recent call last):\n")
    assert done.err.splitlines()[-1].startswith(
        "htcq: this is a bug in htcq: KeyError: 'x' at htcq/"
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "htcq: there is not enough memory for it (--limits raises the limit"),
        (RecursionError("deep"), "htcq: what was read is nested too deeply at htcq/cli/main.py:"),
        (
            OSError(errno.EIO, os.strerror(errno.EIO), "/data/x"),
            "htcq: /data/x: Input/output error\n",
        ),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), b"/data/\xff"),
            "htcq: /data/\\udcff: No space left on dev",
        ),
        (
            OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
            "htcq: Too many open files at htcq/cli/main.py:",
        ),
        (
            OSError(errno.ELOOP, os.strerror(errno.ELOOP), "/l"),
            "htcq: /l: Too many levels of symbolic links\n",
        ),
        (
            ModuleNotFoundError("No module named 'jinja2'", name="jinja2"),
            "htcq: a Python module cannot be loaded: No ",
        ),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
            "htcq: this is a bug in htcq: UnicodeDecodeError: ",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_what_nobody_expected_is_one_line_and_status_3(
    error: BaseException, said: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    raises(error, monkeypatch)
    done = call(*PLAN)

    assert (done.status, done.out, done.err.count("\n")) == (EXIT_UNKNOWN, "", 1)
    assert done.err.startswith(said)


# Streams
# --------------------------------------------------------------------------------------------------------


def shell(program: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["bash", "-c", program.replace("HTCQ", f"{sys.executable} -m htcq")],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )
    return (
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


@pytest.mark.parametrize(
    "words", ["plan --node node.json", "--version", "plan --help", "plan --node node.json --json"]
)
def test_a_full_disk_behind_standard_output_is_said_once(words: str) -> None:
    assert shell(f"HTCQ {words} > /dev/full") == (EXIT_UNKNOWN, "", NO_ROOM)


def test_a_standard_output_that_is_closed_is_said_and_no_file_takes_its_place() -> None:
    told = "htcq: standard output: Bad file descriptor\n"
    assert shell("HTCQ plan --node node.json >&-") == (EXIT_UNKNOWN, "", told)
    # What prints nothing does not need it.
    assert shell("mkdir d; HTCQ emit --node node.json --write d >&-")[:2] == (EXIT_FINE, "")


def test_errors_do_not_go_to_standard_output_where_standard_error_is_closed() -> None:
    assert shell("HTCQ plan --node missing.json 2>&-") == (EXIT_USAGE, "", "")
    assert shell("HTCQ plan --node missing.json 2>/dev/full") == (EXIT_USAGE, "", "")


def test_a_standard_input_that_is_closed_is_said() -> None:
    status, out, err = shell("HTCQ plan --node - <&-")

    assert (status, out) == (EXIT_USAGE, "")
    assert err.startswith("htcq: standard input cannot be read: Bad file descriptor")


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C.UTF-8"},
    ],
)
def test_bytes_that_are_no_text_are_spelled_out(locale: dict[str, str], quiet_place: Path) -> None:
    snapshot(quiet_place, config="GROUP_NAMES = physicé\nGROUP_QUOTA_physicé = 5\n")
    (quiet_place / "snap1" / "meta.json").write_text('{"schema": 1, "taken": "\\ud800\\u00e9"}')
    (quiet_place / os.fsdecode(b"s\xff")).symlink_to("snap1")

    status, out, err = shell("HTCQ plan --node $'m\\xff\\xe9'", **locale)
    assert (status, out) == (EXIT_USAGE, "")
    assert err.startswith("htcq: m\\udcff\\udce9 cannot be read: No such file or directory (")
    for form in ("", "--csv"):
        status, out, err = shell(f"HTCQ quota --snapshot $'s\\xff' {form}", **locale)
        assert (status, err) == (EXIT_FINE, "")
        assert "ud800" in out


# Nested
# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [("audit",), ("elastic", "run"), ("quota",), ("probe",), ("snapshot", "x")]
)
def test_a_nested_command_says_that_it_does_not_run(words: tuple[str, ...], command: Call) -> None:
    done = command(*words, **{NESTED_VARIABLE: "1"})

    assert (done.status, done.out) == (EXIT_UNKNOWN, "")
    assert f"htcq {words[0]}: {NESTED_VARIABLE} is set (" in done.err


def test_help_and_version_answer_everywhere(command: Call) -> None:
    assert command("--version", **{NESTED_VARIABLE: "1"}).out
