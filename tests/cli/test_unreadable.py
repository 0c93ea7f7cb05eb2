"""A configuration that could not be read is no empty one: status 3, the reason, and no number that depends on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN
from tests.cli.conftest import ROOT, Call, Done
from tests.cli.published_pools import TAKEN, agreed_pool
from tests.cli.test_bad_input import ONE_LINE

#: Knobs that HTCondor's parser cannot compute within its memory: its process ends.
BOMB = '"x"'
for _ in range(4):
    BOMB = f"evalInEachContext({BOMB},{{{','.join(f'[a={number}]' for number in range(100))}}})"
BROKEN = f"BOMB = {BOMB}\nA = $EVAL(BOMB)\n"
QUOTAS = """[elastic.write]
journal = "journal"
directory = "."
[groups.physics]
min = { cpus = 6 }
max = { cpus = 12 }
"""
#: All that need to know groups, limits or weights.
COMMANDS = (
    ("quota",), ("quota", "--json"), ("simulate",), ("simulate", "--cycles", "2"), ("why", "--all"), ("drift", "check"),
    ("drift", "record", "--store", "history"), ("elastic", "plan", "--quotas", "elastic.toml"),
    ("elastic", "status", "--quotas", "elastic.toml"),
)  # fmt: skip
#: These do without where it is not there, and not where it is there and says something else.
OTHERS = (("cost",), ("plan", "--weight", "cpus=1"))


@pytest.fixture
def pool(quiet_place: Path) -> Path:
    place = quiet_place / "snap"
    agreed_pool(place)
    (place / "jobs.ads").write_text("")
    (quiet_place / "elastic.toml").write_text(QUOTAS)
    return place


def refused(done: Done, *words: str) -> None:
    assert (done.status, done.out) == (EXIT_UNKNOWN, ""), done.err
    assert ONE_LINE.fullmatch(done.err), done.err
    for each in words:
        assert each in done.err


@pytest.mark.parametrize("command", [*COMMANDS, *OTHERS], ids=" ".join)
def test_what_the_parser_does_not_survive_is_not_taken_for_no_groups(
    command: tuple[str, ...], pool: Path, call: Call
) -> None:
    with (pool / "config.txt").open("a") as file:
        file.write(BROKEN)

    refused(call(*command, "--snapshot", "snap"), "snap: config.txt: HTCondor cannot read it: ")


def test_a_change_that_cannot_be_read_is_no_configuration_without_groups(
    pool: Path, call: Call
) -> None:
    change = ("--set", f"BOMB={BOMB}", "--set", "GROUP_QUOTA_chem=$EVAL(BOMB)")

    refused(
        call("quota", "--snapshot", "snap", *change),
        "snap: config.txt with the changes: HTCondor cannot read it: ",
    )


@pytest.mark.parametrize("command", COMMANDS[:4], ids=" ".join)
def test_what_is_missing_is_not_taken_for_no_groups(
    command: tuple[str, ...], pool: Path, call: Call
) -> None:
    (pool / "config.txt").unlink()
    told = {"what": "central configuration", "why": "refused: nobody has no READ authorisation"}
    (pool / "meta.json").write_text(json.dumps({"schema": 1, "taken": TAKEN, "failed": [told]}))

    refused(
        call(*command, "--snapshot", "snap"),
        "the central manager's configuration is not known: refused: nobody has no READ",
        "condor_config_val -dump",
    )


def test_the_audit_goes_on_says_what_it_did_not_look_at_and_is_not_certain(
    pool: Path, call: Call
) -> None:
    sound = call("audit", "--snapshot", "snap")
    with (pool / "config.txt").open("a") as file:
        file.write(BROKEN)
    done = call("audit", "--snapshot", "snap")

    assert "configuration-unread" not in sound.err
    assert done.status == EXIT_UNKNOWN
    assert "incomplete data: config.txt HTCondor cannot read it" in done.out
    assert "not checked without the central manager's configuration (config.txt)" in done.out
    assert "warning: configuration-unread: config.txt: HTCondor cannot read it" in done.err


@pytest.mark.parametrize("command", ["quota", "cost"])
def test_one_access_point_that_cannot_be_read_is_left_out_and_named(
    command: str, pool: Path, call: Call
) -> None:
    (pool / "access").mkdir()
    (pool / "access" / "access1.txt").write_text("SCHEDD_SLOT_WEIGHT = Cpus\n")
    before = call(command, "--snapshot", "snap")
    (pool / "access" / "access1.txt").write_text(BROKEN)
    after = call(command, "--snapshot", "snap")

    assert before.status == EXIT_FINE, before.err
    assert after.status == EXIT_UNKNOWN
    assert after.out.startswith(before.out[:40])
    assert "configuration-unread: access/access1.txt: HTCondor cannot read it: " in after.err


# This machine's own configuration
# ------------------------------------------------------------------------------------------


@pytest.fixture
def broken(quiet_place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration of this machine that HTCondor's parser ends at."""
    path = quiet_place / "condor_config"
    path.write_text("if true\nno assignment\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(path))
    return path


def test_fixes_are_not_written_where_it_is_not_known_what_this_machine_reads(
    pool: Path, broken: Path, quiet_place: Path, call: Call
) -> None:
    with (pool / "config.txt").open("a") as file:
        file.write("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = True\n")
    done = call("audit", "--snapshot", "snap", "--fix", "fixes")

    assert done.status == EXIT_UNKNOWN
    assert "HTCondor cannot read its configuration on this machine: Configuration Error" in done.err
    assert not (quiet_place / "fixes").exists()


def test_a_node_whose_configuration_cannot_be_read_is_not_probed_as_one_without(
    broken: Path, call: Call
) -> None:
    refused(call("probe", "--json"), "HTCondor cannot read its configuration on this machine")


def test_a_file_can_be_written_and_taken_away_where_it_may_be_what_mends_it(
    broken: Path, quiet_place: Path, call: Call
) -> None:
    place = quiet_place / "config.d"
    place.mkdir()
    words = ("--write", str(place), "--role", "execute")
    wrote = call("emit", "--weight", "cpus=1", "--node", "node.json", *words)
    removed = call("emit", "--remove", *words)

    assert (wrote.status, removed.status) == (EXIT_FINE, EXIT_FINE), wrote.err + removed.err
    for each in (wrote, removed):
        assert "whether HTCondor reads the directory is not known: HTCondor cannot read" in each.err
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("words", [*COMMANDS[:5], *OTHERS, ("audit",)], ids=" ".join)
def test_without_bindings_there_is_no_number_either(
    words: tuple[str, ...], pool: Path, quiet_place: Path, command: Call
) -> None:
    place = quiet_place / "without"
    place.mkdir()
    (place / "sitecustomize.py").write_text(
        "import sys\nsys.modules['htcondor2'] = sys.modules['classad2'] = None\n"
    )
    done = command(*words, "--snapshot", "snap", PYTHONPATH=f"{place}:{ROOT}")

    refused(done, "HTCondor's Python bindings are missing", "install")
