"""``htcq snapshot`` of real pools: what it holds, what it never holds, and what it does where daemons do not answer."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from broken import cycles
from testpool import Pool

from tests.store.reidentification import by_time, claims
from tests.store.same_cycle import anonymous_copy, same_cycle

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.condor

PASSWORD = "open-sesame-4711"
JOB_SECRET = "sesame-of-the-job"
#: Every level but READ is for the daemons alone.
READ_ONLY = "".join(
    f"ALLOW_{level} = condor@family/*\n"
    for level in (
        *("WRITE", "ADMINISTRATOR", "NEGOTIATOR", "DAEMON", "OWNER", "CONFIG"),
        *("ADVERTISE_MASTER", "ADVERTISE_SCHEDD", "ADVERTISE_STARTD"),
    )
)
SETTINGS = f"""
SITE_PASSWORD = {PASSWORD}
SLOT_PASSWORD = {PASSWORD}
GROUP_NAMES = physics, physics.top
GROUP_QUOTA_physics = 6
GROUP_ACCEPT_SURPLUS = True
CONCURRENCY_LIMIT_DEFAULT_licence = 4
licence.matlab_LIMIT = 2
NEGOTIATOR_JOB_CONSTRAINT = Campaign =!= "closed"
SiteFlavour = "sweet"
Region = "south"
STARTD_ATTRS = $(STARTD_ATTRS) SiteFlavour Region
STARTD_EXPRS = SiteFlavour Region
START = TARGET.WantedRegion is undefined || TARGET.WantedRegion == MY.Region
SLOT_WEIGHT = floor(Memory / 1024)
UPDATE_INTERVAL = 1
NEGOTIATOR_INTERVAL = 1
"""
RUNNING = {
    "request_cpus": "1",
    "request_memory": "1024",
    "accounting_group": "physics.top",
    "accounting_group_user": "anna",
    "environment": f"SECRET={JOB_SECRET}",
    "requirements": 'TARGET.SiteFlavour isnt "bad"',
    "+WantedRegion": '"south"',
    "+ExpectedSeconds": "600",
    "+Campaign": '"open"',
    "arguments": "601",
}
IDLE = {**RUNNING, "request_cpus": "64", "accounting_group_user": "ben"}


@pytest.fixture(scope="module")
def pool(suite: str) -> Iterator[Pool]:
    """A pool with two running jobs and an idle one."""
    with Pool.start(suite=suite, settings=SETTINGS) as pool:
        pool.submit(RUNNING, count=2)
        pool.submit(IDLE)
        pool.wait(
            lambda: len(pool.ads("slots", constraint="DynamicSlot")) == 2,
            60,
            "two claims",
            ["NegotiatorLog"],
        )
        pool.wait(
            lambda: len(pool.ads("jobs", constraint="JobStatus == 2")) == 2,
            60,
            "two running jobs",
            ["SchedLog"],
        )
        # A negotiator that has seen all jobs knows all submitters.
        cycles(pool, 3, 60)
        yield pool


FILES = (
    *("collector.ads", "jobs.ads", "config.txt", "priorities.ads", "meta.json"),
    *("access/node.test.txt", "execute/node.test.txt"),
)


def htcq(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "htcq", "snapshot", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "CONDOR_CONFIG": "/dev/null"},
        timeout=300,
    )


def taken(pool: Pool, goal: Path, *arguments: str) -> Path:
    done = htcq(str(goal), "--pool", pool.collector, *arguments)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return goal


def ads_of(path: Path) -> list[dict[str, str]]:
    blocks = [block for block in path.read_text().split("\n\n") if block.strip()]
    return [dict(line.split(" = ", 1) for line in block.strip().split("\n")) for block in blocks]


def of_type(ads: list[dict[str, str]], ad_type: str) -> list[dict[str, str]]:
    return [ad for ad in ads if ad["MyType"] == f'"{ad_type}"']


def meta_of(snapshot: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((snapshot / "meta.json").read_text())
    return found


def everything(snapshot: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(snapshot.rglob("*")) if path.is_file())


def same(ours: Mapping[str, str], theirs: Mapping[str, str], names: tuple[str, ...]) -> None:
    assert {name: ours.get(name) for name in names} == {name: theirs.get(name) for name in names}


def test_it_holds_the_limits_of_users_where_the_schedd_knows_who_asks(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A schedd asks for authentication before it tells of its users; without that the rest of the snapshot is there."""
    refused = htcq(str(tmp_path / "refused"), "--pool", pool.collector)
    assert "no user records of node.test: it asks for authentication" in refused.stderr
    assert not (tmp_path / "refused" / "users.ads").exists()
    assert meta_of(tmp_path / "refused")["failed"] == []

    monkeypatch.setenv("_CONDOR_SEC_DEFAULT_AUTHENTICATION_METHODS", "CLAIMTOBE")
    users = ads_of(taken(pool, tmp_path / "snap") / "users.ads")
    assert {ad["User"] for ad in users} == set(pool.tool("condor_qusers", "-af:r", "User").split())
    assert {ad["ScheddName"] for ad in users} == {'"node.test"'}


