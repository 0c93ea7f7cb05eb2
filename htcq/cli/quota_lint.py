"""Check the groups that htcq.toml declares for mistakes, before any negotiator sees them.

With a pool, the declared groups replace its own, and its usage and demand are checked too.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from htcq.cli.declared import add_declared_options, read_declared
from htcq.cli.options import add_fail_on, add_json, add_templates
from htcq.errors import EXIT_FINDINGS, EXIT_FINE
from htcq.operations.health import marked

_FAIL_ON = "error"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq quota lint``."""
    add_declared_options(parser)
    add_templates(parser)
    add_fail_on(parser)
    add_json(parser, "print the findings as 'htcq audit --json' does")


def main(arguments: argparse.Namespace) -> int:
    """Check, print, and tell by the exit status how bad it is."""
    from htcq.audit.group_lint import linted
    from htcq.audit.site import threshold

    request = read_declared(arguments, queues=True)
    site = request.site.audit
    word, where = (
        (arguments.fail_on, "--fail-on")
        if arguments.fail_on
        else (site.fail_on, "htcq.toml: audit.fail_on")
    )
    worst = threshold(word or _FAIL_ON, where)
    outcome = linted(request.declared, request.evidence, site, with_pool=request.pool is not None)
    outcome = replace(outcome, health=request.health)
    if arguments.json:
        import json

        from htcq.report.views.audit_json import audit_json

        print(json.dumps(audit_json(outcome), indent=2))
    else:
        from htcq.report.views.audit_text import show_audit

        show_audit(outcome, sys.stdout)
    found = outcome.worst()
    status = (
        EXIT_FINDINGS if worst is not None and found is not None and found >= worst else EXIT_FINE
    )
    return marked(status, request.health)
