"""What fixes a pool: the files of ``htcq audit --fix`` are put into config.d, and what was found is gone."""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from broken import SMALL_JOB, audited, before, break_it, every, policy, running, submitted
from claims import charged, come_to, demand, groups, queued, written
from conftest import NEWEST, Site
from testpool import Pool

from htcq.audit.catalog import rule, rules_of_pools
from htcq.audit.rule import AnyRule, Severity
from htcq.simulate.cycle.time_limits import TIME_LIMITS

ONLY_SUITES = [NEWEST]

TWO_GPUS = {"STARTD_DETECT_GPUS": "-properties -simulate:0,2"}
TWO_MODELS = {"STARTD_DETECT_GPUS": "-properties -simulate:1,2,3,1"}
QUOTA = {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "2"}
FAMILY = {
    **groups(phys="2", hep_of_phys="0.5", lep_of_phys="0.5"),
    "GROUP_ACCEPT_SURPLUS_phys.hep": "True",
    "GROUP_ACCEPT_SURPLUS_phys.lep": "True",
}


@dataclass(frozen=True)
class Break:
    """The rules of which errors are found, the knobs that break the pool, and the jobs of each submitter that then run.

    Eight jobs of each wait, with ``asked`` in place of what a small job asks for. Where the
    negotiator could not start with the knobs the pool is started with ``sound`` ones."""

    rules: frozenset[str]
    knobs: Mapping[str, str]
    runs: Mapping[str, int]
    asked: Mapping[str, object] = field(default_factory=dict)
    sound: Mapping[str, str] = field(default_factory=dict)


