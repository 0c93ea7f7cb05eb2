"""``htcq drift`` on real pools: what daemons say is what is kept, and what was changed is told with its time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from broken import before, break_it
from claims import accounted, charged, come_to, groups, queued, written
from conftest import ROOT, Site
from testpool import Pool

pytestmark = pytest.mark.condor

DECLARED = "[groups.physics]\nquota = 4\n[groups.chem]\nquota = 2\n"
#: Jobs that no machine runs want their share all the same.
NOWHERE = {"requirements": "False"}


class History:
    """A store beside a site file, and the commands that write and read it."""

    def __init__(self, directory: Path, pool: Pool) -> None:
        self._pool = pool
        self._options = [
            "--store",
            str(directory / "history.db"),
            "--config",
            str(directory / "htcq.toml"),
        ]
        (directory / "htcq.toml").write_text(DECLARED)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "htcq", "drift", *arguments, *self._options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=600)
        return process.returncode, out, err

    def record(self) -> tuple[int, int]:
        """Look at the pool; return between which seconds that was."""
        started = int(time.time())
        done = self.run("record", "--pool", self._pool.collector)
        assert done == (0, "", "")
        return started, int(time.time()) + 1

    def publish(self, pages: Path) -> tuple[int, str]:
        """Write the pages of the live pool; return the exit status and what was complained of."""
        where = (str(pages), "--pool", self._pool.collector)
        done = subprocess.run(
            [sys.executable, "-m", "htcq", "report", *where, *self._options],
            capture_output=True, text=True, cwd=ROOT, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    def report(self) -> dict[str, Any]:
        status, out, err = self.run("report", "--since", "1h", "--json")
        assert (status, err) == (0, "")
        (told,) = json.loads(out)["pools"]
        return dict(told)


@pytest.fixture
def pool(site: Site) -> Pool:
    """A pool of 8 in which physics has 4 and chem 2."""
    pool = break_it(site, groups(physics="4", chem="2"))
    quotas = {"<none>": 2, "physics": 4, "chem": 2}

    def published() -> bool:
        # The accountant never forgets the groups of earlier tests.
        return quotas.items() <= accounted(pool, "EffectiveQuota").items()

    pool.wait(published, 30, "published quotas", ("NegotiatorLog",))
    return pool


def seconds(moment: str) -> int:
    """Return a time of a report in seconds since 1970; it is in UTC."""
    assert moment.endswith("+00:00")
    return int(time.mktime(time.strptime(moment[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone)


def test_a_live_pool_is_published_with_its_past(pool: Pool, tmp_path: Path) -> None:
    history, pages = History(tmp_path, pool), tmp_path / "pages"
    queued(pool, {"chem.ada": 6}, **NOWHERE)
    history.record()
    status, complaints = history.publish(pages)
    overview = (pages / "index.html").read_text(encoding="utf-8")

    assert (status, complaints) == (0, "")
    assert '<span class="quiet">of 8:</span>' in overview
    assert 'class="lacking"' not in overview
    assert 'id="stack-data"' in overview
    assert "chem.ada" in (pages / "jobs.html").read_text(encoding="utf-8")


def of_groups(told: dict[str, Any], name: str) -> dict[str, float]:
    return {group["group"]: group[name] for group in told["groups"]}


def test_who_changed_what_and_when(pool: Pool, tmp_path: Path) -> None:
    history = History(tmp_path, pool)
    history.record()
    pool.configure(written({**groups(physics="3", chem="2"), "GROUP_ACCEPT_SURPLUS": "True"}))
    pool.reconfig()
    pool.wait(
        lambda: accounted(pool, "EffectiveQuota").get("physics") == 3,
        30,
        "the new quota",
        ("NegotiatorLog",),
    )
    started, ended = history.record()
    told = history.report()

    assert [
        (each["kind"], each["name"], each["before"], each["after"]) for each in told["changes"]
    ] == [
        ("configured", "chem", "static 2", "static 2 accept_surplus"),
        ("configured", "physics", "static 4", "static 3 accept_surplus"),
    ]
    assert all(started <= seconds(each["time"]) <= ended for each in told["changes"])
    (quota,) = [each for each in told["disagreements"] if each["what"] == "quota"]
    assert (quota["group"], quota["one"], quota["other"], quota["until"]) == ("physics", 4, 3, None)
    assert started <= seconds(quota["since"]) <= ended
    assert [each for each in told["disagreements"] if each["what"] == "effective"] == []
    out = history.run("report", "--since", "1h")[1]
    assert "  physics  configured quota 4 -> 3, accept_surplus false -> true\n" in out
    assert "  physics  quota declared 4, but configured 3\n" in out


def test_what_is_kept_is_what_the_negotiator_publishes(pool: Pool, tmp_path: Path) -> None:
    """One job of physics runs and three more may; chem's match nowhere, and what it leaves nobody takes."""
    history = History(tmp_path, pool)
    with before(pool):
        queued(pool, {"physics.ann": 1})
        queued(pool, {"chem.ben": 3}, **NOWHERE)
    come_to(pool, {"physics.ann": 1})
    charged(pool, "physics", 1)
    _, ended = history.record()
    pool.wait(lambda: time.time() > ended, 5, "another second")
    history.record()
    told = history.report()
    published = {ad["Name"]: ad for ad in accounting_ads(pool)}

    for name in ("<none>", "physics", "chem"):
        (group,) = [each for each in told["groups"] if each["group"] == name]
        assert (
            group["quota"]
            == published[name]["EffectiveQuota"]
            == accounted(pool, "EffectiveQuota")[name]
        )
        assert group["usage"] == published[name]["WeightedResourcesUsed"]
    assert of_groups(told, "starved") == {"<none>": 0, "physics": 0, "chem": 1}
    assert of_groups(told, "requested")["chem"] == 3
    assert told["pool"] == pool.ads("collector", ["Machine"])[0]["Machine"]
    assert told["unit"] == "slot weight"


