"""The options that ``plan`` and ``emit`` share; ``htcq.cli.request`` says what they add up to.

Nothing that takes time is imported here: ``emit`` starts HTCondor's parser beside it before it loads the rest.
"""

from __future__ import annotations

import argparse
import math

from htcq.errors import LIMITS_OPTION, InputError
from htcq.limits import PATIENCE, Limits


def add_limits_option(group: argparse._ActionsContainer) -> None:
    """Add the flag that raises the limits of what a pool holds."""
    group.add_argument(
        LIMITS_OPTION, metavar="FACTOR", type=number, default=1.0,
        help="factor on the memory and time allowed for reading the pool (default 1)",
    )  # fmt: skip


def limits_of(arguments: argparse.Namespace) -> Limits:
    """Return the limits that the option sets.

    Raises:
        InputError: it is no factor.
    """
    if not 1 <= arguments.limits <= 1000:
        raise InputError(
            f"{LIMITS_OPTION} {arguments.limits:g}: not a factor", "from 1 to 1000, such as 4 for four times as much"
        )
    return Limits(arguments.limits)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name a node, a model and jobs."""
    node = parser.add_argument_group("node")
    node.add_argument(
        "--node", metavar="PATH", action="append",
        help="node facts as 'htcq probe --json' prints them (- for stdin), or a directory of such files; repeatable",
    )  # fmt: skip
    node.add_argument("--snapshot", metavar="PATH", help="all machines of a snapshot: a directory or a .tar.gz")
    node.add_argument("--pool", "-pool", metavar="HOST", help="all machines of a live pool: its collector")
    node.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=number,
        default=PATIENCE,
        help=f"time limit of each query (default {PATIENCE:g})",
    )
    add_limits_option(node)
    node.add_argument("--execute", metavar="DIR", help="directory in which jobs run, if HTCondor is not installed")
    node.add_argument("--config", metavar="FILE", help="site file (default: htcq.toml here or in /etc/htcq)")
    model = parser.add_argument_group("model")
    model.add_argument("--model", metavar="NAME", help="linear (the default), minimum-charge, quantized or fixed")
    model.add_argument("--preset", metavar="NAME", help="a named policy: simple, cpu-centric, memory-centric, …")
    model.add_argument(
        "--weight", metavar="ASSET=W", action="append", dest="weights", type=weight_pair,
        help="linear: weight of an asset (cpus=1, memory=0.25/GiB, gpus=8)",
    )  # fmt: skip
    model.add_argument("--scale", metavar="K", help="linear: multiply all weights by K (default 1)")
    model.add_argument("--claims", metavar="M", type=whole, help="fixed: number of claims")
    model.add_argument("--share", metavar="WHAT", help="fixed: even, request or none")
    model.add_argument("--asset", metavar="ASSET", action="append", dest="assets", help="fixed: divide this asset")
    model.add_argument("--level", metavar="ASSET=Q", action="append", type=pair, help="quantized: levels of an asset")
    model.add_argument("--rule", metavar="RULE", help="quantized: min or max")
    model.add_argument(
        "--charge", metavar="ASSET=AMOUNT", action="append", type=pair, help="minimum-charge: least charge (2GiB)"
    )
    model.add_argument("--whole-charges", action="store_true", default=None, help="minimum-charge: whole charges only")
    model.add_argument("--cpu-shares", metavar="K", type=whole, help="count each core as K cpus")
    model.add_argument("--splitting", metavar="WHO", help="negotiator (the default), scheduler or none")
    model.add_argument(
        "--literal", action="store_true", help="write write write numbers of this node instead of portable expressions"
    )
    model.add_argument("--force", action="store_true", help="write the configuration in spite of errors")


def whole(text: str) -> int:
    """Return ``text`` as a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


def number(text: str) -> float:
    """Return ``text`` as a number that is neither infinite nor no number at all: no deadline is ever behind such."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not a finite number")
    return found


def pair(text: str) -> tuple[str, str]:
    """Return ``ASSET=AMOUNT`` in two."""
    asset, equals, amount = text.partition("=")
    if not equals or not asset.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is not ASSET=AMOUNT, such as memory=2GiB")
    return asset.strip().lower(), amount.strip()


def weight_pair(text: str) -> tuple[str, str]:
    """Return ``ASSET=WEIGHT`` in two."""
    asset, equals, weight = text.partition("=")
    if not equals or not asset.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is not ASSET=WEIGHT, such as memory=0.25/GiB")
    return asset.strip().lower(), weight.strip()