def test_it_holds_what_condors_own_tools_print(pool: Pool, tmp_path: Path) -> None:
    snapshot = taken(pool, tmp_path / "snap")
    (tmp_path / "status").write_text(pool.tool("condor_status", "-any", "-long"))
    (tmp_path / "queue").write_text(pool.tool("condor_q", "-global", "-allusers", "-long"))
    ours, theirs = ads_of(snapshot / "collector.ads"), ads_of(tmp_path / "status")

    for ad_type in ("Machine", "Scheduler", "Submitter", "Negotiator", "Collector", "Accounting"):
        mine = {ad["Name"]: ad for ad in of_type(ours, ad_type)}
        real = {ad["Name"]: ad for ad in of_type(theirs, ad_type)}
        assert mine.keys() == real.keys() != set()
    slots = {ad["Name"]: ad for ad in of_type(ours, "Machine")}
    for ad in of_type(theirs, "Machine"):
        same(
            slots[ad["Name"]],
            ad,
            ("SlotWeight", "Cpus", "Memory", "SlotType", "State", "Requirements", "CondorVersion"),
        )
        same(
            slots[ad["Name"]],
            ad,
            ("TotalSlotCpus", "TotalSlotMemory", "RemoteUser", "AccountingGroup"),
        )
    jobs = {ad["GlobalJobId"]: ad for ad in ads_of(snapshot / "jobs.ads")}
    queue = [ad for ad in ads_of(tmp_path / "queue") if "GlobalJobId" in ad]
    assert len(jobs) == len(queue) == 3
    for ad in queue:
        same(
            jobs[ad["GlobalJobId"]],
            ad,
            ("Requirements", "RequestCpus", "RequestMemory", "AccountingGroup", "User"),
        )


def test_it_is_read_back_by_condors_own_tools(pool: Pool, tmp_path: Path) -> None:
    snapshot = taken(pool, tmp_path / "snap")
    pool.path("log", "snapshot.ads").write_text((snapshot / "collector.ads").read_text())
    inside = f"{pool.record.inner_directory}/log/snapshot.ads"
    own = {
        ad["Name"].strip('"'): ad for ad in of_type(ads_of(snapshot / "collector.ads"), "Machine")
    }
    read = pool.tool(
        "condor_status", "-ads", inside, "-constraint", 'MyType == "Machine"', "-af", "Name", "Cpus"
    )

    assert dict(line.split() for line in read.splitlines()) == {
        name: ad["Cpus"] for name, ad in own.items()
    }


def test_what_expressions_name_in_the_other_ad_is_there(pool: Pool, tmp_path: Path) -> None:
    snapshot = taken(pool, tmp_path / "snap")
    slots = of_type(ads_of(snapshot / "collector.ads"), "Machine")
    jobs = ads_of(snapshot / "jobs.ads")

    assert {ad["SiteFlavour"] for ad in slots} == {'"sweet"'}
    assert {ad["Region"] for ad in slots} == {'"south"'}
    assert {ad["WantedRegion"] for ad in jobs} == {'"south"'}
    assert {ad["Campaign"] for ad in jobs} == {'"open"'}


def test_an_attribute_of_jobs_that_no_expression_names_is_there_if_asked_for(
    pool: Pool, tmp_path: Path
) -> None:
    plain = ads_of(taken(pool, tmp_path / "plain") / "jobs.ads")
    asked = taken(pool, tmp_path / "asked", "--job-attribute", "ExpectedSeconds")

    assert not any("ExpectedSeconds" in ad for ad in plain)
    assert [ad["ExpectedSeconds"] for ad in ads_of(asked / "jobs.ads")] == ["600"] * 3


