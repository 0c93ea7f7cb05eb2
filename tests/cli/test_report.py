"""htcq report: all pages or none, names that would break out, what is missing said, and a confined process that writes."""

from __future__ import annotations

import html
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.report.pages.site_pages import PAGES
from htcq.store.lock import held
from tests.audit.sites import collected, collector, dynamic_slot, job, slot, submitter
from tests.cli.conftest import ROOT, Call
from tests.cli.looks import recorded
from tests.cli.test_confined import run

SCRIPT = "<script>alert(1)</script>"
REPORT = ("report", "pages", "--snapshot", "snap", "--config", "/dev/null")


@pytest.fixture
def snap(quiet_place: Path) -> Path:
    """A pool of two machines, one of them with a name that would break out of a page."""
    place = quiet_place / "snap"
    place.mkdir()
    ads = (
        collector("cm.example.net"),
        slot(Cpus=7),
        dynamic_slot(),
        slot(f"slot1@{SCRIPT}"),
        submitter(f"{SCRIPT}@site"),
    )
    (place / "collector.ads").write_text(collected(ads))
    (place / "jobs.ads").write_text(job(User=f'"{SCRIPT}@site"', Owner=f'"{SCRIPT}"'))
    (place / "config.txt").write_text("GROUP_NAMES = physics\nGROUP_QUOTA_physics = 4\n")
    (place / "meta.json").write_text(json.dumps({"taken": "2026-11-05T09:00:00+01:00"}))
    return place


def shown() -> list[str]:
    return sorted(path.name for path in Path("pages").iterdir() if not path.name.startswith("."))


def page(name: str) -> str:
    return Path("pages", name).read_text(encoding="utf-8")


@pytest.mark.usefixtures("snap")
def test_every_page_is_there_and_leads_to_every_other() -> None:
    done = run(Path.cwd(), *REPORT, "--verbose")

    assert done.status == 3  # no configuration of execution points
    assert done.out.count("\n") == 1
    assert shown() == sorted(PAGES)
    for name in PAGES:
        text = page(name)
        assert re.findall(r'<li><a href="([a-z-]+\.html)"', text) == list(PAGES)
        assert f'<a href="{name}" aria-current="page">' in text
        assert "cm.example.net" in re.findall("<title>(.*?)</title>", text)[0]
        assert str(Path.cwd()) not in text
        assert SCRIPT not in text
    assert html.escape(SCRIPT) in page("machines.html")
    assert html.escape(SCRIPT) in page("jobs.html")
    assert html.unescape(done.out.strip()) in html.unescape(page("index.html"))


@pytest.mark.usefixtures("snap")
def test_a_second_run_replaces_pages_and_leaves_other_files_alone() -> None:
    Path("pages").mkdir()
    Path("pages/logo.png").write_text("mine")
    Path("pages/index.html").write_text("old")
    run(Path.cwd(), *REPORT)

    assert Path("pages/logo.png").read_text() == "mine"
    assert page("index.html").startswith("<!doctype html>")
    assert shown() == sorted([*PAGES, "logo.png"])


def test_without_slots_or_jobs_the_pages_say_so_and_never_that_all_is_well(
    snap: Path, call: Call
) -> None:
    (snap / "jobs.ads").unlink()
    (snap / "collector.ads").unlink()
    done = call(*REPORT)
    overview = page("index.html")

    assert done.status == 3
    assert "The slot ads could not be read" in overview
    assert "Nothing is known" not in overview
    assert "found no error" not in overview
    rows = re.findall(r'<tr role="row" class="lacking"><th[^>]*>(.*?)</th>', overview)
    assert rows[:3] == [
        "slots and machines", "jobs", "submitters, usage and priorities of the accountant",
    ]  # fmt: skip
    assert "could not be read: nothing is known of its machines" in page("machines.html")
    assert "could not be read: nothing is known of who waits" in page("jobs.html")


def test_the_history_and_elastic_quotas_and_what_ifs_are_shown(
    call: Call, quiet_place: Path
) -> None:
    recorded(call, quiet_place, 20, 20, 15)
    Path("elastic.toml").write_text("[groups.physics]\nmin = {cpus = 4}\nmax = {cpus = 8}\n")
    Path("broken.json").write_text("{")
    options = ("--store", "history.db", "--since", "2024-11-01", "--quotas", "elastic.toml")
    done = call(
        "report", "pages", "--snapshot", "snap3", *options, "--what-if", "broken.json",
        "--config", "/dev/null",
    )  # fmt: skip

    assert "broken: this is no JSON" in done.err
    assert "configured quota 20 -&gt; 15" in page("drift.html")
    assert 'id="stack-data"' in page("index.html")
    assert "What groups may use and use" in page("elastic.html")
    assert "this is no JSON" in page("what-ifs.html")


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--store", "nowhere.db"), 3, "nowhere.db"),
        (("--what-if", "nowhere.json"), 2, "nowhere.json cannot be read"),
        (("--quotas", "nowhere.toml"), 2, "nowhere.toml"),
        (("--since", "tomorrow"), 2, "--since"),
    ],
)
@pytest.mark.usefixtures("snap")
def test_what_is_named_must_be_there_and_nothing_is_written(
    options: tuple[str, ...], status: int, said: str, call: Call
) -> None:
    done = call(*REPORT, *options)

    assert (done.status, done.err.count("\n"), said in done.err) == (status, 1, True)
    assert list(Path("pages").glob("*")) == []


