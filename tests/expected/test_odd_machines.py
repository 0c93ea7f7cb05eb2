"""One machine with another ARCH or FILESYSTEM_DOMAIN, as on 25.14.1: nobody wants it, and jobs wait."""

from __future__ import annotations

import pytest

from htcq.expected.unmet import ODD
from htcq.pool.pool import Pool
from tests.audit.sites import Text, found
from tests.expected.pools import claim, cycles, free, observed, only, site, waiting

_BUILT = '"$CondorPlatform: X86_64-Debian_ $"'
_USUAL: dict[str, Text | None] = {
    "Arch": '"X86_64"', "FileSystemDomain": '"test"', "CondorPlatform": _BUILT, "OpSysAndVer": '"Debian12"',
}  # fmt: skip
_FIT = "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory"
_ARCH = f'(TARGET.Arch == "X86_64") && {_FIT}'
_SHARED = f"{_FIT} && (TARGET.FileSystemDomain == MY.FileSystemDomain || TARGET.HasFileTransfer)"


def _pool(odd: dict[str, Text | None], *ads: str, jobs: list[str], full: int = 4) -> Pool:
    others = [free(f"slot1@full{each}", **{**_USUAL, "Cpus": 0}) for each in range(full)]
    return site(*others, free("slot1@m7", **{**_USUAL, **odd}), *ads, cycles(), jobs=jobs)


def _jobs(requirements: str) -> list[str]:
    own: dict[str, Text | None] = {"Requirements": requirements, "FileSystemDomain": '"test"'}
    return [waiting(f"5.{number}", **own) for number in range(6)]


def test_an_arch_that_is_none() -> None:
    finding = only(ODD, _pool({"Arch": '"amd64"'}, jobs=_jobs(_ARCH)))
    assert finding.message == (
        'Arch of m7 is "amd64", of 4 other machines "X86_64": 8 cores stand idle that 6 waiting '
        "jobs, such as 5.0, would use but for that"
    )
    assert finding.severity.word == "warning"
    assert finding.advice.startswith("ARCH of m7")
    assert observed(finding)["CondorPlatform"] == "$CondorPlatform: X86_64-Debian_ $"


def test_a_file_system_domain_of_its_own() -> None:
    own: dict[str, Text | None] = {"FileSystemDomain": '"m7"'}
    finding = only(ODD, _pool(own, jobs=_jobs(_SHARED)))
    assert 'FileSystemDomain of m7 is "m7", of 4 other machines "test"' in finding.message
    assert finding.severity.word == "warning"
    part = claim("slot1_1@m7", **{**_USUAL, **own})
    assert only(ODD, _pool({**own, "Cpus": 7}, part, jobs=_jobs(_SHARED))).severity.word == "info"


def test_an_attribute_of_the_site_is_information() -> None:
    lacks: dict[str, Text | None] = {"HasLustre": "false"}
    has: dict[str, Text | None] = {**_USUAL, "HasLustre": "true", "Cpus": 0}
    others = [free(f"slot1@lustre{each}", **has) for each in range(5)]
    given = _pool(lacks, *others, jobs=_jobs(f"TARGET.HasLustre && {_FIT}"), full=0)
    assert only(ODD, given).severity.word == "info"


@pytest.mark.parametrize(
    ("odd", "requirements"),
    [
        ({"Arch": '"aarch64"', "CondorPlatform": '"$CondorPlatform: aarch64_AlmaLinux9 $"'}, _ARCH),
        ({"OpSysAndVer": '"AlmaLinux9"'}, f'OpSysAndVer == "Debian12" && {_FIT}'),
        ({"Arch": '"amd64"', "Cpus": 0}, _ARCH),
        ({"Arch": '"amd64"', "State": '"Drained"'}, _ARCH),
        ({"Arch": '"amd64"', "Memory": 100}, _ARCH),
        ({"Arch": '"amd64"', "Start": "TARGET.RequestCpus > 4"}, _ARCH),
        ({"Arch": '"amd64"'}, f'{_ARCH} && Machine == "full1"'),
        ({"Arch": '"amd64"'}, _FIT),
        ({"FileSystemDomain": '"m7"', "HasFileTransfer": "true"}, _SHARED),
    ],
)
def test_what_differs_indeed_or_is_in_use_or_is_not_wanted_is_no_finding(
    odd: dict[str, Text | None], requirements: str
) -> None:
    assert not found(ODD, _pool(odd, jobs=_jobs(requirements)))


def test_several_values_are_no_mistake() -> None:
    arm = free("slot1@m8", **{**_USUAL, "Arch": '"aarch64"'})
    assert not found(ODD, _pool({"Arch": '"amd64"'}, arm, jobs=_jobs(_ARCH)))
    assert not found(ODD, _pool({"Arch": '"amd64"'}, jobs=_jobs(_ARCH), full=2))
    assert not found(ODD, _pool({"Arch": '"amd64"'}, jobs=[]))
