"""Command lines of htcq in files of others, as htcq itself reads them."""

from __future__ import annotations

import argparse
import shlex

from htcq.cli.main import parser_of


def parsed(command: str) -> argparse.Namespace:
    """Return the options of ``command``, from the word ``htcq`` on; raises what htcq would refuse it with."""
    words = shlex.split(command)
    while not words[0].endswith("htcq"):
        del words[0]
    return parser_of(words[1]).parse_args(words[2:])
