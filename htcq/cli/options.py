"""The options that ``plan`` and ``emit`` share; ``htcq.cli.request`` says what they add up to.

Nothing else is imported here: ``emit`` starts HTCondor's parser beside it before it loads the rest.
"""

from __future__ import annotations

import argparse


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags that name a node, a model and jobs."""
    node = parser.add_argument_group("node")
    node.add_argument("--node", metavar="FILE", help="node facts as 'htcq probe --json' prints them (- for stdin)")
    node.add_argument("--execute", metavar="DIR", help="where jobs run, if HTCondor is not installed")
    node.add_argument("--config", metavar="FILE", help="site file (default: htcq.toml here or in /etc/htcq)")
    model = parser.add_argument_group("model")
    model.add_argument("--model", metavar="NAME", help="fixed, quantized or minimum-charge (the default)")
    model.add_argument("--preset", metavar="NAME", help="a named policy: simple, cpu-centric, memory-centric, …")
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
    model.add_argument("--splitting", metavar="WHO", help="negotiator (the default) or scheduler")
    model.add_argument("--literal", action="store_true", help="numbers of this node instead of portable expressions")
    model.add_argument("--force", action="store_true", help="accept what is refused for good reason")


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
