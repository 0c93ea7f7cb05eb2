"""Which rules look at declared groups: those on what is declared, and those of the audit that quotas concern."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.catalog import rule
from htcq.audit.engine import Audit, audit
from htcq.audit.evidence import Evidence
from htcq.audit.rule import Input, Rule
from htcq.audit.site import chosen_rules, verdicts
from htcq.emit.declared import Declared
from htcq.emit.promises import rules_on
from htcq.settings import AuditSettings

_FAMILY = "quota"
#: Rules on configuration that concern groups; the second one, only where a text is looked at alone.
_OF_GROUPS, _OF_A_TEXT = "quota-for-unknown-group", "unknown-knob"
#: On a knob that is sound unless it is declared; without a pool nothing is to be said of HTCondor's own.
_OF_ORDER, _ORDER = "sort-expression-broken", "GROUP_SORT_EXPR"
#: Whether quotas fit, which a pool decides and not the site.
_OF_THE_POOL = ("quotas-fill-the-pool", "quota-exceeds-pool")


def checked(declared: Declared, evidence: Evidence) -> Audit:
    """Return what must be known before the groups are written; ``evidence`` is the pool that has them already."""
    fitting = [rule(id_) for id_ in _OF_THE_POOL]
    known = [each for each in fitting if not any(evidence.lacks(need) for need in each.needs)]
    return audit(evidence, (*rules_on(declared), *known))


def linted(declared: Declared, evidence: Evidence, site: AuditSettings, with_pool: bool) -> Audit:
    """Return everything that is wrong with the groups, as the site wants it told.

    Without a pool only those of the audit's rules are checked that need the configuration alone.

    Raises:
        InputError: the site speaks of a rule or a severity that there is not.
    """
    own = rules_on(declared)
    disabled = {id_ for id_, each in site.rules.items() if each.disable}
    rules = [each for each in own if each.id not in disabled]
    # What is checked on the declared groups is not told a second time.
    told = {each.id for each in own}
    if not with_pool and _ORDER not in declared.settings.knobs:
        told.add(_OF_ORDER)
    rules += _of_the_audit(site, with_pool, told)
    return audit(evidence, rules, verdicts(site))


def _of_the_audit(site: AuditSettings, with_pool: bool, told: set[str]) -> Iterator[Rule]:
    for each in chosen_rules((), (), site):
        of_quotas = each.family == _FAMILY and (with_pool or each.needs == (Input.CENTRAL,))
        of_text = each.id == _OF_GROUPS or (each.id == _OF_A_TEXT and not with_pool)
        if (of_quotas or of_text) and each.id not in told:
            yield each
