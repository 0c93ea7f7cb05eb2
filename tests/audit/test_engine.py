"""Running rules: what has one cause is one finding, the site's word counts, and what was known is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from htcq.audit.engine import Checked, NotChecked, Verdict, audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Found, Harm, Input, Rule, Severity, Unchecked
from htcq.pool.left_out import LeftOut
from htcq.report.verdict import OK, UNKNOWN
from htcq.report.views.audit import plugin
from tests.audit.sites import pool, slot


def _rule(*found: Found | Unchecked, **changes: Any) -> Rule:
    def find(evidence: Evidence) -> Iterator[Found | Unchecked]:
        yield from found

    return replace(Rule("made-up", Severity.WARNING, (), "", "", "Mend it.", "", find), **changes)


def _group(name: str, cause: str = "", **changes: Any) -> Found:
    return replace(Found(cause or name, f"group {name}", f"{name} is wrong"), **changes)


POOL = Evidence(
    replace(pool(slot()), failed=(("schedd a", "timed out"),), damage=("jobs.ads is cut",))
)


def test_one_cause_is_one_finding_however_many_it_hurts() -> None:
    outcome = audit(
        POOL, [_rule(*[_group(f"g{number}", "the knob", count=2) for number in range(5)])]
    )
    (finding,) = outcome.findings

    assert (finding.subject, finding.count) == ("group g0", 10)
    assert finding.examples == ("group g0", "group g1", "group g2")
    assert finding.fingerprint == "made-up: the knob"


def test_of_one_severity_the_weight_lost_decides_then_the_jobs_lost_and_the_name_last() -> None:
    harms = {
        "a-name": Harm(),
        "b-jobs": Harm(jobs=3),
        "c-more-jobs": Harm(jobs=70),
        "d-weight": Harm(shut=0.09),
        "e-name": Harm(),
    }
    rules = [_rule(_group(name, harm=harm), id=name) for name, harm in sorted(harms.items())]
    found = [each.rule for each in audit(POOL, rules).findings]

    assert found == ["d-weight", "c-more-jobs", "b-jobs", "a-name", "e-name"]


def test_the_worst_come_first() -> None:
    rules = [
        _rule(_group(word), id=word, severity=Severity[word.upper()])
        for word in ("info", "error", "warning")
    ]

    assert [finding.rule for finding in audit(POOL, rules).findings] == ["error", "warning", "info"]


def test_the_site_decides_on_severity_then_the_finding_then_the_rule() -> None:
    rule = _rule(_group("a"), _group("b", severity=Severity.ERROR))
    severities = [finding.severity for finding in audit(POOL, [rule]).findings]
    milder = audit(POOL, [rule], {"made-up": Verdict(Severity.INFO)})

    assert severities == [Severity.ERROR, Severity.WARNING]
    assert [finding.severity for finding in milder.findings] == [Severity.INFO, Severity.INFO]
    assert milder.rules == (Checked("made-up", Severity.INFO),)


def test_the_site_narrows_a_rule_to_subjects() -> None:
    rule = _rule(_group("physics.a"), _group("physics.b"), _group("biology"))

    def subjects(verdict: Verdict) -> list[str]:
        return [finding.subject for finding in audit(POOL, [rule], {"made-up": verdict}).findings]

    assert subjects(Verdict(only=("group physics*",))) == ["group physics.a", "group physics.b"]
    assert subjects(Verdict(ignore=("*.b", "*y"))) == ["group physics.a"]
    assert subjects(Verdict(only=("group physics*",), ignore=("*.a",))) == ["group physics.b"]


def test_a_rule_without_evidence_is_not_checked() -> None:
    outcome = audit(POOL, [_rule(_group("a"), needs=(Input.SLOTS, Input.JOBS, Input.CENTRAL))])

    assert (outcome.findings, outcome.checked) == ((), 0)
    assert outcome.not_checked == (
        NotChecked("made-up", f"{Input.JOBS.value}; {Input.CENTRAL.value}"),
    )


def test_a_rule_that_could_look_at_a_part_tells_the_rest_once() -> None:
    outcome = audit(POOL, [_rule(Unchecked("a schedd"), _group("a"), Unchecked("a schedd"))])

    assert (len(outcome.findings), outcome.checked) == (1, 1)
    assert outcome.not_checked == (NotChecked("made-up", "a schedd"),)


def test_what_the_pool_lacks_is_part_of_the_outcome() -> None:
    outcome = audit(POOL, [])

    assert outcome.incomplete == ("jobs.ads is cut", "schedd a: timed out")
    assert outcome.source == "test"


def test_what_was_known_is_left_out_and_counted() -> None:
    outcome = audit(POOL, [_rule(_group("a"), _group("b"))])
    new = outcome.since({"made-up: a", "made-up: long mended"})

    assert [finding.subject for finding in new.findings] == ["group b"]
    assert (new.known, new.worst()) == (1, Severity.WARNING)
    assert new.gone == ("made-up: long mended",)
    assert outcome.since({"made-up: a", "made-up: b"}).worst() is None


def test_what_was_known_is_not_gone_where_its_rule_lacked_data() -> None:
    known = {"made-up: long mended", "no-such-rule: a"}
    lacking = _rule(needs=(Input.ACCESS,))

    assert audit(POOL, [_rule(Unchecked("jobs"))]).since(known).gone == ()
    assert audit(POOL, [lacking]).since(known).gone == ()
    assert audit(POOL, [_rule()]).since(known).gone == ("made-up: long mended",)


def test_a_rule_that_fails_ends_neither_the_others_nor_what_it_had_found() -> None:
    def find(evidence: Evidence) -> Iterator[Found | Unchecked]:
        yield _group("a")
        raise ZeroDivisionError("one odd ad")

    outcome = audit(POOL, [replace(_rule(), id="broken", find=find), _rule(_group("b"))])

    assert [finding.subject for finding in outcome.findings] == ["group a", "group b"]
    assert [each.rule for each in outcome.rules] == ["made-up"]
    assert outcome.failed == (NotChecked("broken", "ZeroDivisionError: one odd ad", failed=True),)
    assert outcome.gaps[0] == "the rule broken failed: ZeroDivisionError: one odd ad"


def test_no_plugin_says_ok_where_a_rule_failed_or_an_ad_was_left_out() -> None:
    def find(evidence: Evidence) -> Iterator[Found | Unchecked]:
        raise ValueError("odd")
        yield

    sound = Evidence(pool(slot()))
    fine, odd = _rule(), replace(_rule(), find=find)
    left_out = Evidence(replace(pool(slot()), left_out=(LeftOut("slot", 1, ("x: odd",)),)))

    assert plugin(audit(sound, [fine]))[0] == OK
    assert plugin(audit(sound, [fine, odd]))[0] == UNKNOWN
    assert plugin(audit(left_out, [fine]))[0] == UNKNOWN
    assert plugin(audit(POOL, [fine, odd]))[1].splitlines()[0].count("the rule made-up failed") == 1