def test_the_configurations_are_the_daemons_own(pool: Pool, tmp_path: Path) -> None:
    snapshot = taken(pool, tmp_path / "snap")
    for file in (
        snapshot / "config.txt",
        snapshot / "access" / "node.test.txt",
        snapshot / "execute" / "node.test.txt",
    ):
        text = file.read_text()
        assert "\nGROUP_NAMES = physics, physics.top\n" in text
        assert "\nGROUP_QUOTA_physics = 6\n" in text
        assert "\nCONCURRENCY_LIMIT_DEFAULT_licence = 4\n" in text
        assert "\nlicence.matlab_LIMIT = 2\n" in text
        assert "\nSLOT_WEIGHT = floor(Memory / 1024)\n" in text
        assert "Not defined" not in text
    real = pool.tool("condor_config_val", "NEGOTIATOR_INTERVAL", "PREEMPTION_REQUIREMENTS").split(
        "\n"
    )
    assert f"\nNEGOTIATOR_INTERVAL = {real[0]}\n" in (snapshot / "config.txt").read_text()


def test_priorities_are_those_of_condor_userprio(pool: Pool, tmp_path: Path) -> None:
    names = {ad["Name"] for ad in ads_of(taken(pool, tmp_path / "snap") / "priorities.ads")}
    # Not -long, which prints all records as one ad with numbered attributes in 23.9.
    told = pool.tool("condor_userprio", "-allusers", "-af", "Name").splitlines()

    assert names == {f'"{name}"' for name in told}
    assert '"physics.top.anna@test"' in names


def test_meta_says_what_there_is(pool: Pool, tmp_path: Path) -> None:
    meta = meta_of(taken(pool, tmp_path / "snap"))

    assert (meta["schema"], meta["pool"], meta["anonymized"], meta["failed"]) == (
        1,
        pool.collector,
        False,
        [],
    )
    assert meta["counts"]["jobs"] == 3
    assert meta["counts"]["slots"] == 3
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", meta["taken"])


def test_no_secret_reaches_a_snapshot(pool: Pool, tmp_path: Path) -> None:
    text = everything(taken(pool, tmp_path / "snap"))
    startd = pool.log("StartLog") + pool.log("NegotiatorLog") + pool.log("SchedLog")
    bindings = f"""
import htcondor2
for ad in htcondor2.Collector("{pool.collector}").query(htcondor2.AdType.StartdPrivate):
    print(ad.printOld())
"""
    private = subprocess.run(
        [sys.executable, "-c", bindings],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "CONDOR_CONFIG": "/dev/null"},
    ).stdout
    keys = set(re.findall(r"[0-9a-f]{40,}", private))
    public = set(re.findall(r">(#[0-9]+#[0-9]+)#", startd + private))

    assert keys
    assert public
    assert [secret for secret in (*keys, *public, PASSWORD, JOB_SECRET) if secret in text] == []
    assert (
        re.findall(
            r"^(?:ClaimId\w*|Capability|Env|Environment|Args|(?!SEC_ENABLE_)\w*PASSWORD\w*) ",
            text,
            re.MULTILINE,
        )
        == []
    )


def names_of(snapshot: Path) -> set[str]:
    """Return every user, group, host, path, address and id of a snapshot that was not made anonymous."""
    text = everything(snapshot)
    ids = set(re.findall(r'^GlobalJobId = "([^"]+)"', text, re.MULTILINE))
    paths = set(re.findall(r"(?<![\w.)])/(?:[\w.+-]+/)+[\w.+-]+", text))
    ports = set(re.findall(r"<127\.0\.0\.1:([0-9]+)", text))
    sockets = set(re.findall(r"sock=(\w+)", text))
    return {
        "anna",
        "ben",
        "tester",
        "physics",
        "node.test",
        "sweet",
        "SiteFlavour",
        *ids,
        *paths,
        *ports,
        *sockets,
    }


