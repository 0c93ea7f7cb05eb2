"""htcq audit: what is looked at, what is printed and written, and the exit status."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from htcq.audit.catalog import rules_of_pools
from htcq.audit.rule import Input
from htcq.cli.audit import FORMS
from tests.audit.sites import collected, job, policy_slot, slot
from tests.cli.conftest import ROOT, Call, Done, listing, names

RULE = "weight-not-a-number"
BROKEN = policy_slot("slot1@node1", SlotWeight="floor(NoSuchThing/2)")
#: Every form by the options that ask for it.
EVERY_FORM = {
    "table": (),
    **{form: (f"--{form}",) for form in FORMS},
    "prometheus": ("--prometheus", "-"),
}
ONLY = ("--snapshot", "snap", "--only", RULE)


def snapshot(place: Path, *ads: str, **texts: str) -> None:
    """Write a snapshot of ``ads`` and more texts by file name without its ending."""
    place.mkdir()
    (place / "collector.ads").write_text(collected(ads))
    endings = {"jobs": "jobs.ads", "config": "config.txt", "meta": "meta.json"}
    for name, text in texts.items():
        (place / endings[name]).write_text(text)


@pytest.fixture
def snap(quiet_place: Path) -> Path:
    """A pool with one slot whose weight is no number, and one that is healthy."""
    snapshot(quiet_place / "snap", BROKEN, policy_slot("slot1@node2"))
    return quiet_place / "snap"


@pytest.fixture
def partly(quiet_place: Path) -> Path:
    """The same pool, of which one schedd did not answer."""
    failed = {"what": "jobs of access2", "why": "no answer within 60 s"}
    meta = json.dumps({"schema": 1, "taken": "2026-11-02T08:15:00+00:00", "failed": [failed]})
    snapshot(quiet_place / "snap", BROKEN, meta=meta)
    return quiet_place / "snap"


def _refused(done: Done, said: str) -> None:
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("htcq: ")
    assert done.err.count("\n") == 1
    assert done.err.endswith(")\n")
    assert said in done.err


# What is printed
# ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("snap")
def test_findings_are_printed_with_evidence_and_fix(call: Call) -> None:
    done = call("audit", *ONLY)

    assert (done.status, done.err) == (1, "")
    assert f"error  {RULE}  slot slot1@node1\n" in done.out
    assert "      SlotWeight = floor(NoSuchThing/2)\n" in done.out
    assert done.out.endswith("1 finding: 1 error; 1 rule checked\n")


@pytest.mark.usefixtures("snap")
def test_text_is_the_table_without_a_terminal(call: Call) -> None:
    assert call("audit", *ONLY).out == call("audit", *ONLY, "--text").out


@pytest.mark.usefixtures("snap")
@pytest.mark.parametrize("flags", [("--json",), ("-json",)])
def test_json_is_printed(flags: tuple[str, ...], call: Call) -> None:
    found = json.loads(call("audit", *ONLY, *flags).out)

    assert [finding["fingerprint"] for finding in found["findings"]] == [
        f"{RULE}: floor(NoSuchThing/2)"
    ]
    assert (found["source"], found["checked"], found["incomplete"]) == ("snap", 1, [])


@pytest.mark.usefixtures("snap")
@pytest.mark.parametrize("flags", [("--csv",)])
def test_csv_is_printed(flags: tuple[str, ...], call: Call) -> None:
    (row,) = csv.DictReader(io.StringIO(call("audit", *ONLY, *flags).out))

    assert (row["rule"], row["severity"], row["evidence"]) == (
        RULE,
        "error",
        "SlotWeight = floor(NoSuchThing/2)",
    )


def test_a_line_names_file_and_line_of_a_knob(call: Call, quiet_place: Path) -> None:
    dump = "GROUP_NAMES = a.b\n # at: /etc/condor/config.d/20-groups.config, line 7\n"
    snapshot(quiet_place / "snap", slot(), config=dump)
    done = call("audit", "--snapshot", "snap", "--only", "group-*", "--lines")

    assert done.out.startswith("/etc/condor/config.d/20-groups.config:7: ")
    assert done.out.count("\n") == done.out.count("/etc/condor/config.d/20-groups.config:7: ")


@pytest.mark.usefixtures("partly")
@pytest.mark.parametrize("form", EVERY_FORM)
def test_every_form_says_what_could_not_be_read(form: str, call: Call) -> None:
    done = call("audit", *ONLY, *EVERY_FORM[form])
    metric = 'htcq_pool_unread_parts{pool="snap"} 1\n'
    said = metric if form == "prometheus" else "jobs of access2: no answer within 60 s"

    assert said in (done.err if form == "csv" else done.out)


@pytest.mark.usefixtures("snap")
def test_a_rule_without_evidence_is_named(call: Call) -> None:
    wanting = next(rule for rule in rules_of_pools() if not set(rule.needs) <= {Input.SLOTS})
    missing = [need.value for need in wanting.needs if need is not Input.SLOTS]
    done = call("audit", "--snapshot", "snap", "--only", f"{RULE},{wanting.id}")

    assert "1 rule checked, 1 check skipped: no data\n" in done.out
    assert f"not checked without {'; '.join(missing)}: {wanting.id}\n" in done.out


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_healthy_pool_passes_in_every_form(form: str, call: Call, quiet_place: Path) -> None:
    snapshot(quiet_place / "snap", policy_slot())
    done = call("audit", *ONLY, *EVERY_FORM[form])

    assert (done.status, done.err) == (0, "")
    assert RULE not in done.out or form == "prometheus"


def test_an_output_that_lacks_a_character_gets_it_spelled_out(
    command: Call, quiet_place: Path
) -> None:
    snapshot(quiet_place / "snap", policy_slot("slot1@zürich", SlotWeight="floor(NoSuchThing/2)"))
    done = command("audit", *ONLY, PYTHONIOENCODING="ascii")

    assert (done.status, done.err) == (1, "")
    assert f"error  {RULE}  slot slot1@z\\xfcrich\n" in done.out


# The exit status
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("severity", "flags", "status"),
    [
        ("error", [], 1),
        ("warning", [], 0),
        ("warning", ["--fail-on", "warning"], 1),
        ("info", ["--fail-on", "warning"], 0),
        ("info", ["--fail-on", "info"], 1),
        ("error", ["--fail-on", "never"], 0),
    ],
)
@pytest.mark.usefixtures("snap")
def test_the_status_is_that_of_the_worst(
    severity: str, flags: list[str], status: int, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "htcq.toml").write_text(f"[audit.rules.{RULE}]\nseverity = '{severity}'\n")

    assert call("audit", *ONLY, *flags).status == status


@pytest.mark.parametrize(("severity", "status"), [("error", 2), ("warning", 1), ("info", 0)])
@pytest.mark.usefixtures("snap")
def test_as_a_plugin_the_status_is_a_plugins(
    severity: str, status: int, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "htcq.toml").write_text(f"[audit.rules.{RULE}]\nseverity = '{severity}'\n")
    done = call("audit", *ONLY, "--nagios")

    assert done.status == status
    assert done.out.startswith(
        f"HTCQ {('OK', 'WARNING', 'CRITICAL')[status]}: 1 finding: 1 {severity}; "
    )


@pytest.mark.parametrize(
    "flags",
    [
        ["--snapshot", "missing"],
        ["--snapshot", "snap", "--only", "zzz"],
        ["--snapshot", "snap", "--json"],
        ["--snapshot", "snap", "--baseline", "missing"],
        ["--snapshot", "snap", "--html", "missing/x"],
    ],
)
@pytest.mark.usefixtures("snap")
def test_as_a_plugin_every_mistake_is_unknown(flags: list[str], call: Call) -> None:
    done = call("audit", *flags, "--nagios")

    assert (done.status, done.err) == (3, "")
    assert done.out.startswith("HTCQ UNKNOWN: ")
    assert done.out.count("\n") == 1


def test_where_no_rule_could_be_checked_nothing_is_known(call: Call, quiet_place: Path) -> None:
    (quiet_place / "snap").mkdir()
    (quiet_place / "snap" / "jobs.ads").write_text(job())
    done = call("audit", *ONLY)

    assert done.status == 3
    assert "no rule could be checked" in done.err
    assert call("audit", *ONLY, "--nagios").out.startswith("HTCQ UNKNOWN: ")


def test_a_pool_that_cannot_be_reached_is_status_3(call: Call) -> None:
    done = call("audit", "--pool", "127.0.0.1:1", "--timeout", "5")

    assert (done.status, done.out) == (3, "")
    assert call("audit", "--pool", "127.0.0.1:1", "--timeout", "5", "--nagios").status == 3


# The site file and the baseline
# ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("snap")
def test_the_site_disables_and_narrows_rules(call: Call, quiet_place: Path) -> None:
    site = quiet_place / "htcq.toml"
    for text, findings in (
        (f"[audit.rules.{RULE}]\ndisable = true\n", 0),
        (f"[audit.rules.{RULE}]\nonly = ['slot *@gpu*']\n", 0),
        (f"[audit.rules.{RULE}]\nignore = ['slot *@node1']\n", 0),
        (f"[audit.rules.{RULE}]\nonly = ['slot *@node*']\n", 1),
    ):
        site.write_text(text)
        found = json.loads(call("audit", "--snapshot", "snap", "--json").out)["findings"]
        assert [each["rule"] for each in found].count(RULE) == findings, text


@pytest.mark.usefixtures("snap")
def test_the_site_says_when_to_fail_and_the_flag_comes_first(call: Call, quiet_place: Path) -> None:
    (quiet_place / "site.toml").write_text("[audit]\nfail_on = 'never'\n")

    assert call("audit", *ONLY, "--config", "site.toml").status == 0
    assert call("audit", *ONLY, "--config", "site.toml", "--fail-on", "info").status == 1


@pytest.mark.usefixtures("snap")
def test_only_what_is_new_is_reported(call: Call, quiet_place: Path) -> None:
    (quiet_place / "base.json").write_text(call("audit", *ONLY, "--json").out)
    known = call("audit", *ONLY, "--baseline", "base.json")
    with (quiet_place / "snap" / "collector.ads").open("a") as ads:
        ads.write("\n" + policy_slot("slot1@node3", SlotWeight="floor(NothingEither/3)"))
    new = call("audit", *ONLY, "--baseline", "base.json")

    assert known.status == 0
    assert known.out.endswith("no findings (1 known before); 1 rule checked\n")
    assert new.status == 1
    assert "slot slot1@node3" in new.out
    assert "slot slot1@node1" not in new.out


@pytest.mark.usefixtures("snap")
def test_a_baseline_is_written_and_says_what_is_gone(call: Call, quiet_place: Path) -> None:
    first = call("audit", *ONLY, "--write-baseline", "base.json")
    written = (quiet_place / "base.json").read_text()
    again = call("audit", *ONLY, "--baseline", "base.json", "--write-baseline", "base.json")

    assert (first.status, again.status) == (1, 0)
    assert json.loads(written)["findings"] == [{"fingerprint": f"{RULE}: floor(NoSuchThing/2)"}]
    assert (quiet_place / "base.json").read_text() == written

    (quiet_place / "snap" / "collector.ads").write_text(collected([policy_slot()]))
    mended = call("audit", *ONLY, "--baseline", "base.json", "--write-baseline", "new.json")
    assert mended.status == 0
    assert f"no longer found: {RULE}: floor(NoSuchThing/2)\n" in mended.out
    assert json.loads((quiet_place / "new.json").read_text())["findings"] == []

    other = call("audit", "--snapshot", "snap", "--only", "consumption-*", "--json",
                 "--baseline", "base.json", "--write-baseline", "kept.json")  # fmt: skip
    assert json.loads(other.out)["gone"] == []
    assert (quiet_place / "kept.json").read_text() == written


@pytest.mark.usefixtures("snap")
def test_sarif_is_written_and_annotations_are_printed(call: Call, quiet_place: Path) -> None:
    done = call("audit", *ONLY, "--github", "--sarif", "htcq.sarif")
    (run,) = json.loads((quiet_place / "htcq.sarif").read_text())["runs"]

    assert done.status == 1
    assert done.out.startswith(f"::error title={RULE}::slot slot1@node1: ")
    assert [each["ruleId"] for each in run["results"]] == [RULE]
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == [RULE]


# Files
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("snap")
def test_files_are_written_besides_what_is_printed(call: Call, quiet_place: Path) -> None:
    done = call("audit", *ONLY, "--html", "page.html", "--prometheus", "htcq.prom")

    assert f"error  {RULE}" in done.out
    assert (
        f'htcq_findings{{pool="snap",rule="{RULE}",severity="error"}} 1\n'
        in (quiet_place / "htcq.prom").read_text()
    )
    assert "<h1>Audit of snap</h1>" in (quiet_place / "page.html").read_text()
    assert names(quiet_place) == ["htcq.prom", "node.json", "page.html", "snap"]


@pytest.mark.usefixtures("snap")
def test_files_are_replaced_as_a_whole(call: Call, quiet_place: Path) -> None:
    (quiet_place / "page.html").write_text("x" * 100_000)
    with (quiet_place / "page.html").open() as reader:
        call("audit", *ONLY, "--html", "page.html")
        assert reader.read() == "x" * 100_000
    assert (quiet_place / "page.html").read_text().endswith("</html>\n")


def test_a_slot_called_script_stays_text(call: Call, quiet_place: Path) -> None:
    snapshot(
        quiet_place / "snap",
        policy_slot("slot1@<script>alert(1)</script>", SlotWeight="floor(NoSuchThing/2)"),
    )
    call("audit", *ONLY, "--html", "page.html")
    page = (quiet_place / "page.html").read_text()

    assert "<script>alert" not in page
    assert "slot1@&lt;script&gt;alert(1)&lt;/script&gt;" in page


# What is refused
# ------------------------------------------------------------------------------------------------

_AUDIT = '{"schema": 1, "findings": []}'


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (
            ["--only", "wieght-not-a-number"],
            f"there is no rule 'wieght-not-a-number' (did you mean {RULE}?)",
        ),
        (["--ignore", f"{RULE},zzz"], "there is no rule 'zzz' ('htcq explain' lists all rules)"),
        (["--only", "zzz-*"], "no rule matches 'zzz-*'"),
        (["--only", f"{RULE},"], "there is no rule ''"),
        (["--only", RULE, "--ignore", "*"], "no rule is left to check"),
        (["--fail-on", "fatal"], "--fail-on is 'fatal' (it must be error, warning, info or never)"),
        (
            ["--format", "json"],
            "--format is no option (each form has its own: --text, --json, --csv,",
        ),
        (["--format=xml"], "--format is no option (each form has its own: --text, --json, --csv,"),
        (["--json", "--csv"], "--json and --csv contradict each other (give one of them)"),
        (["--text", "--json"], "--text and --json contradict each other"),
        (["--json", "--prometheus", "-"], "--json and --prometheus - contradict each other"),
        (["--baseline", "missing.json"], "missing.json cannot be read: No such file or directory"),
        (["--baseline", "snap"], "snap cannot be read: Is a directory"),
        (["--baseline", "binary"], "binary cannot be read"),
        (
            ["--baseline", "node.json"],
            "node.json is no audit: it has no findings ('htcq audit --json' makes one)",
        ),
        (["--baseline", "htcq.txt"], "htcq.txt is not JSON"),
        (["--html", "missing/page.html"], "missing is not a directory"),
        (["--html", "snap"], "snap is not a plain file"),
        (["--html", "link"], "link is not a plain file"),
        (["--prometheus", "/dev/null"], "/dev/null is not a plain file"),
        (["--html", "a", "--prometheus", "./a"], "--html and --prometheus both write a"),
        (["--config", "missing.toml"], "missing.toml cannot be read"),
        (["--config", "htcq.txt"], "htcq.txt: "),
        (["--config", "unknown.toml"], "audit.rules.zzz: there is no rule 'zzz'"),
        (["--config", "key.toml"], "audit.failon is unknown (did you mean fail_on?)"),
        (["--config", "word.toml"], "htcq.toml: audit.fail_on is 'fatal'"),
        (["--pool", "somewhere"], "--snapshot and --pool contradict each other"),
    ],
)
@pytest.mark.usefixtures("snap")
def test_what_cannot_be_asked_is_refused(
    flags: list[str], said: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "htcq.txt").write_text("no such thing")
    (quiet_place / "binary").write_bytes(b"\xff\xfe")
    (quiet_place / "unknown.toml").write_text("[audit.rules.zzz]\n")
    (quiet_place / "key.toml").write_text("[audit]\nfailon = 'error'\n")
    (quiet_place / "word.toml").write_text("[audit]\nfail_on = 'fatal'\n")
    (quiet_place / "link").symlink_to("page.html")
    before = listing(quiet_place)

    _refused(call("audit", "--snapshot", "snap", *flags), said)
    assert listing(quiet_place) == before


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "holds neither collector.ads nor jobs.ads nor config.txt"),
        ({"notes.txt": b"x"}, "holds neither collector.ads nor jobs.ads nor config.txt"),
        ({"collector.ads": b"\x00\xff rubbish\n" * 50}, "collector.ads"),
    ],
)
def test_a_snapshot_that_holds_nothing_is_refused(
    files: dict[str, bytes], said: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "snap").mkdir()
    for name, content in files.items():
        (quiet_place / "snap" / name).write_bytes(content)
    before = listing(quiet_place)

    _refused(call("audit", "--snapshot", "snap", "--html", "page.html"), said)
    assert listing(quiet_place) == before


@pytest.mark.usefixtures("snap")
def test_a_directory_that_cannot_be_written_is_refused(command: Call, quiet_place: Path) -> None:
    """For root nothing but a read-only file system is such a place."""
    place = quiet_place / "pages"
    place.mkdir(mode=0o555)
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        before = ("unshare", "--mount", "sh", "-c", mount, str(place))

    _refused(
        command("audit", *ONLY, "--html", "pages/x.html", before=before), "pages is not writable"
    )
    assert names(place) == []


# What is loaded
# -------------------------------------------------------------------------------------------------


def _loaded(place: Path, *arguments: str) -> set[str]:
    program = (
        f"import sys; from htcq.cli.main import run; run({list(arguments)!r})\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return set(done.stderr.splitlines())


@pytest.mark.usefixtures("snap")
def test_libraries_for_looks_are_loaded_when_they_are_needed(quiet_place: Path) -> None:
    assert _loaded(quiet_place, "audit", *ONLY) & {"rich", "jinja2"} == set()
    assert _loaded(quiet_place, "explain") & {"rich", "jinja2", "classad2", "htcondor2"} == set()
    assert "jinja2" in _loaded(quiet_place, "audit", *ONLY, "--html", "page.html")


def test_other_commands_do_not_load_the_audit(quiet_place: Path) -> None:
    assert not any(
        name.startswith("htcq.audit")
        for name in _loaded(quiet_place, "plan", "--node", "node.json")
    )


# Profiles
# ------------------------------------------------------------------------------------------------

_LENIENT = {
    "disabled": f"[audit.rules.{RULE}]\ndisable = true\n",
    "lowered": f"[audit.rules.{RULE}]\nseverity = 'info'\n",
    "ignored": f"[audit.rules.{RULE}]\nignore = ['slot *']\n",
}


@pytest.mark.usefixtures("snap")
@pytest.mark.parametrize("how", _LENIENT)
def test_the_strict_profile_takes_no_leniency_from_the_site_file(
    how: str, call: Call, quiet_place: Path
) -> None:
    (quiet_place / "own.toml").write_text(_LENIENT[how])
    words = ("audit", "--snapshot", "snap", "--config", "own.toml", "--lines")
    words += ("--ignore", "partial-consumption-policy")

    assert "error: slot slot1@node1" not in call(*words, "--profile", "site").out
    assert f"[{RULE}]" in call(*words, "--profile", "strict").out


@pytest.mark.usefixtures("snap")
def test_profiles_differ_in_what_fails(call: Call, quiet_place: Path) -> None:
    """The finding is an error, made a warning by the first file; the second raises a warning."""
    (quiet_place / "lowered.toml").write_text(
        f"[audit]\nfail_on = 'warning'\n[audit.rules.{RULE}]\nseverity = 'warning'\n"
    )
    words = ("audit", *ONLY, "--config", "lowered.toml")

    assert call(*words).status == 1
    assert call(*words, "--profile", "minimal").status == 0
    assert call(*words, "--profile", "minimal", "--fail-on", "warning").status == 1
    strict = call(*words, "--profile", "strict")
    assert (strict.status, f"error  {RULE}" in strict.out) == (1, True)


def test_an_unknown_profile_is_refused_with_the_nearest(call: Call) -> None:
    _refused(call("audit", *ONLY, "--profile", "strickt"), "(did you mean strict?)")
