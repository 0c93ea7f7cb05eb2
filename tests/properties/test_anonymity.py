"""Nobody is named in an anonymous snapshot, and everybody is still the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from htcq.store.anonymize import anonymize_directory
from tests.store.same_cycle import KEY, anonymous_copy, same_cycle

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
            "MyAddress = "
            f'"<{site.address}:9618?alias={full}&CCBID={site.address}:9%3fx%3d{full}#1>"\n'
            f'MyType = "Machine"\nName = "slot1@{full}"\n'
            f'RemoteOwner = "{site.users[0]}@{site.domain}"\n'
            f'RemoteUser = "prod.top.{site.users[0]}@{site.domain}"\nSlotWeight = Cpus\n'
            f'Start = (TARGET.Owner == "{site.users[-1]}") || '
            f'stringListMember(TARGET.Machine,"{full},x")\n'
        )
    ads += [
        (
            f'MyType = "Submitter"\nName = "prod.top.{user}@{site.domain}"\n'
            f'ScheddName = "{site.hosts[0]}"\n'
        )
        for user in site.users
    ]
    ads.append('IsAccountingGroup = true\nMyType = "Accounting"\nName = "prod.top"\n')
    return "\n".join(ads)


def job_ads(site: Site) -> str:
    full = f"{site.hosts[0]}.{site.domain}"
    return "\n".join(
        f'AccountingGroup = "prod.top.{user}"\nAcctGroup = "prod.top"\nAcctGroupUser = "{user}"\n'
        f"ClusterId = {number}\n"
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
        f"# Configuration from machine: {full}\nCOLLECTOR_HOST = {full}:9618\n"
        f"FLOCK_TO = {site.hosts[0]}\n"
        f"GROUP_NAMES = prod.top\nLOCAL_CONFIG_DIR = {site.directory}/config.d, "
        f"{site.directory}/more\n"
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
                (
                    f'{{"pool": "{full}:9618", "failed": [{{"what": "jobs of {full}", "why": "x '
                    f'{site.address}"}}]}}'
                ),
            ),
        ):
            (directory / name).write_text(text)
        anonymize_directory(directory, KEY)
        files = sorted(path for path in directory.rglob("*") if path.is_file())
        check(
            directory,
            "\n".join(
                [*(str(path.relative_to(directory)) for path in files), *map(Path.read_text, files)]
            ),
        )


def ads_of(path: Path) -> list[dict[str, str]]:
    blocks = [block for block in path.read_text().split("\n\n") if block.strip()]
    return [dict(line.split(" = ", 1) for line in block.strip().split("\n")) for block in blocks]


@given(sites())
def test_no_name_that_was_given_is_anywhere(site: Site) -> None:
    def check(directory: Path, everything: str) -> None:
        assert "qx" not in everything
        assert site.address not in everything
        assert "prod" not in everything

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


#: Names that could be taken for something else: words of HTCondor's, numbers, parts of each other,
#: other alphabets.
ODD = (
    "memory", "Owner", "linux", "user", "group", "condor_x", "true", "undefined", "test", "e", "ab", "g1", "12", "4711",
    "élodie", "Ωmega", "用户", "o'brien", "a b", "dot.ted", "two..dots", "x_y", "MCORP\\\\svc", 'quo\\"te', "-", "@",
    "x@y", "prod", "prod.top", "node0", "site", "nod", "Prod", "user-12345678", "machine.memory", "10.1.2.3",
    "^.*$", "$(UID_DOMAIN)", "_", "%s", "{}", "requestcpus", "cluster", "none", "root", "nice-user", "a" * 300,
)  # fmt: skip
ANY_TEXT = st.text(
    st.characters(exclude_characters='"\\', exclude_categories=["C", "Z"]), min_size=1
)
WORD = st.one_of(st.sampled_from(ODD), NAME, ANY_TEXT)
GROUP = st.one_of(st.sampled_from(("prod", "Physics", "a", "memory", "x-y", "quota")), NAME)


def slot_ad(number: int, users: list[str], host: str) -> str:
    return (
        f'MyType = "Machine"\nName = "slot{number}@{host}"\nMachine = "{host}"\nCpus = 4\n'
        "Memory = 4096\nDisk = 9000\n"
        f'State = "Unclaimed"\nActivity = "Idle"\nSlotID = {number}\nPartitionableSlot = true\n'
        "SlotWeight = Cpus\n"
        f'SlotType = "Partitionable"\nCondorVersion = "$CondorVersion: 25.14.1 2026-10-16 $"\n'
        f'Rank = TARGET.Owner == "{users[0]}"\nSiteFlavour = "{users[0]}"\n'
        f'Requirements = TARGET.Owner != "{users[-1]}" || TARGET.Machine is undefined\n'
    )


def odd_pool(directory: Path, users: list[str], groups: list[str], host: str) -> None:
    """Write a snapshot of a machine with two slots, and of a job of each user in each group.

    It says when it was taken: without that the order of its ads is guessed from their names."""
    taken = '{"taken": "2026-11-21T10:00:00+00:00"}'
    (directory / "meta.json").write_text(taken, encoding="utf-8")
    ads = [slot_ad(number, users, host) for number in (1, 2)]
    jobs = []
    for number, (user, group) in enumerate(
        ((user, group) for user in users for group in ("", *groups)), 1
    ):
        name = f"{group}.{user}" if group else user
        ads.append(
            f'MyType = "Submitter"\nName = "{name}@{host}"\nScheddName = "{host}"\nIdleJobs = 1\n'
            "RunningJobs = 0\n"
            f"LastHeardFrom = {1795251257 + number}\n"
        )
        jobs.append(
            f'MyType = "Job"\nClusterId = {7 * number}\nProcId = 0\nOwner = "{user}"\n'
            f'User = "{user}@{host}"\n'
            f'AccountingGroup = "{name}"\nJobStatus = 1\nRequestCpus = 1\nRequestMemory = 100\n'
            "RequestDisk = 10\n"
            f'Requirements = TARGET.SiteFlavour == "{users[0]}"\nQDate = 1795251257\n'
            f'ScheddName = "{host}"\n'
        )
    (directory / "collector.ads").write_text("\n".join(ads) + "\n", encoding="utf-8")
    (directory / "jobs.ads").write_text("\n".join(jobs) + "\n", encoding="utf-8")
    quotas = "".join(f"GROUP_QUOTA_{group} = {number}\n" for number, group in enumerate(groups, 2))
    text = (
        f"GROUP_NAMES = {', '.join(groups)}\n{quotas}NEGOTIATOR_CONSIDER_PREEMPTION = False\n"
        f"UID_DOMAIN = {host}\n"
    )
    (directory / "config.txt").write_text(text, encoding="utf-8")


def read_by(buffer: StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


@settings(max_examples=25, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(
    st.lists(WORD, min_size=1, max_size=4, unique=True),
    st.lists(GROUP, max_size=3, unique=True),
    st.sampled_from(("node0.site.example", "prod", "memory", "élodie.org", "a-b.c-d")),
)
def test_names_of_any_kind_are_replaced_and_the_cycle_stays_the_same(
    users: list[str], groups: list[str], host: str
) -> None:
    buffer = StringIO()
    with TemporaryDirectory() as there, redirect_stdout(buffer):
        plain = Path(there) / "plain"
        plain.mkdir()
        odd_pool(plain, users, groups, host)
        original, anonymous, done = anonymous_copy(plain, Path(there))
        text = "\n".join(
            path.read_text() for path in anonymous.rglob("*") if path.is_file()
        ).lower()
        assert [name for name in (*users, *groups) if "qx" in name and name in text] == []
        assert [
            word
            for word in ("élodie", "ωmega", "用户", "brien", "mcorp", "ted", "site")
            if word in text
        ] == []
        same_cycle(original, anonymous, done, lambda: read_by(buffer))