def test_an_anonymous_snapshot_names_nobody(pool: Pool, tmp_path: Path) -> None:
    plain = taken(pool, tmp_path / "plain")
    names = names_of(plain)
    assert len(names) > 15
    assert [name for name in names if name not in everything(plain)] == []

    key = ("--anonymize", "--key", str(tmp_path / "key"))
    one, again = (taken(pool, tmp_path / name, *key) for name in ("one", "again"))
    text = everything(one) + "".join(str(path.relative_to(one)) for path in one.rglob("*"))
    assert [name for name in names if name.lower() in text.lower()] == []
    assert meta_of(one)["anonymized"] is True

    submitters = [
        of_type(ads_of(snapshot / "collector.ads"), "Submitter") for snapshot in (one, again)
    ]
    assert {ad["Name"] for ad in submitters[0]} == {ad["Name"] for ad in submitters[1]}
    slots, jobs = of_type(ads_of(one / "collector.ads"), "Machine"), ads_of(one / "jobs.ads")
    claimed = {ad["AccountingGroup"].partition("@")[0] for ad in slots if "AccountingGroup" in ad}
    assert claimed == {ad["AccountingGroup"][:-1] for ad in jobs if ad["JobStatus"] == "2"}
    assert len({ad["Machine"] for ad in slots}) == 1


