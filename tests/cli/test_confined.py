"""What strangers wrote is read in a process that can do little, and no bomb in it takes the machine: real processes."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.audit.sites import collected, job, slot
from tests.cli.conftest import ROOT

COMMANDS = ("audit", "cost", "quota", "simulate")
on_every_command = pytest.mark.parametrize("command", COMMANDS)
LIST = "{" + ",".join(f"[a={number}]" for number in range(100)) + "}"


class Ended(NamedTuple):
    """How a command ended, the processor time in seconds that it took, and the memory in MB."""

    status: int
    out: str
    err: str
    seconds: float
    megabytes: float


def run(
    place: Path, *arguments: str, program: tuple[str, ...] = ("-m", "htcq"), **variables: str
) -> Ended:
    """Run htcq as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    with (place / "out").open("w+") as out, (place / "err").open("w+") as err:
        child = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdout=out,
            stderr=err,
            cwd=place,
            env=environment,
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        for each in (out, err):
            each.seek(0)
        used = usage.ru_utime + usage.ru_stime
        return Ended(child.returncode, out.read(), err.read(), used, usage.ru_maxrss / 1024)


def snapshot(place: Path, slots: str = "", jobs: str = "", config: str = "A = 1\n") -> str:
    path = place / "snap"
    path.mkdir()
    (path / "collector.ads").write_text(
        f"{slot().strip()}\n{slots}\n\n{collected([slot('slot2@node2')])}"
    )
    (path / "jobs.ads").write_text(f"{job().strip()}\n{jobs}\n\n")
    (path / "config.txt").write_text(config)
    return str(path)


def nested(times: int, before: str, after: str, inner: str) -> str:
    return before * times + inner + after * times


def hidden(text: str) -> str:
    """Return an expression that puts another together, so that no look at its text says what it does."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    half = len(quoted) // 2
    while quoted[half - 1] == "\\":
        half += 1
    return f'eval(strcat("{quoted[:half]}", "{quoted[half:]}"))'


#: Told by their text: only they count as errors, and the command answers about the rest.
TOLD = {
    "evalInEachContext": nested(4, "evalInEachContext(", f",{LIST})", '"x"'),
    "countMatches": nested(6, "countMatches(", f",{LIST}) > 0", "true"),
    "regexps": nested(12, 'regexps("(.*)",', r',"\1\1\1\1\1\1")', '"xxxxxxxxxxxxxxxx"'),
    "string": nested(28, "string({", "})", r'"\""'),
}


@on_every_command
@pytest.mark.parametrize("name", list(TOLD))
def test_a_bomb_in_an_ad_and_in_a_job_stops_nothing(
    name: str, command: str, tmp_path: Path
) -> None:
    text = TOLD[name]
    where = snapshot(
        tmp_path, f"SlotWeight = size({text})", f"Rank = size({text})\nRequirements = {text} =!= 1"
    )

    done = run(tmp_path, command, "--snapshot", where, "--json")

    # 3 where an audit of so small a snapshot finds nothing.
    assert done.status in (0, 1, 3)
    assert json.loads(done.out)
    assert done.seconds < 10
    assert done.megabytes < 500


def test_a_bomb_that_is_left_out_is_named(tmp_path: Path) -> None:
    where = snapshot(tmp_path, f"SlotWeight = size({TOLD['regexps']})")

    done = run(tmp_path, "audit", "--snapshot", where)

    assert (
        "collector.ads has 1 attributes that would take too long or grow too large: SlotWeight"
        in " ".join(done.out.split())
    )


def test_a_bomb_of_memory_that_nothing_tells_ends_with_one_line(tmp_path: Path) -> None:
    where = snapshot(tmp_path, f"SlotWeight = size({hidden(TOLD['evalInEachContext'])})")

    done = run(tmp_path, "audit", "--snapshot", where)

    assert (done.status, done.out) == (3, "")
    assert (
        done.err
        == f"htcq: {where}: it takes more than 400 MB of memory (--limits raises the limit)\n"
    )
    assert done.seconds < 10
    assert done.megabytes < 500


def test_groups_that_are_linted_on_a_pool_are_confined(tmp_path: Path) -> None:
    where = snapshot(tmp_path, f"SlotWeight = size({hidden(TOLD['evalInEachContext'])})")
    (tmp_path / "groups.toml").write_text("[groups.physics]\nquota = 4\n")

    done = run(tmp_path, "quota", "lint", "--config", "groups.toml", "--snapshot", where)

    assert (done.status, done.out) == (3, "")
    assert "it takes more than 400 MB of memory (--limits raises the limit)" in done.err
    assert done.megabytes < 500


def test_a_bomb_of_time_that_nothing_tells_ends_with_one_line(tmp_path: Path) -> None:
    where = snapshot(
        tmp_path,
        f"SlotWeight = size({hidden(nested(12, 'countMatches(', f',{LIST}) > 0', 'true'))})",
    )

    done = run(tmp_path, "audit", "--snapshot", where)

    assert (done.status, done.out) == (3, "")
    assert done.err == (
        f"htcq: {where}: one of its expressions takes more than 4 s to evaluate (--limits raises "
        "the limit)\n"
    )
    assert done.seconds < 10


def test_the_limits_are_raised_by_an_option(tmp_path: Path) -> None:
    path = tmp_path / "snap.tar.gz"
    blank = b" " * 1023 + b"\n"
    content = f"{collected([slot()]).strip()}\n\n".encode() + blank * (40 << 10)
    with tarfile.open(path, "w:gz") as packed:
        info = tarfile.TarInfo("collector.ads")
        info.size = len(content)
        packed.addfile(info, io.BytesIO(content))

    refused = run(tmp_path, "cost", "--snapshot", "snap.tar.gz")
    raised = run(tmp_path, "cost", "--snapshot", "snap.tar.gz", "--limits", "4")

    assert (refused.status, refused.out) == (2, "")
    assert refused.err == (
        "htcq: snap.tar.gz expands to more than 250 times its size (--limits raises the limit)\n"
    )
    assert raised.status == 0
    assert "expands" not in raised.err


@pytest.mark.parametrize("factor", ["0", "0.5", "-1", "nan", "inf", "1e9"])
def test_a_factor_that_raises_nothing_is_refused(factor: str, tmp_path: Path) -> None:
    done = run(tmp_path, "cost", "--snapshot", snapshot(tmp_path), f"--limits={factor}")

    assert (done.status, done.out) == (2, "")
    assert re.search("not a (factor|finite number)", done.err)


def test_a_nagios_check_that_a_limit_ends_is_unknown(tmp_path: Path) -> None:
    where = snapshot(tmp_path, f"SlotWeight = size({hidden(TOLD['evalInEachContext'])})")

    done = run(tmp_path, "audit", "--snapshot", where, "--nagios")

    assert (done.status, done.err) == (3, "")
    assert "UNKNOWN" in done.out
    assert done.out.count("\n") == 1


# What the process is
# -------------------------------------------------------------------------------------------

_LOOK = """
import json, os, resource, sys
from pathlib import Path
from htcq.operations import confined
from htcq.operations.output_files import put_file
from htcq.errors import InputError
from htcq.limits import Limits
confined.enabled = True
os.environ["AWS_SECRET_ACCESS_KEY"] = "secret"
confined.confine("a pool", Limits(unconfined=True), 400 << 20, 600, ["page.html"])
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
put_file("page.html", "<p>")
try:
    put_file("other.html", "<p>")
    other = "written"
