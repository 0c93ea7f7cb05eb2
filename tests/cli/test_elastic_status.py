"""``htcq elastic status`` as a command: its three outputs say the same, and what it cannot find out."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from htcq.elastic.journal import DEAD_MAN, DISABLE, LOOK, REFUSED, WRITTEN, JournalRecord
from htcq.elastic.reclaim.reclaim_events import IntentEvent, Origin
from htcq.elastic.reclaim.reclaim_fields import JobEntry
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from htcq.report.column import names as column_names
from htcq.report.views.elastic_status import COLUMNS
from htcq.store.elastic_journal import Journal
from htcq.store.reclaim_journal import ReclaimJournal
from tests.audit.sites import accounting, collected, job, negotiator
from tests.cli.conftest import Call
from tests.docs.documents import ROOT, section, words
from tests.docs.test_man import keys
from tests.elastic.quotas import claimed, node, running
from tests.elastic.writing import NOW, written

PAGE = ROOT / "man/man1/htcq-elastic.1"
QUOTAS = """
[groups.physics]
min = { cpus = 8, memory = 16384 }
max = { cpus = 12, memory = 24576 }
[groups."physics.hep"]
min = { cpus = 6, memory = 12288 }
max = { cpus = 12, memory = 24576 }
[groups.chem]
min = { cpus = 8, memory = 16384 }
max = { cpus = 16, memory = "unlimited" }
weight = { memory = 1 }
"""
CONFIG = "CLAIM_PARTITIONABLE_LEFTOVERS = False\nGROUP_NAMES = physics, physics.hep, chem\nGROUP_QUOTA_physics = 8\nGROUP_QUOTA_chem = 8\n"
#: Two machines of 8 cpus and 16 GiB; hep has 2 claims and wants 20 more of 2 GiB, chemistry
#: nothing.
ADS = (
    node("node1", 6, 14336),
    node("node2"),
    claimed(1, "physics.hep.ada@site", JobId='"1.0"', RemoteScheddName='"access1"'),
    claimed(2, "physics.hep.ada@site", JobId='"1.1"', RemoteScheddName='"access1"'),
)
JOBS = (
    running("1.0", "slot1_1@node1", AccountingGroup='"physics.hep.ada"', ScheddName='"access1"'),
    running("1.1", "slot1_2@node1", AccountingGroup='"physics.hep.ada"', ScheddName='"access1"'),
    job("2.0", AccountingGroup='"physics.hep.ada"', RequestMemory=2048, MaxHosts=20),
)


@pytest.fixture
def status(quiet_place: Path, call: Call) -> Any:
    """Run the command on the pool above, with other quotas or files if asked to."""
    (quiet_place / "q.toml").write_text(QUOTAS)
    pool = quiet_place / "pool"
    pool.mkdir()
    (pool / "collector.ads").write_text(collected(ADS))
    (pool / "jobs.ads").write_text("\n".join(JOBS))
    (pool / "config.txt").write_text(CONFIG)
    return lambda *more: call(
        "elastic", "status", "--quotas", "q.toml", "--snapshot", "pool", *more
    )


def printed(done: Any) -> dict[str, Any]:
    assert done.status == EXIT_FINE, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_groups_stand_as_their_ads_say(status: Any) -> None:
    """hep asks for 22 cpus of 12, its max; chemistry lends the 8 that it is guaranteed, and may have them at any moment."""
    found = printed(status("--json"))
    hep, chem = found["groups"]["physics.hep"], found["groups"]["chem"]

    assert (hep["used"], hep["request"]) == (
        {"cpus": 2, "memory": 2048},
        {"cpus": 22, "memory": 2048 + 20 * 2048},
    )
    assert hep["runtime"] == {"cpus": 12, "memory": 24576}
    assert hep["waiting"] == {"cpus": 10, "memory": 18432}
    assert chem["lent"] == {"cpus": 8, "memory": 16384}
    # Its min of 6, and what physics is guaranteed besides; the rest of its runtime is surplus.
    assert hep["quota"] == {
        "now": None, "target": 8, "headroom": 0, "accept_surplus": True, "used": 2,
    }  # fmt: skip
    assert hep["binding"] == "cpus"
    assert (
        found["groups"]["physics"]["quota"]["now"],
        found["groups"]["physics"]["quota"]["target"],
    ) == (8, 8)
    assert (
        chem["quota"]["target"],
        chem["quota"]["headroom"],
        chem["quota"]["accept_surplus"],
    ) == (8, 8, True)
    assert found["pool_weight"] == 16
    assert (found["claims"], found["idle_jobs"], found["problems"]) == (2, 20, [])


def test_status_tells_whether_elastic_quotas_are_kept_and_why_not(
    status: Any, quiet_place: Path
) -> None:
    """The writer's journal says it: first there is none, then a person has stopped it all."""
    settings = f'[elastic.write]\njournal = "{quiet_place}/journal"\nmax_failures = 1\n'
    (quiet_place / "q.toml").write_text(settings + QUOTAS)
    expected = {"state": "never", "why": "no quotas were written yet"}
    assert printed(status("--json"))["activity"] == expected

    journal = Journal(quiet_place / "journal")
    states = []
    for records in (
        written(1, {"chem": (8.0, False)}),
        [JournalRecord(3, NOW, REFUSED, told="half of the pool is gone")],
        [JournalRecord(4, NOW, LOOK)],
        written(5, {"chem": (4.0, True)}, what=DEAD_MAN),
        written(7, {"chem": (8.0, False)}, WRITTEN),
        written(9, {"chem": (4.0, True)}, what=DISABLE, operator="ann"),
    ):
        for record in records:
            journal.append(record)
        states.append(printed(status("--json"))["activity"]["state"])
    assert states == ["on", "held", "on", "static", "failed", "off"]
    assert "elastic quotas are off: stopped by disable by ann" in status().out


