"""The Puppet module of contrib/puppet: linted, and applied by Puppet to a root directory, twice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import ROOT
from tests.packages.scratch_root import SITE_FILES, prepared, run

pytestmark = pytest.mark.packages

MODULES = ROOT / "contrib/puppet"
#: One machine that is all of a pool, whose own module owns config.d and deletes from it what it does not manage.
SITE = """
file { '/etc/condor/config.d':
  ensure  => directory,
  purge   => true,
  recurse => true,
}

class { 'htcq':
  packages  => [],
  site_file => file('/etc/site/htcq.toml'),
  include   => ['60-htcq-probe.config'],
  nodes     => { 'standard' => file('/etc/site/standard.json') },
}

class { 'htcq::execute':
  options => ['--node', '/etc/htcq/nodes/standard.json'],
}

class { 'htcq::access':
  reconfig => false,
}

class { 'htcq::central':
  groups   => true,
  reconfig => false,
}

class { 'htcq::drift':
  start => false,
  units => '%(units)s',
}

class { 'htcq::elastic':
  start  => false,
  units  => '%(units)s',
  quotas => file('/etc/site/elastic.toml'),
}
"""
#: Exit statuses of --detailed-exitcodes.
UNCHANGED, CHANGED = 0, 2
SCRIPT = """
apply() {{
  status=0
  puppet apply --modulepath {modules} --detailed-exitcodes "$@" /etc/site/site.pp >>{log} 2>&1 || status=$?
  echo "$status"
}}
echo '# by hand' >/etc/condor/config.d/99-by-hand.config
apply --noop; ls /etc/condor/config.d; ls -d /etc/htcq /etc/condor/htcq.d 2>/dev/null || true
echo --; apply; ls /etc/condor/config.d /etc/condor/htcq.d; ls /etc/systemd/system/timers.target.wants | grep htcq
echo --; apply
echo --; echo 'SLOT_WEIGHT = 1' >>/etc/condor/htcq.d/50-htcq-execute.config
systemctl -q disable htcq-drift.timer; apply; tail -n 3 /etc/condor/htcq.d/50-htcq-execute.config
systemctl is-enabled htcq-drift.timer
echo --; cat /etc/condor/config.d/60-htcq.config /etc/condor/htcq.d/00-htcq-directories.config
"""


def test_the_module_is_linted() -> None:
    done = subprocess.run(
        ["puppet-lint", "--fail-on-warnings", str(MODULES)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """A look writes nothing; what was edited, disabled or deleted comes back; a purge leaves what is htcq's."""
    files = {f"/etc/site/{name}": text for name, text in SITE_FILES.items()}
    files["/etc/site/site.pp"] = SITE % {"units": ROOT / "contrib/systemd"}
    script = SCRIPT.format(modules=MODULES, log=tmp_path / "log")

    done = run(tmp_path, f"{prepared(files)}\n{script}")

    assert done.returncode == 0, (tmp_path / "log").read_text()
    looked, first, second, mended, texts = [part.split() for part in done.stdout.split("--\n")]
    assert looked == ["0", "99-by-hand.config"]
    assert first[0] == str(CHANGED)
    assert "99-by-hand.config" not in first
    assert {
        "60-htcq.config", "00-htcq-directories.config", "50-htcq-access.config",
        "50-htcq-central.config", "50-htcq-execute.config", "50-htcq-groups.config",
        "htcq-drift.timer", "htcq-drift-prune.timer", "htcq-elastic.timer", "htcq-elastic-deadman.timer",
    } <= set(first)  # fmt: skip
    assert second == [str(UNCHANGED)]
    assert (mended[0], mended[-1]) == (str(CHANGED), "enabled")
    assert "SLOT_WEIGHT" not in mended
    assert "/usr/share/htcq/config.d/60-htcq-probe.config" in texts
