"""Capture the present state of a pool, without secrets.

That is its ads, jobs, priorities and configuration. Needs READ authorisation only. The
result is a directory, or an archive if its name ends in .tar.gz.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.options import add_collector, add_negotiator, add_query_limits, limits_of
from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.live.captured import Captured, Wanted

#: What an attribute of jobs looks like.
_ATTRIBUTE = "letters, digits and '_', as condor_q -long prints it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq snapshot``."""
    parser.add_argument(
        "goal", metavar="DIR|FILE.tar.gz",
        help=("directory or archive (*.tar.gz, *.tgz) to write, for its owner alone; it must be "
            "empty or not exist"),
    )  # fmt: skip
    pool = parser.add_argument_group("pool")
    add_collector(
        pool, "the pool's collector as HOST or HOST:PORT (default: this machine's); of several "
        "pools, each has a directory called after its collector", several=True,
    )  # fmt: skip
    add_query_limits(pool)
    pool.add_argument(
        "--job-attribute", metavar="NAME", action="append", default=[],
        help="attribute of jobs to capture besides those that matching needs, such as one for "
        "'htcq simulate --run-time attribute:NAME'; may be given several times",
    )  # fmt: skip
    add_negotiator(
        parser, "name of the negotiator whose configuration and priorities are captured, if the "
        "pool has several (default: the one on the collector's machine)",
    )  # fmt: skip
    names = parser.add_argument_group("anonymity")
    names.add_argument(
        "--anonymize", action="store_true",
        help="replace every name of the pool, and leave out attributes that matching does not need",
    )  # fmt: skip
    names.add_argument(
        "--key", metavar="FILE",
        help="with --anonymize: file of the key, which is written if missing; snapshots with one "
        "key have the same name for the same user, host or group",
    )  # fmt: skip
    names.add_argument(
        "--keep-groups",
        action="store_true",
        help="with --anonymize: keep the names of accounting groups",
    )


#: What an anonymous snapshot never rounds.
_EXACT = (
    "exact: amounts, requests, weights, usage, priorities, quotas, when submitters and schedds "
    "were heard of, and the order of ads (htcq-snapshot(1), ANONYMITY, says what they tell)"
)


def main(arguments: argparse.Namespace) -> int:
    """Capture into a temporary place, anonymize if asked to, then move the result to its goal."""
    if not 0 < arguments.timeout <= 86400:
        raise InputError(
            f"--timeout {arguments.timeout:g}: out of range", "more than 0s, and no more than 1d"
        )
    if not arguments.anonymize and (arguments.key or arguments.keep_groups):
        option = "--key" if arguments.key else "--keep-groups"
        raise InputError(f"{option} without --anonymize", "give --anonymize too")
    _check_attributes(arguments)
    limits = limits_of(arguments)
    from htcq.live.captured import Wanted
    from htcq.live.deadline import NO_ANSWER
    from htcq.pool.files import file_name
    from htcq.store.key_file import fresh_key, key_of
    from htcq.store.snapshot_writer import new_snapshot

    pools: list[str | None] = list(dict.fromkeys(arguments.pool or [])) or [None]
    names = [file_name(pool) if pool else "" for pool in pools]
    if len(set(names)) < len(names):
        raise InputError("two pools would have the same directory", "capture them one by one")
    goal = Path(arguments.goal)
    key = key_of(Path(arguments.key)) if arguments.key else fresh_key()
    with new_snapshot(goal) as directory:
        places = [directory / name for name in names] if len(pools) > 1 else [directory]
        wanted = Wanted(
            negotiator=arguments.name,
            limits=limits,
            job_attributes=frozenset(arguments.job_attribute),
        )
        captured = _capture(pools, places, arguments.timeout, wanted)
        told = _anonymized(directory, key, arguments.keep_groups) if arguments.anonymize else []
    _tell(goal, captured, told)
    silent = any(why.startswith(NO_ANSWER) for each in captured for _, why in each.failed)
    return EXIT_UNKNOWN if silent else EXIT_FINE


def _check_attributes(arguments: argparse.Namespace) -> None:
    """Refuse attributes that no job can have, or that an anonymous snapshot would not keep."""
    for name in arguments.job_attribute:
        if not name.isidentifier():
            raise InputError(f"--job-attribute {name}: not the name of an attribute", _ATTRIBUTE)
    if arguments.job_attribute and arguments.anonymize:
        raise InputError(
            "--job-attribute and --anonymize contradict each other",
            "an anonymous snapshot has the attributes that matching needs, and no others",
        )


def _capture(
    pools: Sequence[str | None], places: Sequence[Path], timeout: float, wanted: Wanted
) -> list[Captured]:
    from htcq.live.capture import capture
    from htcq.report.terminal import progress

    return [capture(pool, place, timeout, progress(), wanted) for pool, place in zip(pools, places)]


def _anonymized(directory: Path, key: bytes, keep_groups: bool) -> list[str]:
    """Make the snapshot anonymous, and return what there is to say about it."""
    from htcq.store.anonymize import anonymize_directory

    done = anonymize_directory(directory, key, keep_groups)
    told = [f"{done.names} names replaced; none of them is left in any file"]
    if done.common:
        told.append(
            f"{done.common} names are also numbers or words of HTCondor's: searched for only "
            "where names stand"
        )
    if done.patterns:
        told.append(
            f"{done.patterns} expressions look for parts of texts (regexp, substr): they match "
            "otherwise now"
        )
    told.append(_EXACT)
    if done.exact:
        told.append(f"exact as well, because expressions name them: {', '.join(done.exact)}")
    return told


def _tell(goal: Path, captured: Sequence[Captured], anonymized: Sequence[str]) -> None:
    """Say what is there; of an anonymous snapshot to its owner alone, who knows the names."""
    for each in captured:
        for what, why in each.failed:
            tell(f"htcq: {each.pool}: {what}: {why}")
        if each.slot_parts:
            tell(f"htcq: {each.pool}: {each.slot_parts.sentence}")
        for schedd, why in each.without_users:
            tell(f"htcq: {each.pool}: no user records of {schedd}: {why}")
        held = ", ".join(f"{count} {kind}" for kind, count in sorted(each.counts.items()))
        tell(f"{goal}: {each.pool}: {held}")
    for line in anonymized:
        tell(f"{goal}: {line}")