except InputError as error:
    other = str(error)
print(json.dumps({
    "uid": os.getresuid(), "gid": os.getresgid(), "groups": os.getgroups(), "environment": sorted(os.environ),
    "privileges": status["NoNewPrivs"].strip(), "core": resource.getrlimit(resource.RLIMIT_CORE),
    "data": resource.getrlimit(resource.RLIMIT_DATA), "cpu": resource.getrlimit(resource.RLIMIT_CPU)[0],
    "other": other,
}))
"""
#: The interpreter may lie where only root looks, in /root: a mount of its own makes the way to it
#: readable.
_READABLE = """
set -e
mkdir -p "$2" && mount --bind "$1" "$2" && mount -t tmpfs -o mode=755 tmpfs "$1"
for each in $(cd "$2" && find . -mindepth 1 -maxdepth 1 -type d); do
mkdir "$1/$each" && mount --bind "$2/$each" "$1/$each"; done
shift 2
exec "$@"
"""


def looked(place: Path, prefix: tuple[str, ...] = ()) -> dict[str, object]:
    command = [*prefix, sys.executable, "-c", _LOOK]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LC_TIME": "C", "HTCQ_X": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=place, env=environment, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_the_process_has_no_privileges_little_environment_and_limits(tmp_path: Path) -> None:
    found = looked(tmp_path)

    assert found["privileges"] == "1"
    assert (found["core"], found["data"], found["cpu"]) == ([0, 0], [400 << 20] * 2, 600)
    environment = found["environment"]
    assert isinstance(environment, list)
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert "PYTHONPATH" not in environment
    assert {"LC_TIME", "HTCQ_X"} <= set(environment)


def test_only_files_that_the_command_line_names_are_written(tmp_path: Path) -> None:
    found = looked(tmp_path)

    assert found["other"] == "a file that the command line does not name was to be written"
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "place") == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "<p>"


_SILENT = """
import io, os, sys
from htcq.operations import confined
from htcq.errors import ConfinementError
from htcq.limits import Limits
confined.enabled = True
for stream in (None, io.StringIO()):
    sys.stdout = stream
    for work in (lambda: 5, lambda: os._exit(0)):
        try:
            found = confined.evaluated(work, "a pool", Limits(unconfined=True), 400 << 20, 600)
        except ConfinementError as error:
            found = error
        print(found, file=sys.stderr)
