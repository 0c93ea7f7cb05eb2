"""A directory with the pools, site files and histories that the pinned commands look at."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

from tests.audit import test_causes
from tests.audit.sites import (
    accounting,
    collected,
    job,
    negotiator,
    policy_slot,
    schedd,
    slot,
    submitter,
)
from tests.cli import (
    published_pools,
    test_elastic_plan,
    test_elastic_status,
    test_migrate,
    test_simulate_agreement,
)
from tests.cli.looks import DECLARED, snapshot
from tests.cli.published_pools import agreed_pool, drifted_pool
from tests.cli.test_drift_ledger import QUOTAS, SITE
from tests.cli.test_elastic_reclaim import write as write_reclaim
from tests.elastic.quotas import claimed
from tests.elastic.reclaim.scenes import borrowed
from tests.expected import pools as unmet
from tests.quota.recorded import ads_of, read
from tests.simulate.migration.pools import FLAT, claim, machine, used, wants

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
#: Pools that were recorded from real daemons, by the name that they have here.
RECORDED = {
    "busy.tar.gz": "mixed-site/linear-busy.tar.gz", "claims.tar.gz": "mixed-site/claims-busy.tar.gz",
    "drained.tar.gz": "drained/half-the-weight-drained.tar.gz",
    "idle.tar.gz": "mixed-site/linear-idle.tar.gz", "policy": "courses/sid-cp", "gpus": "courses/sid-gpu",
    "limits": "courses/sid-limits", "quotas": "courses/sid-quota", "weights": "courses/sid-weights",
    "old": "courses/trixie-limits2", "preemption": "negotiation-2/sid-pre-default",
    "dotted": "negotiation-2/sid-dotted", "surplus": "negotiation-2/sid-groupfactor-autore",
    "access": "negotiation-2/sid-twoaps-groups", "parallel": "negotiation-2/sid-parallel",
    "removed": "negotiation-2/sid-removesig",
}  # fmt: skip
#: Cycles of which the negotiator's own numbers were recorded.
CASES = ("case-016", "case-034", "case-040", "case-042", "case-055")
#: A site file with a mistake on every line whose comment says so.
MISTAKES = """\
# jobs
jobs = [  # wrong: memry
  "cpus=1,memory=2GiB",
  "cpus=1,memry=12GiB",
]
tempaltes = "x"  # wrong: tempaltes is unknown
literal = "yes"  # wrong: literal is 'yes'

[capacity]
modle = "linear"  # wrong: capacity.modle is unknown (did you mean model?)
weights = { cpus = "x" }  # wrong: weight of cpus
preset = "round"  # wrong: capacity.preset is 'round'

[nodes.gpu]
match = "TotalGPUs >"  # wrong: nodes.gpu.match is not a ClassAd expression
model = "linear"
weigths = 3  # wrong: nodes.gpu.weigths is unknown

