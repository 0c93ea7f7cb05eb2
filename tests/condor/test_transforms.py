"""A schedd does with broken lines of transforms what ``tests/golden/knobs/transforms.json`` says."""

from __future__ import annotations

import json

import pytest
from conftest import NEWEST
from knob_trials import GOLDEN
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]
#: One of each kind: a transform, a line, and jobs that are lost, and a line that is sound.
_CHOSEN = ("req_broken", "set_broken2", "set_eq_joined", "unknown_kw", "noendif", "set_eq")


def test_a_schedd_loses_what_is_broken(suite: str) -> None:
    recorded = json.loads((GOLDEN / "transforms.json").read_text(encoding="utf-8"))["cases"]
    texts = {each["name"]: each["text"] for each in recorded}
    seen = {}
    with Pool.start(suite=suite, cpus=1, daemons=("COLLECTOR", "SCHEDD")) as pool:
        for name in _CHOSEN:
            mark = len(pool.log("SchedLog"))
            pool.configure(
                f"JOB_TRANSFORM_NAMES = last x\nJOB_TRANSFORM_x @=end\n{texts[name]}\n@end\n"
                f"JOB_TRANSFORM_last = SET Case {name!r}\n".replace("'", '"')
            )
            pool.tool("condor_reconfig", "-daemon", "schedd")
            pool.wait(lambda: f'"{name}"' in pool.log("SchedLog")[mark:], 20, "the reconfig")  # noqa: B023
            seen[name] = _submitted(pool)
    assert seen == {each["name"]: each["seen"] for each in recorded if each["name"] in _CHOSEN}


def _submitted(pool: Pool) -> str:
    done = pool.run(
        ["condor_submit", "-terse", "-"],
        as_job_user=True,
        input="executable = /bin/sleep\nrequirements = false\nqueue\n",
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return "refused"
    cluster = done.stdout.partition(".")[0]
    return str(pool.tool("condor_q", cluster, "-allusers", "-af:r", "Foo", "Bar")).strip()
