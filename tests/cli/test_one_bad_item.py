"""One bad item of many: every command answers about the rest, whatever stands in an ad, and names what it left out.

Attributes of a healthy ad are replaced one by one by what nobody expects there, and all of these
ads lie in one pool beside healthy ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

import pytest

from htcq.errors import EXIT_FINDINGS, EXIT_FINE
from htcq.pool import job as job_ads
from htcq.pool import slot as slot_ads
from tests.audit.sites import (
    accounting,
    collector,
    dynamic_slot,
    job,
    negotiator,
    policy_slot,
    schedd,
    static_slot,
    submitter,
)
from tests.cli.conftest import Call

#: 2026-11-02T08:15:00Z, by date(1).
MOMENT = 1_793_607_300
CONFIG = (
    "GROUP_NAMES = physics, chem\nGROUP_QUOTA_physics = 8\nGROUP_QUOTA_chem = 8\n"
    "GROUP_ACCEPT_SURPLUS = true\n"
)
QUOTAS = """
[elastic.write]
directory = "."
journal = "journal"
[elastic.reclaim]
[groups.physics]
min = { cpus = 8, memory = 16384 }
max = { cpus = 12, memory = 24576 }
[groups.chem]
min = { cpus = 8, memory = 16384 }
max = { cpus = 16, memory = 32768 }
"""
MODEL = '[capacity]\nmodel = "linear"\nweights = { cpus = 1, memory = "0.25/GiB" }\n'
_Q = ("--quotas", "q.toml")
COMMANDS = {
    "audit": ("audit", "--json", "--html", "a.html", "--prometheus", "a.prom"),
    "status": ("status", "--json"),
    "why": ("why", "physics.ada@site"),
    "cost": ("cost",),
    "quota": ("quota", "--json", "--html", "q.html"),
    "quota why": ("quota", "--why", "physics"),
    "simulate": ("simulate", "--matches"),
    "simulate cycles": ("simulate", "--cycles", "2", "--json"),
    "simulate what if": ("simulate", "--demand", "physics=2", "--remove", "node3"),
    "migrate": ("migrate", "--model", "model.toml"),
    "plan": ("plan", "--config", "model.toml"),
    "elastic status": ("elastic", "status", *_Q),
    "elastic plan": ("elastic", "plan", *_Q),
    "elastic reclaim": ("elastic", "reclaim", "plan", *_Q),
    "drift record": ("drift", "record", "--store", "drift.db", "--max-age", "1e9"),
    "drift ledger": ("drift", "record", "--store", "ledger.db", "--max-age", "1e9", *_Q),
}
#: They evaluate nothing that others do not.
LIKE_OTHERS = (
    "simulate cycles",
    "simulate what if",
    "quota why",
    "elastic reclaim",
    "drift ledger",
)
#: Wrong types, ends of the numbers, names that are none, letters that are none.
VALUES: tuple[str | bytes, ...] = (
    '"text"', '""', "{1, {2}}", "[ a = [ b = 1 ] ]", 'real("NaN")', "1e999", "-5", "-0.5", "9223372036854775808",
    "-9223372036854775808", "1e300", "error", "undefined", "true", "a" * 10_000, f'"{"b" * 10_000}"', "x(", '"open',
    '"a\\nhtcq: fine"', '".."', '"@"', '"a..b@"', "", b'"\xff\xfe"', b"\xff", '"a\0b"', '"\x1b[31m\u202e"',
    '"cpus memory disk ( a+b 1x \u00e9"', "strcat(1/0)", 'eval("Name")',
)  # fmt: skip
#: So many of them stand in place of each attribute.
_EACH = 2
#: Expressions as long and as deep as they may be, and further.
CHAINS = {
    "or": " || ".join(["a"] * 10_000), "parentheses": f"{'(' * 10_000}1{')' * 10_000}",
    "scopes": ".".join("a" * 10_000),
    "lists": f"{'{' * 10_000}1{'}' * 10_000}", "text": f'"{"x" * 40_000}"', "calls": f"{'f(' * 3_000}1{')' * 3_000}",
    "names": " + ".join(f"{'a' * 60}{number}" for number in range(500)), "conditions": "a ? b : " * 1_000 + "c",
}  # fmt: skip
_SLOT_NAMES = (
    *slot_ads.OWN,
    *(name.replace("*", "Cpus") for name in slot_ads.SHARED),
    "ConsumptionMemory",
)
_JOB_NAMES = (
    *job_ads.OWN,
    *(name.replace("*", "Cpus") for name in job_ads.SHARED),
    "RequestMemory",
)
_DAEMON = ("Name", "Machine", "LastHeardFrom", "MyCurrentTime", "CondorVersion", "MyType")
_ACCOUNT = (
    "Name", "IsAccountingGroup", "NegotiatorName", "LastHeardFrom", "EffectiveQuota", "SubtreeQuota", "ConfigQuota",
    "WeightedResourcesUsed", "Priority", "PriorityFactor", "Ceiling", "AccountingGroup", "SurplusPolicy", "Requested",
)  # fmt: skip


def _job(id_: str, who: str = "physics.ada", **more: str) -> str:
    return job(id_, AccountingGroup=f'"{who}"', ScheddName='"access1"', **more)


def _running(id_: str) -> str:
    return _job(id_, JobStatus="2", CurrentHosts="1", RemoteHost='"slot1_2@node2"')


def _account(name: str, group: str = "false") -> str:
    times = {"NegotiatorName": '"central"', "LastHeardFrom": str(MOMENT - 10)}
    return accounting(
        name, IsAccountingGroup=group, **times, ConfigQuota="8.0", EffectiveQuota="8.0"
    )


#: A healthy ad, and the attributes that are replaced in it.
COLLECTOR_ADS: dict[str, tuple[Callable[[], str], tuple[str, ...]]] = {
    "partitionable slot": (lambda: policy_slot("slot1@bad"), _SLOT_NAMES),
    "dynamic slot": (lambda: dynamic_slot("slot1_9@bad", "chem.bob@site"), _SLOT_NAMES),
    "static slot": (lambda: static_slot("slot2@bad"), _SLOT_NAMES),
    "submitter": (
        lambda: submitter("chem.zed@site"),
        (
            *_DAEMON,
            "ScheddName",
            "IdleJobs",
            "RunningJobs",
            "WeightedIdleJobs",
            "WeightedRunningJobs",
        ),
    ),
    "schedd": (lambda: schedd("bad"), _DAEMON),
    "negotiator": (
        lambda: negotiator("bad"),
        (*_DAEMON, "LastNegotiationCycleEnd0", "LastNegotiationCyclePeriod0"),
    ),
    "collector": (collector, _DAEMON),
    "account": (lambda: _account("chem.zed@site"), _ACCOUNT),
    "group": (lambda: _account("chem.sub", "true"), _ACCOUNT),
}
JOB_ADS: dict[str, tuple[Callable[[], str], tuple[str, ...]]] = {
    "idle job": (lambda: _job("9.0"), _JOB_NAMES),
    "running job": (lambda: _running("9.1"), _JOB_NAMES),
}


def healthy() -> Iterator[str]:
    yield policy_slot("slot1@node1")
    yield policy_slot("slot1@node2", Cpus=6, NumDynamicSlots=2)
    yield static_slot("slot1@node3")
    yield dynamic_slot("slot1_1@node2", "physics.ada@site")
    yield dynamic_slot("slot1_2@node2", "chem.bob@site")
    yield from (submitter("physics.ada@site"), submitter("chem.bob@site"), schedd(), collector())
    yield negotiator(
        LastHeardFrom=MOMENT - 5, MyCurrentTime=MOMENT - 5, LastNegotiationCycleEnd0=MOMENT - 9
    )
    yield from (_account(name, "true") for name in ("<none>", "physics", "chem"))
    yield from (_account(name) for name in ("physics.ada@site", "chem.bob@site"))


def queue() -> Iterator[str]:
    yield _job("1.0")
    yield _job("2.0", JobStatus="2", CurrentHosts="1", RemoteHost='"slot1_1@node2"')
    yield _job("3.0", "chem.bob", User='"bob@site"', MaxHosts="3")


def replaced(ad: str, name: str, value: str | bytes) -> bytes:
    """Return ``ad`` with one attribute replaced, or added."""
    lines = [line for line in ad.splitlines() if line.partition(" = ")[0].lower() != name.lower()]
    text = value if isinstance(value, bytes) else value.encode()
    return "\n".join([*lines, name]).encode() + b" = " + text + b"\n"


def write(path: Path, ads: list[bytes], jobs: list[bytes], config: str = CONFIG) -> None:
    path.mkdir()
    (path / "collector.ads").write_bytes(b"\n".join([*(each.encode() for each in healthy()), *ads]))
    (path / "jobs.ads").write_bytes(b"\n".join([*(each.encode() for each in queue()), *jobs]))
    (path / "config.txt").write_text(config)
    (path / "meta.json").write_text(json.dumps({"schema": 1, "taken": "2026-11-02T08:15:00+00:00"}))


@pytest.fixture(autouse=True)
def files(quiet_place: Path) -> None:
    (quiet_place / "q.toml").write_text(QUOTAS)
    (quiet_place / "model.toml").write_text(MODEL)


def answers(call: Call, path: Path, skipped: Collection[str] = ()) -> str:
    """Run every command on the pool but those ``skipped``; return what stands on standard error."""
    told = []
    for name, words in COMMANDS.items():
        if name in skipped:
            continue
        done = call(*words, "--snapshot", str(path))
        # The elastic plan of a pool whose negotiator says little is no plan to apply: it says why,
        # and exits with 3.
        fine = (
            (EXIT_FINE, EXIT_FINDINGS)
            if name not in ("elastic plan", "elastic reclaim")
            else (EXIT_FINE, 3)
        )
        if "queues-partial" in done.err:
            # Some of the odd submitters have idle jobs by their ads, and none in the queues.
            fine = (*fine, 3)
        assert done.status in fine, f"{name}: {done.err}"
        assert done.out or name.startswith("drift"), name
        told.append(done.err)
    return "".join(told)


def some(number: int) -> tuple[str | bytes, ...]:
    """Return a few of the values; neighbours have others, so that all of them are there."""
    first = number * _EACH % len(VALUES)
    return (VALUES + VALUES)[first : first + _EACH]


def odd_ads(kinds: Mapping[str, tuple[Callable[[], str], tuple[str, ...]]]) -> list[bytes]:
    return [
        replaced(healthy_ad(), name, value)
        for healthy_ad, names in kinds.values()
        for number, name in enumerate(names)
        for value in some(number)
    ]


def test_every_command_answers_about_the_rest(call: Call, quiet_place: Path) -> None:
    write(quiet_place / "pool", odd_ads(COLLECTOR_ADS), odd_ads(JOB_ADS))

    told = answers(call, quiet_place / "pool")
    for what in (
        "job",
        "slot",
        "submitter",
        "schedd",
        "negotiator",
        "collector",
        "accounting record",
    ):
        assert re.search(rf" [0-9]+ {what}s? left out: ", told), what
    assert "\nhtcq: fine" not in told


def test_no_expression_is_too_long_or_too_deep(call: Call, quiet_place: Path) -> None:
    texts = list(CHAINS.values())
    of_slots, of_jobs = (
        ("SlotWeight", "Requirements", "Rank"),
        ("Requirements", "Rank", "RequestMemory"),
    )
    ads = [replaced(policy_slot("slot1@bad"), name, text) for name in of_slots for text in texts]
    jobs = [replaced(_job("9.0"), name, text) for name in of_jobs for text in texts]
    knobs = ("SLOT_WEIGHT", "PREEMPTION_REQUIREMENTS", "SCHEDD_SLOT_WEIGHT")
    config = CONFIG + "".join(f"{name} = {text}\n" for name, text in zip(knobs, texts))
    write(quiet_place / "pool", ads, jobs, config)

    answers(call, quiet_place / "pool", LIKE_OTHERS)


def test_what_is_left_out_is_counted_and_named(call: Call, quiet_place: Path) -> None:
    ads = [replaced(policy_slot("slot1@bad"), "Name", "5"), replaced(schedd(), "Name", "error")]
    nobody = job("12.0", ScheddName='"access1"', User=7, Owner=8).encode()
    jobs = [nobody, replaced(_job("12.0"), "ClusterId", '"x"')]
    write(quiet_place / "pool", ads, jobs)
    done = call("audit", "--json", "--fail-on", "never", "--snapshot", "pool")

    sentences = [
        "2 jobs left out: 12.0 of access1: it has no User, Owner or AccountingGroup; "
        "one without a number of access1: its ClusterId is no whole number",
        "1 slot left out: one without a name on bad: its Name is no text",
        "1 schedd left out: one without a name: its Name is no text",
    ]
    *told, last = done.err.splitlines()
    assert [line for line in told if "left out" in line] == [
        f"htcq: pool: {each}" for each in sentences
    ]
    # Of so small a pool they are too great a part for an all-clear.
    assert (done.status, last.partition(": ")[2].partition(":")[0]) == (
        3,
        "it is not certain that all is well",
    )
    assert json.loads(done.out)["incomplete"] == sentences