[groups.chem]
quota = 1  # wrong: groups.chem has both quota and share
share = 0.5
[groups.chem.sub]
qouta = 5  # wrong: groups.chem.sub.qouta is unknown (did you mean quota?)
[groups."a.b"]  # wrong: a dot separates a group from its child
quota = -1
[groups.bio]
owner = \"\"\"
[groups.chem]
\"\"\"
quota.core = 5  # wrong: groups.bio.quota
[audit]
fail_on = "fatal"  # wrong: audit.fail_on is 'fatal'
[audit.rules.fractional-cps]  # wrong: there is no rule 'fractional-cps'
disable = true
[audit.rules.fractional-cpus]
severity = "wrong"  # wrong: audit.rules.fractional-cpus.severity is 'wrong'
[drift]
keep_fine = 86400  # wrong: drift.keep_fine is 86400
[drift.keep]  # wrong: drift.keep is unknown
fine = "1d"
"""
NODES = {
    "small.json": {
        "cpus": 8,
        "memory_mb": 16384,
        "disk_kb": 20_000_000,
        "custom": {"actuators": 4},
    },
    "fleet/a1.json": {"cpus": 32, "memory_mb": 65536, "disk_kb": 100_000_000},
    "fleet/a2.json": {"cpus": 32, "memory_mb": 65536, "disk_kb": 100_000_000},
    "fleet/b1.json": {"cpus": 64, "memory_mb": 524288, "disk_kb": 100_000_000, "hostname": "b1"},
    "fleet/c1.json": {"cpus": 16, "memory_mb": 131072, "disk_kb": 100_000_000, "gpus": 4},
}
TEXTS = {
    "model.toml": test_migrate.MODEL + '[groups.bio]\nquota = 3\nowner = "Ann"\n',
    "claims.toml": '[capacity]\nmodel = "minimum-charge"\ncharge = { cpus = 1, memory = "4GiB" }\n'
    "whole_charges = true\n",
    "kinds.toml": '[nodes.cards]\nmatch = "TotalGPUs > 0"\nmodel = "linear"\nweights = { cpus = 1, gpus = 8 }\n'
    '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n',
    "groups.toml": "[groups.physics]\nquota = 20\n[groups.physics.hep]\nquota = 15\n[groups.physics.lep]\nshare = 0.2\n"
    '[groups.chem]\nquota = 10\nowner = "Ann"\naccept_surplus = true\n[quotas]\n'
    "round_robin_rate = 5\n",
    "broken.toml": '[groups.bio.lab]\nquota = 90\nowner = "Ben"\nexpires = "2001-12-31"\n',
    "rules.toml": '[audit.rules."quota-for-unknown-group"]\nseverity = "info"\n',
    "mistakes.toml": MISTAKES,
    "bad.toml": "[capacity]\nmodle = 'linear'\n",
    "status.toml": test_elastic_status.QUOTAS,
    "plan.toml": test_elastic_plan.QUOTAS,
    "amounts.toml": "[groups.bio]\nmin = { weight = 1500, cpus = 2 }\nmax = { weight = 3000, cpus = 4 }\n",
    "trees.json": json.dumps(
        {"trees": {"one": {"total": {"cpus": 9}}, "two": {"total": {"cpus": 3}}}}
    ),
    "wrong.toml": "[groups.bio]\nmin = { cpus = 5 }\nmax = { cpus = 4 }\n",
    "trees.toml": "[trees.one.groups.a]\nmin = { cpus = 4 }\nmax = { cpus = 8 }\n"
    "[trees.two.groups.b]\nmin = { cpus = 2 }\nmax = { cpus = 2 }\n",
    "demand.json": json.dumps(
        {
            "total": {"cpus": 32, "memory": 65536},
            "request": {
                "physics.hep": {"cpus": 20, "memory": 40960},
                "chem": {"cpus": 4, "memory": 4096},
            },
            "used": {"physics.hep": {"cpus": 6, "memory": 12288}},
        }
    ),
    "sweep.toml": '[grid]\ndemand = [[], "a=x0", "nobody=x2"]\n',
    "history.toml": DECLARED,
    "ledger.toml": SITE,
    "elastic.toml": QUOTAS,
}


def furnish(place: Path) -> None:
    """Put everything into the empty directory ``place``."""
    for name, origin in RECORDED.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).symlink_to(GOLDEN / origin)
    for name in CASES:
        _cycle(place / name, name)
    for name, node in NODES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(json.dumps(node))
    for name, text in TEXTS.items():
        (place / name).write_text(text)
    agreed_pool(place / "agreed")
    drifted_pool(place / "drifted")
    _elastic(place)
    _migrated(place)
    _sick(place)
    _broken(place)
    _waiting(place)
    _unmet(place)
    _histories(place)
    test_simulate_agreement.written(
        place,
        job("1.0", **test_simulate_agreement.NEVER, AutoClusterId=1, LastRejMatchReason='"no match found"'),
        job("2.0", **test_simulate_agreement.NEVER, AutoClusterId=2, LastRejMatchReason='"submitter limit exceeded"'),
    )  # fmt: skip


def _write(
    path: Path, *ads: str, jobs: tuple[str, ...] = (), config: str = "", **meta: object
) -> None:
    path.mkdir(parents=True)
    (path / "collector.ads").write_text(collected(ads))
    (path / "jobs.ads").write_text("\n".join(jobs))
    (path / "config.txt").write_text(config)
    if meta:
        (path / "meta.json").write_text(json.dumps({"schema": 1, **meta}))


def _cycle(path: Path, name: str) -> None:
    case = read(GOLDEN / "group-quotas" / f"{name}.json")
    path.mkdir()
    (path / "collector.ads").write_text(collected(ads_of(case)))
    (path / "config.txt").write_text("\n".join(case["config"]) + "\n")


def _elastic(place: Path) -> None:
    status, plan = test_elastic_status, test_elastic_plan
    _write(place / "shared", *status.ADS, jobs=status.JOBS, config=status.CONFIG)
    central = negotiator(
        LastNegotiationCycleEnd0=plan.SECONDS - 60, MyCurrentTime=plan.SECONDS - 5, **plan.FRESH
    )
    _write(
        place / "planned", *plan.ADS, central, jobs=plan.JOBS, config=plan.CONFIG, taken=plan.TAKEN
    )
    over = place / "over"
    over.mkdir()
    write_reclaim(over, borrowed(8, 2))


#: What a switch of the model has to look at besides quotas.
_MORE = "GROUP_ACCEPT_SURPLUS_chem = True\nGROUP_QUOTA_ROUND_ROBIN_RATE = 2\n"


def _migrated(place: Path) -> None:
    asking, jobs = wants("bio.ann@site", idle=2, running=1)
    mine = used("bio.ann@site", 1, Ceiling=3, Floor=1, Priority="2000.0", PriorityFactor="1000.0")
    ads = (
        machine(Cpus=7, Memory=24576, NumDynamicSlots=1),
        claim(1),
        asking,
        mine,
        used("bio", 1, group=True),
    )
    _write(place / "charged", *ads, jobs=tuple(jobs), config=f"{FLAT}{_MORE}")


def _sick(place: Path) -> None:
    """A pool whose negotiator is late, with an access point that was not asked and slots that are odd."""
    late = published_pools.MOMENT - 5000
    ads = (
        slot("slot1@shut", Start="false"),
        slot("slot1@static", SlotType='"Static"', PartitionableSlot="false"),
        slot("slot1@heavy", SlotWeight="Cpus * 0"),
        slot("slot1@odd", SlotWeight='"heavy"'),
        schedd("access1", LastHeardFrom=late),
        submitter("physics.ada@site", IdleJobs=3, WeightedIdleJobs=3),
        negotiator(
            LastNegotiationCycleEnd0=late, LastNegotiationCycleTime0=late - 10, LastHeardFrom=late
        ),
        accounting(
            "physics",
            IsAccountingGroup="true",
            LastHeardFrom=late,
            EffectiveQuota="3.0",
            SubtreeQuota="3.0",
        ),
    )
    jobs = (
        job("1.0", Requirements="false", AccountingGroup='"physics.ada"'),
        job(
            "1.1", RequestMemory=999999, AccountingGroup='"phisics.ada"',
            TotalSubmitProcs=5, JobMaterializeNextProcId=2, JobMaterializePaused=1,
        ),
    )  # fmt: skip
    config = "GROUP_NAMES = physics\nGROUP_QUOTA_physics = 3\nGROUP_QUOTA_fysics = 4\n"
    failed = [{"what": "jobs of access2", "why": "connection refused"}]
    _write(
        place / "sick", *ads, jobs=jobs, config=config, taken=published_pools.TAKEN, failed=failed
    )


def _broken(place: Path) -> None:
    """A pool in which much of what a rule can mend is wrong, and one whose negotiator crashes."""
    fractional = policy_slot("slot1@node1", ConsumptionCpus="1.5 * TARGET.RequestCpus")
    config = "GROUP_NAMES = chem\nGROUP_QUOTA_chem = -20\n"
    _write(
        place / "broken",
        fractional,
        policy_slot("slot1@node2"),
        schedd(),
        negotiator(),
        jobs=(job(),),
        config=config,
    )
    heavy = policy_slot(SlotWeight="NoSuchThing")
    _write(
        place / "crash", heavy, schedd(), negotiator(), submitter(IdleJobs=2), jobs=(job(),),
        config="GROUP_NAMES = a\nGROUP_QUOTA_a = 3\nSLOT_WEIGHT = AlsoNothing\n",
    )  # fmt: skip


def _waiting(place: Path) -> None:
    """A pool of which not all jobs are offered, and one in which a later file takes the groups away."""
    cooling = [
        job(f"2.{number}", AccountingGroup='"physics.ada"', JobCoolDownExpiration=9_000_000_000)
        for number in range(3)
    ]
    asks = submitter("physics.ada@site", IdleJobs=3, LastHeardFrom=1_700_000_000)
    groups = "GROUP_NAMES = chem, physics\nGROUP_QUOTA_chem = 4\nGROUP_QUOTA_physics = 4\n"
    _write(place / "waiting", slot(), schedd(), asks, jobs=tuple(cooling), config=groups)
    _write(
        place / "overridden",
        slot(),
        *test_causes.USERS,
        config=f"{test_causes.GROUPS}{test_causes.ASTRO}",
    )


def _unmet(place: Path) -> None:
    """A pool whose matches come to no claim: the startd refuses everybody."""
    of_pool = (unmet.free(), unmet.cycles(1, 2), schedd("access1"), submitter(IdleJobs=1))
    config = "NEGOTIATOR_INTERVAL = 60\nDENY_DAEMON = *\n"
    taken = datetime.fromtimestamp(unmet.NOW, timezone.utc).isoformat()
    held = job("9.0", JobStatus=5, HoldReasonCode=34, HoldReason='"over its memory"')
    _write(place / "unmet", *of_pool, jobs=(unmet.waiting(), held), config=config, taken=taken)


def _histories(place: Path) -> None:
    """Six snapshots, 300 s apart, one of another pool, an incomplete one, and three in which groups lend."""
    for number, physics in enumerate((20, 20, 20, 15, 15, 15), 1):
        snapshot(place, number, physics, {"physics": 15, "chem": 12})
    snapshot(place, 7, machine="other.example.net")
    meta = place / snapshot(place, 8) / "meta.json"
    failed = [{"what": "user records of access1", "why": "connection refused"}]
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "failed": failed}))
    for number, cpus in enumerate(
        ({"chem": 12}, {"chem": 30, "physics": 4}, {"chem": 20, "physics": 20}), 11
    ):
        claims = [
            claimed(count, f"{group}.ada@site", each, 0)
            for count, (group, each) in enumerate(cpus.items(), 1)
        ]
        ads = place / snapshot(place, number, extra="\n".join(claims)) / "collector.ads"
        text = ads.read_text().replace("\nCpus = 40", f"\nCpus = {40 - sum(cpus.values())}")
        ads.write_text(text.replace("TotalSlotCpus = 8", "TotalSlotCpus = 40"))
