"""Nagios takes contrib/nagios/htcq.cfg, runs the plugin, and understands what it says."""

from __future__ import annotations

import getpass
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.published_pools import agreed_pool, drifted_pool
from tests.contrib.commands import parsed
from tests.contrib.places import ROOT, program

OBJECTS = (ROOT / "contrib/nagios/htcq.cfg").read_text(encoding="utf-8")
SERVICES = ("HTCondor quota drift", "HTCondor groups below quota", "HTCondor audit")
HOST = """
define command {
    command_name            is-up
    command_line            /bin/true
}
define host {
    use                     linux-server
    host_name               cm.example.net
    address                 127.0.0.1
    hostgroups              htcondor-central-managers
    check_command           is-up
}
"""
#: The examples of Debian's package that htcq.cfg builds on.
DEBIAN = ("commands", "contacts", "timeperiods", "templates")
MAIN = """
{objects}
log_file={place}/nagios.log
object_cache_file={place}/objects.cache
status_file={place}/status.dat
status_update_interval=1
state_retention_file={place}/retention.dat
command_file={place}/nagios.cmd
lock_file={place}/nagios.lock
temp_file={place}/nagios.tmp
temp_path={place}
check_result_path={place}/checkresults
query_socket={place}/nagios.qh
resource_file=/etc/nagios4/resource.cfg
nagios_user={user}
nagios_group={user}
service_inter_check_delay_method=n
max_service_check_spread=1
enable_notifications=0
use_syslog=0
illegal_macro_output_chars=`~$&|'"<>
"""


def main_file(place: Path, objects: str) -> Path:
    """Write the configuration of a Nagios that keeps everything in ``place``; return its main file."""
    (place / "checkresults").mkdir()
    (place / "htcq.cfg").write_text(objects)
    (place / "host.cfg").write_text(HOST)
    files = [
        *(f"/etc/nagios4/objects/{name}.cfg" for name in DEBIAN),
        place / "htcq.cfg",
        place / "host.cfg",
    ]
    path = place / "nagios.cfg"
    lines = "\n".join(f"cfg_file={name}" for name in files)
    path.write_text(MAIN.format(objects=lines, place=place, user=getpass.getuser()))
    return path


def verified(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["nagios4", "-v", str(path)], capture_output=True, text=True, check=False, timeout=60
    )


def services(status: Path) -> dict[str, dict[str, str]]:
    """Return what Nagios says of its services, by name."""
    text = status.read_text() if status.exists() else ""
    blocks = (
        dict(re.findall(r"^\t(\w+)=(.*)$", block, re.MULTILINE))
        for block in text.split("servicestatus {")[1:]
    )
    return {block["service_description"]: block for block in blocks}


def checked(place: Path, objects: str) -> dict[str, dict[str, str]]:
    """Run Nagios until it has made every check once; return what it says of the services."""
    command = ["nagios4", str(main_file(place, objects))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT) as process:
        try:
            deadline = time.monotonic() + 60
            while not (found := services(place / "status.dat")) or any(
                service["has_been_checked"] == "0" for service in found.values()
            ):
                assert process.poll() is None, (place / "nagios.log").read_text()
                assert time.monotonic() < deadline, "Nagios made no check"
                time.sleep(0.1)
        finally:
            process.terminate()
    return found


def here(place: Path) -> str:
    """Return the objects with this checkout's htcq and a snapshot in the place of what a site has."""
    assert OBJECTS.count("/usr/bin/htcq ") == OBJECTS.count("--pool $HOSTADDRESS$") == 2
    objects = OBJECTS.replace("/usr/bin/htcq ", f"{program(place)} ")
    return objects.replace("--pool $HOSTADDRESS$", f"--snapshot {place}/snap")


def test_nagios_verifies_the_objects(tmp_path: Path) -> None:
    done = verified(main_file(tmp_path, OBJECTS))

    assert done.returncode == 0, done.stdout
    assert f"Checked {len(SERVICES)} services" in done.stdout
    assert "Total Warnings: 0" in done.stdout
    assert "Total Errors:   0" in done.stdout


@pytest.mark.parametrize(
    ("right", "wrong"), [("!--metric starved", "_of_nothing"), ("max_check", "most_check")]
)
def test_nagios_would_refuse_what_is_wrong(right: str, wrong: str, tmp_path: Path) -> None:
    assert right in OBJECTS
    assert verified(main_file(tmp_path, OBJECTS.replace(right, wrong))).returncode != 0


def test_a_real_nagios_sees_state_text_numbers_and_lines(tmp_path: Path) -> None:
    drifted_pool(tmp_path / "snap")
    found = checked(tmp_path, here(tmp_path))
    drift, starved, audit = (found[name] for name in SERVICES)

    assert (drift["current_state"], starved["current_state"]) == ("1", "1")
    assert drift["plugin_output"] == (
        f"HTCQ DRIFT WARNING: {tmp_path}/snap: 1 of 5 groups drifted: physics.lep: "
        "1 of 5 groups below quota while jobs wait: physics.hep"
    )
    assert drift["performance_data"].split()[:3] == [
        "drifted=1;0;;0;5",
        "starved=1;0;;0;5",
        "over=1;;;0;5",
    ]
    held = (
        "what groups lack of their quotas is held by chem 2, as its 12 claims end, for jobs that fit "
        r"there; free 28: the next cycle, for jobs that fit\n"
    )
    assert drift["long_plugin_output"] == held + (
        r"physics.hep: starved: uses 0 of 15 while 30 waits\nphysics.lep: drifted: quota published 4 "
        "where 5 should be"
    )
    assert starved["long_plugin_output"] == (
        f"{held}physics.hep: starved: uses 0 of 15 while 30 waits"
    )
    assert audit["plugin_output"].startswith(
        f"HTCQ {('OK', 'WARNING', 'CRITICAL', 'UNKNOWN')[int(audit['current_state'])]}: "
    )
    assert audit["performance_data"].startswith("errors=")


def test_a_real_nagios_sees_that_all_is_well_and_that_nothing_is_known(tmp_path: Path) -> None:
    agreed_pool(tmp_path / "snap")
    wrong = here(tmp_path).replace("!--metric starved", "!--metric nonsense")
    found = checked(tmp_path, wrong)

    assert found["HTCondor quota drift"]["current_state"] == "0"
    assert found["HTCondor groups below quota"]["current_state"] == "3"
    assert found["HTCondor groups below quota"]["plugin_output"].startswith(
        "HTCQ DRIFT UNKNOWN: --metric nonsense"
    )


def test_negate_turns_the_verdict_around(tmp_path: Path) -> None:
    """The plugin of monitoring-plugins that wraps others reads status and word."""
    agreed_pool(tmp_path / "snap")
    check = [
        str(program(tmp_path)),
        "drift",
        "check",
        "--nagios",
        "--snapshot",
        str(tmp_path / "snap"),
    ]
    command = ["/usr/lib/nagios/plugins/negate", "--timeout=60", "--substitute", *check]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 2
    assert done.stdout.startswith("HTCQ DRIFT CRITICAL: ")


def test_htcq_takes_every_command() -> None:
    commands = re.findall(r"command_line +(.*)$", OBJECTS, re.MULTILINE)
    extra = dict(re.findall(r"check_command +(\w+)!(.*)$", OBJECTS, re.MULTILINE))

    assert len(commands) == 2
    for command in commands:
        parsed(command.replace("$ARG1$", ""))
    for arguments in extra.values():
        parsed(commands[0].replace("$ARG1$", arguments))