BREAKS: Mapping[str, Break] = {
    "what a claim takes": Break(
        frozenset((
            "fractional-cpus", "fractional-memory", "fractional-custom-asset", "no-claims",
            "leftovers-with-policy", "claimable-partitionable-with-policy", "no-resource-limits",
        )),
        policy(
            **TWO_GPUS,
            CONSUMPTION_CPUS="1.5 * TARGET.RequestCpus",
            CONSUMPTION_MEMORY="1.1 * TARGET.RequestMemory",
            CONSUMPTION_GPUS="0.5 * (TARGET.RequestGPUs ?: 0)",
            NUM_CLAIMS="0",
            CLAIM_PARTITIONABLE_LEFTOVERS="True",
            ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS="True",
            WithinResourceLimits="True",
        ),
        {"ann": 2},
        {"request_gpus": 1},
    ),
    "a weight that is no number, and consumptions that are none": Break(
        frozenset(("weight-not-a-number", "optional-asset-unsafe", "consumption-undefined", "asset-without-amount")),
        policy(
            **TWO_GPUS,
            SLOT_WEIGHT="64 / (Cpus - 7)",
            CONSUMPTION_GPUS="TARGET.RequestGPUs",
            CONSUMPTION_MEMORY="TARGET.RequestMem",
            MACHINE_RESOURCE_Tokens="4",
            STARTD_ATTRS="Tokens",
            Tokens='"none"',
            CONSUMPTION_Tokens="0",
        ),
        {"ann": 8},
    ),
    "matches that cost nothing": Break(
        frozenset(("free-match", "quotas-do-not-hold")),
        policy(**QUOTA, SLOT_WEIGHT="TotalSlotCpus"),
        {"a.ann": 2},
    ),
    "a weight that grows, and claims of nothing": Break(
        frozenset(("weight-grows-as-slot-empties", "consumes-nothing")),
        policy(
            **QUOTA,
            SLOT_WEIGHT="1 + TotalSlotCpus - Cpus",
            CONSUMPTION_CPUS="0",
            CONSUMPTION_MEMORY="0",
            CONSUMPTION_DISK="0",
        ),
        {"a.ann": 2},
    ),
    "GPUs of two models": Break(frozenset(("heterogeneous-gpus-with-policy",)), policy(**TWO_MODELS), {"ann": 1}),
    "weights that follow the scarcest asset": Break(
        frozenset(("demand-truncated-to-zero",)),
        policy(
            SLOT_WEIGHT="min({Cpus, floor(Memory/2048), floor(Disk/100000)})",
            SCHEDD_SLOT_WEIGHT="",
            GROUP_NAMES="small, large",
            GROUP_QUOTA_small="4",
            GROUP_QUOTA_large="4",
        ),
        {"small.ann": 8},
    ),
    "groups without limits": Break(
        frozenset(("autoregroup", "strict-quota-off", "sort-expression-broken")),
        {
            **FAMILY,
            "GROUP_AUTOREGROUP_phys.hep": "True",
            "NEGOTIATOR_STRICT_ENFORCE_QUOTA": "False",
            "GROUP_SORT_EXPR": "NoSuchAttribute",
        },
        {"phys.hep.ann": 1, "phys.lep.ben": 1},
    ),
    "siblings, a quota below one, and GPUs for those who ask for none": Break(
        frozenset(("siblings-under-refusing-parent", "cannot-afford-cheapest-slot", "optional-asset-charged")),
        {
            **FAMILY,
            **TWO_GPUS,
            "GROUP_NAMES": f"{FAMILY['GROUP_NAMES']}, half",
            "GROUP_QUOTA_half": "0.9",
            "CONSUMPTION_GPUS": "quantize(TARGET.RequestGPUs ?: 0, {1})",
        },
        {"phys.hep.ann": 1, "phys.lep.ben": 1, "half.cyd": 1},
    ),
    "values on which the negotiator crashes": Break(
        frozenset(("quota-out-of-range", "pool-constraint-unparsable")),
        {
            **groups(hep="2", lep="0.5"),
            "GROUP_QUOTA_hep": "-2",
            "GROUP_QUOTA_DYNAMIC_lep": "50%",
            "GROUP_ACCEPT_SURPLUS_hep": "maybe",
            "NEGOTIATOR_SLOT_CONSTRAINT": "Cpus > (",
        },
        {"hep.ann": 2, "lep.ben": 3},
        sound=groups(hep="2", lep="0.5"),
    ),
    "a constraint that no slot fulfils, and demand in jobs": Break(
        frozenset(("pool-constraint-matches-nothing", "unweighted-demand")),
        {
            **groups(hep="4"),
            "NEGOTIATOR_SLOT_CONSTRAINT": "NoSuchAttribute",
            "NEGOTIATOR_USE_WEIGHTED_DEMAND": "False",
        },
        {"hep.ann": 1},
        {"request_cpus": 4},
    ),
    "a claim that is charged a quarter": Break(
        frozenset(("weight-not-additive",)),
        policy(
            SLOT_WEIGHT="min({Cpus, floor(Memory/2048)})",
            SCHEDD_SLOT_WEIGHT="max({RequestCpus, ceiling(RequestMemory/2048.0)})",
        ),
        {"ann": 2},
        {"request_memory": 8192},
    ),
    "demand in cpus, and slots that weigh memory": Break(
        frozenset(("demand-in-other-units",)),
        {
            **groups(hep="1", lep="1"),
            "GROUP_ACCEPT_SURPLUS": "True",
            "SLOT_WEIGHT": "Memory/2048.0",
            "MEMORY": "32768",
            "NUM_CPUS": "20",
            "SCHEDD_SLOT_WEIGHT": "RequestCpus",
        },
        {"hep.ann": 4},
        {"request_memory": 8192},
    ),
    "a slot that is larger than the quota": Break(
        frozenset(("slot-exceeds-quota",)),
        {"GROUP_NAMES": "hep, chem", "GROUP_QUOTA_hep": "2", "GROUP_QUOTA_chem": "5"},
        {"hep.ann": 1, "chem.ben": 1},
    ),
    "claims that take no memory": Break(
        frozenset(("consumes-no-cpu-or-memory",)),
        policy(CONSUMPTION_MEMORY="0"),
        {"ann": 8},
    ),
    "a claim that is charged four times what its match costs": Break(
        frozenset(("weight-overcharges",)),
        policy(SLOT_WEIGHT="max({Cpus, floor(Memory/2048)})"),
        {"ann": 2},
        {"request_memory": 8192},
    ),
    "a group with a quota of 0": Break(
        frozenset(("cannot-afford-cheapest-slot",)),
        {**groups(hep="4", none="0"), "GROUP_QUOTA_none": "0"},
        {"hep.ann": 4, "none.ben": 4},
    ),
    "groups that a later file drops": Break(
        frozenset(("group-names-overridden",)),
        {**groups(hep="2", lep="2"), "GROUP_NAMES": "astro", "GROUP_QUOTA_astro": "4"},
        {"hep.ann": 2, "lep.ben": 2},
    ),
    "a group whose name is misspelt in the list": Break(
        frozenset(("quota-for-unknown-group",)),
        {**groups(physics="2", lep="2"), "GROUP_NAMES": "phyiscs, lep"},
        {"physics.ann": 2, "lep.ben": 2},
    ),
    "a policy that half of the slots have": Break(
        frozenset(("policy-on-part-of-slots",)),
        {
            **groups(hep="2"),
            "CONSUMPTION_POLICY": "False",
            "SLOT_TYPE_1": "50%",
            "NUM_SLOTS_TYPE_1": "1",
            "SLOT_TYPE_1_PARTITIONABLE": "True",
            "SLOT_TYPE_1_CONSUMPTION_POLICY": "True",
            "SLOT_TYPE_2": "50%",
            "NUM_SLOTS_TYPE_2": "1",
            "SLOT_TYPE_2_PARTITIONABLE": "True",
        },
        {"hep.ann": 2},
    ),
    "a schedd that finds no name without a scope": Break(
        frozenset(("start-vanilla-without-scope",)),
        {**policy(), "START_VANILLA_UNIVERSE": "RequestCpus < 3"},
        {"ann": 8},
    ),
    "a limit with a unit": Break(
        frozenset(("concurrency-limit-not-a-number",)),
        {**policy(), "SEATS_LIMIT": "2 seats"},
        {"ann": 2},
        {"concurrency_limits": "seats"},
    ),
    "no time for any submitter": Break(
        frozenset(("negotiation-time-limit",)),
        {**policy(), **dict.fromkeys(TIME_LIMITS, "0")},
        {"ann": 8},
    ),
}  # fmt: skip


