"""Command lines of htcq in files of others, as htcq itself reads them."""

from __future__ import annotations

import argparse
import importlib
import shlex

from htcq.cli.main import Parser


def parsed(command: str) -> argparse.Namespace:
    """Return the options of ``command``, from the word ``htcq`` on; raises what htcq would refuse it with."""
    words = shlex.split(command)
    while not words[0].endswith("htcq"):
        del words[0]
    module = importlib.import_module(f"htcq.cli.{words[1]}")
    parser: argparse.ArgumentParser = Parser(prog=words[1], allow_abbrev=False)
    module.add_arguments(parser)
    return parser.parse_args(words[2:])
