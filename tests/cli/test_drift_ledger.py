"""The ledger of elastic quotas: from a look at a pool to the report, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from htcq.drift.ledger import Booking
from htcq.report.column import names as column_names
from htcq.report.views.ledger import LEDGER_COLUMNS
from htcq.store.history import open_history
from tests.cli.conftest import Call, listing, names
from tests.cli.looks import START, STEP, snapshot
from tests.elastic.quotas import claimed

POOL = "cm.example.net"
TIME = ("--since", "2024-11-04T08:00Z", "--until", "2024-11-04T09:00Z")
REPORT = ("drift", "report", "--config", "htcq.toml", *TIME)
SITE = "[drift]\nstore = 'history.db'\nquotas = 'elastic.toml'\n"
#: Of the 40 cpus, which weigh 1 each, 36 are guaranteed.
QUOTAS = """
[groups.physics]
min = { weight = 24000, cpus = 24 }
max = { weight = 40000, cpus = 40 }
[groups.chem]
min = { weight = 12000, cpus = 12 }
max = { weight = 40000, cpus = 40 }
"""


def look(
    call: Call, place: Path, number: int, cpus: Mapping[str, int], *flags: str, **more: Any
) -> Any:
    """Record the look of that number at a pool in which groups have claims of so many cpus."""
    claims = [
        claimed(count, f"{group}.ada@site", amount, 0)
        for count, (group, amount) in enumerate(cpus.items(), 1)
    ]
    left = 40 - sum(cpus.values())
    name = snapshot(place, number, extra="\n".join(claims), **more)
    ads = place / name / "collector.ads"
    text = ads.read_text().replace("\nCpus = 40", f"\nCpus = {left}")
    ads.write_text(text.replace("TotalSlotCpus = 8", "TotalSlotCpus = 40"))
    return call("drift", "record", "--config", "htcq.toml", "--snapshot", name, *flags)


def ledger(since: int = 0, until: int = START * 2) -> list[Booking]:
    with open_history(Path("history.db")) as history:
        return list(history.ledger(POOL, since, until))


@pytest.fixture
def site(quiet_place: Path) -> Path:
    (quiet_place / "htcq.toml").write_text(SITE)
    (quiet_place / "elastic.toml").write_text(QUOTAS)
    return quiet_place


@pytest.fixture
def history(call: Call, site: Path) -> Path:
    """Three looks in ten minutes: chemistry uses 12, then 30 beside 4 of physics, then 20 beside 20."""
    for number, cpus in enumerate(
        ({"chem": 12}, {"chem": 30, "physics": 4}, {"chem": 20, "physics": 20}), 1
    ):
        done = look(call, site, number, cpus)
        assert (done.status, done.out, done.err) == (0, "", "")
    return site


@pytest.mark.usefixtures("history")
def test_a_look_keeps_what_is_lent_and_borrowed() -> None:
    """At the second look chemistry has 18 beyond its 12, of which 4 are nobody's; physics has 20 left and lends 14."""
    bookings = {(each.sums.dimension, each.sums.group): each for each in ledger(until=START + STEP)}
    found = {key: each.sums for key, each in bookings.items()}
    chem, physics, root = (found["weight", name] for name in ("chem", "physics", "<none>"))
    booked = bookings["weight", "chem"]

    assert (booked.since, booked.until, booked.seconds) == (START, START + STEP, STEP)
    assert (chem.used, chem.borrowed, chem.lent, chem.unused) == (
        30_000 * STEP,
        18_000 * STEP,
        0,
        0,
    )
    assert (physics.min, physics.used, physics.lent, physics.unused) == tuple(
        each * 1000 * STEP for each in (24, 4, 14, 6)
    )
    assert (root.runtime, root.used, root.borrowed, root.lent) == tuple(
        each * 1000 * STEP for each in (40, 34, 18, 14)
    )
    assert found["cpus", "physics"].lent == 14 * STEP


