"""A site's own rules: found by their entry points, checked like any other; what is broken or unsafe is left out."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.audit.sites import collected, job, slot, submitter
from tests.cli.conftest import ROOT, Call, Done, as_root, open_to_all
from tests.cli.test_confined import readable_python
from tests.cli.test_elastic_handover import handed_over as handover_place

#: A rule that finds one thing in each pool that has slots, and says as whom it looks.
RULE = """
import os
from htcq.audit.rule import Found, Input, Rule, Severity

def find(evidence):
    yield Found(cause="all", subject="pool", message=f"seen as user {os.geteuid()}")

def rule(id_, find=find, **changes):
    fields = dict(severity=Severity.WARNING, needs=(Input.SLOTS,), summary="It is", consequence="So", advice="Do",
                  source="the site")
    return Rule(id=id_, find=find, **{**fields, **changes})
"""
ONE = f"{RULE}\nRULES = [rule('site-one')]\n"
CORE = "weight-not-a-number"


class Site:
    """A directory on Python's path with plug-ins as pip installs them, and what runs htcq there."""

    def __init__(self, place: Path, call: Call) -> None:
        self.place, self._call = place, call
        place.mkdir(mode=0o755)

    def install(self, name: str, code: str) -> Path:
        """Install the package ``name``, whose module of that name has ``RULES``; return the module's file."""
        information = self.place / f"{name}-2.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n"
        )
        (information / "entry_points.txt").write_text(f"[htcq.rules]\n{name} = {name}:RULES\n")
        module = self.place / f"{name}.py"
        module.write_text(code)
        return module

    def htcq(self, *arguments: str, before: tuple[str, ...] = (), **environment: str) -> Done:
        path = f"{ROOT}{os.pathsep}{self.place}"
        return self._call(*arguments, before=before, PYTHONPATH=path, **environment)


@pytest.fixture
def site(tmp_path: Path, command: Call, quiet_place: Path) -> Site:
    snapshot = quiet_place / "snap"
    snapshot.mkdir()
    (snapshot / "collector.ads").write_text(collected([slot(), submitter()]))
    (snapshot / "jobs.ads").write_text(job())
    return Site(tmp_path / "site", command)


AUDIT = ("audit", "--snapshot", "snap")
ONLY = (*AUDIT, "--only", "site-*")


def findings(done: Done) -> list[str]:
    return [each["rule"] for each in json.loads(done.out)["findings"]]


# Where a rule appears
# -------------------------------------------------------------------------------------------


def test_its_finding_stands_among_the_others_in_every_form(site: Site) -> None:
    site.install("acme", ONE)

    assert "warning  site-one  pool\n" in site.htcq(*ONLY).out
    assert "site-one" in findings(site.htcq(*AUDIT, "--json"))
    for form in (("--csv",), ("--lines",), ("--prometheus", "-")):
        assert "site-one" in site.htcq(*ONLY, *form).out


def test_it_is_chosen_left_out_and_weighed_like_any_other(site: Site, quiet_place: Path) -> None:
    site.install("acme", f"{RULE}\nRULES = [rule('site-one'), rule('site-two')]\n")

    assert findings(site.htcq(*ONLY, "--ignore", "site-two", "--json")) == ["site-one"]
    (quiet_place / "htcq.toml").write_text("[audit.rules.site-one]\nseverity = 'error'\n")
    assert site.htcq(*AUDIT, "--only", "site-one").status == 1
    (quiet_place / "htcq.toml").write_text("[audit.rules.site-onne]\nseverity = 'error'\n")
    done = site.htcq(*ONLY)
    assert (done.status, done.out) == (2, "")
    assert "did you mean site-one?" in done.err


def test_the_site_file_may_name_it_where_only_groups_are_checked(
    site: Site, quiet_place: Path
) -> None:
    site.install("acme", ONE)
    (quiet_place / "htcq.toml").write_text(
        "[audit.rules.site-one]\ndisable = true\n[groups.a]\nquota = 1\n"
    )

    assert site.htcq("quota", "lint").status == 0


def test_it_is_explained(site: Site) -> None:
    site.install("acme", ONE)

    assert site.htcq("explain", "site-one").out.startswith("site-one (site, warning)\n")
    assert "\nsite-one " in site.htcq("explain").out
    assert (
        json.loads(site.htcq("explain", "site-one", "--json").out)["rules"][0]["family"] == "site"
    )
    assert "site-one" not in site.htcq("explain", "--man").out


def anybody_can_read(*places: Path) -> bool:
    parents = [parent for place in places for parent in (place, *place.parents)]
    return all(each.stat().st_mode & 0o005 == 0o005 for each in parents)


