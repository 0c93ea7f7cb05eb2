"""Who may write what decides: the table is whole, and the least of those who may gains nothing by it."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import pytest

from htcq.elastic.gates import refusals
from htcq.elastic.journal import LOOK, JournalRecord, PoolSeen, state_of
from htcq.elastic.pool_health import health_of
from htcq.elastic.provenance import OWNER, TABLE
from htcq.elastic.reclaim.planner import plan_reclaim
from htcq.elastic.reclaim.reclaim_plan import ReclaimPlan
from htcq.elastic.records import ElasticObservation
from htcq.pool.job import OWN as OF_JOB
from htcq.pool.job import Job
from htcq.pool.pool import Pool
from htcq.pool.slot import OWN as OF_SLOT
from htcq.pool.slot import Slot
from htcq.settings.elastic_write import WriteSettings
from tests.audit.sites import ad
from tests.docs.documents import ROOT
from tests.elastic.reclaim.scenes import AT_ONCE, HOUR_AGO, NOW, Scene

#: Beginnings end in a *.
KNOWN = {(row.ad, name.lower()) for row in TABLE for name in row.attributes.split()}
#: Fields of our own records and settings that are called like fields of jobs and slots.
_OURS = {"matched", "vacates", "running", "value", "ad", "own", "number", "id"}
_KINDS = {"job": (Job, OF_JOB), "slot": (Slot, OF_SLOT)}
HOSTILE = (
    "-1", "99999999999", "1e300", 'real("NaN")', '"ON_EXIT_OR_EVICT"', "undefined", "error", "true",
)  # fmt: skip


def is_known(kind: str, name: str) -> bool:
    low = name.lower()
    return (kind, low) in KNOWN or any(
        ad_ == kind and known.endswith("*") and low.startswith(known[:-1]) for ad_, known in KNOWN
    )


def sources(folder: str) -> Iterator[ast.AST]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def attributes_by_property(kind: str) -> dict[str, set[str]]:
    """Return, by property or field of jobs or slots, the attributes that it reads."""
    record, own = _KINDS[kind]
    found = {field: {name} for field, name in zip(record._fields[1:], own)}
    tree = ast.parse((ROOT / f"htcq/pool/{kind}.py").read_text(encoding="utf-8"))
    bodies = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for _ in range(3):
        for name, body in bodies.items():
            if not hasattr(record, name):
                continue
            reads = found.setdefault(name, set())
            for node in ast.walk(body):
                if isinstance(node, ast.Attribute) and node.attr in found and node.attr != name:
                    reads |= found[node.attr]
                if isinstance(node, ast.Call) and _called(node) == "value":
                    reads |= _texts(node)
    return found


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _texts(call: ast.Call) -> set[str]:
    return {
        each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }  # fmt: skip


def test_what_is_read_of_jobs_and_slots_is_in_the_table() -> None:
    accessed = {node.attr for node in sources("htcq/elastic") if isinstance(node, ast.Attribute)}
    missing = set()
    for kind in _KINDS:
        for field, names in attributes_by_property(kind).items():
            if field in accessed and field not in _OURS:
                missing |= {(kind, name) for name in names if not is_known(kind, name)}
    assert missing == set()


def test_what_is_read_by_name_is_in_the_table() -> None:
    called = ("number", "text", "value", "expression", "Expr")
    named: set[str] = set()
    for node in sources("htcq/elastic"):
        if isinstance(node, ast.Call) and _called(node) in called:
            named |= {text.removeprefix("MY.") for text in _texts(node)}
    assert len(named) > 10
    ads = {row.ad for row in TABLE}
    assert {name for name in named if not any(is_known(kind, name) for kind in ads)} == set()


def test_the_page_has_the_table() -> None:
    loader = importlib.machinery.SourceFileLoader("provenance", str(ROOT / "contrib/provenance"))
    spec = importlib.util.spec_from_loader("provenance", loader)
    assert spec is not None
    program = importlib.util.module_from_spec(spec)
    loader.exec_module(program)

    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert program.table() in text
    assert program.with_table(text) == text


def names_of(writer: str, kind: str) -> list[str]:
    """Return the attributes that ``writer`` may set, with examples of those that end in a star."""
    found = []
    for row in TABLE:
        if (row.writer, row.ad) == (writer, kind):
            found += row.attributes.replace(
                "Request*", "RequestCpus RequestMemory RequestGPUs"
            ).split()
    return found


#: What the site allows everybody by default is not what is tried here.
STRICT = replace(AT_ONCE, protectors=())


def scene(**of_mallory: str) -> Scene:
    """Mallory and bob fill a machine, two of mallory's jobs are the youngest; ann waits, and so does mallory."""
    found = Scene().machine()
    for number in range(2):
        found.runs(f"1.{number}", "borrower", user="mallory", started=NOW - 700, **of_mallory)  # type: ignore[arg-type]
    for number in range(6):
        found.runs(f"2.{number}", "borrower", started=HOUR_AGO - number)
    found.waits("3.0", "lender", 3)
    return found.waits("4.0", "borrower", 1, user="mallory", **of_mallory)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def usual() -> tuple[ElasticObservation, ReclaimPlan]:
    _, observation, _ = scene().look()
    return observation, scene().plan(STRICT)