def test_the_cycle_of_an_anonymous_snapshot_is_that_of_the_pool(
    pool: Pool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    original, anonymous, done = anonymous_copy(taken(pool, tmp_path / "plain"), tmp_path)

    same_cycle(original, anonymous, done, lambda: capfd.readouterr().out)


def test_when_a_claim_began_is_not_in_an_anonymous_snapshot_of_the_pool(
    pool: Pool, tmp_path: Path
) -> None:
    original, anonymous, done = anonymous_copy(taken(pool, tmp_path / "plain"), tmp_path)
    pairs = claims(original, anonymous)
    starts = {int(pair.old["enteredcurrentactivity"]) for pair in pairs}
    shown = {int(value) for pair in pairs for value in pair.new.values() if value.isdigit()}

    assert pairs
    assert "enteredcurrentactivity" not in done.exact
    assert shown & starts <= {int(pair.old["lastheardfrom"]) for pair in pairs}
    assert all(each.found <= each.by_chance for each in by_time(pairs).values())


def test_an_archive_holds_the_same_files(pool: Pool, tmp_path: Path) -> None:
    goal = taken(pool, tmp_path / "snap.tar.gz")
    with tarfile.open(goal) as archive:
        names = {member.name for member in archive if member.isfile()}

    assert names == {f"snap/{name}" for name in FILES}


def test_two_pools_lie_side_by_side(pool: Pool, tmp_path: Path) -> None:
    port = pool.collector.partition(":")[2]
    done = htcq(str(tmp_path / "snap"), "--pool", pool.collector, "-pool", f"localhost:{port}")

    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "snap").iterdir()) == [
        pool.collector,
        f"localhost:{port}",
    ]


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """A daemon that takes connections and does not answer."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_schedd_that_hangs_costs_its_own_part_only(pool: Pool, tmp_path: Path) -> None:
    with stopped(pool.daemon_pids()["schedd"]):
        done = htcq(str(tmp_path / "snap"), "--pool", pool.collector, "--timeout", "3")
    meta = meta_of(tmp_path / "snap")

    assert done.returncode == 3, done.stderr
    # The negotiator may hang with it, in the midst of a conversation.
    assert {"jobs of node.test", "configuration of node.test"} <= {
        each["what"] for each in meta["failed"]
    }
    assert all(each["why"].startswith("no answer within 3 s") for each in meta["failed"])
    assert "jobs of node.test: no answer within 3 s" in done.stderr
    assert not (tmp_path / "snap" / "jobs.ads").exists()
    assert len(of_type(ads_of(tmp_path / "snap" / "collector.ads"), "Machine")) == 3


def test_a_collector_that_hangs_leaves_nothing(pool: Pool, tmp_path: Path) -> None:
    with stopped(pool.daemon_pids()["collector"]):
        done = htcq(str(tmp_path / "snap"), "--pool", pool.collector, "--timeout", "2")

    assert done.returncode == 3
    assert "no answer within 2 s" in done.stderr
    assert list(tmp_path.iterdir()) == []


#: In a mount namespace of its own a test may mount what it likes; who is not root is root there
#: alone.
NAMESPACE = (
    ["unshare", "--mount"]
    if os.geteuid() == 0
    else ["unshare", "--user", "--map-root-user", "--mount"]
)
#: Too small for the ads, then for the archive of them.
SMALL_DISKS = ("8k", "48k")


@pytest.mark.parametrize("size", SMALL_DISKS)
def test_a_full_disk_is_called_one_and_nothing_is_left_on_it(
    size: str, pool: Pool, tmp_path: Path
) -> None:
    goal = tmp_path / "snap.tar.gz"
    program = (
        f"mount -t tmpfs -o size={size} tmpfs {tmp_path} && {sys.executable} -m htcq snapshot "
        f"{goal} "
        f"--pool {pool.collector}; echo $? $(ls -A {tmp_path})"
    )
    done = subprocess.run(
        [*NAMESPACE, "bash", "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        env={**os.environ, "CONDOR_CONFIG": "/dev/null"},
        timeout=600,
    )

    assert done.stdout == "3\n"
    assert done.stderr.startswith(f"htcq: {tmp_path}")
    assert " cannot be written: No space left on device (" in done.stderr
    assert done.stderr.count("\n") == 1


def parts_below(directory: Path) -> int:
    """Return how many answers are there; directories may vanish meanwhile."""
    return sum(name.isdigit() for _, _, names in os.walk(directory) for name in names)


@pytest.mark.parametrize(
    "words", [("snapshot", "snap.tar.gz"), ("snapshot", "snap", "--anonymize"), ("audit",)]
)
def test_no_part_of_a_snapshot_is_left_where_a_signal_ends_it(
    words: tuple[str, ...], pool: Pool, tmp_path: Path
) -> None:
    """What is not yet anonymous above all."""
    environment = {
        **os.environ,
        "CONDOR_CONFIG": "/dev/null",
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    program = [sys.executable, "-m", "htcq", *words, "--pool", pool.collector]
    ended = 0
    for parts in (1, 6, 11):
        process = subprocess.Popen(
            program,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while process.poll() is None and parts_below(tmp_path) < parts:
            time.sleep(0.005)
        process.terminate()
        _, err = process.communicate(timeout=600)
        ended += process.returncode == -signal.SIGTERM
        left = [path.name for path in tmp_path.iterdir()]
        if process.returncode == -signal.SIGTERM:
            assert err == ""
        if process.returncode == 0 and words[0] == "snapshot":
            assert left == [words[1]]
            subprocess.run(["rm", "-r", str(tmp_path / words[1])], check=True)
        else:
            assert left == []
    assert ended > 0


def test_read_authorisation_is_enough_and_without_it_the_refusal_is_told(
    suite: str, tmp_path: Path
) -> None:
    with Pool.start(suite=suite) as pool:
        pool.submit()
        pool.wait(lambda: len(pool.ads("jobs")) == 1, 30, "a job", ["SchedLog"])
        pool.configure(READ_ONLY)
        pool.reconfig()
        pool.wait(lambda: writing_is_refused(pool), 30, "the refusal to write", ["SchedLog"])

        meta = meta_of(taken(pool, tmp_path / "read-only"))
        assert (meta["failed"], meta["counts"]["jobs"]) == ([], 1)

        pids = pool.daemon_pids()
        pool.configure(f"{READ_ONLY}ALLOW_READ = condor@family/*\n")
        for daemon in ("schedd", "collector"):
            os.kill(pids[daemon], signal.SIGHUP)
        pool.wait(
            lambda: (
                "READ authorisation" in htcq(str(tmp_path / "no"), "--pool", pool.collector).stderr
            ),
            30,
            "refusal",
        )
        done = htcq(str(tmp_path / "no"), "--pool", pool.collector)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "unauthenticated@unmapped" in done.stderr
    assert "ALLOW_READ" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["read-only"]


def writing_is_refused(pool: Pool) -> bool:
    return pool.run(["condor_reschedule"], capture_output=True).returncode != 0


def test_a_schedd_that_refuses_is_told_and_the_rest_is_there(suite: str, tmp_path: Path) -> None:
    with Pool.start(suite=suite) as pool:
        pool.configure(f"{READ_ONLY}SCHEDD.ALLOW_READ = condor@family/*\n")
        os.kill(pool.daemon_pids()["schedd"], signal.SIGHUP)
        log = "SchedLog"
        pool.wait(lambda: pool.log(log).count("Got SIGHUP") > 0, 30, "the schedd's reconfig", [log])

        def refused() -> dict[str, str]:
            goal = tmp_path / f"snap{len(list(tmp_path.iterdir()))}"
            failed = meta_of(taken(pool, goal))["failed"]
            return {each["what"]: each["why"] for each in failed}

        failed = pool.wait(refused, 30, "the schedd's refusal", [log])

    assert failed.keys() == {"jobs of node.test", "configuration of node.test"}
    for why in failed.values():
        assert (
            why == "refused: unauthenticated@unmapped has no READ authorisation there (ALLOW_READ)"
        )
