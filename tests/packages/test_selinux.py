"""SELinux: the tools that build a policy module take the one of contrib/startd_cron."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

POLICY = ROOT / "contrib/startd_cron/htcq_probe.te"


@pytest.mark.packages
def test_the_module_compiles_and_allows_nothing_but_reading(tmp_path: Path) -> None:
    module, package = tmp_path / "htcq_probe.mod", tmp_path / "htcq_probe.pp"
    for command in (
        ["checkmodule", "-M", "-m", "-o", str(module), str(POLICY)],
        ["semodule_package", "-o", str(package), "-m", str(module)],
    ):
        subprocess.run(command, check=True, capture_output=True)

    assert package.stat().st_size > module.stat().st_size > 0
    granted = {
        word
        for line in POLICY.read_text().splitlines()
        if line.startswith("allow ")
        for word in line.rpartition("{")[2].partition("}")[0].split()
    }
    assert granted == {"getattr", "open", "read", "search"}
