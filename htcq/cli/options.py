"""The options that several commands have, each declared once.

An option is declared by the function that is called after it; functions in the plural declare a
group of them. ``help`` is what '--help' and the manual print: it begins with a small letter and has
no full stop at its end.

Nothing that takes time is imported here: ``emit`` starts HTCondor's parser beside it before it
loads the rest.
"""

from __future__ import annotations

import argparse
import math
import os

from htcq.errors import LIMITS_OPTION, UNCONFINED_OPTION, UNCONFINED_VARIABLE, InputError
from htcq.limits import DEADLINES, NAGIOS_DEADLINE, PATIENCE, Limits

#: In the place of a file that is written: standard output.
STDOUT = "-"
#: The longest time limit, in seconds.
_LONGEST = 86400
#: Where options are added: a parser, or a group of one.
Container = argparse._ActionsContainer

_SNAPSHOT = (
    "a snapshot: a directory or a .tar.gz, as 'htcq snapshot' or HTCondor's own tools fill it"
)

# The pool
# --------------------------------------------------------------------------------------------------


def add_pool_options(parser: argparse.ArgumentParser, several: bool = False) -> Container:
    """Add the options that name a pool: one snapshot or collector, or ``several``.

    Returned is what holds these, for another option that names one.
    """
    pool = parser.add_argument_group("pool")
    which = pool if several else pool.add_mutually_exclusive_group()
    add_snapshot(which, several=several)
    add_collector(which, several=several)
    add_query_limits(pool)
    add_unconfined(pool)
    return which


def add_live_pool_options(parser: argparse.ArgumentParser, why: str) -> None:
    """Add the options that name a live pool; ``why`` says why a snapshot will not do."""
    from htcq.cli.parser import refuse_options

    refuse_options(parser, {"--snapshot": (why, "leave out --snapshot; --pool names a live pool")})
    parser.set_defaults(snapshot=None)
    pool = parser.add_argument_group("pool")
    add_collector(pool)
    add_query_limits(pool)
    add_unconfined(pool)


def add_query_limits(pool: Container) -> None:
    """Add the options for how long a query may take, and how much of a pool may be read."""
    add_timeout(pool)
    add_limits(pool)


def add_snapshot(
    pool: Container,
    help: str = _SNAPSHOT,
    several: bool = False,
) -> None:
    """Add the option that names a snapshot."""
    pool.add_argument(
        "--snapshot", metavar="PATH", action=_action(several), help=help + _again(several)
    )


def add_collector(
    pool: Container,
    help: str = "a live pool: its collector (default: this machine's)",
    several: bool = False,
) -> None:
    """Add the option that names a live pool."""
    pool.add_argument(
        "--pool", "-pool", metavar="HOST", action=_action(several), help=help + _again(several)
    )


def _action(several: bool) -> str:
    if several:
        return "append"
    return "store"


def _again(several: bool) -> str:
    if several:
        return "; repeatable"
    return ""


def add_timeout(pool: Container) -> None:
    """Add the option for how long a query may take."""
    pool.add_argument(
        "--timeout", metavar="TIME", type=seconds, default=PATIENCE,
        help=f"time limit of each query (default {PATIENCE:g}s)",
    )  # fmt: skip


def add_deadline(parser: argparse.ArgumentParser) -> None:
    """Add the option for how long a command may take, which every command has."""
    options = parser._option_string_actions
    if "--deadline" in options:
        return
    usual = "none"
    if "--timeout" in options:
        usual = f"{DEADLINES} times --timeout for a live pool, else none"
    if "--nagios" in options:
        usual = f"{NAGIOS_DEADLINE:g}s with --nagios, {usual}"
    parser.add_argument(
        "--deadline", metavar="TIME", type=seconds,
        help=f"time limit of the whole command, or of each of its steps (default: {usual})",
    )  # fmt: skip


def deadline_of(arguments: argparse.Namespace) -> float:
    """Return how many seconds the command may take; math.inf where it may take any time.

    Raises:
        InputError: --deadline is no time.
    """
    given = vars(arguments).get
    deadline = given("deadline")
    if deadline is not None:
        if not 0 < deadline <= _LONGEST:
            raise InputError(
                f"--deadline {deadline:g}: out of range", "more than 0s, and no more than 1d"
            )
        return float(deadline)
    if given("nagios"):
        return NAGIOS_DEADLINE
    named = given("pool") or not given("pool_is_optional")
    elsewhere = given("snapshot") or given("config_dir") or given("sweep")
    # One that is no time at all is the command's to refuse, however long that takes.
    if not (given("timeout") or 0) > 0 or not named or elsewhere:
        return math.inf
    return float(DEADLINES * arguments.timeout)


def add_limits(pool: Container) -> None:
    """Add the option that raises the limits of what a pool holds."""
    pool.add_argument(
        LIMITS_OPTION, metavar="FACTOR", type=number, default=1.0,
        help="factor on the memory and time allowed for reading the pool (default 1)",
    )  # fmt: skip


def add_unconfined(pool: Container) -> None:
    """Add the option that lets root evaluate strangers' data without a whole sandbox."""
    pool.add_argument(
        UNCONFINED_OPTION, action="store_true",
        default=os.environ.get(UNCONFINED_VARIABLE, "") not in ("", "0"),
        help="as root, go on where this machine cannot confine the process that evaluates the pool",
    )  # fmt: skip


