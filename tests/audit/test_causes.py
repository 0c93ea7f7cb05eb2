"""What follows from a root cause is listed under it, and nothing else; severity goes by the harm to the pool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from htcq.audit.catalog import rules_of_pools
from htcq.audit.engine import Audit, Finding, Verdict, audit
from htcq.audit.evidence import Evidence
from htcq.audit.fix import Role, Setting
from htcq.audit.pool_with_settings import pool_with_settings
from htcq.audit.rule import Fact, Found, Harm, Rule, Severity
from htcq.pool.pool import Pool
from tests.audit.sites import job, pool, schedd, slot, submitter
from tests.benchmarks.causes_rate import broken_pool, size_of_pool

GROUPS = """GROUP_NAMES = chem, physics
 # at: /etc/condor/config.d/20-groups.config, line 3
GROUP_QUOTA_chem = 4
 # at: /etc/condor/config.d/20-groups.config, line 4
GROUP_QUOTA_physics = 2
 # at: /etc/condor/config.d/20-groups.config, line 5
"""
ASTRO = """GROUP_NAMES = astro
 # at: /etc/condor/config.d/90-astro.config, line 1
GROUP_QUOTA_astro = 1
 # at: /etc/condor/config.d/90-astro.config, line 2
"""
USERS = tuple(submitter(f"{group}.ada@site") for group in ("chem", "physics"))


def _whole(given: Pool, **site: Verdict) -> Audit:
    return audit(
        Evidence(given),
        rules_of_pools(),
        {name.replace("_", "-"): verdict for name, verdict in site.items()},
    )


def _of(outcome: Audit, rule: str) -> Finding:
    (finding,) = (each for each in outcome.findings if each.rule == rule)
    return finding


def _site(config: str) -> Pool:
    return pool(slot(), schedd(), *USERS, config=config)


def test_groups_lost_to_a_later_file_are_one_finding_with_both_files_and_lines() -> None:
    outcome = _whole(_site(GROUPS + ASTRO))
    root = _of(outcome, "group-names-overridden")

    assert (
        "/etc/condor/config.d/90-astro.config:1 overrides GROUP_NAMES of "
        "/etc/condor/config.d/20-groups.config:3"
    ) in (root.message)
    assert [(fact.value, fact.place) for fact in root.evidence] == [
        ("chem, physics", "/etc/condor/config.d/20-groups.config:3"),
        ("astro", "/etc/condor/config.d/90-astro.config:1"),
    ]
    assert root.severity is Severity.ERROR
    assert {each.rule for each in root.caused} == {
        "quota-for-unknown-group",
        "submitter-in-unknown-group",
    }
    others = {each.rule for each in outcome.findings} - {"group-names-overridden"}
    assert not others & {each.rule for each in root.caused}


def test_what_is_listed_under_a_root_cause_is_gone_when_it_is_mended() -> None:
    given = _site(GROUPS + ASTRO)
    root = _of(_whole(given), "group-names-overridden")
    after = _whole(pool_with_settings(given, root.settings))

    left = {each.fingerprint for each in after.findings} | {
        f for each in after.findings for f in each.fingerprints
    }
    assert not left & root.fingerprints


def test_a_second_cause_of_the_same_rule_stays_on_its_own() -> None:
    outcome = _whole(_site(GROUPS + ASTRO + "GROUP_QUOTA_asrto = 3\n"))

    assert _of(outcome, "quota-for-unknown-group").subject == "knob GROUP_QUOTA_asrto"


def test_what_has_two_causes_is_not_listed_under_one_of_them() -> None:
    """With weights or without, 1500 is more than the pool has."""
    config = GROUPS.replace("= 4", "= 1500") + "NEGOTIATOR_USE_SLOT_WEIGHTS = False\n"
    outcome = _whole(_site(config))

    assert _of(outcome, "quota-exceeds-pool").subject == "group chem"
    assert "quota-exceeds-pool" not in {
        each.rule for each in _of(outcome, "weights-off-with-partitionable").caused
    }


def test_a_list_that_goes_on_with_a_former_one_overrides_nothing() -> None:
    config = GROUPS + "GROUP_NAMES = $(GROUP_NAMES), astro\nGROUP_QUOTA_astro = 1\n"
    assert "group-names-overridden" not in {each.rule for each in _whole(_site(config)).findings}


def test_without_files_several_groups_that_are_not_listed_are_one_finding() -> None:
    config = (
        "GROUP_NAMES = astro\nGROUP_QUOTA_astro = 1\nGROUP_QUOTA_chem = 4\n"
        "GROUP_QUOTA_physics = 2\n"
    )
    root = _of(_whole(_site(config)), "group-names-overridden")
    assert root.examples == ("chem", "physics")


@pytest.mark.parametrize(
    ("config", "root", "follows"),
    [
        (
            GROUPS.replace("GROUP_NAMES = chem", "GROUP_NAMES = chme"),
            "quota-for-unknown-group",
            "group-without-quota",
        ),
        (
            GROUPS.replace("QUOTA_chem", "QUOTA_chme"),
            "quota-for-unknown-group",
            "group-without-quota",
        ),
        (GROUPS.replace("= 4", "= 1500"), "quota-exceeds-pool", "quotas-fill-the-pool"),
        (GROUPS + "NEGOTIATOR_SLOT_CONSTRAINT = false\n", "pool-constraint-matches-nothing", ""),
    ],
    ids=("typo in the list", "typo in the knob", "a digit too much", "no slot"),
)
def test_a_slip_of_the_pen_is_one_finding(config: str, root: str, follows: str) -> None:
    outcome = _whole(_site(config))
    above_info = {each.rule for each in outcome.findings if each.severity > Severity.INFO}

    assert above_info == {root}
    assert not follows or follows in {each.rule for each in _of(outcome, root).caused}


def test_an_access_point_without_the_pools_weight_explains_what_its_ads_say() -> None:
    weight = "Cpus + Memory / 2048.0"
    jobs = [job(f"1.{number}", GlobalJobId=f'"access1#1.{number}#1"') for number in range(4)]
    given = pool(
        slot(SlotWeight=weight),
        schedd(),
        submitter("chem.ada@site", IdleJobs=4, WeightedIdleJobs=4),
        jobs=[text.replace('"ada@site"', '"chem.ada@site"').replace("RequestMemory = 1024", "RequestMemory = 8192")
              for text in jobs],
        config=GROUPS,
        access={"access1": "SLOT_WEIGHT = Cpus\n"},
    )  # fmt: skip
    root = _of(_whole(given), "access-point-lacks-slot-weight")
    assert {"advertised-demand-differs"} <= {each.rule for each in root.caused}


# Harm
# -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("open_slots", "severity"),
    [(0, Severity.ERROR), (1, Severity.ERROR), (3, Severity.WARNING), (12, Severity.INFO)],
)
def test_what_shuts_more_than_a_tenth_of_the_pool_is_never_info(
    open_slots: int, severity: Severity
) -> None:
    slots = [slot(f"slot1@open{number}") for number in range(open_slots)]
    outcome = _whole(pool(*slots, slot("slot1@shut", Start="false")))
    assert _of(outcome, "slots-closed").severity is severity


def test_a_guarded_name_that_shuts_half_of_the_pool_is_an_error() -> None:
    """The name alone is handled and no finding; that it shuts half of the pool is an outage."""
    start = '(TARGET.ProjectNam ?: "") == "x"'
    outcome = _whole(pool(slot("slot1@a"), slot("slot1@b", Start=start), jobs=[job()]))

    root = _of(outcome, "slots-closed")
    assert root.severity is Severity.ERROR
    assert [each.rule for each in outcome.findings].count("attribute-nobody-defines") == 0


def test_a_misspelt_name_explains_what_it_shuts_and_is_as_severe() -> None:
    outcome = _whole(
        pool(slot("slot1@a"), slot("slot1@b", Start="TARGET.RequestCpu <= 8"), jobs=[job()])
    )

    root = _of(outcome, "attribute-nobody-defines")
    assert (root.severity, [each.rule for each in root.caused]) == (
        Severity.ERROR,
        ["slots-closed"],
    )


@pytest.mark.parametrize(
    "start",
    [
        "KeyboardIdle > 900",
        "TARGET.RequestCpus > 1",
        "TARGET.IsGpuJob",
        'TARGET.ProjectName == "x"',
    ],
)
def test_a_start_that_opens_again_or_lets_some_jobs_in_shuts_nothing(start: str) -> None:
    other = job("2.0", IsGpuJob="false", ProjectName='"y"')
    outcome = _whole(pool(slot("slot1@b", Start=start, KeyboardIdle=3), jobs=[job(), other]))
    assert "slots-closed" not in {each.rule for each in outcome.findings}


def test_the_word_of_the_site_wins_over_harm_and_over_what_follows() -> None:
    given = pool(slot("slot1@a"), slot("slot1@b", Start="TARGET.RequestCpu <= 8"), jobs=[job()])
    mild = Verdict(Severity.INFO)

    root = _of(_whole(given, attribute_nobody_defines=mild), "attribute-nobody-defines")
    assert root.severity is Severity.INFO
    both = _whole(given, slots_closed=mild)
    assert _of(both, "attribute-nobody-defines").severity is Severity.WARNING


@pytest.mark.parametrize(
    ("harm", "severity"),
    [
        (Harm(), Severity.INFO),
        (Harm(shut=0.1), Severity.INFO),
        (Harm(shut=0.11), Severity.WARNING),
        (Harm(shut=0.06) + Harm(shut=0.06), Severity.WARNING),
        (Harm(shut=0.5), Severity.ERROR),
        (Harm(overrun=("a",)), Severity.WARNING),
        (Harm(starved=("a",)) + Harm(starved=("a", "b")), Severity.ERROR),
    ],
)
def test_harm_has_a_least_severity(harm: Harm, severity: Severity) -> None:
    assert harm.severity is severity


# The engine
# -----------------------------------------------------------------------------------------------------

POOL = pool(slot(), config="ROOT = yes\nOTHER = yes\n")
_MEND = (Setting(Role.CENTRAL, "ROOT", ""),)


def _rule(
    name: str, knob: str, mend: tuple[Setting, ...] = (), severity: Severity = Severity.WARNING
) -> Rule:
    """Return a rule that finds something while ``knob`` is set."""

    def find(evidence: Evidence) -> Iterator[Found]:
        if evidence.setting(knob):
            yield Found(knob, f"knob {knob}", f"{knob} is set", (Fact(knob, "yes"),), trial=mend)

    return Rule(name, severity, (), "", "", "", "", find)


def _run(*rules: Rule) -> list[tuple[str, list[str]]]:
    findings = audit(Evidence(POOL), rules).findings
    return [(each.rule, [one.rule for one in each.caused]) for each in findings]


def test_only_what_goes_with_the_cause_is_listed_under_it() -> None:
    assert _run(_rule("a", "ROOT", _MEND), _rule("b", "ROOT"), _rule("c", "OTHER")) == [
        ("a", ["b"]),
        ("c", []),
    ]


def test_of_two_that_explain_each_other_the_first_rule_is_the_root() -> None:
    assert _run(_rule("b", "ROOT", _MEND), _rule("a", "ROOT", _MEND)) == [("b", ["a"])]


def test_of_two_that_explain_each_other_one_that_is_information_only_is_not_the_root() -> None:
    assert _run(_rule("b", "ROOT", _MEND, Severity.INFO), _rule("a", "ROOT", _MEND)) == [
        ("a", ["b"])
    ]


def test_the_one_from_which_most_follows_is_the_root() -> None:
    both = (*_MEND, Setting(Role.CENTRAL, "OTHER", ""))
    rules = (
        _rule("small", "ROOT", _MEND),
        _rule("x", "ROOT"),
        _rule("y", "OTHER"),
        _rule("large", "OTHER", both),
    )
    assert _run(*rules) == [("large", ["small", "x", "y"])]


def test_settings_that_leave_the_cause_explain_nothing() -> None:
    wrong = (Setting(Role.CENTRAL, "OTHER", ""),)
    assert _run(_rule("a", "ROOT", wrong), _rule("b", "OTHER")) == [("a", []), ("b", [])]


def test_a_root_cause_is_as_severe_as_what_follows_from_it() -> None:
    (root,) = audit(
        Evidence(POOL), [_rule("a", "ROOT", _MEND), _rule("b", "ROOT", severity=Severity.ERROR)]
    ).findings
    assert (root.rule, root.severity) == ("a", Severity.ERROR)


def test_a_rule_that_fails_on_the_mended_pool_keeps_its_finding() -> None:
    def find(evidence: Evidence) -> Iterator[Found]:
        if not evidence.setting("ROOT"):
            raise ValueError("odd")
        yield Found("x", "knob X", "it is odd")

    assert _run(_rule("a", "ROOT", _MEND), replace(_rule("b", "ROOT"), find=find)) == [
        ("a", []),
        ("b", []),
    ]


def test_the_same_for_another_subject_is_not_gone() -> None:
    def find(evidence: Evidence) -> Iterator[Found]:
        yield Found("same", f"slot {evidence.setting('ROOT') or 'other'}", "one of the slots")

    assert _run(_rule("a", "ROOT", _MEND), replace(_rule("b", "ROOT"), find=find)) == [
        ("a", []),
        ("b", []),
    ]


def test_a_known_root_cause_is_reported_again_when_more_follows_from_it() -> None:
    outcome = audit(Evidence(POOL), [_rule("a", "ROOT", _MEND), _rule("b", "ROOT")])

    assert [each.rule for each in outcome.since({"a: ROOT"}).findings] == ["a"]
    assert not outcome.since({"a: ROOT", "b: ROOT"}).findings
    assert outcome.since({"a: ROOT", "b: ROOT"}).known == 1


def test_what_a_starved_group_implies_follows_from_what_starves_it() -> None:
    """Seen on 25.14.1 with GROUP_DYNAMIC_MACH_CONSTRAINT that no machine meets: all cores stand idle."""
    queue = [job(AccountingGroup='"chem.ada"', AcctGroup='"chem"', AcctGroupUser='"ada"')]
    config = (
        "GROUP_NAMES = chem\nGROUP_QUOTA_DYNAMIC_chem = 0.5\n"
        "GROUP_DYNAMIC_MACH_CONSTRAINT = Generation =?= 4\n"
    )
    outcome = _whole(pool(slot(), schedd(), submitter("chem.ada@site"), jobs=queue, config=config))
    follows = {each.rule for each in _of(outcome, "pool-constraint-matches-nothing").caused}
    assert {"cannot-afford-cheapest-slot", "capacity-idle-while-jobs-wait"} <= follows
    assert "cannot-afford-cheapest-slot" not in {each.rule for each in outcome.findings}


def test_an_access_point_that_runs_nothing_explains_why_its_jobs_are_not_offered() -> None:
    ads = (
        slot(),
        schedd(MaxJobsRunning=0),
        submitter("chem.ada@site", IdleJobs=20, WeightedIdleJobs=20),
    )
    own = {"ScheddName": '"access1"', "AccountingGroup": '"chem.ada"'}
    queue = [job(f"1.{proc}", **own) for proc in range(20)]
    config = "GROUP_NAMES = chem\nGROUP_QUOTA_chem = 4\n"
    outcome = _whole(
        pool(*ads, jobs=queue, config=config, access={"access1": "MAX_JOBS_RUNNING = 0\n"})
    )

    assert "advertised-demand-differs" in {
        each.rule for each in _of(outcome, "access-point-closed").caused
    }
    assert "advertised-demand-differs" not in {each.rule for each in outcome.findings}


def test_what_is_shared_with_a_trial_changes_no_finding(tmp_path: Path) -> None:
    """The same audit with evidence that is made anew for each root cause, on a pool with a dozen of them."""
    given = broken_pool(tmp_path, size_of_pool(300))
    shared = audit(Evidence(given), rules_of_pools())
    with mock.patch.object(Evidence, "on", lambda _, other: Evidence(other)):
        anew = audit(Evidence(given), rules_of_pools())

    assert [each for each in shared.findings if each.caused]
    assert shared.findings == anew.findings
