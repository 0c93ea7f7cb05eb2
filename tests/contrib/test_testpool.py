"""The test pool keeps its promises: real daemons come up, do work, and leave nothing behind, however they end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

TESTPOOL = Path(__file__).resolve().parents[2] / "contrib" / "testpool"
sys.path.insert(0, str(TESTPOOL))

from debian_root import debian_root  # noqa: E402
from installation import Installation  # noqa: E402
from pool_home import PoolRecord, default_home  # noqa: E402
from process_tree import Process, descendants, processes, send  # noqa: E402
from testpool import Home, Pool, PoolError  # noqa: E402

ROOTS = default_home() / "roots"


def until(condition: Callable[[], object], what: str, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def run_testpool(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TESTPOOL_HOME": str(home.path)}
    command = [sys.executable, str(TESTPOOL / "testpool.py"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def succeed(home: Home, *arguments: str) -> str:
    done = run_testpool(home, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    place = Home(tmp_path / "home")
    yield place
    run_testpool(place, "down", "--all")


def running(pids: set[int]) -> list[Process]:
    return [process for process in processes() if process.pid in pids]


def mount_tables(pids: set[int]) -> list[Path]:
    """The mount tables of those processes that still have one."""
    return [table for table in (Path(f"/proc/{pid}/mountinfo") for pid in pids) if table.exists()]


@pytest.mark.condor
@pytest.mark.parametrize("suite", ["sid", "trixie"])
def test_a_pool_comes_up_runs_a_command_and_goes_down(
    home: Home, suite: str, tmp_path: Path
) -> None:
    extra = tmp_path / "extra.conf"
    extra.write_text("FROM_FILE = yes\nBOTH = file\n")
    arguments = [
        "--suite",
        suite,
        "--root-dir",
        str(ROOTS),
        "--config",
        str(extra),
        "--set",
        "BOTH=set",
        "--cpus",
        "96",
    ]
    assert "is up after" in succeed(home, "up", "one", *arguments)
    row = succeed(home, "status").splitlines()[1].split()
    assert (row[0], row[1], row[-1]) == ("one", suite, "up")
    assert succeed(home, "run", "one", "--", "condor_status", "-af", "Cpus", "Memory").split() == [
        "96",
        "16384",
    ]
    assert succeed(home, "run", "one", "--", "condor_config_val", "FROM_FILE", "BOTH").split() == [
        "yes",
        "set",
    ]
    assert succeed(home, "run", "--user", "one", "--", "id", "-un").strip() == "tester"
    assert run_testpool(home, "run", "one", "--", "sh", "-c", "exit 7").returncode == 7

    taken = run_testpool(home, "up", "one", "--suite", suite, "--root-dir", str(ROOTS))
    assert taken.returncode == 2
    assert "running already" in taken.stderr

    record = Pool.attach("one", home).record
    assert "'one' is down" in succeed(home, "down", "one")
    assert not Path(record.directory).exists()
    assert home.names() == []
    gone = run_testpool(home, "run", "one", "--", "true")
    assert gone.returncode == 2
    assert "there is no pool 'one'" in gone.stderr


@pytest.mark.condor
def test_two_pools_live_side_by_side(home: Home) -> None:
    with ThreadPoolExecutor() as threads:
        up = [
            threads.submit(
                succeed,
                home,
                "up",
                name,
                "--suite",
                "sid",
                "--root-dir",
                str(ROOTS),
                "--cpus",
                cpus,
            )
            for name, cpus in (("left", "3"), ("right", "5"))
        ]
        assert all("is up" in started.result() for started in up)
    records = [home.record(name) for name in ("left", "right")]
    assert len({record.port for record in records if record}) == 2
    cpus_of = [
        succeed(home, "run", name, "--", "condor_status", "-af", "Cpus").split()
        for name in ("left", "right")
    ]
    assert cpus_of == [["3"], ["5"]]
    succeed(home, "down", "left")
    assert [line.split()[0] for line in succeed(home, "status").splitlines()[1:]] == ["right"]
    succeed(home, "down", "--all")
    assert len(succeed(home, "status").splitlines()) == 1


@pytest.mark.condor
def test_a_pool_in_the_foreground_ends_with_its_command(home: Home) -> None:
    command = [
        sys.executable,
        str(TESTPOOL / "testpool.py"),
        "up",
        "fore",
        "--suite",
        "sid",
        "--root-dir",
        str(ROOTS),
    ]
    environment = {**os.environ, "TESTPOOL_HOME": str(home.path)}
    with subprocess.Popen(
        [*command, "--foreground"], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "is up" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()
    assert home.names() == []


@pytest.mark.condor
def test_a_killed_supervisor_leaves_no_process_no_mount_and_a_directory_that_is_swept(
    home: Home,
) -> None:
    succeed(home, "up", "victim", "--suite", "sid", "--root-dir", str(ROOTS))
    record, supervisor = Pool.attach("victim", home).record, home.supervisor("victim")
    assert supervisor is not None
    Pool.attach("victim", home).submit(count=2)
    family = {process.pid for process in descendants(supervisor)}
    assert {process.command for process in running(family)} >= {
        "condor_master",
        "condor_startd",
        "condor_schedd",
    }
    assert any(f" {record.root}/proc " in table.read_text() for table in mount_tables(family))

    os.kill(supervisor, signal.SIGKILL)
    until(lambda: not running(family), "the end of every process")
    until(lambda: not home.is_alive("victim"), "the lock to be free")
    # The mounts were in the daemons' own namespace only, and that is gone.
    until(lambda: not mount_tables(family), "the end of their mounts")
    assert record.root not in Path("/proc/self/mountinfo").read_text()

    assert Path(record.directory).exists()
    swept = run_testpool(home, "status")
    assert "swept what the dead pool 'victim' had left" in swept.stderr
    assert not Path(record.directory).exists()
    assert home.names() == []


@pytest.mark.condor
def test_a_pool_dies_with_the_python_that_started_it(home: Home) -> None:
    program = (
        f"import sys, time; sys.path.insert(0, {str(TESTPOOL)!r}); from pathlib import Path\n"
        "from testpool import Home, Pool\n"
        f"pool = Pool.start('tied', suite='sid', home=Home(Path({str(home.path)!r})), "
        f"roots=Path({str(ROOTS)!r}))\n"
        "print('ready', flush=True); time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        supervisor = home.supervisor("tied")
        assert supervisor is not None
        family = {supervisor, *(member.pid for member in descendants(supervisor))}
        process.kill()
    until(lambda: not running(family), "the end of every process")
    assert home.names() == []


@pytest.mark.condor
def test_a_pool_that_cannot_start_says_why_and_leaves_nothing(home: Home) -> None:
    with pytest.raises(PoolError, match="no sign of the ads of all daemons") as caught:
        Pool.start(
            "bad",
            suite="sid",
            settings={"NEGOTIATOR": "/no/such/file"},
            wait_seconds=5,
            home=home,
            roots=ROOTS,
        )
    assert "/no/such/file" in str(caught.value)
    assert home.names() == []


@pytest.fixture(scope="module", params=["sid", "trixie"])
def pool(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pool]:
    home = Home(tmp_path_factory.mktemp("home"))
    with Pool.start(
        suite=request.param, home=home, roots=ROOTS, cpus=16, memory_mb=32768
    ) as started:
        yield started


def claims(pool: Pool) -> list[int]:
    return [ad["Memory"] for ad in pool.ads("slots", ["Memory"], constraint="DynamicSlot =?= true")]


@pytest.mark.condor
def test_jobs_run_as_the_unprivileged_user_and_clear_leaves_an_unused_pool(pool: Pool) -> None:
    cluster = pool.submit({"request_memory": 512}, count=3)
    assert {job["ClusterId"] for job in pool.ads("jobs")} == {cluster}
    assert {job["Owner"] for job in pool.ads("jobs")} == {"tester"}
    pool.wait(
        lambda: claims(pool) == [512, 512, 512], 60, "three claims", ("NegotiatorLog", "StartLog")
    )
    pool.wait(
        lambda: "tester" in pool.tool("condor_userprio", "-allusers", "-af", "Name"), 30, "usage"
    )
    pool.clear()
    assert pool.ads("jobs") == []
    assert [(ad["Cpus"], ad["Memory"]) for ad in pool.ads("slots")] == [(16, 32768)]
    # The collector may hear of it with the negotiator's next cycle.
    pool.wait(
        lambda: "tester" not in pool.tool("condor_userprio", "-allusers", "-af", "Name"),
        30,
        "no usage",
    )


@pytest.mark.condor
def test_a_job_whose_shadow_waits_for_a_startd_that_was_killed_is_removed(pool: Pool) -> None:
    pool.submit()
    pool.wait(
        lambda: [job["JobStatus"] for job in pool.ads("jobs")] == [2],
        60,
        "a running job",
        ("StartLog",),
    )
    startd = pool.daemon_pids()["startd"]
    # Before they can say anything to the shadow.
    for process in [startd, *(each.pid for each in descendants(startd))]:
        send(process, signal.SIGKILL)
    with pytest.raises(
        PoolError,
        match=r"jobs are left, 1 with JobStatus [123]; .*no sign of an empty queue within",
    ):
        pool.remove_jobs(0.0)
    pool.clear(30)
    assert pool.ads("jobs") == []


@pytest.mark.condor
def test_a_daemon_goes_off_and_comes_on(pool: Pool) -> None:
    pool.off("negotiator")
    assert pool.ads("negotiator") == []
    assert "negotiator" not in pool.daemon_pids()
    assert pool.state() == "partial"
    pool.submit()
    pool.on("negotiator")
    assert len(pool.ads("negotiator")) == 1
    pool.wait(lambda: claims(pool), 60, "a claim", ("NegotiatorLog",))
    pool.clear()


@pytest.mark.condor
@pytest.mark.parametrize("daemon", ["startd", "negotiator"])
def test_an_ad_that_a_daemon_leaves_behind_is_taken_away(daemon: str, pool: Pool) -> None:
    """Its last word can be lost."""
    kind = {"startd": "slots", "negotiator": "negotiator"}[daemon]
    left = pool.ads(kind)[0] | {"Name": "left@behind", "ClassAdLifetime": 100000}
    text = "".join(
        f"{name} = {json.dumps(value)}\n"
        for name, value in left.items()
        if isinstance(value, (str, int))
    )
    pool.tool("condor_advertise", f"UPDATE_{daemon.upper()}_AD", "-", text=text)
    pool.off(daemon)
    assert pool.ads(kind) == []
    pool.on(daemon)


@pytest.mark.condor
def test_configuration_changes_with_reconfig_and_restart(pool: Pool) -> None:
    (pool.config_dir / "80-shop").write_text("SHOP = 1\nSTARTD_ATTRS = $(STARTD_ATTRS) SHOP\n")
    pool.configure({"NUM_CPUS": 24})
    pool.reconfig()
    pool.wait(
        lambda: pool.ads("slots", ["SHOP"])[0].get("SHOP") == 1,
        20,
        "the new attribute",
        ("StartLog",),
    )
    assert pool.ads("slots", ["Cpus"]) == [{"Cpus": 16}]
    pool.restart()
    assert pool.ads("slots", ["Cpus", "SHOP"]) == [{"Cpus": 24, "SHOP": 1}]
    (pool.config_dir / "80-shop").unlink()
    pool.configure("")
    pool.restart()
    assert pool.ads("slots", ["Cpus"]) == [{"Cpus": 16}]


@pytest.mark.condor
def test_the_bindings_reach_the_pool_from_outside(pool: Pool) -> None:
    program = (
        "import sys, htcondor2; collector = htcondor2.Collector(sys.argv[1])\n"
        "print(sorted(ad['MyType'] for ad in collector.query(htcondor2.AdType.Any, "
        "projection=['MyType'])))\n"
    )
    environment = {**os.environ, "CONDOR_CONFIG": "ONLY_ENV"}
    command = [sys.executable, "-c", program, pool.collector]
    printed = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert all(
        f"'{name}'" in printed for name in ("Collector", "Negotiator", "Scheduler", "Machine")
    )


@pytest.mark.condor
def test_failing_tools_and_vain_waits_say_what_happened(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pool, "patience", 1.0)
    with pytest.raises(PoolError, match="condor_status -no-such-option ended with status 1"):
        pool.tool("condor_status", "-no-such-option")
    with pytest.raises(PoolError, match=r"no sign of a wonder within 0\.1 s\n--- MasterLog\n"):
        pool.wait(lambda: False, 0.1, "a wonder", ("MasterLog",))
    with pytest.raises(
        PoolError,
        match=r"no sign of a wonder within 0\.1 s: condor_status -no-such-option ended with",
    ):
        pool.wait(lambda: pool.tool("condor_status", "-no-such-option"), 0.1, "a wonder")
    with pytest.raises(PoolError, match="there are no ads of kind 'machines'"):
        pool.ads("machines")


@pytest.mark.condor
def test_a_pool_needs_no_machines(home: Home) -> None:
    with Pool.start(suite="sid", daemons=["NEGOTIATOR"], home=home, roots=ROOTS) as small:
        assert set(small.daemon_pids()) - {"procd"} == {"master", "collector", "negotiator"}
        assert small.state() == "up"


class Machine:
    """A root directory entered in namespaces of its own: as if HTCondor were installed on this machine."""

    def __init__(self, installation: Installation, first: int, program: str, as_user: bool) -> None:
        self._installation, self._first, self._program, self._as_user = (
            installation,
            first,
            program,
            as_user,
        )

    def testpool(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        places = [f"TESTPOOL_HOME={self._program}/home", f"TMPDIR={self._program}"]
        command = ["env", *places, "python3", f"{self._program}/testpool.py", *arguments]
        joined = self._installation.join_command(command, self._first, self._as_user)
        environment = self._installation.environment("/no/such/condor_config")
        return subprocess.run(joined, env=environment, capture_output=True, text=True, timeout=120)

    def family(self) -> list[Process]:
        """What runs on the machine, but for the process that holds it open."""
        return [process for process in descendants(self._first) if process.command != "tail"]

    def up(self) -> list[Process]:
        """Start a pool and return its supervisor, its guard and everything below them."""
        done = self.testpool("up", "mine")
        assert done.returncode == 0, done.stderr
        return self.family()


@pytest.fixture(params=["tester", "root"])
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    root = debian_root("sid", ROOTS)
    program = Path(tempfile.mkdtemp(prefix="testpool-", dir=root / "tmp"))
    shutil.copytree(
        TESTPOOL, program, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    for path in (program, *program.iterdir()):
        path.chmod(0o755)
    subprocess.run(
        ["chroot", str(root), "chown", request.param, str(program)[len(str(root)) :]], check=True
    )
    installation = Installation("sid", str(root))
    with subprocess.Popen(installation.start_command(["tail", "-f", "/dev/null"])) as unshare:
        until(
            lambda: [p for p in descendants(unshare.pid) if p.command == "tail"], "the namespaces"
        )
        first = descendants(unshare.pid)[0].pid
        yield Machine(installation, first, str(program)[len(str(root)) :], request.param != "root")
        unshare.kill()
    shutil.rmtree(program)


@pytest.mark.condor
def test_with_htcondor_on_path_a_pool_runs_jobs_without_root(machine: Machine) -> None:
    family = machine.up()
    daemons = {process.pid for process in family if process.command.startswith("condor_")}
    assert len(daemons) >= 5
    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in daemons}
    assert 0 not in owners
    assert machine.testpool("status").stdout.splitlines()[1].split()[1] == "path"
    job = [
        "executable=/bin/sleep",
        "arguments=600",
        "transfer_executable=false",
        "request_disk=1000",
        "queue",
    ]
    submit = "printf '%s\\n' " + " ".join(job) + " | condor_submit -terse -"
    done = machine.testpool("run", "--user", "mine", "--", "sh", "-c", submit)
    assert done.stdout.startswith("1.0"), done.stderr
    until(lambda: [p for p in machine.family() if p.command == "sleep"], "the job", 60)
    assert machine.testpool("down", "mine").returncode == 0
    # The last keeper lets its lock go an instant before it has ended.
    until(lambda: not machine.family(), "the end of every process")


@pytest.mark.condor
@pytest.mark.parametrize("whom", ["supervisor", "guard"])
def test_with_htcondor_on_path_nothing_survives_either_keeper(machine: Machine, whom: str) -> None:
    keepers = [process for process in machine.up() if process.command == "python3"]
    supervisor, guard = keepers
    assert guard.parent == supervisor.pid
    os.kill(supervisor.pid if whom == "supervisor" else guard.pid, signal.SIGKILL)
    until(lambda: not machine.family(), "the end of every process")
    listed = machine.testpool("status")
    assert len(listed.stdout.splitlines()) == 1
    assert ("swept what the dead pool 'mine' had left" in listed.stderr) == (whom == "supervisor")


@pytest.fixture
def fake_mmdebstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Put a stand-in for mmdebstrap on PATH; the file to which it adds a line each time it is called."""
    calls = tmp_path / "calls"

    def install(ending: str) -> Path:
        script = tmp_path / "bin" / "mmdebstrap"
        script.parent.mkdir()
        body = (
            f"#!/bin/sh\necho called >> {calls}\nfor last; do :; done\n"
            f'mkdir "$last" "$last/usr"\n{ending}\n'
        )
        script.write_text(body)
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
        monkeypatch.delenv("TESTPOOL_MIRROR", raising=False)
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        return calls

    return install


