"""A file of quotas that is refused: the last one that was accepted stays in force."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE
from htcq.operations.elastic_quotas import read_declared
from htcq.operations.quotas_in_force import declared_in_force, file_in_force, keep_accepted
from htcq.store.elastic_journal import Journal, read_journal
from htcq.store.history_clock import clock_now
from tests.cli import test_elastic_handover as handover
from tests.cli import test_elastic_status
from tests.cli.conftest import Call
from tests.elastic.writing import written

QUOTAS = handover.QUOTAS
#: Refused, each in its own way: a misspelt key, an unsound min, no TOML, and nothing at all.
REFUSED = {
    "misspelt": QUOTAS.replace("verify_within", "verifi_within"),
    "unsound": QUOTAS + "[groups.c]\nmin = { cpus = 9 }\nmax = { cpus = 8 }\n",
    "no TOML": QUOTAS + "[groups",
    "empty": "",
}

place = handover.place
status = test_elastic_status.status


def keep(place: Path, text: str = QUOTAS) -> None:
    """Let the writer accept ``text``."""
    (place / "elastic.toml").write_text(text)
    keep_accepted(read_declared("elastic.toml", "", None, "journal"))


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_the_writer_goes_on_with_the_last_accepted_file(text: str, call: Call, place: Path) -> None:
    keep(place)
    (place / "elastic.toml").write_text(text)
    handover.save(place, handover.plan())
    done = call(*handover.WORDS, "--journal", "journal", *handover.NOWHERE)

    # It wrote what the plan has; the negotiator of this test is away, and the file was put back.
    told, why = done.err.splitlines()
    assert told.startswith("htcq: the file is refused, and that of ")
    assert "(journal.quotas) stays in force: elastic.toml" in told
    assert "was put back" in why
    intents = [each for each in read_journal(place / "journal").records if each.kind == "intent"]
    assert [each.what for each in intents] == ["apply", "apply", "restore"]


def test_a_file_without_a_kept_one_is_refused_as_before(call: Call, place: Path) -> None:
    (place / "elastic.toml").write_text(REFUSED["misspelt"])
    handover.save(place, handover.plan())

    assert "verifi_within is unknown" in handover.refused(call, place, EXIT_USAGE)


def test_a_step_that_changes_nothing_says_by_its_status_that_the_file_is_refused(
    call: Call, place: Path
) -> None:
    """The step succeeds, so that the dead-man timer does not restore static quotas."""
    keep(place)
    (place / "elastic.toml").write_text(REFUSED["misspelt"])
    in_force = {"a": (6.0, False), "a.x": (2.0, False), "b": (12.0, False)}
    fallback = json.loads(handover.plan())["static"]
    text = (place / "config.d" / handover.FILE).read_text()
    for record in written(
        3, in_force, time=time.time() - 3600, text=text, path=str(place / "config.d" / handover.FILE),
        fallback="static\n", fallback_quotas={each["group"]: (each["quota"], True) for each in fallback},
    ):  # fmt: skip
        Journal(place / "journal").append(record)
    handover.save(place, handover.plan({"base": 4}))
    done = call(*handover.WORDS, "--journal", "journal", *handover.NOWHERE)

    assert done.status == EXIT_USAGE, done.err
    assert "unchanged" in done.out
    assert (read_journal(place / "journal").silent_for(clock_now()) or 0) < 60


def test_only_a_loop_or_a_timer_goes_on(call: Call, place: Path) -> None:
    keep(place)
    (place / "elastic.toml").write_text(REFUSED["misspelt"])
    options = ("--quotas", "elastic.toml", *handover.NOWHERE)
    run = call("elastic", "run", "--once", "--yes", *options)
    plan = call("elastic", "plan", *options)

    assert run.status == EXIT_UNKNOWN
    assert "stays in force" in run.err
    assert "cannot connect" in run.err
    assert plan.status == EXIT_USAGE
    assert plan.err.startswith("htcq: elastic.toml: elastic.write.verifi_within is unknown (")


def test_the_writer_keeps_what_it_accepts(call: Call, place: Path) -> None:
    call("elastic", "run", "--quotas", "elastic.toml", "--once", "--yes", *handover.NOWHERE)

    assert (place / "journal.quotas").read_text() == QUOTAS


def test_what_is_refused_is_not_kept(place: Path) -> None:
    keep(place)
    (place / "elastic.toml").write_text(REFUSED["unsound"])
    declared = declared_in_force("elastic.toml", "", None, "journal")
    keep_accepted(declared)

    assert "elastic-min-above-max" in declared.refused
    assert (place / "journal.quotas").read_text() == QUOTAS
    (place / "elastic.toml").write_text(QUOTAS)
    assert declared_in_force("elastic.toml", "", None, "journal").refused == ""


def test_a_loop_remembers_the_journal_of_a_file_that_names_none_any_more(place: Path) -> None:
    keep(place)
    (place / "elastic.toml").write_text(REFUSED["no TOML"])

    assert declared_in_force("elastic.toml", "", known="journal").text == QUOTAS


def test_of_several_trees_each_has_the_file_beside_its_own_journal(place: Path) -> None:
    trees = "".join(
        f'[trees.{name}.elastic.write]\njournal = "{name}"\n[trees.{name}.groups.{name}]\n'
        "max = { cpus = 8 }\n"
        for name in ("one", "two")
    )
    (place / "elastic.toml").write_text(trees)
    keep_accepted(read_declared("elastic.toml", "two"))
    (place / "elastic.toml").write_text(trees + "[trees.three.groups.x]\nmx = { cpus = 8 }\n")
    declared = declared_in_force("elastic.toml", "two")

    assert (place / "two.quotas").read_text() == trees
    assert [group.name for group in declared.quotas.groups] == ["two"]
    assert "trees.three.groups.x.mx is unknown" in declared.refused
    assert file_in_force("elastic.toml", "two").name == "two.quotas"


def test_a_former_key_is_named_once_and_the_step_goes_on(call: Call, place: Path) -> None:
    text = QUOTAS.replace("[elastic.write]", "[elastic.write]\nleast_seen = 0.9")
    (place / "elastic.toml").write_text(text)
    done = call("elastic", "run", "--quotas", "elastic.toml", "--once", "--yes", *handover.NOWHERE)

    assert done.err.count("least_seen is called min_seen now") == 1
    assert "cannot connect" in done.err


def test_status_shows_the_quotas_in_force_and_says_so(status: Any, quiet_place: Path) -> None:
    settings = f'[elastic.write]\njournal = "{quiet_place}/journal"\n'
    good = settings + (quiet_place / "q.toml").read_text()
    (quiet_place / "q.toml").write_text(good)
    keep_accepted(read_declared("q.toml", ""))
    before = json.loads(status("--json").out)
    assert before["refused_file"] == ""
    assert "\nhtcq_elastic_file_refused{" in status("--prometheus", "-").out
    (quiet_place / "q.toml").write_text(good.replace("max", "mx"))
    after, metrics, table = status("--json"), status("--prometheus", "-"), status()

    found = json.loads(after.out)
    assert [each.status for each in (after, metrics, table)] == [EXIT_USAGE] * 3
    assert found["groups"] == before["groups"]
    assert "mx is unknown" in found["refused_file"]
    assert "journal.quotas) stays in force: q.toml: groups.physics.mx" in table.out
    (line,) = [
        each for each in metrics.out.splitlines() if each.startswith("htcq_elastic_file_refused")
    ]
    assert line.endswith(" 1")
    (quiet_place / "q.toml").write_text(good)
    assert status().status == EXIT_FINE
