"""The sound files beside a pool that commands read: site file, quotas, nodes, demand, models, sweeps, journals."""

from __future__ import annotations

import json
from pathlib import Path

from htcq.elastic.journal_lines import line_of
from tests.elastic.writing import written
from tests.fuzz.pools import SECONDS, history

ROOT = Path(__file__).resolve().parents[2]
SITE = """# the site
[audit]
fail_on = "warning"
[audit.rules.weight-not-a-number]
severity = "info"
ignore = ["slot*@gpu*"]
[groups.physics]
quota = 12
owner = "Anna"
expires = 2027-03-31
[groups.physics.hep]
share = 0.5
accept_surplus = false
[groups.chem]
quota = 8
[quotas]
accept_surplus = true
"""
#: What a file in the current directory may not say: it is named.
_HISTORY = '[drift]\nstore = "drift.db"\nkeep_fine = "14d"\nquotas = "elastic.toml"\n'
MODELS = """jobs = ["cpus=1,memory=2GiB,count=10", "cpus=4,memory=32GiB,gpus=1"]
literal = false
[capacity]
model = "linear"
weights = { cpus = 1, memory = "0.25/GiB", gpus = 8 }
scale = 1
[nodes.large]
match = "TotalCpus > 7"
charge = { cpus = 1, memory = "2GiB" }
"""
NEW_MODEL = """[capacity]
model = "minimum-charge"
charge = { cpus = 1, memory = "4GiB" }
[groups.chem]
quota = 3
"""
ELASTIC = """
[elastic.write]
directory = "config.d"
journal = "journal"
offer_step = 0.0
cycle_age = "1h"
verify_within = "1s"
[elastic.reclaim]
journal = "/proc/self/cwd/reclaim"
over_for = "0s"
need_for = "0s"
pool_percent = 100
[groups.physics]
min = { cpus = 6, memory = 8192 }
max = { cpus = 12, memory = "unlimited" }
users = ["ada"]
weight = { memory = 1 }
[groups."physics.hep"]
min = { cpus = 2 }
max = { cpus = 12 }
weight = { cpus = 2 }
[groups.chem]
min = { cpus = 1 }
max = { cpus = 16 }
"""
_DEMAND = {
    "total": {"cpus": 18, "memory": 34816},
    "request": {"physics.hep": {"cpus": 7}, "chem": {"cpus": 40, "memory": 4096}},
    "used": {"physics.hep": {"cpus": 2}, "chem": {"cpus": 2}},
}
_NODE = {
    "cpus": 8,
    "memory_mb": 16384,
    "disk_kb": 20_000_000,
    "custom": {"actuators": 4},
    "hostname": "node1",
}
_GPUS = {
    "cpus": 16, "memory_mb": 131072, "disk_kb": 100_000_000, "gpus": 4, "swap_mb": 1024, "gpu_name": "Tesla V100",
}  # fmt: skip
_SWEEP = """
[base]
cycles = 2
run-time = "exponential:600"
[grid]
set = ["GROUP_QUOTA_chem=6", ["GROUP_QUOTA_chem=1", "GROUP_QUOTA_physics=2"]]
demand = [[], "chem=x2"]
[[item]]
name = "own"
seed = 8
"""
_TEMPLATE = "# a site's own\nSLOT_WEIGHT = Cpus\n# {{ 7 * 7 }}\n"
#: Where the quota writer writes, from the directory in which htcq runs.
_QUOTAS = "config.d/60-htcq-elastic.config"


def _journal() -> str:
    static = {"physics": (6.0, True), "physics.hep": (2.0, True), "chem": (1.0, True)}
    lines, before = "", ""
    for number, (text, quota) in enumerate((("first\n", 2.0), ("second\n", 8.0))):
        records = written(
            1 + 2 * number, {**static, "physics": (quota, False)}, time=SECONDS - 900 + number, text=text,
            before=before, path=_QUOTAS, fallback="static\n", fallback_quotas=static,
        )  # fmt: skip
        lines += "".join(map(line_of, records))
        before = records[0].after
    return lines


def _reclaims() -> str:
    told = {"negotiator": "central", "over": ["chem"], "needs": ["physics"]}
    looks = [
        {"v": 1, "kind": "reclaim-look", "time": SECONDS - 1000 + 100 * step, "reclaim": told}
        for step in range(4)
    ]
    return "".join(json.dumps(look) + "\n" for look in looks)


def beside() -> dict[str, bytes]:
    """Return the files beside a pool by name."""
    site = Path(ROOT / "templates/condor/execute.config.j2").read_bytes()
    texts = {
        "htcq.toml": SITE,
        "drift.toml": SITE + _HISTORY,
        "models.toml": MODELS,
        "new.toml": NEW_MODEL,
        "elastic.toml": ELASTIC,
        "weights.toml": '# ours\n[capacity]\nmodel = "linear"\n',
        "before.toml": ELASTIC.replace("16", "20"),
        "demand.json": json.dumps(_DEMAND),
        "node.json": json.dumps(_NODE),
        "nodes/a1.json": json.dumps(_NODE),
        "nodes/b1.json": json.dumps(_GPUS),
        "sweep.toml": _SWEEP,
        "journal": _journal(),
        "reclaim": _reclaims(),
        "config.d/00-site.config": "A = 1\n",
        _QUOTAS: "second\n",
        "own/condor/groups.config.j2": _TEMPLATE,
        "condor_config": "LOCAL_DIR = .\nNUM_CPUS = 4\nMACHINE_RESOURCE_tokens = 3\nEXECUTE = $(LOCAL_DIR)\n",
    }
    return {
        **{name: text.encode() for name, text in texts.items()},
        "own/condor/execute.config.j2": site,
        "history": history(),
    }


def kind_of(name: str) -> str:
    """Return the kind of a file, by which it is mutated."""
    endings = {
        ".ads": "ads", ".txt": "config", ".toml": "toml", ".json": "json", ".j2": "config", ".config": "config",
        ".gz": "archive", ".xz": "archive", ".tar": "archive",
    }  # fmt: skip
    named = {"journal": "jsonl", "reclaim": "jsonl", "history": "ads", "condor_config": "config"}
    return named.get(name) or endings.get(Path(name).suffix, "bytes")