def test_two_who_come_at_once_build_one_root_directory(
    fake_mmdebstrap: Callable[[str], Path], tmp_path: Path
) -> None:
    calls = fake_mmdebstrap("sleep 0.5")
    with ThreadPoolExecutor() as threads:
        roots = list(
            threads.map(lambda suite: debian_root(suite, tmp_path / "roots"), ["sid", "sid"])
        )
    assert roots == [tmp_path / "roots" / "sid"] * 2
    assert (roots[0] / "usr").is_dir()
    assert calls.read_text() == "called\n"


def test_a_build_that_fails_leaves_nothing_that_looks_finished(
    fake_mmdebstrap: Callable[[str], Path], tmp_path: Path
) -> None:
    fake_mmdebstrap("echo 'E: no such mirror' >&2; exit 25")
    with pytest.raises(PoolError, match="could not build 'sid': E: no such mirror"):
        debian_root("sid", tmp_path / "roots")
    assert [path.name for path in (tmp_path / "roots").iterdir()] == [".sid.lock"]


def test_a_machine_without_mmdebstrap_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(PoolError, match="apt-get install mmdebstrap debian-archive-keyring"):
        debian_root("sid", tmp_path / "roots")


def test_without_root_a_debian_pool_points_to_the_other_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(PoolError, match=r"needs root .*--suite path"):
        debian_root("sid", tmp_path / "roots")


def test_a_living_pool_is_never_swept_and_a_dead_one_is(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    lock = home.claim("here")
    assert lock is not None
    (tmp_path / "daemons").mkdir()
    home.save(
        PoolRecord(
            "here", "path", "25.0.0", "", str(tmp_path / "daemons"), 20001, ("MASTER", "COLLECTOR")
        )
    )
    assert home.is_alive("here")
    assert home.sweep() == []
    assert home.claim("here") is None
    os.close(lock)
    assert not home.is_alive("here")
    assert home.sweep() == ["here"]
    assert not (tmp_path / "daemons").exists()
    assert home.names() == []
