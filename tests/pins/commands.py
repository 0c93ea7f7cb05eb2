"""The commands whose output is pinned, by the name of the file that has it; each begins in a fresh place.

A line is one command; those of one name run one after the other. What a command writes below
``out`` is pinned besides."""

from __future__ import annotations

#: The hours of the history that the looks of :mod:`tests.cli.looks` make.
_TIME = "--since 2024-11-04T07:50Z --until 2024-11-04T09:50Z"
_LOOKS = tuple(
    f"drift record --config history.toml --snapshot snap{number}" for number in range(1, 7)
)
_PLAN = "elastic plan --quotas plan.toml --directory . --journal journal"
_RECLAIM = "--quotas over/q.toml --journal over/journal"

COMMANDS: dict[str, tuple[str, ...]] = {
    "probe": (
        "probe --json @one-gpu",
        "probe --json @mig-slices",
        "probe --json @custom-resources",
        "probe --json @nothing-known",
        "probe --long @four-gpus",
        "probe --cron @four-gpus",
        "probe --json @unreadable-limit",
    ),
    "plan": (
        "plan --node small.json --json",
        "plan --node small.json --preset simple --job cpus=1,memory=2GiB,count=3 --json",
        (
            "plan --node small.json --charge cpus=1 --charge memory=2GiB --whole-charges --job "
            "cpus=1,memory=5GiB --json"
        ),
        "plan --node small.json --model fixed --claims 4 --job cpus=3,memory=1GiB --json",
        "plan --node small.json --model quantized --level memory=8 --job cpus=1,memory=1GiB --json",
        "plan --node fleet --config model.toml --job cpus=2,memory=32GiB,disk=1GiB --json",
        "plan --node fleet --config kinds.toml --job cpus=1,memory=4GiB,gpus=1,count=2 --json",
        "plan --node fleet --config claims.toml --force --json",
        "plan --snapshot busy.tar.gz --config model.toml --json",
        "plan --snapshot old --config claims.toml --force --json",
        "plan --snapshot sick --config model.toml --json",
        "plan --node missing.json --json",
        "plan --node small.json --config bad.toml --json",
        "plan --node small.json --model round --json",
    ),
    "emit": (
        "emit --node small.json --weight cpus=1 --weight memory=0.25/GiB",
        "emit --node fleet --config kinds.toml",
        "emit --role access --node small.json --config model.toml",
        "emit --role central --node small.json --config model.toml",
        "emit --node small.json --config claims.toml --force --write out",
        "emit --node small.json --charge cpus=1 --charge memory=4GiB",
        "emit --node small.json --config claims.toml --force --write config.d --check",
    ),
    "cost": (
        "cost --snapshot claims.tar.gz --json",
        "cost --snapshot busy.tar.gz --csv",
        "cost --snapshot policy --json",
        "cost --snapshot policy --job cpus=1,memory=8GiB --json",
        "cost --snapshot policy --csv",
        "cost --snapshot gpus --job cpus=2,gpus=1 --csv",
        "cost --snapshot weights --json",
        "cost --snapshot sick --json",
        "cost --snapshot nowhere --json",
    ),
    "quota": (
        "quota --snapshot case-016 --json",
        "quota --snapshot case-040 --csv",
        "quota --snapshot case-042 --json",
        "quota --snapshot case-034 --set GROUP_ACCEPT_SURPLUS=False --json",
        "quota --snapshot broken --snapshot waiting --json",
        "quota --snapshot case-055 --csv",
        "quota --snapshot busy.tar.gz --json",
        "quota --snapshot surplus --csv",
        "quota --snapshot dotted --csv",
        "quota --snapshot quotas --set GROUP_ACCEPT_SURPLUS=True --json",
        "quota --snapshot quotas --set GROUP_ACCEPT_SURPLUS=True --csv",
        "quota --snapshot sick --json",
        "quota --snapshot drifted --csv --html out/quota.html",
        "quota --snapshot agreed --snapshot drifted --json",
        "quota --snapshot old --csv",
        "quota --snapshot quotas --set GROUP_ACCEPT_SURPLUS --json",
    ),
    "quota-groups": (
        "quota emit --config groups.toml --snapshot drifted",
        "quota emit --config groups.toml --snapshot drifted --force",
        "quota emit --config groups.toml --force --write out",
        "quota lint --config groups.toml --snapshot drifted --json",
        "quota lint --config broken.toml --json",
        "quota lint --config model.toml --json",
    ),
    "simulate": (
        "simulate --snapshot preemption --json",
        "simulate --snapshot policy --json",
        "simulate --snapshot removed --json",
        "simulate --snapshot access --json",
        "simulate --snapshot busy.tar.gz --matches --json",
        "simulate --snapshot old --json",
        "simulate --snapshot quotas --set GROUP_ACCEPT_SURPLUS=True --json",
        "simulate --snapshot old --as-version central=25.14 --as-version execute=25.14 --json",
        "simulate --snapshot gpus --drain * --json",
        "simulate --snapshot sick --json",
        "simulate --snapshot crash --json",
        "simulate --snapshot crash --set GROUP_QUOTA_a=1 --json",
        "simulate --snapshot crash --skip-bad-slots --json",
        "simulate --snapshot dotted --html out/cycle.html",
        "simulate --snapshot snap --agreement --json",
    ),
    "simulate-cycles": (
        "simulate --snapshot limits --cycles 4 --json",
        (
            "simulate --snapshot weights --cycles 3 --run-time 600 --set GROUP_ACCEPT_SURPLUS=True "
            "--json"
        ),
        "simulate --snapshot quotas --cycles 2 --set GROUP_ACCEPT_SURPLUS=True --json",
        "simulate --snapshot old --cycles 2 --as-version execute=25.14 --json",
        "simulate --snapshot limits --cycles 3 --html out/course.html",
        "simulate --snapshot quotas --sweep sweep.toml --processes 1 --json",
        "simulate --snapshot quotas --sweep sweep.toml --processes 1 --results results",
    ),
    "status": (
        "status --snapshot preemption --json",
        "status --snapshot quotas --json",
        "status --snapshot limits --nagios",
        "status --snapshot sick --json",
        "status --snapshot claims.tar.gz --json",
        "status --snapshot drained.tar.gz --json",
        "status --snapshot drained.tar.gz --nagios",
        "status --snapshot drained.tar.gz",
        "status --snapshot snap --nagios",
        "status --snapshot unmet --json",
    ),
    "why": (
        "why --snapshot preemption --all --json",
        "why --snapshot quotas --all --json",
        "why --snapshot limits --all --json",
        "why --snapshot policy --all --cycles 3 --json",
        "why --snapshot parallel --all --json",
        "why --snapshot sick --all --json",
        "why --snapshot snap 2.0 --json",
        "why --snapshot snap 99.0 --json",
        "why --snapshot unmet --all --json",
    ),
    "migrate": (
        "migrate --model model.toml --snapshot charged --json",
        "migrate --model model.toml --snapshot charged --quotas amounts.toml --json",
        "migrate --model model.toml --snapshot charged --csv --write-groups out/groups.toml",
        "migrate --model model.toml --snapshot sick --json",
        "migrate --model claims.toml --snapshot busy.tar.gz --json",
        "migrate --model model.toml --snapshot claims.tar.gz --csv",
        "migrate --model missing.toml --snapshot charged --json",
    ),
    "audit": (
        "audit --snapshot sick --json",
        "audit --snapshot sick --csv",
        "audit --snapshot sick --prometheus -",
        "audit --snapshot sick --nagios",
        "audit --snapshot sick --lines",
        "audit --snapshot busy.tar.gz --json",
        "audit --snapshot policy --csv --prometheus out/metrics.prom",
        "audit --snapshot claims.tar.gz --json --config rules.toml",
        "audit --snapshot preemption --lines --fail-on never",
        "audit --snapshot old --csv",
        "audit --snapshot parallel --nagios",
        "audit --snapshot gpus --lines --html out/audit.html",
        "audit --snapshot broken --json --fix out/fix",
        "audit --snapshot drifted --json",
        "audit --snapshot overridden --json",
        "audit --snapshot agreed --nagios",
        "audit --snapshot crash --nagios",
        "audit --snapshot agreed --only nothing-of-the-kind --json",
        "audit --snapshot nowhere --nagios",
    ),
    "explain": ("explain weight-not-a-number --json", "explain --json", "explain no-such-rule"),
    "elastic-compute": (
        "elastic compute --quotas status.toml --demand demand.json --json",
        "elastic compute --quotas status.toml --demand demand.json --trace --json",
        "elastic compute --quotas wrong.toml --demand demand.json --json",
        "elastic compute --quotas trees.toml --demand trees.json --trace --json",
    ),
    "elastic-status": (
        "elastic status --quotas status.toml --snapshot shared --json",
        "elastic status --quotas status.toml --snapshot shared --csv",
        "elastic status --quotas amounts.toml --snapshot charged --json",
        "elastic status --quotas status.toml --snapshot sick --csv",
        "elastic status --quotas trees.toml --snapshot shared --json",
        "elastic status --quotas over/q.toml --snapshot over/pool --csv",
    ),
    "elastic-plan": (
        f"{_PLAN} --snapshot planned --json",
        f"{_PLAN} --snapshot access --json",
        f"{_PLAN} --snapshot shared --json",
        f"{_PLAN} --snapshot sick --json",
        (
            "elastic plan --quotas over/q.toml --snapshot over/pool --journal none --directory . "
            "--json"
        ),
        (
            "elastic apply --quotas plan.toml --snapshot planned --plan 20261121-000000 --directory "
            ". --journal journal"
        ),
        "elastic run --quotas plan.toml --snapshot planned --once --directory . --journal journal",
        "elastic rollback --journal journal",
        "elastic disable --journal journal",
    ),
    "elastic-reclaim": (
        f"elastic reclaim plan {_RECLAIM} --snapshot over/pool --json",
        "elastic reclaim emit --quotas over/q.toml",
        f"elastic reclaim apply {_RECLAIM} --snapshot over/pool --json",
        f"elastic reclaim {_RECLAIM} --snapshot over/pool --apply",
        "elastic reclaim plan --quotas status.toml --snapshot shared --journal journal --json",
    ),
    "drift-record": (
        *_LOOKS[:1],
        f"{_LOOKS[1]} --prometheus out/drift.prom -v",
        "drift record --config history.toml --snapshot snap2 -v",
        "drift record --config history.toml --snapshot idle.tar.gz -v",
        "drift record --config history.toml --snapshot sick",
    ),
    "drift-report": (
        *_LOOKS,
        "drift record --config history.toml --snapshot snap7",
        "drift record --config history.toml --snapshot snap8",
        f"drift report --config history.toml {_TIME} --json",
        f"drift report --config history.toml {_TIME} --csv",
        f"drift report --config history.toml {_TIME} --pool other* --csv --html out/drift.html",
        f"drift report --config history.toml {_TIME} --mail",
        "drift report --config ledger.toml --json",
    ),
    "drift-ledger": (
        "drift record --config ledger.toml --snapshot snap11",
        "drift record --config ledger.toml --snapshot snap12",
        "drift record --config ledger.toml --snapshot snap13 --prometheus out/drift.prom",
        f"drift report --config ledger.toml {_TIME} --json",
        f"drift report --config ledger.toml {_TIME} --csv --ledger",
    ),
    "drift-check": (
        "drift check --nagios --snapshot agreed --max-age 1e9",
        "drift check --snapshot agreed --max-age 1e9",
        "drift check --snapshot drifted --config groups.toml -v",
        "drift check --snapshot nowhere",
        "drift check --nagios --snapshot drifted --config groups.toml -v",
        "drift check --nagios --snapshot drifted --metric starved -c 0 -v",
        "drift check --nagios --snapshot drifted --metric usage --group chem -w 10 -c 20",
        "drift check --nagios --snapshot sick",
        "drift check --nagios --snapshot nowhere",
    ),
    "drift-prune": (
        *_LOOKS,
        "drift prune --force --config history.toml --keep-fine 1h --keep-hours 1d --keep-days 1y",
    ),
    "report": ("report out --snapshot gpus",),
    "config": (
        "config check --config kinds.toml",
        "config check --config bad.toml",
        "config check --config mistakes.toml",
        "config check --config /dev/null",
        "config check --config missing.toml",
    ),
}
