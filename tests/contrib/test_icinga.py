"""Icinga 2 takes contrib/nagios/icinga2.conf, runs the plugin, and understands what it says."""

from __future__ import annotations

import getpass
import re
import subprocess
import time
from pathlib import Path

from tests.cli.published_pools import drifted_pool
from tests.contrib.places import ROOT, program

OBJECTS = (ROOT / "contrib/nagios/icinga2.conf").read_text(encoding="utf-8")
SERVICES = {"htcondor-quota-drift", "htcondor-groups-below-quota", "htcondor-audit"}
DIRECTORIES = ("DataDir", "LogDir", "CacheDir", "InitRunDir", "SpoolDir")
#: A whole Icinga beside the file: one host, and the results of its checks in files.
MAIN = """
include <itl>
const NodeName = "here"
object IcingaApplication "app" {{ }}
object Endpoint NodeName {{ }}
object Zone "zone" {{ endpoints = [ NodeName ] }}
object CheckerComponent "checker" {{ }}
object PerfdataWriter "results" {{
  rotation_interval = 1s
  host_temp_path = "{place}/hosts.new"
  host_perfdata_path = "{place}/hosts"
  service_temp_path = "{place}/results.new"
  service_perfdata_path = "{place}/results"
  service_format_template = "<result>$service.name$\\t$service.state_id$\\t$service.output$\\t$service.perfdata$"
}}
object CheckCommand "is-up" {{ command = [ "/bin/true" ] }}
object Host "cm.example.net" {{
  check_command = "is-up"
  address = "127.0.0.1"
  vars.htcondor_central_manager = true
}}
object Host "other.example.net" {{ check_command = "is-up" }}
include "{place}/htcq.conf"
"""


def icinga(place: Path, objects: str, *flags: str) -> list[str]:
    """Write a configuration with ``objects`` and return the command that runs Icinga with it."""
    (place / "htcq.conf").write_text(objects)
    (place / "main.conf").write_text(MAIN.format(place=place))
    given = {"RunAsUser": getpass.getuser(), "RunAsGroup": getpass.getuser()}
    for name in DIRECTORIES:
        (place / name).mkdir(exist_ok=True)
        given[name] = str(place / name)
    constants = [word for name, value in given.items() for word in ("-D", f"{name}={value}")]
    return ["icinga2", "daemon", *flags, "-c", str(place / "main.conf"), *constants]


def verified(place: Path, objects: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        icinga(place, objects, "-C"), capture_output=True, text=True, check=False, timeout=60
    )


def results(place: Path) -> dict[str, list[str]]:
    """Return the last result of each service: state, output and performance data."""
    files = sorted(place.glob("results.[0-9]*"))
    found = (each.split("\t") for path in files for each in path.read_text().split("<result>")[1:])
    return {name: rest for name, *rest in found}


def checked(place: Path, objects: str) -> dict[str, list[str]]:
    """Run Icinga until it has made every check; a namespace of its own makes sure that nothing of it is left."""
    command = [
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        *icinga(place, objects),
    ]
    with (
        (place / "out").open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=out) as process,
    ):
        try:
            deadline = time.monotonic() + 90
            while set(found := results(place)) != SERVICES:
                assert process.poll() is None, (place / "out").read_text()
                assert time.monotonic() < deadline, (place / "out").read_text()
                time.sleep(0.1)
        finally:
            process.kill()
    return found


def test_icinga_verifies_the_objects(tmp_path: Path) -> None:
    done = verified(tmp_path, OBJECTS)

    assert done.returncode == 0, done.stdout
    assert f"Instantiated {len(SERVICES)} Services" in done.stdout
    assert "warning" not in done.stdout


def test_icinga_would_refuse_what_is_wrong(tmp_path: Path) -> None:
    assert verified(
        tmp_path, OBJECTS.replace('check_command = "htcq-audit"', 'check_command = "nothing"')
    ).returncode


def test_a_real_icinga_runs_the_plugin_with_its_options_and_reads_the_verdict(
    tmp_path: Path,
) -> None:
    drifted_pool(tmp_path / "snap")
    assert OBJECTS.count('"/usr/bin/htcq"') == OBJECTS.count('"--pool" =') == 2
    here = OBJECTS.replace("/usr/bin/htcq", str(program(tmp_path)))
    here = here.replace('"--pool" = "$htcq_pool$"', f'"--snapshot" = "{tmp_path}/snap"')
    found = checked(tmp_path, re.sub(r"(check|retry)_interval = \w+", r"\1_interval = 2s", here))

    assert found["htcondor-quota-drift"][0] == found["htcondor-groups-below-quota"][0] == "1"
    assert found["htcondor-quota-drift"][1].split("\n")[0].rstrip() == (
        f"HTCQ DRIFT WARNING: {tmp_path}/snap: 1 of 5 groups drifted: physics.lep; "
        "1 of 5 groups below quota while jobs wait: physics.hep"
    )
    assert found["htcondor-quota-drift"][2].split()[:2] == ["drifted=1;0;;0;5", "starved=1;0;;0;5"]
    assert found["htcondor-groups-below-quota"][2].split()[:2] == [
        "drifted=1;;;0;5",
        "starved=1;0;;0;5",
    ]
    assert found["htcondor-audit"][1].startswith("HTCQ ")
    assert found["htcondor-audit"][2].startswith("errors=")