@pytest.mark.usefixtures("history")
def test_the_report_has_hours_and_who_lent_when(call: Call) -> None:
    """Two steps of 300 s: physics lends 14 in the first, and 4 in the second: 18 twelfths of an hour."""
    out = call(*REPORT).out
    rows = {
        tuple(line.split()[:2]): line.rpartition("|")[2].split()
        for line in out.splitlines()
        if line.startswith(("chem ", "physics ")) and line.split()[1] in ("weight", "cpus")
    }

    assert rows == {
        ("chem", "weight"): ["2", "4.2", "0", "2.2", "0"],
        ("physics", "weight"): ["4", "2", "1.5", "0", "0.5"],
        ("chem", "cpus"): ["2", "4.2", "0", "2.2", "0"],
        ("physics", "cpus"): ["4", "2", "1.5", "0", "0.5"],
    }
    # Half of its guarantee was lent in the first two of 24 parts, a sixth in the next two.
    assert "physics  weight  |▅▅▂▂ " in out
    assert "chem     weight  |▲▲▲▲ " in out
    assert (
        "weight: 2.2 borrowed = 1.5 lent + 0.7 guaranteed to nobody; 0.5 of the guarantees "
        "unused; 6.2 of 6.7 used\n"
    ) in out


@pytest.mark.usefixtures("history")
def test_json_has_every_part_of_the_time(call: Call) -> None:
    (pool,) = json.loads(call(*REPORT, "--json").out)["pools"]
    weight = next(each for each in pool["ledger"] if each["dimension"] == "weight")
    physics = next(each for each in weight["groups"] if each["group"] == "physics")

    assert weight["coverage"] == pytest.approx(600 / 3600)
    assert weight["all"]["borrowed"] == pytest.approx(
        weight["all"]["lent"] + weight["all"]["spare"]
    )
    assert (physics["lent"], physics["min"], physics["guarantee"]) == (1.5, 4, 4)
    assert [(each["since"], each["lent"]) for each in physics["series"]] == [
        ("2024-11-04T08:00:00+00:00", pytest.approx(14 * 150 / 3600)),
        ("2024-11-04T08:02:30+00:00", pytest.approx(14 * 150 / 3600)),
        ("2024-11-04T08:05:00+00:00", pytest.approx(4 * 150 / 3600)),
        ("2024-11-04T08:07:30+00:00", pytest.approx(4 * 150 / 3600)),
    ]


@pytest.mark.usefixtures("history")
def test_csv_has_the_ledger_instead_of_the_groups(call: Call) -> None:
    rows = list(csv.DictReader(io.StringIO(call(*REPORT, "--csv", "--ledger").out)))

    assert list(rows[0]) == column_names(LEDGER_COLUMNS)
    assert [(row["dimension"], row["group"]) for row in rows] == [
        (dimension, group)
        for dimension in ("cpus", "weight")
        for group in ("<none>", "chem", "physics")
    ]
    assert float(rows[-1]["lent"]) == 1.5
    assert "lent" not in call(*REPORT, "--csv").out


@pytest.mark.usefixtures("history")
def test_a_page_and_a_mail_have_it_too(call: Call, quiet_place: Path) -> None:
    mail = call(*REPORT, "--mail", "--html", "page.html").out
    page = (quiet_place / "page.html").read_text(encoding="utf-8")

    assert "  weight: 2.2 borrowed = 1.5 lent + 0.7 guaranteed to nobody;" in mail
    assert max(map(len, mail.splitlines())) <= 78
    assert "physics, weight: 1.5 lent, 0 borrowed" in page


@pytest.mark.usefixtures("history")
def test_groups_are_chosen_and_the_sums_stay(call: Call) -> None:
    out = call(*REPORT, "--group", "chem", "--csv", "--ledger").out

    assert [line.split(",")[2] for line in out.splitlines()[1:]] == ["<none>", "chem"] * 2