def test_metrics_have_each_group_and_what_was_done_in_the_last_day(
    status: Any, quiet_place: Path
) -> None:
    """hep uses 2 of its min of 6 cpus, and waits; a step was refused and a job vacated an hour ago."""
    settings = f'[elastic.write]\njournal = "{quiet_place}/journal"\n'
    settings += f'[elastic.reclaim]\njournal = "{quiet_place}/reclaim"\n'
    (quiet_place / "q.toml").write_text(settings + QUOTAS)
    ago = time.time() - 3600
    journal = Journal(quiet_place / "journal")
    for record in written(1, {"chem": (8.0, False)}, time=ago):
        journal.append(record)
    journal.append(JournalRecord(3, ago, REFUSED, told="half of the pool is gone"))
    job_ = JobEntry("access1", "9.0", "chem", "chem.bob@site", 1.5)
    origin = Origin(ago, "root", "central")
    ReclaimJournal(quiet_place / "reclaim").append(IntentEvent(origin, "x", (job_,)))
    done = status("--prometheus", "-")
    found = {}
    for line in done.out.splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            found[name] = float(value)

    assert done.status == EXIT_FINE, done.err
    place = 'pool="pool",negotiator=""'
    assert found[f'htcq_elastic_state{{{place},state="held"}}'] == 1
    assert found[f'htcq_elastic_state{{{place},state="on"}}'] == 0
    hep = f'{place},group="physics.hep"'
    assert found[f'htcq_elastic_used{{{hep},dimension="cpus"}}'] == 2
    assert found[f'htcq_elastic_runtime{{{hep},dimension="cpus"}}'] == 12
    assert found[f"htcq_elastic_below_min{{{hep}}}"] == 1
    assert found[f'htcq_elastic_below_min{{{place},group="chem"}}'] == 0
    assert found[f'htcq_elastic_lent{{{place},group="chem",dimension="cpus"}}'] == 8
    assert found[f"htcq_elastic_refused_steps{{{place}}}"] == 1
    assert found[f"htcq_elastic_vacated_jobs{{{place}}}"] == 1
    assert found[f"htcq_elastic_lost_weight_hours{{{place}}}"] == 1.5
    assert status("--prometheus", "elastic.prom").out == status().out
    assert "htcq_elastic_state{" in (quiet_place / "elastic.prom").read_text()


