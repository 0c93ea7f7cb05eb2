"""Files of an earlier htcq are read: histories, journals and quotas.

``tests/golden/upgrade/README.md`` says how they were made, and what is true of them.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from htcq.store.elastic_journal import read_journal
from htcq.store.reclaim_journal import ReclaimJournal
from tests.cli.conftest import Call

EARLIER = Path(__file__).parents[1] / "golden" / "upgrade"
JOURNALS = ("journal-disable", "journal-rollback", "journal-dead-man")


@pytest.mark.parametrize("name", ["drift", "ledger"])
def test_a_history_has_the_same_report(
    name: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    history = tmp_path / "history.db"
    with sqlite3.connect(history) as connection:
        connection.executescript((EARLIER / f"{name}.sql").read_text())
    connection.close()
    during = ("--since", "2026-11-25T11:00", "--until", "2026-11-25T11:30")
    done = call("drift", "report", "--store", str(history), "--json", *during)
    before = (EARLIER / f"{name}.json").read_text().replace('"usage_most"', '"max_usage"')

    assert (done.status, json.loads(done.out)) == (0, json.loads(before))


@pytest.mark.parametrize("name", JOURNALS)
def test_a_journal_of_quotas_is_read_whole(name: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(EARLIER / f"{name}.jsonl", tmp_path / "journal"))
    journal = read_journal(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    writes = [line for line in lines if line["kind"] == "intent"]
    state = journal.state

    assert journal.warnings() == ()
    assert [record.number for record in journal.records] == [line["number"] for line in lines]
    assert state.in_force is not None
    assert state.in_force.text == writes[-1]["text"]
    assert (state.result, state.unfinished, state.failures) == ("verified", None, 0)
    assert state.elastic
    assert bool(state.stopped) is (name == "journal-rollback")
    assert state.origin_text is None, "there was no file before the first write"


def test_a_journal_of_reclaim_is_read_whole() -> None:
    journal = ReclaimJournal(EARLIER / "reclaim.jsonl")
    history = journal.history("node.test")
    lines = [json.loads(line) for line in journal.path.read_text().splitlines()]
    (vacated,) = (line["reclaim"]["done"] for line in lines if line["kind"] == "reclaim-outcome")

    assert len(journal.events()) == len(lines)
    assert len(vacated) == len(list(history.lost_today(lines[-1]["time"]))) == 4
    assert (history.unmeasured, journal.ceilings("node.test")) == ((), {})


@pytest.mark.parametrize(
    ("name", "key", "hint"),
    [
        ("elastic", "elastic.write.hold", "has no effect any more: delete it"),
        ("reclaim", "elastic.reclaim.settle", "is called settle_time now: rename it"),
    ],
)
def test_keys_of_before_are_read_once_more_and_named_with_what_to_do(
    name: str, key: str, hint: str, call: Call, tmp_path: Path
) -> None:
    demand = tmp_path / "demand.json"
    demand.write_text('{"total": {"cpus": 8}}')
    quotas = str(EARLIER / f"{name}.toml")
    done = call("elastic", "compute", "--quotas", quotas, "--demand", str(demand))

    assert done.status == 0
    assert f"{key} {hint}; the next version refuses it" in done.err