@pytest.mark.condor
@pytest.mark.parametrize("name", BREAKS)
def test_what_fix_writes_mends_the_pool(site: Site, tmp_path: Path, name: str) -> None:
    """Nothing of it is found any more, nothing new comes, and the jobs run that should."""
    broken = BREAKS[name]
    pool = break_it(site, broken.sound or broken.knobs)
    with before(pool):
        for submitter in broken.runs:
            _queue(pool, submitter, broken.asked)
        if broken.sound:
            pool.configure(written(broken.knobs))
            pool.reconfig()
        found = audited(pool, tmp_path, tmp_path / "fixes")
        assert broken.rules - _errors(found) == set()
        _mend(pool, tmp_path / "fixes", broken.knobs)
        left = audited(pool, tmp_path)
    assert _serious(left) - {each["rule"] for each in found} == set(), "new findings"
    assert [each["message"] for each in left if each["rule"] in broken.rules] == []
    come_to(pool, broken.runs)


@pytest.mark.condor
def test_a_constraint_no_longer_hides_claims(site: Site, tmp_path: Path) -> None:
    """The group is charged for what it has again, and nothing is taken from it."""
    knobs = {**groups(hep="2"), "NEGOTIATOR_SLOT_CONSTRAINT": 'State == "Unclaimed"'}
    pool = break_it(site, knobs)
    queued(pool, {"hep.ann": 1})
    come_to(pool, {"hep.ann": 1})
    with before(pool):
        found = audited(pool, tmp_path, tmp_path / "fixes")
        assert "slot-constraint-hides-claims" in _errors(found)
        _mend(pool, tmp_path / "fixes", knobs)
        left = audited(pool, tmp_path)
    assert _serious(left) - {each["rule"] for each in found} == set(), "new findings"
    assert "slot-constraint-hides-claims" not in {each["rule"] for each in left}
    charged(pool, "hep", 1)


