"""On the central manager itself the audit names both files and lines of a GROUP_NAMES that a later file overrides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from access_point import AccessPoint
from broken import break_it
from claims import groups
from conftest import NEWEST, Site

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]


def test_both_files_and_lines_are_named(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {})
    first, later = pool.config_dir / "99-groups.config", pool.config_dir / "99-later.config"
    first.write_text(
        "".join(f"{name} = {value}\n" for name, value in groups(chem="2", physics="3").items())
    )
    later.write_text("# another project\nGROUP_NAMES = astro\nGROUP_QUOTA_astro = 1\n")
    for path in (first, later):
        path.chmod(0o644)
    pool.reconfig()
    machine = AccessPoint(pool, "central-user")

    done = machine.run("audit", "--json", "--fail-on", "never", "--only", "group-names-overridden")
    (finding,) = json.loads(done.out)["findings"]

    inside = str(pool.config_dir)[len(pool.record.root) :]
    line = first.read_text().splitlines().index("GROUP_NAMES = chem, physics") + 1
    assert [(fact["value"], fact["place"]) for fact in finding["evidence"]] == [
        ("chem, physics", f"{inside}/99-groups.config:{line}"),
        ("astro", f"{inside}/99-later.config:2"),
    ]
    assert (
        f"{inside}/99-later.config:2 overrides GROUP_NAMES of {inside}/99-groups.config:{line}"
        in finding["message"]
    )