def test_the_ledger_is_that_of_real_claims(pool: Pool, tmp_path: Path) -> None:
    """Of 8, physics is guaranteed 7 and uses 1; of the 2 of chemistry one is nobody's, and one is lent."""
    history = History(tmp_path, pool)
    with (tmp_path / "htcq.toml").open("a") as site:
        site.write(f"[drift]\nquotas = '{tmp_path}/elastic.toml'\n")
    (tmp_path / "elastic.toml").write_text(
        "[groups.physics]\nmin = { weight = 7000, cpus = 7 }\nmax = { weight = 8000, cpus = 8 }\n"
        "[groups.chem]\nmax = { weight = 8000, cpus = 8 }\n"
    )
    with before(pool):
        queued(pool, {"physics.ann": 1, "chem.ben": 2})
    come_to(pool, {"physics.ann": 1, "chem.ben": 2})
    charged(pool, "chem", 2)
    _, ended = history.record()
    pool.wait(lambda: time.time() > ended, 5, "another second")
    history.record()

    for dimension in history.report()["ledger"]:
        share = dimension["all"]["runtime"] / 8
        told = {each["group"]: each for each in dimension["groups"]}
        told["all"] = dimension["all"]
        found = {
            name: tuple(
                round(each[amount] / share, 6)
                for amount in ("guarantee", "used", "lent", "borrowed", "unused")
            )
            for name, each in told.items()
        }
        assert found == {
            "physics": (7, 1, 1, 0, 5),
            "chem": (0, 2, 0, 2, 0),
            "all": (7, 3, 1, 2, 5),
        }
    assert {each["dimension"] for each in history.report()["ledger"]} == {"weight", "cpus"}
    assert history.report()["doubts"] == []


def accounting_ads(pool: Pool) -> list[dict[str, Any]]:
    return pool.ads("any", constraint='MyType == "Accounting"')


def test_two_at_once_are_both_right(pool: Pool, tmp_path: Path) -> None:
    history = History(tmp_path, pool)
    running = [history.start("record", "--pool", pool.collector) for _ in range(2)]
    ended = [(*process.communicate(timeout=600), process.returncode) for process in running]
    told = history.report()

    # They may have looked in one order and have come to the store in the other: then one of them
    # says so.
    assert sorted(status for _, _, status in ended) in ([0, 0], [0, 3])
    assert all(status == 0 or "later than the observation" in err for _, err, status in ended)
    assert of_groups(told, "quota") == {"<none>": 2, "physics": 4, "chem": 2}
    assert (told["changes"], told["disagreements"]) == ([], [])


def test_what_a_negotiator_published_that_is_off_is_not_recorded_for_long(
    pool: Pool, tmp_path: Path
) -> None:
    """The collector keeps its ads until they are 15 minutes old."""
    history = History(tmp_path, pool)
    record = ("record", "--pool", pool.collector, "--max-age", "5")
    with before(pool):
        published = "the negotiator last published its groups"
        pool.wait(lambda: published in history.run(*record)[2], 60, "a refusal", ("CollectorLog",))
        last = history.report()["last_look"]
        status, out, err = history.run(*record)

    assert (status, out) == (3, "")
    assert published in err
    assert history.report()["last_look"] == last


def test_a_pool_without_groups_is_recorded_too(site: Site, tmp_path: Path) -> None:
    pool = break_it(site, {})
    pool.wait(lambda: accounting_ads(pool), 30, "accounting ads", ("NegotiatorLog",))
    history = History(tmp_path, pool)
    history.record()
    told = history.report()

    assert {each["what"] for each in told["disagreements"]} == {"not-configured"}
    assert [group["group"] for group in told["groups"] if group["usage"]] == []


def test_a_page_and_a_mail_are_made_of_it(pool: Pool, tmp_path: Path) -> None:
    history = History(tmp_path, pool)
    history.record()
    status, mail, err = history.run(
        "report", "--since", "1h", "--mail", "--html", str(tmp_path / "drift.html")
    )

    assert (status, err) == (0, "")
    assert mail.startswith("htcq drift: ")
    assert "<h4>physics</h4>" in (tmp_path / "drift.html").read_text()