def limits_of(arguments: argparse.Namespace) -> Limits:
    """Return the limits that the option sets.

    Raises:
        InputError: it is no factor.
    """
    if not 1 <= arguments.limits <= 1000:
        raise InputError(
            f"{LIMITS_OPTION} {arguments.limits:g}: not a factor",
            "from 1 to 1000, such as 4 for four times as much",
        )
    return Limits(arguments.limits, vars(arguments).get("unconfined", False))


def add_negotiator(
    parser: Container, help: str = "name of the negotiator, if the pool has several"
) -> None:
    """Add the option that names one of several negotiators."""
    parser.add_argument("--name", "-name", metavar="NEGOTIATOR", default="", help=help)


def add_max_age(parser: Container) -> None:
    """Add the option for the maximum age of the negotiator's ads; None where it is not given."""
    parser.add_argument(
        "--max-age",
        metavar="TIME",
        type=seconds,
        help="maximum age of what the negotiator published (default 900s)",
    )


def add_cycle_options(parser: Container) -> None:
    """Add the options that say how one cycle of the negotiator is simulated."""
    parser.add_argument(
        "--order", metavar="SUBMITTER,...", default="",
        help="order of submitters that HTCondor leaves open: the first among equals first",
    )  # fmt: skip
    parser.add_argument(
        "--skip-bad-slots", action="store_true",
        help="leave out, and name, slots that would make the negotiator crash, such as one whose "
        "SlotWeight is no number",
    )  # fmt: skip


# Files of a site
# --------------------------------------------------------------------------------------------------


def add_site_file(parser: Container) -> None:
    """Add the option that names the site file."""
    parser.add_argument(
        "--config", metavar="FILE",
        help="site file (default: htcq.toml here or in /etc/htcq; /dev/null: none)",
    )  # fmt: skip


def add_templates(parser: Container) -> None:
    """Add the option that names a site's own templates."""
    parser.add_argument(
        "--templates",
        metavar="DIR",
        help="directory of a site's own templates; htcq's are used for missing ones",
    )


def add_quotas(parser: Container) -> None:
    """Add the option that names the file of elastic quotas."""
    parser.add_argument("--quotas", metavar="FILE", required=True, help="file of the quotas (TOML)")


def add_journal(parser: Container) -> None:
    """Add the option that names a journal."""
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="journal of what was seen and done (default: as the file of quotas says)",
    )


def add_store(parser: Container) -> None:
    """Add the option that names the history."""
    parser.add_argument(
        "--store", metavar="FILE",
        help=("file of the history (default: as [drift] of the site file says, or "
            "/var/lib/htcq/drift.db)"),
    )  # fmt: skip


# Formats
# --------------------------------------------------------------------------------------------------


def add_json(output: Container, help: str = "print everything as JSON") -> None:
    """Add the option for JSON on standard output."""
    output.add_argument("--json", "-json", action="store_true", help=help)


def add_csv(output: Container, help: str) -> None:
    """Add the option for a table of values on standard output."""
    output.add_argument("--csv", action="store_true", help=help)


def add_wide(output: Container) -> None:
    """Add the option for all columns of a table."""
    output.add_argument(
        "--wide", action="store_true",
        help="show all columns of tables on a terminal, as files and pipes have them",
    )  # fmt: skip


def add_html(output: Container) -> None:
    """Add the option for a page in a file."""
    output.add_argument(
        "--html",
        metavar="FILE",
        help="also write an HTML page, which needs no network and no JavaScript",
    )


def add_prometheus(output: Container) -> None:
    """Add the option for metrics in a file."""
    output.add_argument(
        "--prometheus", metavar="FILE",
        help=("also write metrics to a file *.prom, for the textfile collector of node_exporter "
            "(-: print only them)"),
    )  # fmt: skip


def add_nagios(output: Container) -> None:
    """Add the option that makes the command a monitoring plugin."""
    output.add_argument(
        "--nagios", action="store_true",
        help="print a plugin's status line for Nagios or Icinga and exit with its status: 0 OK, "
        "1 WARNING, 2 CRITICAL, 3 UNKNOWN",
    )  # fmt: skip


def add_fail_on(parser: Container) -> None:
    """Add the option for what gives exit status 1."""
    parser.add_argument(
        "--fail-on", metavar="SEVERITY",
        help=("lowest severity that gives exit status 1: error (the default), warning, info or "
            "never"),
    )  # fmt: skip


def print_or_put(place: str, text: str) -> None:
    """Write ``text`` where an option says: to standard output, or into a file as a whole."""
    from htcq.operations.output_files import put_file

    if place == STDOUT:
        print(text, end="")
    else:
        put_file(place, text)


# Values
# --------------------------------------------------------------------------------------------------


def number(text: str) -> float:
    """Return ``text`` as a finite number: an infinite deadline would never pass."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not a finite number")
    return found


def seconds(text: str) -> float:
    """Return the seconds that ``text`` names: a duration, or a number of seconds."""
    from htcq.settings.durations import DURATION_HINT, seconds_in

    found = seconds_in(text)
    if found is not None:
        return float(found)
    try:
        return number(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of seconds, nor {DURATION_HINT}"
        ) from None
