"""Nobody is named in an anonymous snapshot, and everybody is still the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from htcq.store.anonymize import anonymize_directory

#: Every name holds two letters that no other word of these files has next to each other.
NAME = st.from_regex(r"[a-z]{1,3}qx[a-z0-9]{1,4}", fullmatch=True)
PERSON = st.one_of(NAME, st.tuples(NAME, st.sampled_from(".-_"), NAME).map("".join))
HOST = st.one_of(NAME, st.tuples(NAME, NAME).map("-".join))


class Site(NamedTuple):
    """The names of one site."""

    users: list[str]
    hosts: list[str]
    domain: str
    address: str
    directory: str


@st.composite
def sites(draw: st.DrawFn) -> Site:
    words = draw(st.lists(NAME, min_size=2, max_size=3, unique=True))
    numbers = draw(st.tuples(*[st.integers(1, 254)] * 3))
    return Site(
        draw(st.lists(PERSON, min_size=2, max_size=4, unique=True)),
        draw(st.lists(HOST, min_size=2, max_size=3, unique=True)),
        ".".join([*words, draw(st.sampled_from(("ch", "org", "test")))]),
        "77.{}.{}.{}".format(*numbers),
        "/" + "/".join(words[:2]),
    )


def collector_ads(site: Site) -> str:
    ads = []
    for host in site.hosts:
        full = f"{host}.{site.domain}"
        ads.append(
            f'Machine = "{full}"\n'
            f'MyAddress = "<{site.address}:9618?alias={full}&CCBID={site.address}:9%3fx%3d{full}#1>"\n'
            f'MyType = "Machine"\nName = "slot1@{full}"\nRemoteOwner = "{site.users[0]}@{site.domain}"\n'
            f'RemoteUser = "prod.top.{site.users[0]}@{site.domain}"\nSlotWeight = Cpus\n'
            f'Start = (TARGET.Owner == "{site.users[-1]}") || stringListMember(TARGET.Machine,"{full},x")\n'
        )
    ads += [
        f'MyType = "Submitter"\nName = "prod.top.{user}@{site.domain}"\nScheddName = "{site.hosts[0]}"\n'
        for user in site.users
    ]
    ads.append('IsAccountingGroup = true\nMyType = "Accounting"\nName = "prod.top"\n')
    return "\n".join(ads)


def job_ads(site: Site) -> str:
    full = f"{site.hosts[0]}.{site.domain}"
    return "\n".join(
        f'AccountingGroup = "prod.top.{user}"\nAcctGroup = "prod.top"\nAcctGroupUser = "{user}"\nClusterId = {number}\n'
        f'GlobalJobId = "{full}#{number}.0#1"\nIwd = "{site.directory}/{user}"\n'
        f'Log = "log of {user}@{full}: {site.address}"\n'
        f'MyType = "Job"\nOwner = "{user}"\n'
        f'Requirements = TARGET.Machine != "{full}" && regexp("^{site.directory}/", X)\n'
        f'ScheddName = "{site.hosts[0]}"\nUser = "{user}@{site.domain}"\n'
        for number, user in enumerate(site.users, 1)
    )


def configuration(site: Site) -> str:
    full = f"{site.hosts[-1]}.{site.domain}"
    return (
        f"# Configuration from machine: {full}\nCOLLECTOR_HOST = {full}:9618\nFLOCK_TO = {site.hosts[0]}\n"
        f"GROUP_NAMES = prod.top\nLOCAL_CONFIG_DIR = {site.directory}/config.d, {site.directory}/more\n"
        f'START @=end\n  TARGET.Owner =!= "{site.users[0]}" &&\n  Machine != "{full}"\n@end\n'
        f"UID_DOMAIN = {site.domain}\nQUEUE_SUPER_USERS = {', '.join(site.users)}\n"
    )


def anonymous(site: Site, check: Callable[[Path, str], None]) -> None:
    with TemporaryDirectory() as there:
        directory = Path(there)
        (directory / "access").mkdir()
        full = f"{site.hosts[0]}.{site.domain}"
        for name, text in (
            ("collector.ads", collector_ads(site)),
            ("jobs.ads", job_ads(site)),
            ("config.txt", configuration(site)),
            (f"access/{full}.txt", configuration(site)),
            (
                "meta.json",
                f'{{"pool": "{full}:9618", "failed": [{{"what": "jobs of {full}", "why": "x {site.address}"}}]}}',
            ),
        ):
            (directory / name).write_text(text)
        anonymize_directory(directory)
        files = sorted(path for path in directory.rglob("*") if path.is_file())
        check(
            directory, "\n".join([*(str(path.relative_to(directory)) for path in files), *map(Path.read_text, files)])
        )


def ads_of(path: Path) -> list[dict[str, str]]:
    blocks = [block for block in path.read_text().split("\n\n") if block.strip()]
    return [dict(line.split(" = ", 1) for line in block.strip().split("\n")) for block in blocks]


@given(sites())
def test_no_name_that_was_given_is_anywhere(site: Site) -> None:
    def check(directory: Path, everything: str) -> None:
        assert "qx" not in everything
        assert site.address not in everything
        assert "prod.top" in everything

    anonymous(site, check)


@given(sites())
def test_relations_survive(site: Site) -> None:
    def check(directory: Path, everything: str) -> None:
        collector, jobs = ads_of(directory / "collector.ads"), ads_of(directory / "jobs.ads")
        slots = [ad for ad in collector if ad["MyType"] == '"Machine"']
        submitters = [ad for ad in collector if ad["MyType"] == '"Submitter"']
        wanted = [f"{job['AccountingGroup'][:-1]}@{job['User'].partition('@')[2]}" for job in jobs]

        assert wanted == [ad["Name"] for ad in submitters]
        assert slots[0]["RemoteUser"] == submitters[0]["Name"]
        assert slots[0]["RemoteOwner"] == jobs[0]["User"]
        assert len({ad["Name"] for ad in slots}) == len(site.hosts)
        assert len({ad["Owner"] for ad in jobs}) == len(site.users)
        assert all(ad["Name"] == f'"slot1@{ad["Machine"][1:]}' for ad in slots)
        assert all(slots[0]["Machine"] in ad["Requirements"] for ad in jobs)
        assert jobs[-1]["Owner"] in slots[0]["Start"]
        assert jobs[0]["Owner"] in (directory / "config.txt").read_text()

    anonymous(site, check)
