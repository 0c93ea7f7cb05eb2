"""htcq drift report: what is told of what was recorded, in every form, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Call, listing
from tests.cli.looks import DECLARED, recorded, snapshot

#: The hour of the looks.
SINCE, UNTIL = "2024-11-04T07:50Z", "2024-11-04T08:50Z"
TIME = ("--since", SINCE, "--until", UNTIL)
REPORT = ("drift", "report", "--config", "htcq.toml", *TIME)


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def history(call: Call, quiet_place: Path) -> Path:
    """Six looks; the quota of physics was made 15 between the third and the fourth, while 20 are declared."""
    recorded(call, quiet_place, 20, 20, 20, 15, 15, 15)
    return quiet_place / "history.db"


# What is told
# ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("history")
def test_it_tells_who_changed_what_and_when(call: Call) -> None:
    done = call(*REPORT)

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(
        "cm.example.net, 2024-11-04 07:50 to 2024-11-04 08:50 UTC, 42% of it observed\n"
    )
    assert "  2024-11-04 08:15  physics  configured quota 20 -> 15\n" in done.out
    assert "  since 2024-11-04 08:15  physics  quota declared 20, but configured 15\n" in done.out


@pytest.mark.usefixtures("history")
def test_it_tells_how_the_groups_fared(call: Call) -> None:
    """Chemistry uses 12 of its 10; physics' quota was 20 for two of five steps of 300 s, then 15: 17 on average."""
    out = call(*REPORT).out
    rows = {
        line.split()[0]: line.rpartition("|")[2].split()
        for line in out.splitlines()
        if line.count("|") == 2
    }

    assert rows["chem"] == ["12", "12", "10", "2", "0%", "100%", "0%", "42%"]
    assert rows["physics"] == ["15", "15", "17", "2", "0%", "0%", "40%", "42%"]


@pytest.mark.usefixtures("history")
def test_a_span_of_time_ends_where_it_is_told_to(call: Call) -> None:
    out = call(
        "drift", "report", "--config", "htcq.toml", "--since", SINCE, "--until", "2024-11-04T08:10Z"
    ).out

    assert "What changed: nothing\n" in out
    assert "What disagrees now: nothing\n" in out


@pytest.mark.usefixtures("history")
def test_a_date_without_a_zone_is_one_of_this_machine(call: Call) -> None:
    assert call(
        "drift", "report", "--config", "htcq.toml", "--since", "2024-11-04", "--until", "2024-11-05"
    ).out.startswith("cm.example.net, 2024-11-04 00:00 to 2024-11-05 00:00 UTC, ")


@pytest.mark.usefixtures("history")
def test_a_length_of_time_ends_now(call: Call) -> None:
    done = call("drift", "report", "--config", "htcq.toml", "--since", "40y", "--json")

    assert json.loads(done.out)["pools"][0]["groups"] != []
    assert (
        json.loads(call("drift", "report", "--config", "htcq.toml", "--since", "1h", "--json").out)[
            "pools"
        ][0]["groups"]
        == []
    )


@pytest.mark.usefixtures("history")
def test_groups_are_chosen_by_patterns(call: Call) -> None:
    found = json.loads(call(*REPORT, "--group", "PHYS*", "--group", "none", "--json").out)["pools"][
        0
    ]

    assert [group["group"] for group in found["groups"]] == ["physics"]
    assert [change["name"] for change in found["changes"]] == ["physics"]


@pytest.mark.usefixtures("history")
def test_pools_are_chosen_by_names_or_patterns(call: Call, quiet_place: Path) -> None:
    call(
        "drift",
        "record",
        "--config",
        "htcq.toml",
        "--snapshot",
        snapshot(quiet_place, 9, machine="other.example.net"),
    )

    def pools(*flags: str) -> list[str]:
        return [each["pool"] for each in json.loads(call(*REPORT, "--json", *flags).out)["pools"]]

    assert pools() == ["cm.example.net", "other.example.net"]
    assert pools("--pool", "other.example.net") == ["other.example.net"]
    assert pools("-pool", "cm*", "--pool", "o*") == ["cm.example.net", "other.example.net"]
    assert "\n\nother.example.net, " in call(*REPORT).out