@pytest.mark.condor
def test_jobs_that_fit_nowhere_no_longer_starve_those_behind_them(
    site: Site, tmp_path: Path
) -> None:
    """What one autocluster was offered in vain is given back to the others of its user."""
    knobs = {"SCHEDD_SLOT_WEIGHT": "RequestCpus"}
    pool = break_it(site, knobs)
    with before(pool):
        pool.submit({**SMALL_JOB, "request_cpus": 100, "priority": 10}, 20)
        submitted(pool, {"priority": 0})
        found = audited(pool, tmp_path, tmp_path / "fixes")
        assert "offer-budget-used-up" in _errors(found)
        _mend(pool, tmp_path / "fixes", knobs)
        left = audited(pool, tmp_path)
    assert _serious(left) - {each["rule"] for each in found} == set(), "new findings"
    assert "offer-budget-used-up" not in {each["rule"] for each in left}
    pool.wait(lambda: running(pool) == 1, 60, "the job behind", ("NegotiatorLog", "SchedLog"))


@pytest.mark.condor
def test_no_setting_renames_a_group(site: Site, tmp_path: Path) -> None:
    """A legal name in GROUP_NAMES leaves its jobs under the old one, and its quota was never written anywhere.

    The advice, followed to its end, mends it: the new name, a quota, and jobs that name the
    group so."""
    knobs = {**groups(ok="4"), "GROUP_NAMES": "ok, nice-user"}
    pool = break_it(site, knobs)
    with before(pool):
        queued(pool, {"nice-user.ann": 2, "ok.ben": 1})
        found = audited(pool, tmp_path)
        assert [each["fix"] for each in every(found) if each["rule"] == "group-name-illegal"] == [
            []
        ]
        pool.configure(written({**knobs, "GROUP_NAMES": "ok, nice_user"}))
        pool.reconfig()
        renamed = audited(pool, tmp_path)
        new = {each["rule"] for each in every(renamed)} - {each["rule"] for each in every(found)}
        assert {"group-without-quota", "submitter-in-unknown-group"} <= {
            each["rule"] for each in every(renamed)
        }
        assert "submitter-in-unknown-group" in new
        pool.tool("condor_rm", "-constraint", 'AccountingGroup == "nice-user.ann"')
        pool.configure(
            written({**knobs, "GROUP_NAMES": "ok, nice_user", "GROUP_QUOTA_nice_user": "2"})
        )
        pool.reconfig()
        queued(pool, {"nice_user.ann": 3})
        left = audited(pool, tmp_path)
    assert "group-name-illegal" not in {each["rule"] for each in every(left)}
    come_to(pool, {"nice_user.ann": 2, "ok.ben": 1})


#: What else makes findings of severity error, and why no setting of theirs is proven here.
_NO_SETTING: Mapping[str, str] = {
    "negotiator-excludes-all": "what the constraint is for is not known: taken out, it lets in whom the site keeps out",
    "group-name-illegal": "test_no_setting_renames_a_group",
    "broken-slots": "the machine has to be looked at",
    "claims-in-cleaning": "the machine has to be looked at",
    "unhealthy-nodes": "the machine has to be mended, or the check",
    "concurrency-limits-empty": "users and transforms write the limits of jobs: no knob does",
    "concurrency-limit-shut": "how many may run is not known, and 0 may be meant",
    "access-point-closed": "an access point may be closed on purpose",
    "knob-does-not-parse": "what the expression was to say is not known",
    "knob-not-of-its-type": "what value was meant is not known",
    "line-refused": "what the line was to say is not known",
    "user-map-missing": "the file has to be written",
    "slots-closed": "a machine may be closed on purpose",
    "default-operator-read-otherwise": "an upgrade mends it, and no knob",
    "capacity-idle-while-jobs-wait": "the machine or the access point has to be looked at",
    "expected-starts-missing": "what keeps the jobs is not known",
    "matched-jobs-do-not-start": "the machine or the access point has to be looked at",
    "negotiation-cut-off": "what takes the time is not known",
    "starts-do-not-last": "what ends the jobs is not known",
    "claims-stay-idle": "the access point has to be looked at",
    "machine-ads-incomplete": "which file takes ARCH or OPSYS away only the site knows",
    "jobs-held-by-faults": "the disk, the hook or the account has to be mended",
    "schedd-starts-refused": "a universe may be closed on purpose, and how many jobs may run is the site's to say",
    "submitted-jobs-vanish": "what the policy was to remove or to refuse is not known",
    "negotiation-fails": "the access point or the network has to be looked at",
    "transformed-jobs-fit-nothing": "what the transform was to write is not known",
    "defrag-never-done": "which machines are whole is the site's to say",
    "security-does-not-match": "which methods the daemons have in common is the site's to say",
    "start-refuses-dynamic-slots": "START is the site's own condition, and only the site knows which part dynamic slots need not meet",
}
#: Proven by a test of its own.
_ALONE = frozenset(
    ("modified-request-above-slot", "slot-constraint-hides-claims", "offer-budget-used-up")
)
#: Their errors are those of configuration files alone, where no setting mends a line.
_OF_FILES = frozenset(("unknown-knob",))
#: How a rule makes an error of a finding: by its own severity, by that of the finding, or by what
#: it does to the pool.
_SEVERE = ("Severity.ERROR", "Harm(shut", "Harm(starved")