@pytest.mark.usefixtures("history")
def test_a_gap_is_not_counted(call: Call, quiet_place: Path) -> None:
    before = ledger()
    look(call, quiet_place, 30, {"chem": 30})

    assert ledger() == before


@pytest.mark.usefixtures("history")
def test_the_same_look_again_changes_nothing(call: Call) -> None:
    before = ledger()
    done = call("drift", "record", "--config", "htcq.toml", "--snapshot", "snap3", "-v")

    assert done.out.endswith(", 3 groups, 6 rows of the ledger: there already\n")
    assert ledger() == before


def test_a_flag_names_the_quotas_as_well(call: Call, site: Path) -> None:
    (site / "htcq.toml").write_text("[drift]\nstore = 'history.db'\n")
    (site / "other.toml").write_text(QUOTAS.replace("chem", "bio"))
    for number in (1, 2):
        look(call, site, number, {"bio": 3}, "--quotas", "other.toml")

    assert {each.sums.group for each in ledger()} == {"<none>", "bio", "physics"}


def test_without_elastic_quotas_there_is_no_ledger(call: Call, site: Path) -> None:
    (site / "htcq.toml").write_text("[drift]\nstore = 'history.db'\n")
    for number in (1, 2):
        look(call, site, number, {"chem": 3})

    assert ledger() == []
    assert json.loads(call(*REPORT, "--json").out)["pools"][0]["ledger"] == []
    for form in ((), ("--mail",)):
        assert "lastic" not in call(*REPORT, *form).out
    assert call(*REPORT, "--csv", "--ledger").out == ",".join(column_names(LEDGER_COLUMNS)) + "\n"


def test_of_several_trees_the_negotiators_own_counts(call: Call, site: Path) -> None:
    tree = QUOTAS.replace("[groups.", "[trees.{name}.groups.")
    (site / "elastic.toml").write_text(
        tree.replace("{name}", "cpu") + tree.replace("{name}", "gpu")
    )
    done = look(call, site, 1, {"chem": 3})

    assert (done.status, done.out) == (2, "")
    assert (
        "elastic.toml has no tree for a negotiator without a name (--name one of cpu, gpu)"
        in done.err
    )
    assert "history.db" not in names(site)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "elastic.toml cannot be read"),
        ("groups = 3", "elastic.toml: groups is 3"),
        ("[groups.a]\nmin = { cpus = 9 }\nmax = { cpus = 8 }\n", "elastic-min-above-max"),
        ("[groups.'<none>']\nmax = { cpus = 8 }\n", "elastic-name-reserved"),
    ],
)
def test_quotas_that_cannot_be_used_are_refused(
    text: str | None, said: str, call: Call, site: Path
) -> None:
    """A ledger of other groups than those declared would be worse than none."""
    (site / "elastic.toml").unlink()
    if text is not None:
        (site / "elastic.toml").write_text(text)
    done = look(call, site, 1, {"chem": 3})

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert "history.db" not in names(site)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("quotas = ''", "drift.quotas is ''"),
        ("quotas = 3", "drift.quotas is 3"),
        ("quota = 'x'", "did you mean quotas?"),
    ],
)
def test_the_key_is_the_name_of_a_file(line: str, said: str, call: Call, site: Path) -> None:
    (site / "htcq.toml").write_text(f"[drift]\nstore = 'history.db'\n{line}\n")
    done = look(call, site, 1, {"chem": 3})

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert said in done.err


@pytest.mark.usefixtures("history")
def test_the_ledger_goes_with_csv_alone(call: Call, quiet_place: Path) -> None:
    before = listing(quiet_place)
    done = call(*REPORT, "--ledger")

    assert (done.status, done.out) == (2, "")
    assert (
        "--ledger without --csv (give --csv too; the other reports contain the ledger)" in done.err
    )
    assert listing(quiet_place) == before