def losers(plan: ReclaimPlan) -> list[str]:
    """Return the jobs of others that are vacated."""
    return [each.job for each in plan.evictions if "mallory" not in each.submitter]


def test_without_hostile_values_mallorys_jobs_and_one_of_bobs_go() -> None:
    _, plan = usual()
    assert [each.job for each in plan.evictions] == ["1.0", "1.1", "2.0"]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("name", names_of(OWNER, "job"))
def test_what_the_owner_of_a_job_writes_changes_nothing_for_others(name: str, value: str) -> None:
    before, plan = usual()
    hostile = scene(**{name: value})
    outcome, observation, pool = hostile.look()
    after = plan_reclaim(outcome, observation, pool, STRICT)

    assert losers(after) == losers(plan)
    assert {each.job for each in after.evictions} == {each.job for each in plan.evictions}
    assert observation.demand.used == before.demand.used
    assert observation.demand.request["lender"] == before.demand.request["lender"]
    lender = outcome.find("lender")
    assert lender is not None
    assert lender.runtime["cpus"] == 3


def with_ad(text: str) -> tuple[ElasticObservation, Pool]:
    found = scene()
    found.ads.append(text)
    _, observation, pool = found.look()
    return observation, pool


ADVERTISED = sorted({(row.ad, name) for row in TABLE if row.ad != "job" for name in row.attributes.split()})  # fmt: skip
_TYPES = {
    "slot": "Machine", "submitter": "Submitter", "schedd": "Scheduler", "negotiator": "Negotiator",
    "accounting": "Accounting",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), ADVERTISED)
def test_an_ad_with_extremes_is_survived_and_grows_no_pool(kind: str, name: str) -> None:
    """One more ad, with each extreme in turn, beside those of a pool of 8 cpus."""
    before = state_of([JournalRecord(1, NOW, LOOK, seen=PoolSeen(1, 1, 8.0))])
    for value in HOSTILE:
        own = {
            "MyType": f'"{_TYPES[kind]}"', "Name": '"slot1@evil"', "Machine": '"evil"', "State": '"Unclaimed"',
            "SlotType": '"Partitionable"', "PartitionableSlot": "true", "Cpus": 1, "Memory": 1, "Disk": 1,
            "TotalSlotCpus": 1, "TotalSlotMemory": 1, "TotalSlotDisk": 1, "SlotWeight": "Cpus",
        }  # fmt: skip
        if kind != "slot":
            own = {"MyType": own["MyType"], "Name": '"evil"', "NegotiatorName": '"central"'}
        observation, pool = with_ad(ad(**{**own, name.replace("*", "Cpus"): value}))
        health = health_of(pool, "", observation.pool_weight, None, observation.usage)
        closed = {each.gate for each in refusals(health, before, None, WriteSettings(), NOW)}
        assert observation.pool_weight <= 10 or "growth" in closed
