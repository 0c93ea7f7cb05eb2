"""Knobs with the prefix of a daemon's subsystem or local name: the pool of these tests has two negotiators, two startds.

What htcq reads is what the daemons say of themselves, live and from snapshots, and what condor_config_val reads of files.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import second_startd
from conftest import NEWEST, ROOT
from own_knobs import ASKED, LOCAL_NAMES, random_text
from testpool import Pool

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN
from htcq.live.configuration import read_dump
from htcq.operations.pool_source import pool_of
from htcq.pool.configuration import Configuration, configuration_of_files
from htcq.store.snapshot import open_files, snapshot_of

pytestmark = pytest.mark.condor

MAIN, SECOND = "node.test", "NGPU@node.test"
NEGOTIATORS: Mapping[str, str] = {
    "NGPU": "$(NEGOTIATOR)",
    "NGPU_ARGS": "-local-name NGPU",
    "NGPU.NEGOTIATOR_LOG": "$(LOG)/SecondNegotiatorLog",
    "NGPU.NEGOTIATOR_ADDRESS_FILE": "$(LOG)/.second_negotiator_address",
    "NGPU.SPOOL": "$(LOG)",
    # Without the prefixes nobody has a group.
    "NEGOTIATOR.GROUP_NAMES": "lab, lab.prod",
    "GROUP_QUOTA_lab": "7",
    "NEGOTIATOR.GROUP_QUOTA_lab": "5",
    "negotiator.group_quota_lab.prod": "2",
    "NGPU.GROUP_NAMES": "$(GROUP_NAMES), gpu",
    "NGPU.GROUP_QUOTA_lab": "3",
    "NGPU.GROUP_QUOTA_gpu": "$(GROUP_QUOTA_lab.prod)",
    "NEGOTIATOR.GROUP_ACCEPT_SURPLUS": "True",
    "NGPU.GROUP_ACCEPT_SURPLUS": "",
    # The second one matches nothing, and the first one no slot of the second startd.
    "NEGOTIATOR.NEGOTIATOR_SLOT_CONSTRAINT": r'! regexp("@m1@", Name)',
    "NGPU.NEGOTIATOR_SLOT_CONSTRAINT": "False",
    "SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS": "False",
    "STARTD.CLAIM_WORKLIFE": "600",
    "M1.CLAIM_WORKLIFE": "60",
    "M1.RANK": "5",
    # Nobody reads the first one.
    "SLOT1_RANK": "7",
    "STARTD_ATTRS": "Kind",
    "Kind": '"any"',
    "SLOT1_Kind": '"first"',
    "MUST_MODIFY_REQUEST_EXPRS": "False",
    "M1.MUST_MODIFY_REQUEST_EXPRS": "True",
}
#: Of a file in the directory of the configuration.
CONDITIONS = """\
if $(IsNegotiator)
  GROUP_AUTOREGROUP = True
  if defined NGPU.GROUP_NAMES
    GROUP_QUOTA_ROUND_ROBIN_RATE = 8
  endif
elif $(IsSchedd)
  GROUP_AUTOREGROUP = False
  MAX_JOBS_RUNNING = 77
else
  GROUP_QUOTA_ROUND_ROBIN_RATE = 9