def test_why_tells_a_group_what_it_may_have_and_who_has_what_it_lends(
    status: Any, call: Call, quiet_place: Path
) -> None:
    words = ("--quotas", "q.toml", "--snapshot", "pool")
    done = call("why", "physics.HEP", *words)

    assert done.status == EXIT_FINE, done.err
    lines = done.out.splitlines()
    assert lines[0] == ("physics.hep: cpus: may use 12 now (min 6, max 12), uses 2 and asks for 22")
    assert (
        "4 cpus of its min are missing and free: the next negotiation cycle matches them" in lines
    )
    assert "jobs of physics.hep wait for cpus: its max is 12" in lines
    assert "elastic quotas are not in force: no quotas were written yet" in lines
    idle = call("why", "chem", *words)
    assert (idle.status, idle.err) == (EXIT_FINE, ""), "it has no jobs"
    assert idle.out.startswith("chem: cpus: may use 0 now (min 8, max 16), uses 0")
    assert call("why", "--all", *words).status == EXIT_USAGE
    assert "declare no group bio" in call("why", "bio", *words).err


def test_jobs_that_no_min_pays_the_protection_of_are_named(status: Any, quiet_place: Path) -> None:
    """hep has two jobs that ask for it, and may protect one."""
    jobs = "\n".join(JOBS[:2]).replace("JobStatus = 2", "JobStatus = 2\nHtcqProtected = true")
    (quiet_place / "pool/jobs.ads").write_text(jobs)
    (quiet_place / "q.toml").write_text(f"[elastic.reclaim]\nprotected_jobs = 1\n{QUOTAS}")
    found = printed(status("--json"))["protected"]
    metrics = status("--prometheus", "-").out.splitlines()

    assert found == [
        {
            "group": "physics.hep",
            "paid": 1,
            "unpaid": 1,
            "amounts": found[0]["amounts"],
            "why": ["the site lets a group protect 1 jobs"],
        }
    ]
    assert found[0]["amounts"]["cpus"] == 1
    assert (
        "1 of 2 jobs of physics.hep with HtcqProtected = true are not protected: the site lets a "
        "group protect 1 jobs"
    ) in status().out
    for name in ("protected_jobs", "protected_above_min_jobs"):
        (line,) = [
            each
            for each in metrics
            if each.startswith(f"htcq_elastic_{name}{{") and 'group="physics.hep"' in each
        ]
        assert line.endswith(" 1")


def test_a_journal_that_cannot_be_read_is_told(status: Any, quiet_place: Path) -> None:
    (quiet_place / "journal").mkdir()
    settings = f'[elastic.write]\njournal = "{quiet_place}/journal"\n'
    (quiet_place / "q.toml").write_text(settings + QUOTAS)

    assert printed(status("--json"))["activity"]["state"] == "unknown"


def test_the_table_says_the_same_for_people(status: Any) -> None:
    done = status()
    lines = [line.split("  ") for line in done.out.splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]

    assert done.status == EXIT_FINE
    assert ["physics.hep", "cpus", "6", "12", "22", "12", "2", "-", "6", "10", "-"] in cells
    assert [
        "memory",
        "12 GiB",
        "24 GiB",
        "42 GiB",
        "24 GiB",
        "2 GiB",
        "-",
        "12 GiB",
        "18 GiB",
        "-",
    ] in cells
    assert ["physics.hep", "-", "8", "-", "2", "yes", "cpus"] in cells
    assert ["chem", "8", "8", "8", "0", "yes", "-"] in cells
    assert any(
        line[0].startswith("approximated by HTCondor: every claim has 1 of it per slot weight of 1")
        for line in cells
        if line
    )


def test_six_dimensions_stay_readable(status: Any, quiet_place: Path) -> None:
    names = ("cpus", "memory", "disk", "gpus", "gpus:a100", "weight")
    dimensions = ", ".join(f'"{name}" = 8' for name in names)
    (quiet_place / "q.toml").write_text(
        f"[groups.chem]\nmin = {{ {dimensions} }}\nmax = {{ {dimensions} }}\n"
    )
    done = status()

    assert max(map(len, done.out.split("\n\n")[0].splitlines())) < 120
    assert done.out.count("chem") == 2 + done.out.count("group chem") + done.out.count("of chem")


