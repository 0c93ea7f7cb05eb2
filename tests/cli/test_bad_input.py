"""Bad input: one line with a hint, exit status 2, nothing on standard output, nothing written."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Call, Done, listing

ONE_LINE = re.compile(r"htcq: [^\n]+ \([^\n]+\)\n\Z")

#: What plan and emit refuse alike: the flags, and a part of what they say.
MODELS: dict[str, tuple[list[str], str]] = {
    "unknown asset, charge": (["--charge", "railguns=1"], "--charge railguns: unknown asset"),
    "unknown asset, level": (["--level", "railguns=1"], "--level railguns: unknown asset"),
    "unknown asset, share": (
        ["--claims", "2", "--asset", "railguns"],
        "--asset railguns: unknown asset",
    ),
    "an asset the node lacks": (
        ["--charge", "gpus=1", "--force"],
        "--charge gpus: this node has none",
    ),
    "charge of nothing": (["--charge", "cpus=0"], "a charge must be above 0"),
    "charge of no memory": (["--charge", "memory=0GiB"], "a charge must be above 0"),
    "charge below zero": (["--charge", "memory=-1GiB"], "a charge must be above 0"),
    "charge of a part of a MB": (["--charge", "memory=1KiB"], "less than the startd can hand out"),
    "charge of a part of a GPU": (["--charge", "actuators=0.5"], "not a whole number"),
    "charge above the node": (["--charge", "memory=17GiB"], "more than the node has"),
    "more levels than cpus": (["--level", "cpus=9"], "more levels than the node has units"),
    "more levels than MB": (["--level", "memory=16385"], "more levels than the node has units"),
    "more levels than actuators": (
        ["--level", "actuators=5"],
        "more levels than the node has units",
    ),
    "levels that leave a quantum over": (["--level", "cpus=5"], "where one more claim fits"),
    "no levels": (["--level", "memory=0"], "a level count must be positive"),
    "levels below zero": (["--level", "memory=-3"], "a level count must be positive"),
    "a part of a level": (["--level", "memory=1.5"], "level memory is '1.5'"),
    "more claims than cpus": (
        ["--model", "fixed", "--claims", "9"],
        "cannot carve more claims than there are cpus",
    ),
    "more requests than cpus": (
        ["--claims", "9", "--share", "request"],
        "cannot carve more claims than",
    ),
    "more claims than actuators": (
        ["--claims", "5", "--asset", "actuators"],
        "cannot carve more claims than",
    ),
    "claims of nothing": (["--claims", "4", "--share", "none"], "at least 1 cpu and 1 MB"),
    "no claims": (["--claims", "0"], "--claims 0"),
    "claims below zero": (["--claims", "-4"], "--claims -4"),
    "claims in words": (["--claims", "many"], "'many' is not a whole number"),
    "fixed without claims": (["--model", "fixed"], "needs a number of claims"),
    "memory without a unit": (["--charge", "memory=2048"], "memory: '2048' has no unit"),
    "disk without a unit": (["--charge", "disk=2048"], "disk: '2048' has no unit"),
    "an unknown unit": (["--charge", "memory=2Gigs"], "unknown unit"),
    "cpus with a unit": (["--charge", "cpus=2GiB"], "cpus is a count"),
    "no amount": (["--charge", "memory"], "'memory' is not ASSET=AMOUNT"),
    "an empty amount": (["--charge", "memory="], "memory: '' is not an amount"),
    "the same asset twice": (
        ["--charge", "cpus=1", "--charge", "cpus=2"],
        "--charge cpus is given twice",
    ),
    "model and other model's flag": (
        ["--model", "fixed", "--level", "cpus=2"],
        "--level contradicts --model fixed",
    ),
    "model and preset": (
        ["--model", "fixed", "--preset", "simple"],
        "--model and --preset contradict each other",
    ),
    "two models' flags": (["--claims", "3", "--charge", "cpus=1"], "contradict each other"),
    "preset and flag": (
        ["--preset", "simple", "--rule", "max"],
        "--rule contradicts --preset simple",
    ),
    "share and asset": (
        ["--claims", "3", "--share", "request", "--asset", "cpus"],
        "--asset contradicts --share",
    ),
    "shares that do not fit": (
        ["--charge", "cpus=0.5", "--cpu-shares", "3"],
        "does not make --charge cpus=0.5 whole",
    ),
    "no shares": (["--cpu-shares", "0"], "--cpu-shares 0: must be positive"),
    "unknown model": (["--model", "best"], "--model best: unknown"),
    "unknown preset": (["--preset", "best"], "--preset best: there is no such preset"),
    "unknown rule": (["--rule", "mean"], "--rule mean: unknown"),
    "unknown splitting": (["--splitting", "nobody"], "--splitting nobody: unknown"),
    "what the scheduler cannot do": (
        ["--level", "actuators=2", "--splitting", "scheduler"],
        "cannot be enforced",
    ),
    "claims of nothing by the scheduler": (
        ["--claims", "2", "--share", "none", "--force", "--splitting", "scheduler"],
        "no meaning with --splitting scheduler",
    ),
    "unknown flag": (["--colour", "red"], "there is no option --colour"),
    "a flag cut short": (["--clai", "3"], "did you mean --claims?"),
    "flag without value": (["--model"], "--model needs a value"),
    "no site file": (["--config", "missing.toml"], "missing.toml cannot be read"),
    "a directory as site file": (["--config", "."], "cannot be read"),
}


def _is_refused(done: Done, said: str) -> None:
    assert (done.status, done.out) == (2, "")
    assert ONE_LINE.match(done.err), done.err
    assert said in done.err


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("command_name", ["plan", "emit"])
def test_a_model_that_cannot_be_is_refused(
    name: str, command_name: str, call: Call, quiet_place: Path
) -> None:
    flags, said = MODELS[name]
    target = ["--write", str(quiet_place)] if command_name == "emit" else []
    before = listing(quiet_place)

    _is_refused(call(command_name, "--node", "node.json", *flags, *target), said)
    assert before == listing(quiet_place)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("railguns=1", "job: unknown asset 'railguns'"),
        ("memroy=1GiB", "memroy: '1GiB' has a unit"),
        ("memory=8", "memory: '8' has no unit"),
        ("cpus", "is not ASSET=AMOUNT"),
        ("cpus=1,cpus=1", "is not ASSET=AMOUNT"),
        ("cpus=1,count=0", "count must be"),
    ],
)
def test_a_job_that_cannot_be_is_refused(job: str, said: str, call: Call) -> None:
    _is_refused(call("plan", "--node", "node.json", "--job", job), said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "node.json cannot be read: No such file or directory"),
        ("{", "node.json is not JSON"),
        ("[1]", "not a JSON object"),
        ("{}", "cpus, memory_mb, disk_kb missing"),
        ('{"cpus": 0, "memory_mb": 1, "disk_kb": 1}', "cpus is 0"),
        ('{"cpus": "8", "memory_mb": 1, "disk_kb": 1}', "cpus is '8'"),
        ('{"cpus": 8, "memory_mb": 1, "disk_kb": 1, "custom": {"ram": 1}}', "reserved name"),
        ('{"cpus": 8, "memory_mb": 1, "disk_kb": 1, "notes": null}', "notes is None"),
        (b"\xff\xfe", "node.json is not JSON"),
    ],
)
@pytest.mark.parametrize("command_name", ["plan", "emit"])
def test_a_node_that_cannot_be_is_refused(
    content: str | bytes | None, said: str, command_name: str, call: Call, quiet_place: Path
) -> None:
    node = quiet_place / "node.json"
    node.unlink()
    if content is not None:
        node.write_bytes(content if isinstance(content, bytes) else content.encode())

    _is_refused(call(command_name, "--node", "node.json"), said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("capacity = ", "htcq.toml: "),
        ("[capcity]\n", "capcity is unknown (did you mean capacity?)"),
        ("[capacity]\nmodel = 'fixed'\nlevel = { cpus = 1 }", "--level contradicts --model fixed"),
        ("[slot_types.1]\npart = '60%'\ncount = 2", "the slot types promise"),
        ("[slot_types.1]\npart = '1/0%'", "not a percentage"),
        ("jobs = ['memory=1']", "memory: '1' has no unit"),
        (b"\xff", "htcq.toml cannot be read"),
    ],
)
def test_a_site_file_that_cannot_be_is_refused(
    content: str | bytes, said: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "htcq.toml").write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )

    _is_refused(call("emit", "--node", "node.json"), said)


def test_site_file_and_flags_do_not_both_choose(call: Call, quiet_place: Path) -> None:
    (quiet_place / "htcq.toml").write_text("[capacity]\nmodel = 'quantized'\n")

    _is_refused(call("plan", "--node", "node.json", "--charge", "cpus=1"), "both choose a model")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"X = {{ nothing_of_the_kind }}\n", "'nothing_of_the_kind' is undefined"),
        (b"X = {{ slots[0].nothing }}\n", "has no attribute 'nothing'"),
        (b"{% if %}\n", "line 1"),
        (b"{% include 'missing.j2' %}", "missing.j2"),
        (b"\xff\xfe", "not UTF-8"),
        (b"X = {{ 1 / 0 }}\n", "division by zero"),
        (b"X = {{ model + 1 }}\n", "cannot be rendered"),
        (b"if true\nSLOT_WEIGHT = Cpus\n", "HTCondor cannot read it"),
        (b"SLOT_WEIGHT = Cpus\nthis is no assignment\n", "HTCondor cannot read it"),
        (b"CONSUMPTION_POLICY = True\nSLOT_WEIGHT = NoSuchThing\n", "SLOT_WEIGHT is no number"),
        (b"SLOT_WEIGHT = max(\n", "not a ClassAd expression"),
    ],
)
def test_a_template_that_would_do_harm_is_refused(
    content: bytes, said: str, call: Call, quiet_place: Path
) -> None:
    """An undefined variable, a mistake, or a text that HTCondor would choke on."""
    template = quiet_place / "site" / "condor" / "execute.config.j2"
    template.parent.mkdir(parents=True)
    template.write_bytes(content)
    (quiet_place / "config.d").mkdir()
    before = listing(quiet_place)

    _is_refused(
        call("emit", "--node", "node.json", "--templates", "site", "--write", "config.d"), said
    )
    assert before == listing(quiet_place)


def test_templates_must_be_a_directory(call: Call) -> None:
    _is_refused(
        call("emit", "--node", "node.json", "--templates", "node.json"), "is not a directory"
    )


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--role", "manager"], "--role manager: unknown"),
        (["--diff"], "--diff without a directory"),
        (["--check"], "--check without a directory"),
        (["--file", "x"], "--file without a directory"),
        (["--write", "missing"], "missing is not a directory"),
        (["--write", "node.json"], "node.json is not a directory"),
        (["--write", ".", "--file", "x~"], "HTCondor would ignore a file called 'x~'"),
        (["--write", ".", "--file", ".hidden"], "HTCondor would ignore a file called '.hidden'"),
        (
            ["--write", ".", "--file", "x.rpmsave"],
            "HTCondor would ignore a file called 'x.rpmsave'",
        ),
        (["--write", ".", "--file", "a/b"], "is not a file name"),
        (["--write", ".", "--file", ".."], "is not a file name"),
        (["--write", ".", "--file", "taken"], "is not a plain file"),
        (["--write", ".", "--file", "link"], "is not a plain file"),
    ],
)
def test_a_place_that_cannot_be_is_refused(
    flags: list[str], said: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "taken").mkdir()
    (quiet_place / "link").symlink_to("node.json")
    before = listing(quiet_place)

    _is_refused(call("emit", "--node", "node.json", *flags), said)
    assert before == listing(quiet_place)


def test_a_directory_that_htcondor_does_not_read_is_refused(
    call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (quiet_place / "config.d").mkdir()
    (quiet_place / "condor_config").write_text(f"LOCAL_CONFIG_DIR = {quiet_place}/config.d\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(quiet_place / "condor_config"))
    before = listing(quiet_place)

    _is_refused(call("emit", "--node", "node.json", "--write", "."), "HTCondor does not read .")
    assert before == listing(quiet_place)
    assert call("emit", "--node", "node.json", "--write", "config.d").status == 0


def test_a_name_that_the_site_excludes_is_refused(
    call: Call, quiet_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (quiet_place / "config.d").mkdir()
    config = (
        f"LOCAL_CONFIG_DIR = {quiet_place}/config.d\n"
        "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = ^.*draft.*$\n"
    )
    (quiet_place / "condor_config").write_text(config)
    monkeypatch.setenv("CONDOR_CONFIG", str(quiet_place / "condor_config"))

    _is_refused(
        call("emit", "--node", "node.json", "--write", "config.d", "--file", "my-draft"),
        "would ignore",
    )


def test_a_directory_that_cannot_be_written_is_refused(command: Call, quiet_place: Path) -> None:
    """For root nothing but a read-only file system is such a place."""
    place = quiet_place / "config.d"
    place.mkdir(mode=0o555)
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        before = ("unshare", "--mount", "sh", "-c", mount, str(place))

    _is_refused(
        command("emit", "--node", "node.json", "--write", str(place), before=before),
        "is not writable",
    )
    assert list(place.iterdir()) == []


def test_a_command_that_does_not_exist_is_refused(call: Call) -> None:
    _is_refused(call("emitt"), "there is no command 'emitt'")


def test_the_status_of_the_process_is_that_of_the_command(command: Call) -> None:
    _is_refused(command("emit", "--node", "node.json", "--claims", "99"), "--claims 99")
    assert command("emit", "--node", "node.json").status == 0
    assert (ROOT / "htcq").is_dir()
