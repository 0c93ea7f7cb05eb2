"""A token with READ and nothing else, in a pool that asks everybody who they are: htcq(1), READ AUTHORISATION."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest
from access_point import Done
from conftest import NEWEST, PACE
from elastic_pool import NO_PREEMPTION
from own_htcq import OwnHtcq, install
from pool_config import settings_text
from testpool import Pool

pytestmark = pytest.mark.condor
ONLY_SUITES = [NEWEST]

USER, IDENTITY = "tester", "htcq@pool.test"
#: Who may do what: root of the machine and the daemons everything, IDENTITY may read.
_OWNERS = "root@test, condor@*"
_LEVELS = ("WRITE", "ADMINISTRATOR", "NEGOTIATOR", "DAEMON", "OWNER", "CONFIG")
_DAEMONS = ("MASTER", "SCHEDD", "STARTD")
AUTHENTICATED = (
    "TRUST_DOMAIN = pool.test\n"
    "SEC_DEFAULT_AUTHENTICATION = REQUIRED\n"
    "SEC_READ_AUTHENTICATION = REQUIRED\n"
    "SEC_CLIENT_AUTHENTICATION = REQUIRED\n"
    "SEC_DEFAULT_AUTHENTICATION_METHODS = IDTOKENS, FS\n"
    "SEC_CLIENT_AUTHENTICATION_METHODS = IDTOKENS, FS\n"
    f"ALLOW_READ = {_OWNERS}, {IDENTITY}\n"
    + "".join(f"ALLOW_{level} = {_OWNERS}\n" for level in _LEVELS)
    + "".join(f"ALLOW_ADVERTISE_{daemon} = condor@*\n" for daemon in _DAEMONS)
)
#: The recipe, as the manual has it but for the places of this pool.
AT_THE_CENTRAL_MANAGER = f"umask 077; condor_token_create -identity {IDENTITY} -authz READ >{{home}}/htcq-read"  # fmt: skip
AS_THE_USER = (
    "install -d -m 700 -o {user} {home}/.condor {home}/.condor/tokens.d && "
    "install -m 600 -o {user} {home}/htcq-read {home}/.condor/tokens.d/htcq-read && "
    "rm {home}/htcq-read"
)


class Account:
    """An ordinary account of the pool's machine, with a home directory there."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.htcq: OwnHtcq = install(pool)
        pool.path("home").mkdir()
        self.home = f"/home/{USER}"
        # Seen by this pool alone: mounts are those of its own namespace.
        namespace = ("nsenter", f"--target={pool.master_pid()}", "--mount")
        bind = ("mount", "--bind", str(pool.path("home")), f"{pool.record.root}{self.home}")
        subprocess.run([*namespace, *bind], check=True)
        pool.tool("chown", USER, self.home)
        pool.path("home/site.toml").write_text(f'[drift]\nstore = "{self.home}/drift.db"\n')

    def run(self, line: str, user: str = USER) -> Done:
        """Run a line of shell in the home directory."""
        places = {"HOME": self.home, "CONDOR_CONFIG": self.pool.record.config_file}
        return self.htcq.shell(f"cd {self.home} && {line}", user, **places)

    def with_token(self) -> Account:
        """Follow the recipe, unless it was followed before."""
        if not self.pool.path("home/.condor").exists():
            for step in (AT_THE_CENTRAL_MANAGER, AS_THE_USER):
                done = self.run(step.format(home=self.home, user=USER), user="root")
                assert done.status == 0, done
        return self


@pytest.fixture(scope="module")
def account(suite: str) -> Iterator[Account]:
    with Pool.start(
        suite=suite, settings=f"{PACE}{AUTHENTICATED}{settings_text(NO_PREEMPTION)}"
    ) as pool:
        pool.patience = 3.0
        groups = pool.config_dir / "10-groups.config"
        groups.write_text("GROUP_NAMES = chem\nGROUP_QUOTA_chem = 4\n")
        pool.tool("condor_reconfig")
        yield Account(pool)


@pytest.mark.parametrize("command", ["audit", "quota", "drift record --config site.toml"])
def test_without_a_token_the_refusal_says_who_and_what_to_ask_for(
    command: str, account: Account
) -> None:
    done = account.run(f"_CONDOR_SEC_TOKEN_DIRECTORY=/nowhere htcq {command}")

    assert (done.status, done.out) == (3, "")
    assert "its collector refuses to let tester@test read (READ authorisation)" in done.err
    assert "ask its administrator for ALLOW_READ for this user or host, or for a token" in done.err


def test_with_a_token_everything_that_looks_works(account: Account) -> None:
    account.with_token()
    pool = account.pool
    pool.wait(lambda: "chem" in account.run("htcq quota").out, 60, "the quotas", ("NegotiatorLog",))

    audited = account.run("htcq audit --json")
    assert (audited.status, json.loads(audited.out)["gaps"]) == (0, []), audited
    recorded = account.run("htcq drift record --config site.toml")
    assert recorded.status == 0, recorded
    assert "chem" in account.run("htcq drift report --config site.toml --since 1h").out
    for command in ("simulate", "cost", "snapshot here.tar.gz"):
        done = account.run(f"htcq {command}")
        assert (done.status, "refuses" in done.err) == (0, False), done


def test_the_token_can_do_nothing_else(account: Account) -> None:
    """HTCondor's own tools, and htcq where it would change the negotiator: the file is put back."""
    account.with_token()
    assert IDENTITY in account.run("condor_token_list").out
    for line in ("condor_reconfig -negotiator", "condor_off -startd", "condor_qedit 1 JobPrio 1"):
        assert account.run(line).status, line

    # The account may write the file, as only root may: what it cannot do is tell the negotiator.
    config_dir = f"{account.pool.record.inner_directory}/config.d"
    account.pool.tool("chown", USER, config_dir)
    account.pool.path("home/elastic.toml").write_text(
        f'[elastic.write]\ndirectory = "{config_dir}"\njournal = "{account.home}/journal"\n'
        'verify_within = "10s"\n[groups.chem]\nmin = {cpus = 8}\nmax = {cpus = 8}\n'
    )
    done = account.run("htcq elastic run --once --yes --quotas elastic.toml")
    assert (done.status, done.out) == (3, ""), done
    assert f"the negotiator refuses to be reconfigured by {IDENTITY} (ADMINISTRATOR" in done.err
    assert "60-htcq-elastic.config was put back" in done.err
    assert not list(account.pool.config_dir.glob("*elastic.config"))
