"""Tell what a rule of 'htcq audit' is about: what is wrong, what comes of it, how to mend it, and how that is known.

Without a rule all of them are listed.
"""

from __future__ import annotations

import argparse
import sys

from htcq.errors import EXIT_FINE, InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq explain``."""
    parser.add_argument("rule", metavar="RULE", nargs="?", help="the id of a rule (default: list all of them)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", "-json", action="store_true", help="print the rule, or all of them, as JSON")
    form.add_argument("--man", action="store_true", help="print the manual page htcq-rules(7)")


def main(arguments: argparse.Namespace) -> int:
    """Print one rule or all of them; the page in the manual has those of htcq alone."""
    from htcq.audit import catalog

    if arguments.man:
        if arguments.rule is not None:
            raise InputError("--man prints all rules", f"leave out {arguments.rule}")
        from htcq.report.rules_page import rules_page

        sys.stdout.write(rules_page({name: family.RULES for name, family in catalog.FAMILIES.items()}))
        return EXIT_FINE
    from htcq.audit.rule import SITE
    from htcq.cli.site_rules import plug_ins, tell_refusals

    plugged = plug_ins()
    tell_refusals(plugged)
    own = tuple(rule for each in plugged for rule in each.rules)
    rules = (catalog.rule(arguments.rule, own),) if arguments.rule is not None else (*catalog.ALL, *own)
    if arguments.json:
        import json

        from htcq.report.rules import rules_json

        print(json.dumps(rules_json(rules), indent=2))
    elif arguments.rule is not None:
        from htcq.report.rules import show_rule

        show_rule(rules[0], sys.stdout)
    else:
        from htcq.report.rules import show_rules

        families = {name: family.RULES for name, family in catalog.FAMILIES.items()}
        show_rules({**families, SITE: own}, sys.stdout)
    return EXIT_FINE