endif
"""
QUOTAS = {MAIN: {"lab": 5, "lab.prod": 2}, SECOND: {"lab": 3, "lab.prod": 2, "gpu": 2}}
KNOBS = (
    "GROUP_NAMES", "GROUP_QUOTA_lab", "GROUP_QUOTA_lab.prod", "GROUP_QUOTA_gpu", "GROUP_ACCEPT_SURPLUS",
    "GROUP_AUTOREGROUP", "GROUP_QUOTA_ROUND_ROBIN_RATE", "NEGOTIATOR_SLOT_CONSTRAINT", "MAX_JOBS_RUNNING",
    "CLAIM_PARTITIONABLE_LEFTOVERS", "CLAIM_WORKLIFE", "RANK", "MUST_MODIFY_REQUEST_EXPRS",
)  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    daemons = ("MASTER", "COLLECTOR", "NEGOTIATOR", "SCHEDD", "STARTD", "NGPU", "STARTD_SECOND")
    settings = {**NEGOTIATORS, **second_startd.KNOBS, "M1.NUM_CPUS": "4"}
    with Pool.start(suite=NEWEST, settings=settings, daemons=daemons, cpus=4) as pool:
        second_startd.make_execute(pool)
        conditions = pool.config_dir / "80-conditions"
        conditions.write_text(CONDITIONS)
        conditions.chmod(0o644)
        pool.restart()
        pool.wait(lambda: _is_up(pool), 60, "two negotiators, two startds", ("MasterLog",))
        yield pool


def _is_up(pool: Pool) -> bool:
    accounts = pool.ads("any", constraint='MyType == "Accounting" && IsAccountingGroup')
    shown = {ad["NegotiatorName"] for ad in accounts}
    return shown == {MAIN, SECOND} and len({ad["Name"] for ad in pool.ads("slots", ["Name"])}) == 2


def htcq(*arguments: str, status: int = EXIT_FINE) -> Any:
    """Return what htcq prints as JSON; what it says where it fails as it should."""
    done = subprocess.run(
        [sys.executable, "-m", "htcq", *arguments, "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if done.stdout else done.stderr


def capture(pool: Pool, directory: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "htcq", "snapshot", str(directory), "--pool", pool.collector]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == EXIT_FINE, done.stderr


def configured(printed: Any) -> dict[str, float]:
    return {each["name"]: each["config_quota"] for each in printed["groups"] if each["parent"]}


def published(pool: Pool, negotiator: str) -> dict[str, float]:
    """Return the configured quotas of the groups that a negotiator publishes."""
    ads = pool.ads("any", constraint='MyType == "Accounting" && IsAccountingGroup')
    own = (ad for ad in ads if ad["NegotiatorName"] == negotiator)
    return {ad["Name"]: ad["ConfigQuota"] for ad in own if ad["Name"] != "<none>"}


@pytest.mark.parametrize("name", [MAIN, SECOND])
def test_quotas_are_those_of_the_negotiator_that_is_asked(
    pool: Pool, name: str, tmp_path: Path
) -> None:
    assert published(pool, name) == QUOTAS[name]
    captured, dumped = tmp_path / "captured", tmp_path / "dumped"
    capture(pool, captured, "--name", name)
    dumped.mkdir()
    # Without its subsystem the tool would take the other branch of each condition.
    dump = pool.tool("condor_config_val", "-subsystem", "NEGOTIATOR", "-dump")
    (dumped / "config.txt").write_text(dump)
    (dumped / "collector.ads").write_text(pool.tool("condor_status", "-any", "-long"))
    sources = (
        ("--pool", pool.collector),
        ("--snapshot", str(captured)),
        ("--snapshot", str(dumped)),
    )
    for source in sources:
        printed = htcq("quota", *source, "--name", name)
        assert configured(printed) == QUOTAS[name], source
        marks = {each["name"]: each["marks"] for each in printed["standings"] if each["marks"]}
        assert marks == {}, source
        other = SECOND if name == MAIN else MAIN
        assert f"{name} is shown, {other} is not" in printed["doubts"][0]


def test_a_negotiator_that_is_not_there_is_named(pool: Pool) -> None:
    said = htcq("quota", "--pool", pool.collector, "--name", "third", status=EXIT_UNKNOWN)
    assert "has no negotiator third (its negotiators: " in said


def test_each_daemon_is_seen_with_the_values_that_it_has(pool: Pool, tmp_path: Path) -> None:
    """A daemon of which another one's knobs were captured is seen through those."""
    for name in (MAIN, SECOND):
        directory = tmp_path / name
        capture(pool, directory, "--name", name)
        found = pool_of(snapshot_of(open_files(directory)), "test")
        assert found.central is not None
        seen: dict[tuple[str, str], Configuration] = {("NEGOTIATOR", name): found.central}
        seen["SCHEDD", "node.test"] = found.schedd_configuration("node.test")  # type: ignore[assignment]
        for slot in found.slots or ():
            seen["STARTD", slot.startd] = found.startd_configuration(slot)  # type: ignore[assignment]
        for (subsystem, daemon), own in seen.items():
            address = _addresses(pool, subsystem)[daemon]
            asked = {knob: _asked(pool, address, knob) for knob in KNOBS}
            assert {knob: own.value(knob) for knob in KNOBS} == asked, (subsystem, daemon)