@pytest.mark.usefixtures("history")
def test_json_and_csv_are_printed(call: Call) -> None:
    found = json.loads(call(*REPORT, "--json").out)
    rows = list(csv.DictReader(io.StringIO(call(*REPORT, "--csv").out)))

    assert (found["schema"], found["pools"][0]["last_look"]) == (1, "2024-11-04T08:25:00+00:00")
    assert call(*REPORT, "-json").out == call(*REPORT, "--json").out
    assert {row["group"]: float(row["usage"]) for row in rows} == {
        "chem": 12,
        "physics": 15,
        "<none>": 0,
    }


@pytest.mark.usefixtures("history")
def test_since_when_something_disagrees_is_known_from_before_the_time(call: Call) -> None:
    found = json.loads(
        call(
            "drift",
            "report",
            "--config",
            "htcq.toml",
            "--since",
            "2024-11-04T08:22Z",
            "--until",
            UNTIL,
            "--json",
        ).out
    )

    assert [(each["what"], each["since"]) for each in found["pools"][0]["disagreements"]] == [
        ("quota", "2024-11-04T08:15:00+00:00")
    ]
    assert found["pools"][0]["changes"] == []


def test_what_is_published_otherwise_is_known_from_before_the_time(
    call: Call, quiet_place: Path
) -> None:
    (quiet_place / "htcq.toml").write_text("[drift]\nstore = 'history.db'\n")
    for number in range(1, 7):
        # From the second look on the negotiator still publishes what was configured once.
        name = snapshot(quiet_place, number, 20)
        if number > 1:
            config = quiet_place / name / "config.txt"
            config.write_text(
                config.read_text().replace("GROUP_QUOTA_physics = 20", "GROUP_QUOTA_physics = 25")
            )
        call("drift", "record", "--config", "htcq.toml", "--snapshot", name)
    found = json.loads(
        call(
            "drift",
            "report",
            "--config",
            "htcq.toml",
            "--since",
            "2024-11-04T08:18Z",
            "--until",
            UNTIL,
            "--json",
        ).out
    )

    assert [
        (each["group"], each["what"], each["one"], each["other"], each["since"])
        for each in found["pools"][0]["disagreements"]
    ] == [
        ("<none>", "effective", 10, 5, "2024-11-04T08:05:00+00:00"),
        ("physics", "effective", 20, 25, "2024-11-04T08:05:00+00:00"),
    ]


# The mail and the page
# ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("history")
def test_a_mail_is_ascii(call: Call) -> None:
    done = call(*REPORT, "--mail")

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("htcq drift: cm.example.net, ")
    assert done.out.isascii()
    assert "  2024-11-04 08:15 physics: configured quota 20 -> 15\n" in done.out


@pytest.mark.usefixtures("history")
def test_a_mail_can_be_none_if_nothing_changed(call: Call) -> None:
    quiet = (
        "drift",
        "report",
        "--config",
        "htcq.toml",
        "--since",
        "2024-11-04T08:22Z",
        "--until",
        UNTIL,
        "--mail",
    )
    done = call(*quiet, "--if-changed")

    assert (done.status, done.out, done.err) == (0, "", "")
    assert call(*quiet).out != ""
    assert call(*REPORT, "--mail", "--if-changed").out == call(*REPORT, "--mail").out != ""


@pytest.mark.usefixtures("history")
def test_a_page_is_written_besides(call: Call, quiet_place: Path) -> None:
    done = call(*REPORT, "--html", "drift.html")

    assert "configured quota 20 -> 15" in done.out
    assert "<h1>Drift of cm.example.net</h1>" in (quiet_place / "drift.html").read_text(
        encoding="utf-8"
    )


