"""How every command is run on inputs: its command lines, which files are changed, and which it may write."""

from __future__ import annotations

from dataclasses import dataclass

SNAPSHOT = ("snap/*",)
_POOL = ("--snapshot", "SNAPSHOT")
_NOWHERE = ("--pool", "127.0.0.1:1", "--timeout", "2")
_SWITCH = ("--journal", "journal", *_NOWHERE, "--within", "0")
_SINCE = ("--since", "2024-11-03", "--until", "2024-11-05")
_MODELS = (
    (), ("--charge", "cpus=1", "--charge", "memory=2GiB"), ("--claims", "4"), ("--level", "cpus=2"),
    ("--preset", "simple"), ("--weight", "cpus=1", "--weight", "memory=0.25/GiB"), ("--cpu-shares", "2"),
)  # fmt: skip
#: The journals lie beside the file of quotas that names them.
_ELASTIC = ("--quotas", "elastic.toml")
_LOCKS = ("*.lock", "*/.lock")


@dataclass(frozen=True)
class Target:
    """One command or action: a line of ``lines`` is run; files whose names match ``changed`` are mutated.

    ``writes`` are patterns of what it may write; ``again``: what it has written must serve a second
    run. Of all inputs it has a part by its ``weight``. Without the ``ending`` words the command
    would rightly run forever:
    every input has them.
    """

    name: str
    lines: tuple[tuple[str, ...], ...]
    changed: tuple[str, ...] = SNAPSHOT
    writes: tuple[str, ...] = ()
    weight: int = 4
    again: bool = False
    ending: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that it belongs to."""
        return self.name.partition(" ")[0]


TARGETS = (
    Target(
        "probe",
        (("probe", "--json"), ("probe", "--long", "--execute", "."), ("probe", "--cron")),
        ("condor_config",),
        weight=1,
    ),
    Target(
        "plan",
        (
            *(("plan", "--node", "node.json", *model) for model in _MODELS),
            ("plan", "--node", "nodes", "--json", "--jobs", "SNAPSHOT", "--config", "models.toml"),
            ("plan", *_POOL, "--json"),
            ("plan", *_POOL, "--config", "models.toml", "--jobs", "SNAPSHOT"),
            ("plan", "--node", "nodes", "--write-weights", "weights.toml"),
            ("plan", "--node", "node.json", "--job", "cpus=1,memory=8GiB,gpus=1", "--json"),
        ),
        (
            "node.json",
            "nodes/*",
            "models.toml",
            "weights.toml",
            "snap/jobs.ads",
            "snap/collector.ads",
        ),
        ("weights.toml", "weights.toml~", "htcq.toml", "htcq.toml~"),
    ),
    Target(
        "emit",
        (
            *(("emit", "--node", "node.json", *model) for model in _MODELS),
            ("emit", "--node", "node.json", "--config", "models.toml"),
            ("emit", *_POOL, "--role", "access"),
            (
                "emit",
                *_POOL,
                "--literal",
                "--force",
                "--role",
                "central",
                "--config",
                "models.toml",
            ),
            ("emit", "--node", "node.json", "--templates", "own", "--write", "config.d"),
            ("emit", "--node", "node.json", "--write", "config.d", "--diff"),
            ("emit", "--node", "node.json", "--write", "config.d", "--check"),
            ("emit", "--node", "node.json", "--role", "access"),
            ("emit", "--role", "central", "--node", "node.json"),
            ("emit", "--role", "execute", "--remove", "--write", "config.d"),
        ),
        (
            "node.json",
            "node.json",
            "models.toml",
            "own/condor/execute.config.j2",
            "config.d/*",
            "snap/collector.ads",
        ),
        ("config.d/50-htcq-*", *_LOCKS),
        again=True,
    ),
    Target(
        "snapshot",
        (("snapshot", *_NOWHERE, "made"), ("snapshot", *_NOWHERE, "--anonymize", "made.tar.gz")),
        (),
        ("made*",),
        weight=1,
    ),
    Target(
        "cost",
        (
            ("cost", *_POOL),
            ("cost", *_POOL, "--json"),
            ("cost", *_POOL, "--csv", "--all"),
            ("cost", *_POOL, "--job", "cpus=2,memory=8GiB"),
        ),
        weight=8,
    ),
    Target(
        "quota",
        (
            ("quota", *_POOL),
            ("quota", *_POOL, "--json"),
            ("quota", *_POOL, "--csv"),
            ("quota", *_POOL, "--tree", "--all"),
            ("quota", *_POOL, "--set", "GROUP_QUOTA_chem=3", "--set", "GROUP_ACCEPT_SURPLUS=True"),
            ("quota", *_POOL, "--why", "chem"),
            ("quota", *_POOL, "--html", "made.html"),
        ),
        writes=("made.html",),
        weight=8,
    ),
    Target(
        "quota emit",
        (
            ("quota", "emit"),
            ("quota", "emit", *_POOL),
            ("quota", "emit", "--templates", "own", "--force"),
            ("quota", "emit", *_POOL, "--write", "config.d", "--diff"),
            ("quota", "emit", "--force", "--write", "config.d"),
        ),
        ("htcq.toml", "snap/*", "own/condor/groups.config.j2", "config.d/00-site.config"),
        ("config.d/50-htcq-groups.config*", *_LOCKS),
    ),
    Target(
        "quota lint",
        (("quota", "lint"), ("quota", "lint", "--json", *_POOL)),
        ("htcq.toml", "snap/*"),
        weight=2,
    ),
    Target(
        "simulate",
        (
            ("simulate", *_POOL),
            ("simulate", *_POOL, "--json", "--matches"),
            ("simulate", *_POOL, "--skip-bad-slots"),
            ("simulate", *_POOL, "--agreement"),
            ("simulate", *_POOL, "--cycles", "3", "--json"),
            ("simulate", *_POOL, "--model", "new.toml", "--scale-quotas"),
            (
                "simulate",
                *_POOL,
                "--cycles",
                "3",
                "--arrivals",
                "history",
                "--run-time",
                "history:history",
            ),
            (
                "simulate",
                *_POOL,
                "--set",
                "GROUP_QUOTA_chem=3",
                "--remove",
                "node1",
                "--demand",
                "chem=x2",
            ),
            ("simulate", *_POOL, "--add", "2:node1", "--drain", "node2", "--html", "made.html"),
        ),
        (*SNAPSHOT, "new.toml", "history"),
        ("made.html",),
        weight=10,
    ),
    Target(
        "simulate --sweep",
        (
            (
                "simulate",
                "--sweep",
                "sweep.toml",
                *_POOL,
                "--results",
                "results",
                "--processes",
                "1",
            ),
            (
                "simulate",
                "--sweep",
                "sweep.toml",
                *_POOL,
                "--results",
                "results",
                "--processes",
                "1",
                "--json",
            ),
        ),
        ("sweep.toml", "results/*", "snap/config.txt"),
        # --results may name a place outside: values.py has ../../x.
        ("results/*", "*/x/*"),
        weight=2,
        again=True,
    ),
    Target(
        "migrate",
        (
            ("migrate", *_POOL, "--model", "new.toml"),
            ("migrate", *_POOL, "--model", "new.toml", "--json"),
            ("migrate", *_POOL, "--model", "new.toml", "--csv", "--quotas", "elastic.toml"),
            ("migrate", *_POOL, "--model", "new.toml", "--write-groups", "groups.toml"),
        ),
        (*SNAPSHOT, "new.toml", "elastic.toml"),
        ("groups.toml",),
    ),
    Target(
        "status",
        (
            ("status", *_POOL),
            ("status", *_POOL, "--json"),
            ("status", *_POOL, "--nagios"),
            ("status", *_POOL, "--wide", "--skip-bad-slots"),
        ),
        weight=10,
    ),
    Target(
        "why",
        (
            ("why", *_POOL, "--all"),
            ("why", *_POOL, "--all", "--json"),
            ("why", *_POOL, "3.0"),
            ("why", *_POOL, "chem.bob@site", "--json"),
            ("why", *_POOL, "chem"),
            ("why", *_POOL, "--all", "--skip-bad-slots"),
            ("why", *_POOL, "--all", "--cycles", "2", "--run-time", "60", "--json"),
        ),
        weight=10,
    ),
    Target(
        "audit",
        (
            ("audit", *_POOL),
            ("audit", *_POOL, "--json"),
            ("audit", *_POOL, "--csv"),
            ("audit", *_POOL, "--lines"),
            ("audit", *_POOL, "--nagios"),
            ("audit", *_POOL, "--prometheus", "made.prom", "--html", "made.html"),
            ("audit", *_POOL, "--fix", "fixes"),
            ("audit", *_POOL, "--config", "htcq.toml", "--baseline", "baseline.json"),
            ("audit", *_POOL, "--only", "weight-*", "--json"),
        ),
        (*SNAPSHOT, *SNAPSHOT, "htcq.toml", "baseline.json"),
        ("made.html", "made.prom", "fixes/*"),
        weight=12,
    ),
    Target("report", (("report", "pages", *_POOL),), SNAPSHOT, ("pages/*",), weight=4),
    Target(
        "elastic compute",
        (
            ("elastic", "compute", *_ELASTIC, "--demand", "demand.json"),
            (
                "elastic",
                "compute",
                *_ELASTIC,
                "--demand",
                "demand.json",
                "--json",
                "--before",
                "before.toml",
            ),
            ("elastic", "compute", *_ELASTIC, "--demand", "demand.json", "--why", "chem"),
        ),
        ("elastic.toml", "demand.json", "before.toml"),
    ),
    Target(
        "elastic status",
        (
            ("elastic", "status", *_ELASTIC, *_POOL),
            ("elastic", "status", *_ELASTIC, *_POOL, "--json"),
            ("elastic", "status", *_ELASTIC, *_POOL, "--csv"),
        ),
        (*SNAPSHOT, "elastic.toml"),
        weight=8,
    ),
    Target(
        "elastic plan",
        (("elastic", "plan", *_ELASTIC, *_POOL), ("elastic", "plan", *_ELASTIC, *_POOL, "--json")),
        (*SNAPSHOT, "elastic.toml", "journal", "reclaim", "config.d/60-htcq-elastic.config"),
        weight=6,
    ),
    Target(
        "elastic apply",
        (("elastic", "apply", *_ELASTIC, *_NOWHERE, "--plan", "20261121T120000Z-0123456789ab"),),
        ("elastic.toml", "journal"),
        ("config.d/*", "journal*", *_LOCKS),
        weight=1,
    ),
    Target(
        "elastic run",
        (("elastic", "run", *_ELASTIC, *_NOWHERE, "--once", "--yes"),),
        ("journal", "config.d/60-htcq-elastic.config"),
        ("config.d/*", "journal*", *_LOCKS),
        weight=2,
        again=True,
        ending=("--once",),
    ),
    Target(
        "elastic rollback",
        (("elastic", "rollback", "--journal", "journal", *_NOWHERE, "--within", "0"),),
        ("journal", "config.d/60-htcq-elastic.config"),
        ("*",),
        weight=2,
        again=True,
    ),
    Target(
        "elastic disable",
        (
            ("elastic", "disable", "--journal", "journal", *_NOWHERE, "--within", "0"),
            (
                "elastic",
                "disable",
                "--journal",
                "journal",
                *_NOWHERE,
                "--within",
                "0",
                "--if-silent",
                "30min",
            ),
        ),
        ("journal", "config.d/60-htcq-elastic.config"),
        ("*",),
        weight=2,
        again=True,
    ),
    Target(
        "elastic off",
        (
            ("elastic", "off", *_SWITCH, "--reclaim-journal", "reclaim"),
            ("elastic", "off", *_SWITCH, "--reclaim-journal", "reclaim", "--restore"),
        ),
        ("journal", "reclaim", "config.d/60-htcq-elastic.config"),
        ("*",),
        weight=2,
        again=True,
    ),
    Target(
        "elastic on",
        (("elastic", "on", *_SWITCH),),
        ("journal",),
        ("*",),
        weight=1,
        again=True,
    ),
    Target(
        "elastic reclaim",
        (
            ("elastic", "reclaim", "plan", *_ELASTIC, *_POOL),
            ("elastic", "reclaim", "plan", *_ELASTIC, *_POOL, "--json"),
            ("elastic", "reclaim", "emit", *_ELASTIC),
            ("elastic", "reclaim", "record", *_ELASTIC, *_NOWHERE),
            ("elastic", "reclaim", "resume", *_ELASTIC, *_NOWHERE),
        ),
        (*SNAPSHOT, "elastic.toml", "reclaim"),
        ("reclaim*", *_LOCKS),
        weight=6,
    ),
    Target(
        "drift record",
        (
            ("drift", "record", *_POOL, "-v", "--config", "drift.toml"),
            ("drift", "record", *_POOL, "--store", "drift.db", "--prometheus", "made.prom"),
        ),
        (*SNAPSHOT, "drift.db", "drift.toml"),
        ("drift.db*", "made.prom", *_LOCKS),
        weight=5,
        again=True,
    ),
    Target(
        "drift report",
        (
            ("drift", "report", "--store", "drift.db", *_SINCE),
            ("drift", "report", "--store", "drift.db", *_SINCE, "--json"),
            ("drift", "report", "--store", "drift.db", *_SINCE, "--csv"),
            ("drift", "report", "--store", "drift.db", *_SINCE, "--mail"),
            ("drift", "report", "--store", "drift.db", *_SINCE, "--csv", "--ledger"),
            ("drift", "report", "--store", "drift.db", *_SINCE, "--html", "made.html"),
        ),
        ("drift.db",),
        ("drift.db*", "made.html"),
        weight=5,
    ),
    Target(
        "drift check",
        tuple(
            ("drift", "check", "--nagios", *_POOL, "-v", "--metric", metric)
            for metric in ("drifted", "starved", "over", "lending", "usage", "waiting")
        ),
        (*SNAPSHOT, "htcq.toml"),
        weight=5,
    ),
    Target(
        "drift prune",
        (("drift", "prune", "--store", "drift.db"),),
        ("drift.db", "htcq.toml"),
        ("drift.db*",),
        weight=2,
        again=True,
    ),
    Target(
        "config check", (("config", "check", "--config", "htcq.toml"),), ("htcq.toml",), weight=2
    ),
    Target(
        "explain",
        (
            ("explain",),
            ("explain", "--json"),
            ("explain", "weight-not-a-number"),
            ("explain", "--man"),
        ),
        (),
        weight=1,
    ),
)
