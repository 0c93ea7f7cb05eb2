"""What if: knobs that the central manager might have, given as ``--set KNOB=VALUE``."""

from __future__ import annotations

import argparse


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--set", metavar="KNOB=VALUE", action="append", dest="changes",
        help=("simulate this knob on the central manager; an empty value unsets it; repeatable"),
    )  # fmt: skip