def test_a_group_called_script_stays_text(call: Call, quiet_place: Path) -> None:
    """HTCondor's parser makes no knob of such a name, but GROUP_NAMES may list it."""
    config = "GROUP_NAMES = physics, <script>alert(1)</script>\nGROUP_QUOTA_physics = {physics}\n"
    (quiet_place / "htcq.toml").write_text("[drift]\nstore = 'history.db'\n")
    call(
        "drift",
        "record",
        "--config",
        "htcq.toml",
        "--snapshot",
        snapshot(quiet_place, config=config),
    )
    call(*REPORT, "--html", "drift.html")
    page = (quiet_place / "drift.html").read_text(encoding="utf-8")

    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


# Of what nothing is known
# ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    "form", [[], ["--mail"], ["--mail", "--if-changed"], ["--json"], ["--csv"]]
)
def test_a_time_of_which_nothing_is_known_is_status_3(form: list[str], call: Call) -> None:
    """Nobody may take silence for peace."""
    done = call(
        "drift",
        "report",
        "--config",
        "htcq.toml",
        "--since",
        "2024-11-01",
        "--until",
        "2024-11-02",
        *form,
    )

    assert done.status == 3
    assert done.out != ""
    assert done.err == "htcq: nothing was recorded of this pool in this time\n"


def test_without_a_history_there_is_status_3(call: Call) -> None:
    done = call("drift", "report", "--store", "missing.db", "--config", "/dev/null")

    assert (done.status, done.out) == (3, "")
    assert "missing.db: there is no history ('htcq drift record' makes one)" in done.err


@pytest.mark.usefixtures("history")
def test_a_report_changes_nothing(call: Call, quiet_place: Path) -> None:
    before = listing(quiet_place)
    for form in ((), ("--json",), ("--mail",)):
        call(*REPORT, *form)

    assert listing(quiet_place) == before


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--json", "--csv"], "--json and --csv contradict each other"),
        (["--mail", "--json"], "--mail and --json contradict each other"),
        (["--if-changed"], "--if-changed without --mail"),
        (["--since", "yesterday"], "--since yesterday: not a time (such as 7d,"),
        (["--since", "7"], "--since 7: not a time"),
        (["--since", "7m"], "--since 7m is '7m'"),
        (["--since", "2999-01-01"], "--since 2999-01-01: not in the past"),
        (["--since", "1960-01-01"], "--since 1960-01-01: not in the past"),
        (["--since", "2024-11-05", "--until", "2024-11-04"], "--since is not before --until"),
        (["--since", "1d", "--until", "2d"], "--since is not before --until"),
        (["--pool", "nobody"], "history.db has no pool nobody (its pools: cm.example.net)"),
        (["--html", "missing/x.html"], "missing is not a directory"),
        (["--config", "missing.toml"], "missing.toml cannot be read"),
    ],
)
@pytest.mark.usefixtures("history")
def test_what_cannot_be_asked_is_refused(
    flags: list[str], said: str, call: Call, quiet_place: Path
) -> None:
    before = listing(quiet_place)
    done = call("drift", "report", "--config", "htcq.toml", *flags)

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert listing(quiet_place) == before


def test_only_what_is_needed_is_loaded(quiet_place: Path, call: Call) -> None:
    """A report asks no pool: it must work where HTCondor's bindings are missing."""
    (quiet_place / "htcq.toml").write_text(DECLARED)
    call("drift", "record", "--config", "htcq.toml", "--snapshot", snapshot(quiet_place))
    code = (
        "import sys; from htcq.cli.main import run; status = run(sys.argv[1:]); "
        "sys.exit(status or ' '.join({'htcondor2', 'classad2', 'jinja2', 'rich'} & "
        "{*sys.modules}) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *REPORT], cwd=quiet_place, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