def test_every_rule_with_errors_is_proven_or_has_a_reason() -> None:
    severe = {
        rule.id for rule in rules_of_pools() if any(word in _on_pools(rule) for word in _SEVERE)
    }
    proven = _ALONE.union(*(broken.rules for broken in BREAKS.values()))

    assert {rule.id for rule in rules_of_pools() if rule.severity is Severity.ERROR} <= severe
    assert severe - proven - _OF_FILES - set(_NO_SETTING) == set()
    assert proven & set(_NO_SETTING) == set()


@pytest.mark.parametrize("name", _NO_SETTING)
def test_a_rule_without_a_setting_has_none(name: str) -> None:
    """Whoever gives it one proves it."""
    assert rule(name).settings == ()
    assert not re.search(r"\bsettings=", _module_of(rule(name)))


def _on_pools(one: AnyRule) -> str:
    """Return the module without what it says of declared groups, whose errors no pool ever sees."""
    return re.sub(r"(?s)\ndef _find_declared.*?(?=\nRULE = )|\nDECLARED = .*", "", _module_of(one))


def _module_of(one: AnyRule) -> str:
    return inspect.getsource(sys.modules[one.find.__module__])


def _queue(pool: Pool, submitter: str, asked: Mapping[str, object]) -> None:
    group, _, user = submitter.rpartition(".")
    who = {"accounting_group_user": user, **({"accounting_group": group} if group else {})}
    pool.submit({**SMALL_JOB, **asked, **who}, 8)
    pool.wait(
        lambda: demand(pool, [submitter])[submitter][0] == 8,
        40,
        f"8 idle jobs of {submitter}",
        ("SchedLog",),
    )


def _errors(findings: list[dict[str, Any]]) -> set[str]:
    return {each["rule"] for each in every(findings) if each["severity"] == "error"}


def _serious(findings: list[dict[str, Any]]) -> set[str]:
    return {each["rule"] for each in every(findings) if each["severity"] != "info"}


def _started(pool: Pool, begun: int) -> bool:
    ads = pool.ads("slots", ["DaemonStartTime"])
    return bool(ads) and all(ad["DaemonStartTime"] >= begun for ad in ads)


def _mend(pool: Pool, directory: Path, knobs: Mapping[str, str]) -> None:
    """Put the files behind what breaks the pool in its config.d, and do with the daemons what they say."""
    place = pool.config_dir
    files = {file.name: file.read_text() for file in directory.iterdir()}
    (place / "60-htcq-broken.config").write_text(written(knobs))
    for name, text in files.items():
        (place / f"99-{name}").write_text(text)
    pool.configure("")
    begun = int(time.time())
    if any("condor_restart" in text for text in files.values()):
        pool.tool("condor_restart", "-startd")
        # A startd that is just starting hears of no reconfig.
        pool.wait(
            lambda: _started(pool, begun), 40, "a startd that has started anew", ("StartLog",)
        )
    pool.reconfig()
    reread = int(time.time())

    def read() -> bool:
        ads = pool.ads("slots", ["DaemonStartTime", "DaemonLastReconfigTime"])
        demands = pool.ads("submitters", ["LastHeardFrom"])
        slots = bool(ads) and all(max(ad.values()) >= begun for ad in ads)
        # The schedd looks at its jobs before it has read its configuration, and tells it a second
        # later.
        return slots and all(ad["LastHeardFrom"] > reread + 2 for ad in demands)

    pool.wait(read, 40, "ads of the new configuration", ("StartLog",))
