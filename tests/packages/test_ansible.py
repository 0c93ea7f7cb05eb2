"""The Ansible role of contrib/ansible: linted, and run by Ansible on a root directory, twice."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import ROOT
from tests.packages.scratch_root import SITE_FILES, prepared, run

pytestmark = pytest.mark.packages

CONTRIB = ROOT / "contrib/ansible"
UNITS = ROOT / "contrib/systemd"
#: One machine that is all of a pool.
PLAYBOOK = f"""
- hosts: localhost
  connection: local
  gather_facts: false
  roles:
    - role: htcq
      vars:
        htcq_packages: []
        htcq_site_file: "{{{{ lookup('file', '/etc/site/htcq.toml', rstrip=false) }}}}"
        htcq_roles: [execute, access, central]
        htcq_nodes:
          standard: "{{{{ lookup('file', '/etc/site/standard.json') }}}}"
        htcq_execute_options: [--node, /etc/htcq/nodes/standard.json]
        htcq_include: [60-htcq-probe.config]
        htcq_groups: true
        htcq_reconfig: false
        htcq_drift: true
        htcq_elastic_quotas: "{{{{ lookup('file', '/etc/site/elastic.toml', rstrip=false) }}}}"
        htcq_start: false
        htcq_units: {UNITS}
"""
SCRIPT = """
play() {{
  HOME={place} ANSIBLE_NOCOLOR=1 ANSIBLE_ROLES_PATH={roles} \
    ansible-playbook -i localhost, /etc/site/site.yml >{place}/"$1" 2>&1
}}
play first; ls /etc/condor/config.d /etc/condor/htcq.d; ls /etc/systemd/system/timers.target.wants | grep htcq
play second
echo 'SLOT_WEIGHT = 1' >>/etc/condor/htcq.d/50-htcq-execute.config
systemctl -q disable htcq-drift.timer
play third; systemctl is-enabled htcq-drift.timer; grep -c '^SLOT_WEIGHT = 1$' /etc/condor/htcq.d/50-htcq-execute.config || true
cat /etc/condor/config.d/60-htcq.config
"""


def test_the_role_is_linted(tmp_path: Path) -> None:
    words = ["ansible-lint", "--offline", "-q", "-p", "--nocolor", "site.yml", "roles"]
    done = subprocess.run(
        words, cwd=CONTRIB, capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def changed(place: Path, name: str) -> list[str]:
    """Return the tasks of a run that changed anything."""
    tasks = re.split(
        r"^TASK \[(?:htcq : )?(.*)\] \**$", (place / name).read_text(), flags=re.MULTILINE
    )
    return [task for task, told in zip(tasks[1::2], tasks[2::2]) if "\nchanged: " in told]


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """What was edited or disabled comes back, and nothing else changes."""
    files = {f"/etc/site/{name}": text for name, text in SITE_FILES.items()}
    files["/etc/site/site.yml"] = PLAYBOOK
    script = SCRIPT.format(place=tmp_path, roles=CONTRIB / "roles")

    done = run(tmp_path, f"{prepared(files)}\n{script}")

    assert done.returncode == 0, [path.read_text() for path in tmp_path.iterdir() if path.is_file()]
    assert {
        "60-htcq.config", "00-htcq-directories.config", "50-htcq-access.config",
        "50-htcq-central.config", "50-htcq-execute.config", "50-htcq-groups.config",
        "htcq-drift.timer", "htcq-drift-prune.timer", "htcq-elastic.timer", "htcq-elastic-deadman.timer",
    } <= set(done.stdout.split())  # fmt: skip
    assert "Write the groups" in changed(tmp_path, "first")
    assert changed(tmp_path, "second") == []
    assert changed(tmp_path, "third") == [
        "Write the configuration of one role",
        "Enable the timers",
    ]
    assert "\nenabled\n0\n" in done.stdout
    assert "include : /usr/share/htcq/config.d/60-htcq-probe.config\n" in done.stdout