def test_it_runs_where_all_rules_run(site: Site, tmp_path: Path) -> None:
    """Root audits as nobody, where nobody can read the program; the plug-in is part of it."""
    open_to_all(tmp_path)
    site.install("acme", ONE)
    confined = os.geteuid() == 0 and anybody_can_read(
        ROOT, Path(sys.prefix), Path(sys.base_prefix), site.place
    )
    expected = 65534 if confined else os.geteuid()

    assert f"seen as user {expected}\n" in site.htcq(*ONLY).out


# What is left out
# -----------------------------------------------------------------------------------------------

BROKEN = [
    ("import no_such_module", "left out: ModuleNotFoundError: No module named 'no_such_module'"),
    ("import sys; sys.exit(0)", "left out: SystemExit: 0"),
    ("x = 1", "left out: AttributeError: "),
    ("RULES = 5", "it is a int, not a sequence of rules"),
    ("RULES = ['a']", "a str is not a rule"),
    (f"{RULE}\nRULES = rule('{CORE}')", f"rule {CORE} is refused: htcq has a rule of that id"),
    (
        f"{RULE}\nRULES = rule('acme-rule')",
        "rule acme-rule is refused: its id must be site- and words in lower case",
    ),
    (
        f"{RULE}\nRULES = rule('site-x', summary=1)",
        "rule site-x is refused: its summary is no text",
    ),
    (
        f"{RULE}\nRULES = rule('site-x', needs=['slots'])",
        "rule site-x is refused: its needs are no tuple of Input",
    ),
    (
        f"{RULE}\nRULES = rule('site-x', severity='bad')",
        "rule site-x is refused: its severity is no Severity",
    ),
    (f"{RULE}\nRULES = rule('site-x', find=1)", "rule site-x is refused: its find is no function"),
]


@pytest.mark.parametrize(("code", "said"), BROKEN)
def test_a_broken_one_is_named_and_the_audit_goes_on_but_gives_no_all_clear(
    code: str, said: str, site: Site
) -> None:
    site.install("broken", code)
    site.install("good", f"{RULE}\nRULES = [rule('site-one', severity=Severity.INFO)]\n")
    done = site.htcq(*AUDIT, "--json")
    plug_in = [line for line in done.err.splitlines() if line.startswith("htcq: plug-in ")]

    assert done.status == 3
    assert len(plug_in) == 1
    assert plug_in[0].startswith(f"htcq: plug-in broken (broken 2.0): {said}")
    assert findings(done) == ["site-one"]
    assert any(
        gap.startswith("plug-in broken (broken 2.0): ") for gap in json.loads(done.out)["gaps"]
    )
    assert "site-one" in site.htcq("explain").out


def test_of_two_rules_with_one_id_the_first_counts(site: Site) -> None:
    site.install("one", ONE)
    site.install("two", f"{RULE}\nRULES = [rule('site-one'), rule('site-two'), rule('site-two')]\n")
    done = site.htcq(*ONLY, "--json")

    assert sorted(findings(done)) == ["site-one", "site-two"]
    assert "rule site-one is refused: the plug-in one has a rule of that id" in done.err
    assert "rule site-two is refused: the plug-in two has a rule of that id" in done.err


def test_the_site_file_may_name_rules_of_one_that_is_left_out(
    site: Site, quiet_place: Path
) -> None:
    site.install("broken", "import no_such_module")
    (quiet_place / "htcq.toml").write_text("[audit.rules.site-gone]\nseverity = 'error'\n")

    assert site.htcq(*AUDIT, "--only", CORE).status == 0


def test_a_rule_that_yields_something_else_has_failed(site: Site) -> None:
    site.install(
        "acme", f"{RULE}\ndef odd(evidence):\n    yield 'x'\n\nRULES = [rule('site-odd', odd)]\n"
    )
    found = json.loads(site.htcq(*AUDIT, "--json").out)

    assert found["failed"] == [
        {"rule": "site-odd", "error": "TypeError: it yielded a str, not Found or Unchecked"},
    ]


@pytest.mark.parametrize(
    ("text", "left_out"), [("[htcq.rules]\nnonsense\n", 1), ("[other]\nnonsense\n", 0)]
)
def test_a_package_whose_entry_points_cannot_be_read_ends_nothing(
    text: str, left_out: int, site: Site
) -> None:
    site.install("acme", ONE)
    (site.place / "acme-2.0.dist-info/entry_points.txt").write_text(text)
    done = site.htcq(*AUDIT, "--only", CORE)

    assert done.status == 0
    assert done.err.count("left out: its entry points cannot be read") == left_out


