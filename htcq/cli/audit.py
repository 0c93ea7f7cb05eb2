"""Check a pool for mistakes: consumption, weights, quotas, jobs and slots, machines, configuration.

The pool is a snapshot, or it is captured first; nothing is changed. 'htcq explain' lists the rules.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.cli.config_files import add_config_files, check_alone
from htcq.cli.options import (
    STDOUT,
    add_csv,
    add_fail_on,
    add_html,
    add_json,
    add_nagios,
    add_pool_options,
    add_prometheus,
    add_site_file,
)
from htcq.cli.parser import refuse_options
from htcq.cli.pool_options import read_source
from htcq.errors import EXIT_FINDINGS, EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.operations.health import marked, tell_ailments
from htcq.operations.output_files import place_of, put_file
from htcq.report.printable import tell

if TYPE_CHECKING:
    from htcq.audit.engine import Audit
    from htcq.audit.evidence import Evidence
    from htcq.audit.rule import AnyRule, Severity

TABLE, TEXT, JSON, CSV, LINES, GITHUB, NAGIOS, PROMETHEUS = (
    "table",
    "text",
    "json",
    "csv",
    "lines",
    "github",
    "nagios",
    "prometheus",
)
#: What may be printed instead of a table, each by the option of its name.
FORMS = (TEXT, JSON, CSV, LINES, GITHUB, NAGIOS)
FORM_OPTIONS = (
    *(f"--{form}" for form in FORMS),
    "--prometheus FILE",
    "--html FILE",
    "--sarif FILE",
)
_FAIL_ON = "error"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``htcq audit``."""
    refuse_options(
        parser,
        {
            "--format": (
                "--format is no option",
                f"each form has its own: {', '.join(FORM_OPTIONS)}",
            )
        },
    )
    add_config_files(add_pool_options(parser), parser)
    _add_rules(parser)
    _add_output(parser)