def test_rows_are_those_of_the_json(status: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(status("--csv").out)))
    found = printed(status("--json"))

    assert list(rows[0]) == column_names(COLUMNS)
    assert {(row["group"], row["dimension"]) for row in rows} == {
        (name, dimension)
        for name, group in found["groups"].items()
        for dimension in group["runtime"]
    }
    for row in rows:
        group = found["groups"][row["group"]]
        for name in (
            "min",
            "scaled_min",
            "request",
            "runtime",
            "used",
            "lent",
            "borrowed",
            "waiting",
            "over",
        ):
            assert int(row[name]) == group[name][row["dimension"]]
        assert float(row["target_quota"]) == group["quota"]["target"]
    assert [row["max"] for row in rows if row["group"] == "chem"] == ["16", ""]


def test_every_name_in_the_json_and_in_the_rows_is_told(status: Any) -> None:
    found = printed(status("--json"))
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(".SH STATUS JSON") == 1
    told, columns = section(PAGE, "STATUS JSON"), section(PAGE, "STATUS CSV")
    of_dimensions, of_groups = (next(iter(found[key].values())) for key in ("dimensions", "groups"))
    amounts = tuple(
        name for name, value in of_groups.items() if isinstance(value, dict) and name != "quota"
    )

    names = set(found) | set(of_dimensions) | keys(of_groups, amounts)
    assert names | {"trees", "default", "system", "used"} <= words(told)
    assert set(column_names(COLUMNS)) <= words(columns)


def test_quotas_that_are_refused_for_their_amounts_are_shown_all_the_same(
    status: Any, quiet_place: Path
) -> None:
    (quiet_place / "q.toml").write_text("[groups.a]\nmin = { cpus = 9 }\nmax = { cpus = 8 }\n")
    done = status()

    assert done.status == EXIT_USAGE
    assert "elastic-min-above-max" in done.err
    assert re.search(r"^a +cpus +9 +8 ", done.out, re.MULTILINE)


def test_a_tree_that_is_none_is_not_looked_at(status: Any, quiet_place: Path) -> None:
    (quiet_place / "q.toml").write_text('[groups."a.b"]\nmax = { cpus = 8 }\n')
    done = status()

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert "elastic-orphan" in done.err


def test_a_pool_without_slots_cannot_be_shared(status: Any, quiet_place: Path) -> None:
    (quiet_place / "pool/collector.ads").unlink()

    assert status().status == EXIT_UNKNOWN


@pytest.mark.parametrize(
    "options",
    [
        ("--json", "--csv"),
        ("--pool", "somewhere"),
        ("--name", "x"),
    ],
)
def test_what_makes_no_sense_is_refused(
    status: Any, quiet_place: Path, options: tuple[str, ...]
) -> None:
    if options[0] == "--name":
        (quiet_place / "q.toml").write_text("[trees.first.groups.a]\nmax = { cpus = 8 }\n")
    done = status(*options)

    assert (done.status, done.out) == (EXIT_USAGE, "")
    assert done.err.count("\n") == 1


def test_of_several_trees_each_is_that_of_its_negotiator(status: Any, quiet_place: Path) -> None:
    trees = "".join(
        f'[trees."{name}".groups.{name}]\nmin = {{ cpus = {least} }}\nmax = {{ cpus = 8 }}\n'
        for name, least in (("first", 1), ("second", 2))
    )
    (quiet_place / "q.toml").write_text(trees)
    records = [
        accounting("<none>", IsAccountingGroup="true", NegotiatorName=f'"{each}"')
        for each in ("first", "second")
    ]
    ads = (*ADS, *records, negotiator("first"), negotiator("second"))
    (quiet_place / "pool/collector.ads").write_text(collected(ads))
    found = printed(status("--json"))

    assert {name: tree["negotiator"] for name, tree in found["trees"].items()} == {
        "first": "first",
        "second": "second",
    }
    assert {name: list(tree["groups"]) for name, tree in found["trees"].items()} == {
        "first": ["first"],
        "second": ["second"],
    }
    only = printed(status("--name", "second", "--json"))
    assert set(only["trees"]) == {"second"}
