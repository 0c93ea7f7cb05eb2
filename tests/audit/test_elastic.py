"""Every rule on elastic quotas, with quotas that break it and quotas beside them that do not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from htcq.audit.catalog import family, rule
from htcq.audit.elastic import COMPUTABLE, doubtful, unsound
from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.engine import Audit, Verdict, audit
from htcq.audit.rule import Severity
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticDemand, ElasticGroup, ElasticQuotas, Options
from htcq.quota.elastic.membership import assign
from htcq.settings.elastic import MALFORMED, quotas_from
from tests.quota.elastic.recorded import read

RULES = family("elastic")


@dataclass(frozen=True)
class Given:
    """Quotas by group as in a file, what there is and what is wanted; and the quotas as they were before."""

    groups: dict[str, dict[str, Any]]
    total: dict[str, int] = field(default_factory=lambda: {"cpus": 100, "memory": 100, "gpus": 10})
    demand: dict[str, Any] = field(default_factory=dict)
    elastic: dict[str, Any] = field(default_factory=dict)
    before: dict[str, dict[str, Any]] | None = None

    def audited(self) -> Audit:
        quotas = quotas_from({"groups": self.groups, "elastic": self.elastic}, "q.toml").trees[""]
        before = (
            None
            if self.before is None
            else quotas_from({"groups": self.before}, "b.toml").trees[""]
        )
        assigned = assign(quotas.groups, ElasticDemand(self.total, **self.demand))
        subject = DeclaredElasticQuotas(
            "q.toml", quotas, assigned.demand, assigned.unknown, assigned.lost, before
        )
        return unsound(subject).joined(doubtful(subject))

    def having(self, **changed: Any) -> Given:
        return replace(self, **changed)


def cpus(least: int, most: int | str, **more: Any) -> dict[str, Any]:
    return {"min": {"cpus": least}, "max": {"cpus": most}, **more}


SOUND = Given({"a": cpus(10, 50), "b": cpus(0, 50, weight={"cpus": 50}), "b.c": cpus(0, 50)})
USED = {"request": {name: {"cpus": 5} for name in ("a", "b.c")}}

#: Quotas that break each rule, and others that come as near as can be and do not.
CASES: dict[str, tuple[Given, Given]] = {
    "elastic-max-negative": (Given({"a": {"max": {"cpus": -1}}}), Given({"a": {"max": {"cpus": 0}}})),
    "elastic-min-negative": (Given({"a": cpus(-1, 5)}), Given({"a": cpus(0, 5)})),
    "elastic-weight-negative": (
        Given({"a": cpus(0, 5, weight={"cpus": -1})}),
        Given({"a": cpus(0, 5, weight={"cpus": 0})}),
    ),
    "elastic-min-without-max": (Given({"a": {"min": {"cpus": 1}, "max": {"gpus": 1}}}), Given({"a": cpus(1, 1)})),
    "elastic-min-above-max": (
        Given({"a": cpus(6, 5)}),
        Given({"a": cpus(5, 5), "b": cpus(6, "unlimited", weight={"cpus": 1})}),
    ),
    "elastic-unlimited-without-weight": (
        Given({"a": cpus(0, "unlimited")}),
        Given({"a": cpus(0, "unlimited", weight={"cpus": 1})}),
    ),
    "elastic-kinds-above-whole": (
        Given({"a": {"min": {"gpus": 3, "gpus:a": 2, "gpus:b": 2}, "max": {"gpus": 9, "gpus:a": 9, "gpus:b": 9}}}),
        Given({"a": {"min": {"gpus": 4, "gpus:a": 2, "gpus:b": 2}, "max": {"gpus": 9, "gpus:a": 9, "gpus:b": 9}}}),
    ),
    "elastic-used-without-max": (
        Given({"a": cpus(0, 5, strict=["gpus"])}, demand={"used": {"a": {"gpus": 1}}}),
        Given({"a": cpus(0, 5)}, demand={"used": {"a": {"gpus": 1}}}),
    ),
    "elastic-max-below-used": (
        Given({"a": cpus(0, 5, strict=["cpus"])}, demand={"used": {"a": {"cpus": 6}}}),
        Given({"a": cpus(0, 5, strict=["cpus"])}, demand={"used": {"a": {"cpus": 5}}}),
    ),
    "elastic-guarantee-not-covered": (
        Given(
            {"p": cpus(10, 50), "p.a": cpus(8, 50), "p.b": cpus(2, 50)},
            demand={"guarantee": {"p": {"cpus": 10}, "p.b": {"cpus": 3}}},
            elastic={"guarantee_usage": True},
        ),
        Given(
            {"p": cpus(10, 50), "p.a": cpus(7, 50), "p.b": cpus(2, 50)},
            demand={"guarantee": {"p": {"cpus": 10}, "p.b": {"cpus": 3}}},
            elastic={"guarantee_usage": True},
        ),
    ),
    "elastic-children-min-above-parent": (
        Given({"p": cpus(10, 50), "p.a": cpus(6, 50), "p.b": cpus(5, 50)}),
        Given({"p": cpus(10, 50), "p.a": cpus(5, 50), "p.b": cpus(5, 50)}),
    ),
    "elastic-mins-above-capacity": (
        Given({"a": cpus(60, 90), "b": cpus(41, 90)}),
        Given({"a": cpus(60, 90), "b": cpus(40, 90)}),
    ),
    "elastic-group-twice": (Given({"a": cpus(0, 5), "A": cpus(0, 5)}), Given({"a": cpus(0, 5), "aa": cpus(0, 5)})),
    "elastic-name-reserved": (Given({"<none>": cpus(0, 5)}), Given({"none": cpus(0, 5)})),
    "elastic-name-illegal": (Given({"a-b": cpus(0, 5)}), Given({"a_b/c.d": cpus(0, 5), "a_b/c": cpus(0, 5)})),
    "elastic-orphan": (Given({"a.b": cpus(0, 5)}), Given({"a.b": cpus(0, 5, parent="")})),
    "elastic-cycle": (
        Given({"a": cpus(0, 5, parent="b"), "b": cpus(0, 5, parent="a")}),
        Given({"a": cpus(0, 5, parent="b"), "b": cpus(0, 5)}),
    ),
    "elastic-dimension-not-of-parent": (
        Given({"p": cpus(0, 5), "p.a": {"max": {"cpus": 5, "memory": 5}}}),
        Given({"p": {"max": {"cpus": 5, "gpus": 5}}, "p.a": {"max": {"gpus:a": 5}}}),
    ),
    "elastic-min-not-of-parent": (
        Given({"p": {"max": {"cpus": 5}}, "p.a": cpus(1, 5)}),
        Given({"p": {"max": {"cpus": 5}}, "p.a": cpus(0, 5)}),
    ),
    "elastic-user-in-two-groups": (
        Given({"a": cpus(0, 5, users=["ada"]), "b": cpus(0, 5, users=["ada"])}),
        Given({"a": cpus(0, 5, users=["ada"]), "b": cpus(0, 5, users=["Ada"])}),
    ),
    "elastic-nothing-managed": (Given({"a": {}}), Given({"a": cpus(0, 0)})),
    "elastic-unknown-group": (
        Given({"a": cpus(0, 5)}, demand={"request": {"b": {"cpus": 1}}}),
        Given({"a": cpus(0, 5)}, demand={"request": {"A": {"cpus": 1}}}),
    ),
    "elastic-submitter-in-unknown-group": (
        Given({"a": cpus(0, 5)}, demand={"request": {"b.ada@x": {"cpus": 1}}}),
        Given({"a": cpus(0, 5)}, demand={"request": {"a.ada@x": {"cpus": 1}, "ada@x": {"cpus": 1}}}),
    ),
    "elastic-unknown-dimension": (
        Given({"a": {"max": {"cpu": 5}}}),
        Given({"a": {"max": {"cpus": 5}}}, total={"cpus": 0}),
    ),
    "elastic-demand-not-managed": (
        Given({"a": cpus(0, 5)}, demand={"request": {"a": {"gpus": 1}}}),
        Given({"a": cpus(0, 5)}, demand={"request": {"a": {"gpus": 0, "cpus:fast": 1}}}),
    ),
    "elastic-parent-with-jobs": (
        Given({"p": cpus(0, 5), "p.a": cpus(0, 5)}, demand={"used": {"p": {"cpus": 1}}}),
        Given({"p": cpus(0, 5), "p.a": cpus(0, 5)}, demand={"used": {"p": {"cpus": 0}}}),
    ),
    "elastic-group-unused": (SOUND, SOUND.having(demand=USED)),
    "elastic-max-above-parent": (
        Given({"p": cpus(0, 5), "p.a": cpus(0, 6)}),
        Given({"p": cpus(0, 5), "p.a": cpus(0, 5)}),
    ),
    "elastic-weight-left-behind": (
        Given({"a": cpus(0, 9, weight={"cpus": 5})}, before={"a": cpus(0, 5, weight={"cpus": 5})}),
        Given({"a": cpus(0, 9, weight={"cpus": 5})}, before={"a": cpus(0, 7, weight={"cpus": 5})}),
    ),
    "elastic-weight-zero": (
        Given({"a": cpus(4, 5, weight={"cpus": 0})}),
        Given({"a": cpus(5, 5, weight={"cpus": 0})}),
    ),
    "elastic-nothing-elastic": (Given({"a": cpus(5, 5)}), Given({"a": cpus(4, 5)})),
    "elastic-may-starve": (
        Given({"a": cpus(0, 1), "b": cpus(0, 100)}),
        Given({"a": cpus(0, 1), "b": cpus(0, 99)}),
    ),
    "elastic-idle-min-kept": (
        Given({"a": cpus(51, 90, lend=False)}),
        Given({"a": cpus(50, 90, lend=False), "b": cpus(50, 90)}),
    ),
    "elastic-gpus-without-cpus": (
        Given({"a": {"min": {"gpus": 1}, "max": {"gpus": 1, "cpus": 9}}}),
        Given({"a": {"min": {"gpus": 1, "cpus": 1}, "max": {"gpus": 1, "cpus": 9}}}),
    ),
}  # fmt: skip


def test_every_rule_has_a_case_or_is_found_while_files_are_read() -> None:
    assert {each.id for each in RULES} == {*CASES, MALFORMED}


@pytest.mark.parametrize("id_", CASES)
def test_what_breaks_a_rule_is_found_and_what_comes_near_is_not(id_: str) -> None:
    broken, sound = CASES[id_]
    (found, *_) = [finding for finding in broken.audited().findings if finding.rule == id_]

    assert found.severity is rule(id_).severity
    assert found.advice
    assert found.message
    assert id_ not in {finding.rule for finding in sound.audited().findings}


def test_sound_quotas_have_no_findings() -> None:
    assert SOUND.having(demand=USED).audited().findings == ()
    assert SOUND.having(demand=USED).audited().checked == len(RULES)


def test_a_finding_has_its_facts_and_the_near_name() -> None:
    (found,) = [
        each
        for each in CASES["elastic-min-above-max"][0].audited().findings
        if each.severity is Severity.ERROR
    ]
    assert [(fact.attribute, fact.value, fact.place) for fact in found.evidence] == [
        ("groups.a.min.cpus", "6", "q.toml"),
        ("groups.a.max.cpus", "5", "q.toml"),
    ]
    typo = Given({"physics": cpus(0, 5)}, demand={"request": {"phisics": {"cpus": 1}}}).audited()
    assert "Did you mean physics?" in typo.findings[0].advice


def test_what_a_site_says_of_a_rule_holds() -> None:
    quotas = DeclaredElasticQuotas(
        "q", ElasticQuotas((ElasticGroup("a", "", {"cpus": 2}, {"cpus": 1}),))
    )
    ignored = {"elastic-min-above-max": Verdict(ignore=("group a",))}

    assert [each.rule for each in audit(quotas, RULES).findings] == ["elastic-min-above-max"]
    assert audit(quotas, RULES, ignored).findings == ()


def test_only_errors_are_computable_or_not() -> None:
    assert {rule(id_).severity for id_ in COMPUTABLE} == {Severity.ERROR}


def test_a_cycle_is_told_with_the_way_around() -> None:
    (found,) = [
        each
        for each in CASES["elastic-cycle"][0].audited().findings
        if each.rule == "elastic-cycle"
    ]

    assert "a below b below a" in found.message


@pytest.mark.parametrize(
    "amounts", [{"cpus": 1.5}, {"cpus": True}, {"cpus": "5"}, {"cpus": None}, 5, []]
)
@pytest.mark.parametrize("key", ["min", "max", "weight"])
def test_an_amount_that_is_no_whole_number_breaks_a_rule(key: str, amounts: object) -> None:
    with pytest.raises(InputError, match=re.escape(f"[{MALFORMED}]")):
        quotas_from({"groups": {"a": {key: amounts}}}, "q.toml")


# What Koordinator's own tests refuse and accept
# ------------------------------------------------------------------

#: The rules of the stated cases, by what those call them.
STATED = {
    "max>=0": ("elastic-max-negative",),
    "min>=0": ("elastic-min-negative",),
    "keys(min) subset keys(max)": ("elastic-min-without-max",),
    "min<=max": ("elastic-min-above-max",),
    "weight>=0": ("elastic-weight-negative",),
    "strict keys: max>=used": ("elastic-max-below-used",),
    "strict keys: used key must be in max": ("elastic-used-without-max",),
    "flexible off: keys(max) equal parent/child": ("elastic-dimension-not-of-parent",),
    "flexible on: keys(child max) subset keys(parent max)": ("elastic-dimension-not-of-parent",),
    "keys(child min) subset keys(parent min)": ("elastic-min-not-of-parent",),
    "sum(children min) <= own min": ("elastic-children-min-above-parent",),
    "sum(brothers min) <= parent min": ("elastic-children-min-above-parent",),
    "sum(brothers min) <= parent min; an absent parent min is 0": (
        "elastic-children-min-above-parent",
    ),
    "guarantee feature, named tree": ("elastic-guarantee-not-covered",),
    "guarantee feature, named tree: some ancestor below the root must already guarantee the sum": (
        "elastic-guarantee-not-covered",
    ),
}
VERDICTS = read("validation")
PLACES = {"group": "g", "parent": "p", "child": "p.c", "sibling": "p.s", "existing_child": "p.e"}


@pytest.mark.parametrize("case", VERDICTS, ids=[case["name"] for case in VERDICTS])
def test_what_koordinator_refuses_is_refused_and_what_it_accepts_is_not(
    case: dict[str, Any],
) -> None:
    groups, used, guarantee = [], {}, {}
    for key, name in PLACES.items():
        given = case.get(key)
        if given is not None:
            groups.append(
                ElasticGroup(
                    name,
                    name.rpartition(".")[0],
                    given.get("min", {}),
                    given.get("max", {}),
                    given.get("weight", {}),
                    strict=tuple(given.get("strict_keys", ())),
                )
            )
            used[name], guarantee[name] = given.get("used", {}), given.get("guaranteed", {})
    flexible, guaranteed = case.get("flexible_keys", True), case["rule"].startswith("guarantee")
    quotas = ElasticQuotas(
        tuple(groups), Options(guarantee_usage=guaranteed, same_dimensions=not flexible)
    )
    found = unsound(
        DeclaredElasticQuotas("q", quotas, ElasticDemand(used=used, guarantee=guarantee))
    )
    broken = {finding.rule for finding in found.findings}

    assert bool(broken & set(STATED[case["rule"]])) is not case["accept"]
