"""Debian's own cron runs the lines of contrib/cron when they are due, as whom they say, and mails what it should.

It has namespaces of its own, a clock of its own, and in the place of htcq a program that tells
how it was called."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from process_tree import descendants

from tests.contrib.commands import parsed

TABLE = (Path(__file__).resolve().parents[2] / "contrib/cron/htcq-drift").read_text(
    encoding="utf-8"
)
PAGES = (Path(__file__).resolve().parents[2] / "contrib/cron/htcq-report").read_text(
    encoding="utf-8"
)
#: A line of a table in /etc/cron.d: five fields of time, the user, the command.
LINE = re.compile(r"^(#?)(?:[\d*/,-]+ ){5}(\S+) (.*)$", re.MULTILINE)
PROGRAM = """#!/bin/sh
echo "$(id -un): $*" >> {place}/calls
case "$*" in
  *record*) echo "htcq: the pool does not answer" >&2 ;;
  *prune*) echo "drift.db: 12 rows merged or dropped" ;;
  *audit*) echo "no findings" ;;
  *report*) echo "physics: quota 20 -> 15" ;;
esac
"""
SENDMAIL = """#!/bin/sh
cat > {place}/mails/$$
"""
#: Keeps what the system's log would get.
LOGGER = """
import socket
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind("/dev/log")
open("{place}/ready", "w").close()
while True:
    data = log.recv(65536)
    with open("{place}/log", "ab") as file:
        file.write(data)
"""
START = """
set -e
mount -t tmpfs tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /dev
for device in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "/dev/${device%:*}" c 1 "${device#*:}"
done
mkdir -m 1777 /dev/shm
mount --bind etc /etc/cron.d
mount --bind spool /var/spool/cron/crontabs
mount --bind crontab /etc/crontab
mount --bind sendmail "$(readlink -f /usr/sbin/sendmail)"
"$1" logger.py &
until [ -e ready ]; do sleep 0.05; done
chmod 666 /dev/log
exec faketime -f "@$2" cron -f
"""


@dataclass(frozen=True)
class Ran:
    """What cron did: the calls of the program, the mails, and what went to the system's log."""

    calls: list[str]
    mails: list[str]
    log: str


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that the user of the table can write to."""
    path = Path(tempfile.mkdtemp(prefix="htcq-cron-"))
    path.chmod(0o777)
    yield path
    shutil.rmtree(path)


def prepare(place: Path, table: str) -> None:
    for name in ("etc", "spool", "mails", "bin"):
        (place / name).mkdir()
    (place / "mails").chmod(0o777)
    (place / "crontab").touch()
    for name, text in (("bin/htcq", PROGRAM), ("sendmail", SENDMAIL), ("logger.py", LOGGER)):
        (place / name).write_text(text.replace("{place}", str(place)))
        (place / name).chmod(0o755)
    (place / "etc" / "htcq-drift").write_text(table)
    (place / "etc" / "htcq-drift").chmod(0o644)


def run(place: Path, table: str, moment: str, calls: int) -> Ran:
    """Run cron from 3 seconds before ``moment`` until it has done what is due, which is so many ``calls``."""
    here = table.replace("* htcq htcq ", "* nobody htcq ").replace("1 htcq htcq ", "1 nobody htcq ")
    assert "PATH=/usr/local/bin:" in here
    prepare(place, here.replace("PATH=", f"PATH={place}/bin:"))
    command = [
        "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", START, "cron", sys.executable, moment,
    ]  # fmt: skip
    with subprocess.Popen(command, cwd=place, env={**os.environ, "TZ": "UTC"}) as process:
        try:
            deadline = time.monotonic() + 60
            while len(_lines(place / "calls")) < calls or _busy(process.pid) or _unheard(place):
                assert process.poll() is None, "cron ended"
                assert time.monotonic() < deadline, "cron did not do what is due"
                time.sleep(0.05)
        finally:
            process.kill()
    mails = [each.read_text() for each in (place / "mails").iterdir()]
    return Ran(sorted(_lines(place / "calls")), mails, "\n".join(_lines(place / "log")))


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _unheard(place: Path) -> bool:
    """Return whether a look has complained and the log has not yet written that down."""
    return any("record" in call for call in _lines(place / "calls")) and not _lines(place / "log")


def _busy(pid: int) -> bool:
    """Return whether anything runs but the three that always do: faketime, cron and the log."""
    return len(descendants(pid)) > 3


def test_a_look_is_due_every_five_minutes_and_complains_to_the_log_alone(place: Path) -> None:
    ran = run(place, TABLE, "2026-11-03 08:14:57", calls=1)

    assert (ran.calls, ran.mails) == (["nobody: drift record --deadline 4min"], [])
    assert "htcq-drift: htcq: the pool does not answer" in ran.log


def test_pruning_is_due_at_night_and_mails_nothing_if_all_is_well(place: Path) -> None:
    ran = run(place, TABLE, "2026-11-03 03:16:57", calls=1)

    assert (ran.calls, ran.mails) == (["nobody: drift prune --deadline 30min"], [])


def test_an_audit_is_due_every_day_and_mails_nothing_if_all_is_well(place: Path) -> None:
    ran = run(place, TABLE, "2026-11-03 04:42:57", calls=1)

    metrics = "/var/lib/prometheus/node-exporter/htcq-audit.prom"
    assert (ran.calls, ran.mails) == (
        [f"nobody: audit --deadline 30min --fail-on never --prometheus {metrics}"],
        [],
    )


def test_the_report_is_due_on_mondays_and_is_mailed(place: Path) -> None:
    ran = run(place, TABLE, "2026-11-02 06:29:57", calls=2)  # a Monday

    assert ran.calls == [
        "nobody: drift record --deadline 4min",
        "nobody: drift report --deadline 30min --since 7d --mail",
    ]
    assert len(ran.mails) == 1
    assert "\nTo: root\n" in ran.mails[0]
    assert ran.mails[0].endswith("\n\nphysics: quota 20 -> 15\n")


def test_the_line_for_those_who_want_changes_alone_runs_when_it_is_taken_in(place: Path) -> None:
    hourly = "#7 * * * * htcq "
    assert hourly in TABLE
    ran = run(place, TABLE.replace(hourly, hourly[1:]), "2026-11-03 08:06:57", calls=1)

    assert ran.calls == ["nobody: drift report --deadline 30min --since 1h --mail --if-changed"]
    assert len(ran.mails) == 1


def test_every_line_is_of_the_same_user_and_htcq_takes_its_command() -> None:
    lines = LINE.findall(TABLE)

    assert len(lines) == 5
    assert {user for _, user, _ in lines} == {"htcq"}
    for _, _, command in lines:
        parsed(re.split(r" (?:2?>|\|)", command)[0])


def test_the_pages_are_written_every_hour_and_complaints_go_to_the_log(place: Path) -> None:
    ran = run(place, PAGES, "2026-11-03 08:22:57", calls=1)

    assert (ran.calls, ran.mails) == (["nobody: report --deadline 50min /var/lib/htcq/pages"], [])
    ((_, user, command),) = LINE.findall(PAGES)
    assert user == "htcq"
    parsed(re.split(r" (?:2?>|\|)", command)[0])
