"""Explain a rule of 'htcq audit': what is wrong, the consequence, how to fix it, and the source.

Without a rule all of them are listed. With --schema: print the JSON Schema of a command's JSON
or of a file. With --completion: print what a shell needs to complete command lines.
"""

from __future__ import annotations

import argparse
import sys

from htcq.cli.options import add_json
from htcq.errors import EXIT_FINE, InputError

#: In the place of a schema's name: print all names.
_LIST = "list"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq explain``."""
    parser.add_argument(
        "rule",
        metavar="RULE",
        nargs="?",
        help="id of a rule, such as weight-not-a-number (default: list all of them)",
    )
    form = parser.add_mutually_exclusive_group()
    add_json(form, "print the rule, or all of them, as JSON")
    form.add_argument(
        "--man",
        action="store_true",
        help="print the manual page htcq-rules(7), without rules of plug-ins",
    )
    form.add_argument(
        "--schema", metavar="NAME", help="print a JSON Schema (list: the names of all of them)"
    )
    form.add_argument(
        "--completion",
        metavar="SHELL",
        help="print what bash, zsh or fish reads to complete command lines of htcq",
    )


def main(arguments: argparse.Namespace) -> int:
    """Print one rule, all rules, the manual page of htcq's own rules, or a file for programs."""
    if arguments.schema is not None:
        return _print_schema(arguments)
    if arguments.completion is not None:
        return _print_completion(arguments)
    from htcq.audit import catalog

    if arguments.man:
        if arguments.rule is not None:
            raise InputError("--man takes no rule", f"leave out {arguments.rule}")
        from htcq.report.views.rules_page import rules_page

        sys.stdout.write(rules_page(catalog.by_family()))
        return EXIT_FINE
    from htcq.audit.rule import SITE
    from htcq.cli.site_rules import plug_ins, tell_refusals

    plugged = plug_ins()
    tell_refusals(plugged)
    own = tuple(rule for each in plugged for rule in each.rules)
    rules = (
        (catalog.rule(arguments.rule, own),)
        if arguments.rule is not None
        else (*catalog.all_rules(), *own)
    )
    if arguments.json:
        import json

        from htcq.report.views.rules import rules_json

        print(json.dumps(rules_json(rules), indent=2))
    elif arguments.rule is not None:
        from htcq.report.views.rules import show_rule

        show_rule(rules[0], sys.stdout)
    else:
        from htcq.report.views.rules import show_rules

        show_rules({**catalog.by_family(), SITE: own}, sys.stdout)
    return EXIT_FINE


def _print_schema(arguments: argparse.Namespace) -> int:
    if arguments.rule is not None:
        raise InputError("--schema takes no rule", f"leave out {arguments.rule}")
    from htcq.report.schemas import NAMES, schema

    if arguments.schema == _LIST:
        print("\n".join(NAMES))
    else:
        import json

        print(json.dumps(schema(arguments.schema), indent=2))
    return EXIT_FINE


def _print_completion(arguments: argparse.Namespace) -> int:
    if arguments.rule is not None:
        raise InputError("--completion takes no rule", f"leave out {arguments.rule}")
    from htcq.cli.completion import script
    from htcq.report.completion import SHELLS

    if arguments.completion not in SHELLS:
        raise InputError(
            f"--completion {arguments.completion}: there is no such shell",
            f"choose one of {', '.join(SHELLS)}",
        )
    sys.stdout.write(script(arguments.completion))
    return EXIT_FINE
