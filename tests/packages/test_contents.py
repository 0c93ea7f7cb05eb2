"""What is in the packages, what they need, and what rpmlint and lintian say of them."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from htcq import __version__
from tests.packages.building import ROOT, Packages

SITES = {"el9": "/usr/lib/python3.9/site-packages", "el10": "/usr/lib/python3.12/site-packages"}
#: Where the conventions of both families put what is not code; the zsh directory differs.
COMMON = {
    "/etc/htcq/htcq.toml",
    "/usr/bin/htcq",
    "/usr/share/bash-completion/completions/htcq",
    "/usr/share/fish/vendor_completions.d/htcq.fish",
    *(f"/usr/share/htcq/schemas/{path.name}" for path in ROOT.glob("schemas/*")),
    *(f"/usr/share/man/{path.parent.name}/{path.name}.gz" for path in ROOT.glob("man/man?/*")),
    *(f"/usr/share/htcq/config.d/{path.name}" for path in ROOT.glob("contrib/config.d/*.config")),
    *(
        f"/usr/share/htcq/config.d/{path.name}"
        for path in ROOT.glob("contrib/startd_cron/*.config")
    ),
}
TIMERS = {
    *(f"/usr/lib/systemd/system/{path.name}" for path in ROOT.glob("contrib/systemd/*.service")),
    *(f"/usr/lib/systemd/system/{path.name}" for path in ROOT.glob("contrib/systemd/*.timer")),
    "/usr/lib/sysusers.d/htcq.conf",
    "/usr/lib/tmpfiles.d/htcq.conf",
}  # fmt: skip
pytestmark = pytest.mark.packages


def told(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_rpm(packages: Packages, name: str, release: str) -> Path:
    return packages.found(f"{name}-[0-9]*.{release}.noarch.rpm")


def in_deb(packages: Packages, name: str) -> set[str]:
    listed = told("dpkg-deb", "--contents", packages.found(f"{name}_*.deb"))
    return {line.split()[5].lstrip(".") for line in listed.splitlines() if line[0] != "d"}


@pytest.mark.parametrize("release", SITES)
def test_an_rpm_has_everything_where_enterprise_linux_looks(
    release: str, packages: Packages
) -> None:
    main = set(told("rpm", "-qpl", in_rpm(packages, "htcq", release)).splitlines())
    timers = set(told("rpm", "-qpl", in_rpm(packages, "htcq-timers", release)).splitlines())

    wanted = COMMON | {"/usr/share/zsh/site-functions/_htcq", f"{SITES[release]}/htcq/__main__.py"}
    assert wanted - main == set()
    assert TIMERS | {f"/var/lib/htcq{each}" for each in ("", "-pages", "-elastic")} <= timers
    assert {path for path in main if path.startswith("/etc/")} == {"/etc/htcq", "/etc/htcq/htcq.toml"}  # fmt: skip
    assert [path for path in main & timers if not path.startswith("/usr/share/doc")] == []


def test_a_deb_has_everything_where_debian_looks(packages: Packages) -> None:
    main, timers = in_deb(packages, "htcq"), in_deb(packages, "htcq-timers")

    wanted = COMMON | {
        "/usr/share/zsh/vendor-completions/_htcq",
        "/usr/lib/python3/dist-packages/htcq/__main__.py",
    }
    assert wanted - main == set()
    assert TIMERS - timers == set()
    assert main & timers == set()


@pytest.mark.parametrize(("release", "tomli"), [("el9", {"python3.9dist(tomli)"}), ("el10", set())])
def test_an_rpm_needs_the_bindings_jinja2_and_numpy_alone(
    release: str, tomli: set[str], packages: Packages
) -> None:
    path = in_rpm(packages, "htcq", release)
    needs = {
        line for line in told("rpm", "-qpR", path).splitlines()
        if not line.startswith(("rpmlib(", "config("))
    }  # fmt: skip
    python = SITES[release].split("/")[3].replace("python", "")

    assert needs == tomli | {
        "/bin/sh",
        "/usr/bin/python3",
        f"python(abi) = {python}",
        "python3-condor >= 23.9",
        "python3-jinja2 >= 2.11",
        "python3-numpy",
    }
    weak = told("rpm", "-qp", "--recommends", path).split()
    assert weak == ["python3-psutil", "python3-rich", f"python{python}dist(nvidia-ml-py)"]
    assert told("rpm", "-qp", "--configfiles", path).split() == ["/etc/htcq/htcq.toml"]


def test_a_deb_needs_condor_jinja2_and_numpy_alone(packages: Packages) -> None:
    path = packages.found("htcq_*.deb")
    fields = [told("dpkg-deb", "--field", path, name).strip() for name in ("Depends", "Recommends")]

    assert fields[0] == "condor (>= 23.9), python3-jinja2, python3-numpy, python3:any"
    assert fields[1] == "python3-psutil, python3-rich"
    assert "/etc/htcq/htcq.toml" in told("dpkg-deb", "--info", path, "conffiles").splitlines()


def test_all_have_the_version_of_the_python_package(packages: Packages) -> None:
    versions = {
        told("rpm", "-qp", "--queryformat", "%{VERSION}", path)
        for path in packages.now.glob("*.rpm")
    }
    versions |= {
        told("dpkg-deb", "--field", path, "Version").strip().partition("-")[0]
        for path in packages.now.glob("*.deb")
    }

    assert versions == {__version__}


def test_the_packaged_site_file_sets_nothing_and_keeps_the_example(packages: Packages) -> None:
    shown = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(packages.found("htcq_*.deb"))],
        capture_output=True, check=True,
    )  # fmt: skip
    text = subprocess.run(
        ["tar", "-xO", "./etc/htcq/htcq.toml"], input=shown.stdout, capture_output=True, check=True
    ).stdout.decode()
    example = (ROOT / "contrib/config.d/htcq.toml").read_text()

    assert [line for line in text.splitlines() if not line.startswith("#") and line] == []
    assert re.sub(r"^#(?![ :])", "", text, flags=re.MULTILINE).replace("#  ", "  ") == example


@pytest.mark.parametrize("release", SITES)
def test_rpmlint_finds_nothing(release: str, packages: Packages) -> None:
    paths = sorted(packages.now.glob(f"*.{release}.*rpm"))
    told_of = told("rpmlint", "-c", ROOT / "contrib/packages/rpmlint.toml", *paths)

    assert len(paths) == 3
    assert re.search(r"3 packages and 0 specfiles checked; 0 errors, 0 warnings", told_of), told_of


def test_lintian_finds_nothing(packages: Packages) -> None:
    changes = packages.found("*.changes")
    command = ["lintian", "--allow-root", "--fail-on", "error,warning", str(changes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


def test_the_container_file_copies_an_rpm_that_is_built(packages: Packages) -> None:
    text = (ROOT / "contrib/packages/Containerfile").read_text()
    (pattern,) = re.findall(r"^COPY (\S+) ", text, re.MULTILINE)

    names = [path.name for path in packages.now.iterdir() if fnmatchcase(path.name, pattern)]
    assert names == [f"htcq-{__version__}-1.el9.noarch.rpm"]