def _addresses(pool: Pool, subsystem: str) -> dict[str, str]:
    kind = {"STARTD": "slots"}.get(subsystem, subsystem.lower())
    ads = pool.ads(kind, ["Name", "MyAddress"])
    whole = subsystem != "STARTD"
    return {ad["Name"] if whole else ad["Name"].partition("@")[2]: ad["MyAddress"] for ad in ads}


def _asked(pool: Pool, address: str, knob: str) -> str:
    """Return what a daemon says of a knob; empty where it has none."""
    said = pool.tool("condor_config_val", "-address", address, knob, check=False).strip()
    return "" if said.startswith("Not defined") else said


def test_jobs_wait_that_the_negotiators_own_constraint_keeps_from_slots(
    pool: Pool, tmp_path: Path
) -> None:
    cluster = pool.submit({"request_cpus": 1, "request_memory": 64, "request_disk": 1}, 6)

    def running() -> list[dict[str, Any]]:
        return [ad for ad in pool.ads("slots") if ad.get("State") == "Claimed"]

    pool.wait(lambda: len(running()) == 4, 60, "four jobs", ("NegotiatorLog", "SchedLog"))
    assert [ad["Name"] for ad in running() if "@m1@" in ad["Name"]] == []
    directory = tmp_path / "snapshot"
    capture(pool, directory)
    for source in (("--pool", pool.collector), ("--snapshot", str(directory))):
        simulated = htcq("simulate", *source)
        assert simulated["matches"] == []
        reasons = json.dumps(htcq("why", f"{cluster}.5", *source))
        assert "NEGOTIATOR_SLOT_CONSTRAINT" in reasons
    pool.remove_jobs()


def test_the_audit_has_no_alarm_on_prefixes(pool: Pool, tmp_path: Path) -> None:
    directory = tmp_path / "config.d"
    directory.mkdir()
    local = pool.path("condor_config.local").read_text()
    (directory / "10-local.config").write_text(local)
    (directory / "20-conditions.config").write_text(CONDITIONS)
    for source in (("--pool", pool.collector), ("--config-dir", str(directory))):
        found = htcq("audit", *source, "--fail-on", "never", "--only", ",".join(_RULES))
        assert found["findings"] == [], source


_RULES = (
    "group-names-overridden", "quota-for-unknown-group", "group-without-quota", "unknown-knob",
    "runtime-configuration-off",
)  # fmt: skip


def test_of_a_single_slot_the_startd_reads_attributes_alone(pool: Pool) -> None:
    slots = {ad["Name"]: ad for ad in pool.ads("slots") if not ad.get("DynamicSlot")}
    assert {ad["Kind"] for ad in slots.values()} == {"first"}
    assert {name: ad["Rank"] for name, ad in slots.items()} == {
        "slot1@node.test": 0.0,
        "slot1@m1@node.test": 5,
    }
    found = htcq(
        "audit", "--pool", pool.collector, "--fail-on", "never", "--only", "slot-knob-ignored"
    )
    assert [each["subject"] for each in found["findings"]] == ["knob SLOT1_RANK"]


def test_random_files_are_read_as_condor_config_val_does(pool: Pool) -> None:
    """Each text is seen by six daemons; local names, prefixes, conditions and macros are drawn."""
    place = pool.path("drawn")
    place.mkdir(exist_ok=True)
    inside = str(place)[len(pool.record.root) :]
    texts = {str(seed): random_text(seed) for seed in range(8)}
    daemons = [(each, "") for each in ("NEGOTIATOR", "SCHEDD", "STARTD")]
    daemons += [(subsystem, local) for local, subsystem in LOCAL_NAMES.items()]
    lines = []
    for seed, text in texts.items():
        (place / seed).write_text(text)
        for subsystem, local in daemons:
            options = f"-subsystem {subsystem}" + (f" -local-name {local}" if local else "")
            lines.append(
                f"CONDOR_CONFIG={inside}/{seed} condor_config_val {options} {ASKED} || exit 1"
            )
    said = pool.tool("sh", "-c", "\n".join(lines)).splitlines()
    place_of_seed = iter(said)
    for seed, text in texts.items():
        found = configuration_of_files("drawn", {seed: text}, read_dump, "NEGOTIATOR")
        seen = {each.daemon: each for each in (found, *found.others)}
        for daemon in daemons:
            own = next(each for key, each in seen.items() if (key[0], key[1]) == daemon)
            assert own.value(ASKED) == next(place_of_seed), (seed, daemon, text)
