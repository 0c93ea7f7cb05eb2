"""``htcq elastic apply``, ``run``, ``rollback`` and ``disable`` as commands, as far as they need no pool."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from htcq.elastic.activity import activity_of
from htcq.elastic.journal import APPLY, INTENT, NOTHING, OFF, WRITTEN
from htcq.elastic.quota_file import digest_of
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, EXIT_USAGE, InstallError
from htcq.operations.configuration_files import target_for
from htcq.store.elastic_journal import Journal, read_journal
from htcq.store.lock import held
from tests.cli.conftest import Call, names
from tests.elastic.writing import intent, outcome, written

QUOTAS = (
    '[elastic.write]\ndirectory = "config.d"\njournal = "journal"\n[groups.a]\n'
    "min = { cpus = 4 }\nmax = { cpus = 8 }\n"
)
ELASTIC, STATIC = {"a": (8.0, False)}, {"a": (4.0, True)}
#: Nobody listens there.
NOWHERE = ("--pool", "127.0.0.1:9", "--timeout", "5")
PLACE = ("--journal", "journal", *NOWHERE, "--within", "0")
FILE = "60-htcq-elastic.config"


@pytest.fixture(autouse=True)
def place(quiet_place: Path) -> Path:
    (quiet_place / "elastic.toml").write_text(QUOTAS)
    (quiet_place / "config.d").mkdir()
    return quiet_place


def plan_id(made: float) -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(made)) + "-0123456789ab"


def journaled(place: Path, ago: float = 0.0, **more: object) -> Path:
    """Elastic quotas are in force, and the journal knows the static ones; return the file."""
    path = place / "config.d" / FILE
    path.write_text("elastic\n")
    when = time.time() - ago
    for record in written(
        1,
        ELASTIC,
        time=when,
        text="elastic\n",
        path=str(path),
        fallback="static\n",
        fallback_quotas=STATIC,
        **more,
    ):
        Journal(place / "journal").append(record)
    return path


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (
            ("apply", "--plan", "latest"),
            EXIT_USAGE,
            "--plan latest is not the id of a plan ('htcq elastic plan' prints it)",
        ),
        (("apply",), EXIT_USAGE, "--plan or --from is missing"),
        (
            ("apply", "--plan", plan_id(0), "--snapshot", "x"),
            EXIT_USAGE,
            "a snapshot cannot be written to",
        ),
        (("run", "--snapshot", "x", "--once"), EXIT_USAGE, "a snapshot cannot be written to"),
        (("run", "--ticks", "0"), EXIT_USAGE, "--ticks 0: not a number of steps"),
        (("run", "--interval", "5"), EXIT_USAGE, "--interval is '5'"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: tuple[str, ...], status: int, told: str, call: Call
) -> None:
    done = call("elastic", words[0], "--quotas", "elastic.toml", *words[1:])

    assert (done.status, done.out) == (status, "")
    assert told in done.err


def test_an_old_plan_is_refused_before_the_pool_is_asked(call: Call) -> None:
    for made, told in (
        (time.time() - 700, " s old, more than 600 s"),
        (time.time() + 100, "the plan was made "),
    ):
        done = call("elastic", "apply", "--quotas", "elastic.toml", "--plan", plan_id(made))
        assert done.status == EXIT_UNKNOWN
        assert told in done.err


def test_a_pool_that_does_not_answer_changes_nothing(call: Call, place: Path) -> None:
    path = journaled(place)
    before = (place / "journal").read_bytes()
    done = call("elastic", "run", "--quotas", "elastic.toml", "--once", "--yes", *NOWHERE)

    assert (done.status, done.out) == (EXIT_UNKNOWN, "")
    assert "cannot connect to <127.0.0.1:9>" in done.err
    assert (path.read_text(), (place / "journal").read_bytes()) == ("elastic\n", before)


def test_a_step_without_yes_needs_no_lock_and_a_step_with_it_does(call: Call, place: Path) -> None:
    with held(place / "config.d" / f".{FILE}.lock", "other"):
        told = call("elastic", "run", "--quotas", "elastic.toml", "--once", *NOWHERE)
        done = call("elastic", "run", "--quotas", "elastic.toml", "--once", "--yes", *NOWHERE)

    assert "cannot connect" in told.err
    assert done.err == "htcq: another htcq is writing there: other (wait until it has ended)\n"


def test_where_nothing_was_written_there_is_nothing_to_take_back(call: Call, place: Path) -> None:
    for action in ("rollback", "disable"):
        done = call("elastic", action, *PLACE)
        assert (done.status, done.out, done.err) == (
            EXIT_FINE,
            "journal: nothing was ever written\n",
            "",
        )
    assert names(place / "config.d") == []
    assert not (place / "journal").exists()


def test_the_dead_man_lets_alone_what_lives(call: Call, place: Path) -> None:
    path = journaled(place, ago=600)
    done = call("elastic", "disable", *PLACE, "--if-silent", "30min")

    assert done.status == EXIT_FINE
    assert "left alone; something succeeded 600 s ago" in done.out
    assert path.read_text() == "elastic\n"
    assert names(place / "config.d") == [FILE]


def test_the_dead_man_needs_no_pool_to_put_the_static_quotas_there(call: Call, place: Path) -> None:
    """Whoever reads the configuration next finds them; that the negotiator has not is said, and tried again."""
    path = journaled(place, ago=1900)
    (place / "elastic.toml").write_text("nonsense")
    done = call("elastic", "disable", *PLACE, "--if-silent", "30min")

    assert (done.status, done.out) == (EXIT_UNKNOWN, "")
    assert f"{FILE} is in place, but " in done.err
    assert path.read_text() == "static\n"
    assert path.with_name(f"{FILE}~").read_text() == "elastic\n"
    state = read_journal(place / "journal").state
    assert (state.elastic, state.result, state.stopped) == (False, WRITTEN, "")
    assert call("elastic", "disable", *PLACE, "--if-silent", "30min").status == EXIT_UNKNOWN


def test_a_person_stops_the_writing_even_if_the_negotiator_is_away(call: Call, place: Path) -> None:
    path = journaled(place)
    done = call("elastic", "disable", *PLACE)

    assert done.status == EXIT_UNKNOWN
    assert path.read_text() == "static\n"
    assert read_journal(place / "journal").state.stopped.startswith("disable by ")


def test_the_dead_man_lets_alone_what_is_somebody_elses(call: Call, place: Path) -> None:
    path = journaled(place, ago=1900)
    path.write_text("theirs\n")
    done = call("elastic", "disable", *PLACE, "--if-silent", "30min")
    assert done.status == EXIT_UNKNOWN
    assert f"{FILE} was changed by somebody else, and is left alone" in done.err
    assert path.read_text() == "theirs\n"


def test_the_dead_man_writes_again_what_was_purged_unless_a_person_stopped_it(
    call: Call, place: Path
) -> None:
    """A purge takes the groups out of the pool; who reads the pool here is away."""
    path = journaled(place, ago=1900)
    path.unlink()
    done = call("elastic", "disable", *PLACE, "--if-silent", "30min")
    assert done.status == EXIT_UNKNOWN
    assert path.read_text() == "static\n"
    assert call("elastic", "disable", *PLACE).status == EXIT_UNKNOWN
    path.unlink()
    stopped = call("elastic", "disable", *PLACE, "--if-silent", "30min")
    assert (stopped.status, stopped.err) == (EXIT_FINE, "")
    assert not path.exists()


def test_an_intent_that_was_left_is_resolved_by_the_file_that_is_there(
    call: Call, place: Path
) -> None:
    path = journaled(place, ago=1900)
    for text, result in (("elastic\n", NOTHING), ("newer\n", WRITTEN)):
        state = read_journal(place / "journal").state
        left = intent(
            state.last + 1,
            STATIC,
            text="newer\n",
            before=state.digest,
            time=time.time() - 1900,
            path=str(path),
        )
        Journal(place / "journal").append(left)
        path.write_text(text)
        call("elastic", "disable", *PLACE, "--if-silent", "30min")
        resolved = next(
            each for each in read_journal(place / "journal").records if each.of == left.number
        )
        assert resolved.result == result
        assert path.read_text() == "static\n"
        path.write_text("elastic\n")
        again = read_journal(place / "journal").state.last + 1
        Journal(place / "journal").append(
            intent(again, ELASTIC, text="elastic\n", time=time.time() - 1900, path=str(path))
        )
        Journal(place / "journal").append(outcome(again + 1, again, time=time.time() - 1900))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("other/60-x.config", "HTCondor does not read "),
        ("read/60-x.config~", "HTCondor would ignore a file called "),
    ],
)
def test_a_file_that_this_machines_htcondor_would_not_read_is_not_written(
    name: str, told: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for directory in ("read", "other"):
        (place / directory).mkdir()
    (place / "condor_config").write_text(f"LOCAL_CONFIG_DIR = {place}/read\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(place / "condor_config"))

    target_for(place / "read", "60-x.config", "")
    with pytest.raises(InstallError, match=told):
        target_for((place / name).parent, (place / name).name, "")


def test_a_directory_that_is_not_there_is_told(call: Call, place: Path) -> None:
    (place / "config.d").rmdir()
    done = call("elastic", "run", "--quotas", "elastic.toml", "--once", "--yes", *NOWHERE)

    assert done.status == EXIT_UNKNOWN
    assert "cannot be written: No such file or directory" in done.err


def test_a_file_keeps_its_mode_and_its_former_bytes_are_kept(place: Path, call: Call) -> None:
    path = journaled(place)
    path.chmod(0o640)
    done = call("elastic", "disable", *PLACE)

    assert "is in place" in done.err
    assert path.read_text() == "static\n"
    kept = path.with_name(f"{FILE}~")
    assert kept.read_bytes() == b"elastic\n"
    assert [each.stat().st_mode & 0o777 for each in (path, kept)] == [0o640, 0o640]


@pytest.mark.parametrize("words", [("rollback",), ("disable",)])
def test_an_endless_number_in_the_journal_is_a_damaged_line(
    words: tuple[str, ...], place: Path, call: Call
) -> None:
    journaled(place)
    with (place / "journal").open("a") as file:
        file.write('{"v":1,"kind":"look","number":1e999,"time":1}\n')
    done = call("elastic", *words, *PLACE)

    assert done.status == EXIT_UNKNOWN
    assert done.err.startswith("htcq: journal: no record in line 3: ")
    assert "bug" not in done.err


def test_fault_7_off_gives_back_what_was_there_before_the_first_write(
    call: Call, place: Path
) -> None:
    before = "# théirs\r\nGROUP_NAMES = a\n"
    path = journaled(place, replaced=before, before=digest_of(before))
    done = call("elastic", "off", *PLACE, "--restore")

    # The negotiator is away; condor_reconfig is all that is left to do.
    assert done.status == EXIT_UNKNOWN
    assert path.read_bytes() == before.encode()
    assert read_journal(place / "journal").state.stopped.startswith("off by ")
    assert (
        "it is as it was before the first write" in call("elastic", "off", *PLACE, "--restore").out
    )


def test_the_dead_man_leaves_alone_what_off_gave_back(call: Call, place: Path) -> None:
    before = "GROUP_NAMES = a\n"
    path = journaled(place, ago=1900, replaced=before, before=digest_of(before))
    call("elastic", "off", *PLACE, "--restore")
    # The negotiator has not been seen to have it: that is tried again, and nothing else.
    done = call("elastic", "disable", *PLACE, "--if-silent", "0s")

    assert done.status == EXIT_UNKNOWN
    assert f"{FILE} is in place, but off: " in done.err
    assert path.read_text() == before
    records = read_journal(place / "journal").records
    assert [each.what for each in records if each.kind == INTENT] == [APPLY, OFF]


def test_fault_7_off_removes_a_file_that_was_not_there(call: Call, place: Path) -> None:
    path = journaled(place)
    call("elastic", "off", *PLACE, "--restore")

    assert not path.exists()


def test_fault_12_a_run_that_somebody_stopped_does_not_end_well(call: Call, place: Path) -> None:
    journaled(place)
    settings = QUOTAS.replace("[elastic.write]", '[elastic.write]\nverify_within = "0s"')
    (place / "elastic.toml").write_text(settings)
    call("elastic", "off", *PLACE)
    done = call("elastic", "run", "--quotas", "elastic.toml", "--once", "--yes", *NOWHERE)

    # What is unfinished is tried first, and the negotiator is away.
    assert done.status == EXIT_UNKNOWN
    assert f"{FILE} is left alone: stopped by disable by " in done.err


def test_fault_2_off_stops_the_writer_until_on(call: Call, place: Path) -> None:
    path = journaled(place)
    call("elastic", "off", *PLACE)
    assert path.read_text() == "static\n"
    stopped = activity_of(read_journal(place / "journal").state, 3)
    assert (stopped.word, stopped.writes, stopped.vacates) == ("off", False, False)
    assert "on again" in call("elastic", "on", *PLACE).out
    assert read_journal(place / "journal").state.stopped == ""
    assert "unchanged; elastic quotas are " in call("elastic", "on", *PLACE).out
