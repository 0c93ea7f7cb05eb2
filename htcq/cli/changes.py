"""What if: knobs that the central manager might have, given as ``--set KNOB=VALUE``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from htcq.errors import InputError
from htcq.operations.pool_source import Changes
from htcq.pool.configuration import LEGAL_NAME
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.pool.pool import Pool

_KNOB = re.compile(r"\s*([^\s=]+)\s*=(.*)", re.DOTALL)


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--set", metavar="KNOB=VALUE", action="append", dest="changes",
        help="simulate this knob on the central manager; an empty value takes the knob away; repeatable",
    )  # fmt: skip


def read_changes(texts: Sequence[str] | None) -> Changes:
    """Return the knobs with the values that they would have."""
    return tuple(_change(each) for each in texts or ())


def _change(text: str) -> tuple[str, str]:
    match = _KNOB.fullmatch(text)
    if not match or not LEGAL_NAME.match(match.group(1)) or not match.group(2).isprintable():
        raise InputError(f"--set {text!r}: not KNOB=VALUE", "such as --set GROUP_QUOTA_physics=20")
    return match.group(1), match.group(2).strip()


def warn(before: Pool, after: Pool) -> None:
    """Say which of the changed knobs are none, or are those of a group that is none."""
    from htcq.audit.catalog import rule
    from htcq.audit.engine import audit
    from htcq.audit.evidence import Evidence

    rules = [rule(id_) for id_ in ("quota-for-unknown-group", "unknown-knob")]
    known = {finding.message for finding in audit(Evidence(before), rules).findings}
    for finding in audit(Evidence(after), rules).findings:
        if finding.message not in known:
            tell(f"htcq: --set: {finding.subject}: {finding.message}")