"""


def test_a_record_comes_without_a_standard_output_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SILENT],
        capture_output=True, text=True, cwd=tmp_path, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    ended = "a pool: the process that evaluates it ended without a record"
    assert done.stderr.splitlines() == ["5", ended, "5", ended]


_MAKE = """
import os
from htcq.operations import confined
from htcq.operations.output_files import put_new_file
from htcq.errors import InputError
from htcq.limits import Limits
confined.enabled = True
confined.confine("a pool", Limits(unconfined=True), 400 << 20, 600, ["made/"])
for name in ("made/one", "made/one", "made/.hidden", "made/../two", "made/below/three", "elsewhere/four"):
    try:
        put_new_file(name, name)
    except InputError as error:
        print(f"{name}: {error}")
"""


def test_in_a_directory_only_new_files_with_plain_names_are_made(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", _MAKE]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "made/one", "made/.hidden", "made/../two", "made/below/three", "elsewhere/four",
    ]  # fmt: skip
    assert {each.name for each in tmp_path.iterdir()} == {"made", "place"}
    assert [(each.name, each.read_text()) for each in (tmp_path / "made").iterdir()] == [
        ("one", "made/one")
    ]


def anybody_can_list(directory: Path) -> bool:
    return directory.stat().st_mode & 0o005 == 0o005


def readable_python(place: Path) -> tuple[str, ...]:
    """Return what runs a program so that everybody can read Python, where only root can run it."""
    ancestors = [each for each in Path(sys.base_prefix).parents if each != Path("/")]
    private = [each for each in ancestors if not anybody_can_list(each)]
    if not private or os.geteuid() != 0:
        return ()
    real = str(place / "real")
    return ("unshare", "--mount", "sh", "-c", _READABLE, "sh", str(private[-1]), real)


def test_root_reads_as_nobody_where_nobody_can_read_the_program(tmp_path: Path) -> None:
    prefix = readable_python(tmp_path)

    found = looked(tmp_path, prefix)

    # Whoever is not root stays as he is, and so does root where these sources are for root alone.
    changes = os.geteuid() == 0 and all(anybody_can_list(each) for each in ROOT.parents)
    expected = 65534 if changes else os.geteuid()
    assert found["uid"] == [expected] * 3
    if changes:
        assert (found["gid"], found["groups"]) == ([65534] * 3, [])


# Like any other process
# ----------------------------------------------------------------------------------------


def test_pages_are_written_and_the_status_is_that_of_the_audit(tmp_path: Path) -> None:
    where = str(ROOT / "tests/golden/negotiation/cycle-109")

    done = run(
        tmp_path, "audit", "--snapshot", where, "--html", "page.html", "--prometheus", "m.prom"
    )

    # The recorded pool lacks its negotiator.
    assert (done.status, done.err.count("\n")) == (3, 1)
    assert (tmp_path / "page.html").read_text().lower().startswith("<!doctype html>")
    assert "htcq_audit" in (tmp_path / "m.prom").read_text()


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    where = snapshot(tmp_path)
    (tmp_path / "page.html").mkdir()

    done = run(tmp_path, "quota", "--snapshot", where, "--html", "page.html")

    assert done.status == 2
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_ends_both_processes(number: int, tmp_path: Path) -> None:
    # It would take hours.
    where = snapshot(tmp_path)
    command = [sys.executable, "-m", "htcq", "simulate", "--snapshot", where, "--cycles", "100000"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as started:
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        child = waited_for(children.read_text).split()[0]
        started.send_signal(number)
        _, err = started.communicate(timeout=30)

    assert started.returncode != 0
    assert b"Traceback" not in err
    waited_for(
        lambda: (
            not Path(f"/proc/{child}/cmdline").exists()
            or not Path(f"/proc/{child}/cmdline").read_bytes()
        )
    )


def waited_for(look: Callable[[], object]) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = look()
        if found:
            return str(found)
        time.sleep(0.05)
    raise AssertionError("not within 30 s")


def test_the_analysts_variables_are_not_told(tmp_path: Path) -> None:
    config = "GROUP_NAMES = physics, $ENV(AWS_SECRET_ACCESS_KEY)\n"

    done = run(
        tmp_path,
        "quota",
        "--snapshot",
        snapshot(tmp_path, config=config),
        AWS_SECRET_ACCESS_KEY="verysecret",
    )

    assert "physics" in done.out
    assert "verysecret" not in done.out + done.err


def test_two_pools_and_a_page_of_both(tmp_path: Path) -> None:
    one = snapshot(tmp_path)
    (tmp_path / "b").mkdir()
    two = snapshot(tmp_path / "b")

    done = run(
        tmp_path,
        "quota",
        "--snapshot",
        one,
        "--snapshot",
        two,
        "--snapshot",
        "none",
        "--html",
        "p.html",
    )

    assert done.status == 2
    assert done.out.count("in slot weight") == 2
    assert done.err.startswith("htcq: none: none is no snapshot")
    assert (tmp_path / "p.html").exists()
