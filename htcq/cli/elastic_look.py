"""What the commands that write elastic quotas share: their options, one look at the pool, and the next step."""

from __future__ import annotations

import argparse
import getpass
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.errors import InputError, RefusedError
from htcq.operations.quota_writer import Writer
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.elastic.gates import Refusal
    from htcq.elastic.handover import Handover
    from htcq.elastic.journal import Seen, State
    from htcq.elastic.next_step import NextStep
    from htcq.elastic.pool_health import PoolHealth
    from htcq.elastic.records import Observation
    from htcq.live.reconfig import Negotiator
    from htcq.pool.pool import Pool
    from htcq.quota.elastic.groups import Quotas
    from htcq.settings.elastic import QuotaFile
    from htcq.settings.elastic_write import WriteSettings
    from htcq.settings.reclaim import ReclaimLimits

_HINT = "see htcq-elastic(1)"


@dataclass(frozen=True)
class Declared:
    """The quotas of one negotiator as their file has them, how they are written, and how much may be taken back.

    ``negotiator`` is empty where neither the command nor the file names one.
    """

    quotas: Quotas
    settings: WriteSettings
    negotiator: str
    reclaim: ReclaimLimits


@dataclass(frozen=True)
class Looked:
    """One look: the next step, what was seen, and why it must not be taken."""

    step: NextStep
    sight: PoolHealth
    refusals: tuple[Refusal, ...]
    pool: Pool
    observation: Observation

    @property
    def seen(self) -> Seen:
        """What the journal keeps of it."""
        from htcq.elastic.journal import Seen

        sight = self.sight
        return Seen(sight.slots, sight.schedds, sight.pool_weight, tuple(sorted(sight.schedd_ads.busy)))

    def handover(self, state: State) -> Handover:
        """Return what is to be written, as a step after ``state``."""
        from htcq.elastic.handover import Handover

        plan = self.step.plan
        over = len(plan.over)
        return Handover(plan.id, plan.inputs, state.last, plan.negotiator, plan.file, self.step.static, self.seen, over)


def add_step_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags of a command that looks at a pool to write its quotas."""
    parser.add_argument(
        "--quotas", metavar="FILE", required=True, help="file of the quotas (TOML), with [elastic.write]"
    )
    parser.add_argument(
        "--name", "-name", metavar="NEGOTIATOR", default="", help="name of the negotiator, if the pool has several"
    )
    parser.add_argument(
        "--directory", metavar="DIR", help="directory of the negotiator's configuration (LOCAL_CONFIG_DIR)"
    )
    parser.add_argument("--journal", metavar="FILE", help="journal of what was done")
    parser.add_argument(
        "--accept-loss", action="store_true", help="accept that the pool has shrunk: share out what is left"
    )


def read_tree(arguments: argparse.Namespace) -> tuple[QuotaFile, str]:
    """Return the file of quotas that the flags name, and which of its trees.

    Raises:
        InputError: it cannot be read, the tree is refused, or there are several of which none is named.
    """
    from htcq.audit.elastic import refuse_unsound
    from htcq.cli.site import parse_toml
    from htcq.settings.elastic import quotas_from

    file = quotas_from(parse_toml(Path(arguments.quotas), _HINT), arguments.quotas)
    names = list(file.trees)
    chosen = arguments.name if arguments.name in names else names[0]
    if len(names) > 1 and chosen != arguments.name:
        raise InputError(f"{arguments.quotas} has several trees", f"--name one of {', '.join(filter(None, names))}")
    quotas = file.trees[chosen]
    refuse_unsound(quotas, arguments.quotas)
    if not quotas.groups:
        raise InputError(f"{arguments.quotas} declares no groups", _HINT)
    return file, chosen


def read_declared(arguments: argparse.Namespace) -> Declared:
    """Return the quotas that the flags name.

    Raises:
        InputError: they cannot be read, are refused, or are those of several negotiators of which none is named.
    """
    file, chosen = read_tree(arguments)
    quotas, settings = file.trees[chosen], file.writes[chosen]
    given = {key: getattr(arguments, key) for key in ("directory", "journal") if getattr(arguments, key)}
    return Declared(quotas, replace(settings, **given), arguments.name or chosen, file.reclaims[chosen])


def look(arguments: argparse.Namespace, declared: Declared, state: State, present: str | None, now: float) -> Looked:
    """Look at the pool that the flags name and return the next step as of ``now``.

    Raises:
        HtcqError: the pool cannot be read, or what is computed contradicts itself.
    """
    from htcq.cli.health import told_ailments
    from htcq.elastic.gates import negotiator_specific, passed_over, refusals, several, undeclared
    from htcq.elastic.next_step import next_step
    from htcq.elastic.observation import observe
    from htcq.elastic.pool_health import sight_of
    from htcq.operations.pool_source import read, sources

    name = declared.negotiator
    source = sources(arguments, negotiator=name)[0]
    pool = read(source)
    told_ailments(pool)
    ages = None if source.snapshot else negotiator_of(arguments).slot_ages()
    observation = observe(pool, declared.quotas, name)
    sight = sight_of(pool, name, observation.pool_weight, ages)
    clock = (sight.taken_at or now) if source.snapshot else time.time()
    for told in passed_over(sight, state, declared.settings, clock):
        tell(f"htcq: {told}")
    found = [
        *several(sight, name),
        *refusals(sight, state, present, declared.settings, clock, arguments.accept_loss),
        *undeclared(sight, [group.name for group in declared.quotas.groups]),
    ]
    step = next_step(declared.quotas, observation, sight, state, declared.settings, now)
    found += negotiator_specific(sight.configured or {}, step.plan.file)
    return Looked(step, sight, tuple(found), pool, observation)


def negotiator_of(arguments: argparse.Namespace, pool: str = "", name: str = "") -> Negotiator:
    """Return the negotiator that the flags name, else the one of ``pool`` called ``name``."""
    from htcq.live.reconfig import Negotiator

    return Negotiator(arguments.pool or pool or None, arguments.name or name, arguments.timeout)


def writer_of(arguments: argparse.Namespace, declared: Declared) -> Writer:
    """Return the writer of the file that the settings name."""
    settings = declared.settings
    return Writer(
        Path(settings.directory) / settings.file,
        Path(settings.journal),
        negotiator_of(arguments, name=declared.negotiator),
        settings.verify_within,
        instance_of(settings.journal),
        operator(),
        arguments.pool or "",
    )


def instance_of(journal: str) -> str:
    """Return what tells this htcq from others: its machine and its journal, the same at the next start."""
    return f"{socket.gethostname()}:{journal}"


def operator() -> str:
    """Return who runs this."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


@contextmanager
def only_one(writer: Writer) -> Iterator[None]:
    """Keep other htcq from the file of ``writer`` for as long as the block runs.

    Raises:
        LockedError: another one is at it.
    """
    from htcq.store.lock import held

    lock = writer.path.with_name(f".{writer.path.name}.lock")
    with held(lock, f"{writer.instance}, process {os.getpid()}, {writer.operator}"):
        yield


def refuse(found: tuple[Refusal, ...]) -> None:
    """Raise what was found, if anything.

    Raises:
        RefusedError: with the first reason, and how many more there are.
    """
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise RefusedError(f"nothing is written: {found[0].message}{more}", found[0].hint)
