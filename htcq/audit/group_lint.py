"""Checks of declared groups: the rules on declarations, and rules of the audit on quotas."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.catalog import rule, rules_on_declared_groups
from htcq.audit.declared_groups import DeclaredGroups
from htcq.audit.engine import Audit, audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import AnyRule, Input
from htcq.audit.site import chosen_rules, verdicts
from htcq.settings import AuditSettings

_FAMILY = "quota"
#: Rules on configuration that concern groups; the second one only for a text without a pool.
_OF_GROUPS, _OF_A_TEXT = "quota-for-unknown-group", "unknown-knob"
#: A rule on a knob whose default is sound: without a pool it is checked only if it is declared.
_OF_ORDER, _ORDER = "sort-expression-broken", "GROUP_SORT_EXPR"
#: Rules on whether quotas fit, which the pool decides and not the site.
_OF_THE_POOL = ("quotas-fill-the-pool", "quota-exceeds-pool")


def checked(declared: DeclaredGroups, evidence: Evidence) -> Audit:
    """Return the audit of groups before they are written.

    ``evidence`` is the pool with these groups.
    """
    rules: list[AnyRule] = []
    for id_ in _OF_THE_POOL:
        each = rule(id_)
        if not any(map(evidence.lacks, each.needs)):
            rules.append(each)
    return audit(evidence, rules).joined(audit(declared, rules_on_declared_groups()))


def linted(
    declared: DeclaredGroups, evidence: Evidence, site: AuditSettings, with_pool: bool
) -> Audit:
    """Return everything that is wrong with the groups, under the site's verdicts on rules.

    Without a pool, of the audit's rules only those on the configuration alone are checked.

    Raises:
        InputError: the site names a rule or a severity that does not exist.
    """
    own = rules_on_declared_groups()
    disabled = {id_ for id_, each in site.rules.items() if each.disable}
    # What is checked on the declared groups is not checked a second time.
    checked_before = {each.id for each in own}
    if not with_pool and _ORDER not in declared.settings.knobs:
        checked_before.add(_OF_ORDER)
    rules = [each for each in _of_the_audit(site, with_pool) if each.id not in checked_before]
    opinions = verdicts(site)
    outcome = audit(declared, [each for each in own if each.id not in disabled], opinions)
    return audit(evidence, rules, opinions).joined(outcome)


def _of_the_audit(site: AuditSettings, with_pool: bool) -> Iterator[AnyRule]:
    for each in chosen_rules((), (), site):
        if each.family == _FAMILY:
            fits = with_pool or each.needs == (Input.CENTRAL,)
        elif each.id == _OF_A_TEXT:
            fits = not with_pool
        else:
            fits = each.id == _OF_GROUPS
        if fits:
            yield each