@pytest.mark.parametrize("which", ["directory", "module"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_can_write_is_not_loaded(
    which: str, mode: int, site: Site, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    module = site.install("acme", f"open({str(trace)!r}, 'w').close()\n{ONE}")
    place = site.place if which == "directory" else module
    place.chmod(place.stat().st_mode | mode)
    done = site.htcq(*AUDIT, "--json")

    assert f"htcq: plug-in acme (acme 2.0): left out: others can write {place} (mode " in done.err
    assert (findings(done), done.status, trace.exists()) == ([], 3, False)


@as_root
def test_what_belongs_to_somebody_else_is_not_loaded(site: Site) -> None:
    module = site.install("acme", ONE)
    os.chown(module, 1234, 1234)

    assert f"left out: {module} belongs to user 1234\n" in site.htcq(*AUDIT, "--json").err


@as_root
def test_with_one_that_not_everybody_can_read_root_evaluates_nothing(
    site: Site, tmp_path: Path, quiet_place: Path
) -> None:
    """Its rules look at the pool as nobody: a plug-in that nobody can read cannot be part of that."""
    open_to_all(tmp_path)
    prefix = readable_python(quiet_place)
    confined = {"HTCQ_UNCONFINED": ""}
    site.install("acme", ONE)
    first = site.htcq(*AUDIT, "--json", before=prefix, **confined)
    assert first.out, first.err
    assert findings(first) == ["site-one"]

    site.place.chmod(0o700)
    done = site.htcq(*AUDIT, "--json", before=prefix, **confined)
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("htcq: root evaluates no ads where that cannot be confined: ")
    assert f"nobody cannot read {site.place} " in f"{done.err} ".replace(";", " ").replace(",", " ")


# What never loads one
# -----------------------------------------------------------------------------------------------

#: Each command that writes quotas or configuration, and some that only look, with their status.
WRITES = {
    "emit": (("emit", "--node", "node.json", "--write", "config.d"), 0),
    "emit of a pool": (("emit", "--role", "access", "--snapshot", "snap", "--write", "config.d", "--weight", "cpus=1"), None),
    "quota emit": (("quota", "emit", "--config", "groups.toml", "--write", "config.d"), 0),
    "plan": (("plan", "--snapshot", "snap", "--jobs", "snap", "--write-weights", "weights.toml"), None),
    "migrate": (("migrate", "--snapshot", "snap", "--write-groups", "new.toml"), None),
    **{
        f"elastic {action}": (("elastic", action, *words, "--pool", "127.0.0.1:9", "--timeout", "5"), None)
        for action, words in {
            "apply": ("--quotas", "elastic.toml", "--from", "run/plan.json"),
            "run": ("--quotas", "elastic.toml", "--yes", "--once"),
            "plan": ("--quotas", "elastic.toml", "--save", "run/new.json"),
            "on": ("--journal", "journal", "--within", "1s"),
            "off": ("--journal", "journal", "--within", "1s"),
            "rollback": ("--journal", "journal", "--within", "1s"),
            "disable": ("--journal", "journal", "--within", "1s"),
            "reclaim": ("apply", "--quotas", "elastic.toml"),
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize(("words", "status"), WRITES.values(), ids=WRITES)
def test_what_writes_never_loads_one(
    words: tuple[str, ...], status: int | None, site: Site, tmp_path: Path, quiet_place: Path
) -> None:
    trace = tmp_path / "trace"
    site.install("acme", f"open({str(trace)!r}, 'w').close()\n{ONE}")
    handover_place(quiet_place)
    (quiet_place / "groups.toml").write_text("[groups.physics]\nquota = 6\nowner = 'x'\n")
    done = site.htcq(*words)

    assert status in (None, done.status), done.err
    assert "see 'htcq" not in done.err, "the command line is not understood"
    assert not trace.exists()


def test_what_audits_leaves_that_trace(site: Site, tmp_path: Path) -> None:
    """Else the test above could not fail."""
    trace = tmp_path / "trace"
    site.install("acme", f"open({str(trace)!r}, 'w').close()\n{ONE}")
    site.htcq("explain", "site-one")

    assert trace.exists()


def test_only_what_looks_asks_for_plug_ins() -> None:
    """In the sources as well: what is not tried above asks for none either."""
    asking = {
        path.relative_to(ROOT / "htcq").as_posix()
        for path in (ROOT / "htcq").rglob("*.py")
        if "entry_points(" in path.read_text() or "import plug_ins" in path.read_text()
    }
    assert asking == {
        "cli/audit.py", "cli/config_check.py", "cli/explain.py", "cli/report.py", "cli/site_rules.py",
    }  # fmt: skip