def _add_rules(parser: argparse.ArgumentParser) -> None:
    rules = parser.add_argument_group("rules")
    rules.add_argument(
        "--only", metavar="RULE,...", action="append",
        help=("check only these rules, also those that the site file disables: ids or shell "
            "patterns; repeatable"),
    )  # fmt: skip
    rules.add_argument(
        "--ignore",
        metavar="RULE,...",
        action="append",
        help="check all rules except these; repeatable",
    )
    add_site_file(rules)
    rules.add_argument(
        "--profile",
        metavar="PROFILE",
        default="site",
        help="minimal (fail on errors alone), site (as the site file says; the default) or strict "
        "(fail on warnings; the site file disables and lowers nothing)",
    )
    rules.add_argument(
        "--baseline",
        metavar="FILE",
        help="report only findings that are not in this file of --write-baseline or --json",
    )
    rules.add_argument(
        "--write-baseline",
        metavar="FILE",
        help="also write what is found now, and what was known before, for a later --baseline",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    form.add_argument(
        "--text", action="store_true", help="print the findings as text without tables and colours"
    )
    add_json(form)
    add_csv(form, "print the findings as CSV: a header, and a row for each finding")
    output.add_argument(
        "--skipped", action="store_true", help="name every rule that was not checked, as JSON does"
    )
    form.add_argument(
        "--lines", action="store_true", help="print one line for each finding, for grep"
    )
    form.add_argument(
        "--github", action="store_true", help="print annotations of a GitHub workflow"
    )
    add_nagios(form)
    add_fail_on(output)
    add_html(output)
    output.add_argument(
        "--sarif", metavar="FILE", help="also write SARIF 2.1.0, for editors and code scanning"
    )
    output.add_argument(
        "--fix",
        metavar="DIR",
        help="also write the settings that fix the findings, as files for review, into DIR",
    )
    add_prometheus(output)


def _form(arguments: argparse.Namespace) -> str:
    form = next((each for each in FORMS if getattr(arguments, each)), TABLE)
    if arguments.prometheus == STDOUT:
        if form != TABLE:
            raise InputError(
                f"--{form} and --prometheus - contradict each other", "one goes to standard output"
            )
        form = PROMETHEUS
    if form == NAGIOS and arguments.fail_on:
        raise InputError(
            "--fail-on and --nagios contradict each other", "a plugin has an exit status of its own"
        )
    return form


def main(arguments: argparse.Namespace) -> int:
    """Audit, then write, print, and tell by the exit status how bad it is."""
    from htcq.audit.engine import audit
    from htcq.audit.evidence import Evidence
    from htcq.audit.profile import profile
    from htcq.audit.site import chosen_rules, verdicts
    from htcq.cli.site_rules import plug_ins, tell_refusals
    from htcq.operations.site_file import read_site_file
    from htcq.report.terminal import with_progress
    from htcq.why.held import ATTRIBUTES

    form = _form(arguments)
    check_alone(arguments)
    if form == PROMETHEUS:
        # Printed, and in no file.
        arguments.prometheus = None
    _check_places(arguments)
    if arguments.fix:
        from htcq.cli.audit_fix import directory_for_fixes

        directory_for_fixes(arguments.fix)
    site = read_site_file(arguments.config).audit
    chosen = profile(arguments.profile)
    worst = _threshold(arguments.fail_on, chosen.fail_on or site.fail_on)
    plugged = plug_ins()
    own = [rule for each in plugged for rule in each.rules]
    refusals = tell_refusals(plugged)
    rules = chosen_rules(_ids(arguments.only), _ids(arguments.ignore), chosen.settings(site), own)
    # The site file may speak of a rule whose plug-in is left out.
    opinions = chosen.verdicts(verdicts(site, None if refusals else own), rules)
    known = _known(arguments.baseline)
    # A name that ends in a slash is a directory for new files.
    fixes = f"{arguments.fix.rstrip('/')}/" if arguments.fix else None
    evidence = Evidence(
        read_source(
            arguments,
            files=(*_files(arguments).values(), fixes),
            partly=True,
            job_attributes=ATTRIBUTES,
        )
    )
    everything = audit(evidence, with_progress(rules, lambda rule: rule.id), opinions)
    outcome = everything.since(known)
    if not arguments.only:
        outcome = outcome.without(refusals)
    if form != NAGIOS:
        tell_ailments(outcome.health, outcome.source)
    _write(arguments, outcome, evidence, rules)
    if arguments.write_baseline:
        _write_baseline(arguments.write_baseline, everything, known - set(outcome.gone))
    if arguments.fix:
        from htcq.cli.audit_fix import write_fixes

        write_fixes(outcome, evidence, arguments.fix)
    _print(outcome, form, arguments.skipped)
    return _status(outcome, worst, form)


def _threshold(option: str, otherwise: str) -> Severity | None:
    """Return the severity of --fail-on, or else that of the profile or the site file."""
    from htcq.audit.site import threshold

    if option:
        return threshold(option, "--fail-on")
    return threshold(otherwise or _FAIL_ON, "htcq.toml: audit.fail_on")


def _files(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the files to be written, by option."""
    given = {
        "--html": arguments.html,
        "--prometheus": arguments.prometheus,
        "--sarif": arguments.sarif,
        "--write-baseline": arguments.write_baseline,
    }
    return {option: name for option, name in given.items() if name}


def _check_places(arguments: argparse.Namespace) -> None:
    """Refuse what cannot be written, and two options that write one file."""
    options: dict[Path, str] = {}
    for option, name in _files(arguments).items():
        place = place_of(name)
        if place in options:
            raise InputError(
                f"{options[place]} and {option} both write {place}", "give each a name of its own"
            )
        options[place] = option


def _ids(given: Sequence[str] | None) -> list[str]:
    return [id_.strip() for each in given or () for id_ in each.split(",")]


def _known(baseline: str | None) -> frozenset[str]:
    if not baseline:
        return frozenset()
    from htcq.report.views.audit_json import fingerprints

    try:
        text = Path(baseline).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", error)
        raise InputError(
            f"{baseline} cannot be read: {reason}", "'htcq audit --json' makes one"
        ) from error
    return fingerprints(text, baseline)


def _write_baseline(name: str, everything: Audit, known: frozenset[str]) -> None:
    import json

    from htcq.report.views.audit_json import baseline_json

    put_file(name, f"{json.dumps(baseline_json(everything, known), indent=2)}\n")


def _write(
    arguments: argparse.Namespace,
    outcome: Audit,
    evidence: Evidence,
    rules: Sequence[AnyRule],
) -> None:
    texts: dict[str, str] = {}
    if arguments.html:
        from htcq.report.charts.pictures import pictures_of
        from htcq.report.pages.audit import audit_page

        texts[arguments.html] = audit_page(outcome, pictures_of(evidence))
    if arguments.sarif:
        import json

        from htcq.report.views.audit_sarif import audit_sarif

        place = (arguments.config_dir or [""])[0]
        texts[arguments.sarif] = f"{json.dumps(audit_sarif(outcome, rules, place), indent=2)}\n"
    if arguments.prometheus:
        texts[arguments.prometheus] = _metrics(outcome)
    for name, text in texts.items():
        put_file(name, text)


def _metrics(outcome: Audit) -> str:
    import time

    from htcq.report.views.audit import audit_metrics

    return audit_metrics(outcome, time.time())


def _print(outcome: Audit, form: str, skipped: bool) -> None:
    if form in (TABLE, TEXT):
        from htcq.report.views.audit_text import show_audit

        show_audit(outcome, sys.stdout, plain=form == TEXT, skipped=skipped)
    elif form == JSON:
        import json

        from htcq.report.views.audit_json import audit_json

        print(json.dumps(audit_json(outcome), indent=2))
    elif form == CSV:
        from htcq.report.views.audit import write_csv
        from htcq.report.views.audit_text import failures

        write_csv(outcome, sys.stdout)
        for gone in outcome.gone:
            tell(f"htcq: no longer found: {gone}")
        for each in outcome.incomplete:
            tell(f"htcq: incomplete data: {each}")
        for failure in failures(outcome):
            tell(f"htcq: {failure}")
    else:
        print(_text(outcome, form), end="")


def _text(outcome: Audit, form: str) -> str:
    if form == PROMETHEUS:
        return _metrics(outcome)
    if form == NAGIOS:
        from htcq.report.views.audit import plugin

        return f"{plugin(outcome)[1]}\n"
    if form == GITHUB:
        from htcq.report.views.audit_github import workflow_lines

        return "".join(f"{line}\n" for line in workflow_lines(outcome))
    from htcq.report.views.audit import audit_lines

    return "".join(f"{line}\n" for line in audit_lines(outcome))


def _status(outcome: Audit, worst: Severity | None, form: str) -> int:
    if form == NAGIOS:
        from htcq.report.views.audit import plugin

        return plugin(outcome)[0]
    if not outcome.checked:
        tell("htcq: no rule could be checked: no data")
        return EXIT_UNKNOWN
    from htcq.audit.rule import Severity

    found = outcome.worst()
    if worst is not None and found is not None and found >= worst:
        return marked(EXIT_FINDINGS, outcome.health)
    if outcome.gaps and found is not Severity.ERROR:
        more = f" (and {len(outcome.gaps) - 1} more)" if outcome.gaps[1:] else ""
        tell(f"htcq: it is not certain that all is well: {outcome.gaps[0]}{more}")
        return EXIT_UNKNOWN
    return marked(EXIT_FINE, outcome.health)