@pytest.mark.usefixtures("snap")
def test_a_page_is_never_written_through_a_link(call: Call) -> None:
    Path("pages").mkdir()
    Path("pages/audit.html").symlink_to("../victim")
    done = call(*REPORT)

    assert done.status == 2
    assert "is not a plain file" in done.err
    assert [path.name for path in Path("pages").iterdir()] == ["audit.html"]
    assert not Path("victim").exists()


# Pages of one run
# --------------------------------------------------------------------------------------------------

_GENERATION = """
import os, sys
from pathlib import Path
from htcq.store.page_generations import new_generation
names, text, steps = ["groups.html", "index.html"], sys.argv[1], int(sys.argv[2])
def count(event, arguments):
    global steps
    writes = event in ("os.mkdir", "os.rename", "os.symlink", "os.chmod", "os.remove", "os.rmdir")
    if writes or (event == "open" and arguments[2] & os.O_CREAT):
        steps -= 1
        if not steps:
            os.kill(os.getpid(), 9)
sys.addaudithook(count)
with new_generation(Path("pages"), names) as place:
    for name in names:
        (place / name).write_text(text)
os._exit(0)
"""


def generation(text: str, steps: int = 0) -> int:
    """Show pages with ``text``; the process is killed before the step of that number."""
    command = [sys.executable, "-c", _GENERATION, text, str(steps)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    return done.returncode


def test_wherever_a_run_is_killed_pages_of_one_run_are_shown_and_the_next_sweeps() -> None:
    """Before each step in the file system, one after the other."""
    Path("pages").mkdir()
    Path("pages/.groups.html.0123abcd").write_text("left by an earlier version")
    Path("pages/.htaccess").write_text("mine")
    assert generation("0") == 0
    before, killed, done = "0", 0, -9
    while done == -9:
        killed += 1
        done = generation(str(killed), killed)
        found = {page("groups.html"), page("index.html")}
        assert found in ({before}, {str(killed)}), f"killed before step {killed}"
        (before,) = found
    assert killed > 6
    assert generation("last") == 0

    assert page("index.html") == "last"
    kept = sorted(re.sub("[0-9a-f]{8}$", "*", path.name) for path in Path("pages").iterdir())
    # The pages before stay for whoever is reading them.
    assert kept == [
        ".htaccess", ".pages", ".pages-*", ".pages-*", ".pages.lock", "groups.html", "index.html",
    ]  # fmt: skip


#: The command, killed when all new pages are written and none of them is shown yet.
KILLED = """
import os, signal, sys
from htcq.__main__ import main
from htcq.store import page_generations

page_generations._publish = lambda *of: os.kill(os.getpid(), signal.SIGKILL)
main()
"""


@pytest.mark.usefixtures("snap")
def test_a_report_that_is_killed_leaves_the_pages_before_whole(quiet_place: Path) -> None:
    run(Path.cwd(), *REPORT)
    before = {name: page(name) for name in PAGES}
    inodes = {name: Path("pages", name).stat().st_ino for name in PAGES}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, *REPORT],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        check=False,
    )

    assert killed.returncode == -signal.SIGKILL
    assert {name: page(name) for name in PAGES} == before
    assert {name: Path("pages", name).stat().st_ino for name in PAGES} == inodes
    written = {path.name for path in Path("pages").glob(".new-pages-*/*.html")}
    assert written == set(PAGES)
    run(Path.cwd(), *REPORT)
    assert not list(Path("pages").glob(".new-pages-*"))
    assert {name: Path("pages", name).stat().st_ino for name in PAGES} != inodes
    assert len(list(Path("pages").glob(".pages-*"))) == 2


@pytest.mark.usefixtures("snap")
def test_two_reports_do_not_write_at_once(call: Call) -> None:
    Path("pages").mkdir()
    with held(Path("pages/.pages.lock"), "another report"):
        done = call(*REPORT)

    assert (done.status, list(Path("pages").glob("*.html"))) == (3, [])
    assert "another htcq is writing there: another report" in done.err
