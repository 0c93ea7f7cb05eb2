"""The audit finds nothing in a file of the writer that the file causes: static quotas and elastic ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from htcq.audit.catalog import family
from htcq.audit.engine import audit
from htcq.audit.evidence import Evidence
from htcq.elastic.quota_file import QuotaKnobs, elastic_file
from htcq.elastic.quota_targets import targets
from htcq.elastic.static import min_targets, static_file
from htcq.emit.elastic import quota_text
from htcq.quota.elastic.runtime import compute
from tests.audit.rules.quota.groups import groups, wants
from tests.elastic.quotas import group, quotas
from tests.properties.test_guarantee import look

NESTED = quotas(
    group("p", {"cpus": 50}, {"cpus": 100}),
    group("p.a", {"cpus": 20}, {"cpus": 100}),
    group("p.b", {"cpus": 10}, {"cpus": 60}),
    group("q", {"cpus": 30}, {"cpus": 70}),
    group("r", {"cpus": 20}, {"cpus": None}, weight={"cpus": 1}),
)
LEAVES = ("p.a", "p.b", "q", "r")
USED = {"nobody": {}, "one": {"q": 70}, "over": {"p.b": 70, "q": 20}}


def kinds() -> dict[str, QuotaKnobs]:
    """Return every kind of file: the static one, and elastic ones of three fillings."""
    found = {}
    for name, partly in USED.items():
        used = {leaf: partly.get(leaf, 0) for leaf in LEAVES}
        seen = look(NESTED.groups, 100, used, dict.fromkeys(LEAVES, 40))
        made = targets(compute(NESTED, seen.demand), seen)
        found[name] = elastic_file(made, {each.group: each.quota for each in made})
        found["static"] = static_file(min_targets(NESTED, seen))
    unlent = replace(NESTED, groups=(*NESTED.groups[:-1], replace(NESTED.groups[-1], lend=False)))
    seen = look(unlent.groups, 100, dict.fromkeys(LEAVES, 0), dict.fromkeys(LEAVES, 40))
    made = targets(compute(unlent, seen.demand), seen)
    found["unlent"] = elastic_file(made, {each.group: each.quota for each in made})
    return found


def as_read(text: str) -> str:
    """Return the configuration without comments, continued lines as one."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return "\n".join(lines).replace("\\\n", " ")


@pytest.mark.parametrize("kind", ["static", *USED, "unlent"])
def test_the_audit_finds_no_fault_of_quotas_in_what_is_written(kind: str) -> None:
    file = kinds()[kind]
    text = quota_text(file, "cm:/j", static=kind == "static")
    demand = [wants(leaf, 40) for leaf in LEAVES]
    looked = audit(Evidence(groups(as_read(text), *demand)), family("quota"))
    assert "parent-quota-counted-twice" not in {each.rule for each in looked.not_checked}
    assert [(each.rule, each.message) for each in looked.findings] == []


def test_the_former_static_file_of_a_nested_tree_is_found_faulty() -> None:
    knob = "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION"
    text = quota_text(kinds()["static"], "cm:/j").replace(f"{knob} = False", f"{knob} = True")
    demand = [wants(leaf, 40) for leaf in LEAVES]
    looked = audit(Evidence(groups(as_read(text), *demand)), family("quota"))
    assert "parent-quota-counted-twice" in {each.rule for each in looked.findings}
