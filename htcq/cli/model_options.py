"""The options that ``plan`` and ``emit`` share; ``htcq.cli.request`` says what they add up to.

Nothing that takes time is imported here: ``emit`` starts HTCondor's parser beside it before it
loads the rest.
"""

from __future__ import annotations

import argparse

from htcq.cli.options import (
    add_collector,
    add_query_limits,
    add_site_file,
    add_snapshot,
    add_unconfined,
)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a node, a model and jobs."""
    _add_node_options(parser)
    model = parser.add_argument_group("model")
    model.add_argument(
        "--model", metavar="NAME", help="linear (the default), minimum-charge, quantized or fixed"
    )
    model.add_argument(
        "--preset", metavar="NAME",
        help="a policy of HTCondor's wiki instead of a model: simple, cpu-centric, memory-centric, "
        "extensible, missing-request, static-slot or multi-centric",
    )  # fmt: skip
    _add_linear_options(model)
    _add_fixed_options(model)
    _add_quantized_options(model)
    _add_charge_options(model)
    model.add_argument("--cpu-shares", metavar="K", type=whole, help="count each core as K cpus")
    model.add_argument(
        "--splitting", metavar="WHO",
        help="who splits a slot into claims: negotiator (the default), by consumption policies; "
        "scheduler, by leftovers of a match; none: a match makes one claim",
    )  # fmt: skip
    model.add_argument(
        "--literal",
        action="store_true",
        help="write the numbers of this node instead of portable expressions",
    )
    model.add_argument(
        "--force",
        action="store_true",
        help="accept what is refused for a reason that a person may overrule",
    )


def _add_node_options(parser: argparse.ArgumentParser) -> None:
    node = parser.add_argument_group("node")
    node.add_argument(
        "--node", metavar="PATH", action="append",
        help="node facts as 'htcq probe --json' prints them (- for standard input), or a directory "
        "of such files *.json (default: this machine); repeatable",
    )  # fmt: skip
    which = node.add_mutually_exclusive_group()
    add_snapshot(
        which, "all machines of a snapshot that have partitionable slots, as if these were empty"
    )
    add_collector(which, "all machines of a live pool: its collector")
    add_query_limits(node)
    add_unconfined(node)
    parser.set_defaults(pool_is_optional=True)
    node.add_argument(
        "--execute",
        metavar="DIR",
        help="directory in which jobs run, whose free space is the disk of this machine",
    )
    add_site_file(node)


def _add_linear_options(model: argparse._ArgumentGroup) -> None:
    model.add_argument(
        "--weight", metavar="ASSET=W", action="append", dest="weights", type=weight_pair,
        help=("linear: weight of one unit of an asset (cpus=1, memory=0.25/GiB, gpus=8, "
            "gpus:a100=16); repeatable"),
    )  # fmt: skip
    model.add_argument("--scale", metavar="K", help="linear: multiply all weights by K (default 1)")


def _add_fixed_options(model: argparse._ArgumentGroup) -> None:
    model.add_argument("--claims", metavar="M", type=whole, help="fixed: number of claims")
    model.add_argument(
        "--share", metavar="WHAT",
        help="fixed: what a claim takes: even (the default) is one part in M, request what the "
        "job asks for, none nothing (needs --force)",
    )  # fmt: skip
    model.add_argument(
        "--asset", metavar="ASSET", action="append", dest="assets",
        help=("fixed: divide this asset by --share even (default: cpus, memory and disk); "
            "repeatable"),
    )  # fmt: skip


def _add_quantized_options(model: argparse._ArgumentGroup) -> None:
    model.add_argument(
        "--level", metavar="ASSET=Q", action="append", type=pair,
        help="quantized: divide an asset into Q levels (default: cpus, memory and disk into as "
        "many as there are cores); repeatable",
    )  # fmt: skip
    model.add_argument(
        "--rule", metavar="RULE",
        help="quantized: min (the default): a claim takes at least one quantum of every asset; "
        "max: it may take none of GPUs and custom resources",
    )  # fmt: skip


def _add_charge_options(model: argparse._ArgumentGroup) -> None:
    model.add_argument(
        "--charge", metavar="ASSET=AMOUNT", action="append", type=pair,
        help="minimum-charge: least amount that a claim is charged (memory=2GiB, cpus=0.5, "
        "memory=64GiB/20; default: an even division of the node); repeatable",
    )  # fmt: skip
    model.add_argument(
        "--whole-charges", action="store_true", default=None,
        help="minimum-charge: round consumption up to multiples of the charge",
    )  # fmt: skip


def whole(text: str) -> int:
    """Return ``text`` as a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None


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
