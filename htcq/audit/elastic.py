"""Checks of elastic quotas: errors, which make them unsound, and warnings on sound ones."""

from __future__ import annotations

from dataclasses import replace

from htcq.audit.catalog import ELASTIC, family
from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.engine import Audit, audit
from htcq.audit.rule import AnyRule, Severity
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticQuotas

#: Rules on amounts alone: quotas that break them must not be written, but can still be computed.
COMPUTABLE = frozenset(
    (
        "elastic-min-above-max", "elastic-min-not-of-parent", "elastic-children-min-above-parent",
        "elastic-guarantee-not-covered", "elastic-max-below-used", "elastic-used-without-max",
        "elastic-kinds-above-whole", "elastic-dimension-not-of-parent",
    )
)  # fmt: skip


def unsound(quotas: DeclaredElasticQuotas) -> Audit:
    """Return every reason to refuse the quotas.

    Koordinator's admission refuses them as well, or their computation would never end. Percentages
    of the pool are compared with each other; with amounts only where the pool is known.
    """
    declared = quotas.quotas
    if not any(group.parts for group in declared.groups):
        return audit(quotas, _rules(errors=True))
    hundred = {name: 100 for group in declared.groups for name in group.names()}
    found = audit(replace(quotas, quotas=declared.of(hundred)), _rules(errors=True))
    if _mixed(declared):
        left = [each for each in found.findings if each.rule not in COMPUTABLE]
        return replace(found, findings=tuple(left))
    told = []
    for each in found.findings:
        message = each.message
        if each.rule in COMPUTABLE:
            message = f"{message}, in percent of the pool"
        told.append(replace(each, message=message))
    return replace(found, findings=tuple(told))


def _mixed(quotas: ElasticQuotas) -> bool:
    """Return whether one dimension has percentages of the pool as well as amounts."""
    parts: set[str] = set()
    amounts: set[str] = set()
    for group in quotas.groups:
        parts.update(*group.parts.values())
        for given in (group.min, group.max):
            amounts.update(name for name, amount in given.items() if amount)
    return not parts.isdisjoint(amounts)


def doubtful(quotas: DeclaredElasticQuotas) -> Audit:
    """Return the warnings on quotas that can be computed; Koordinator accepts them silently."""
    return audit(quotas, _rules(errors=False))


def is_computable(found: Audit) -> bool:
    """Return whether quotas with the findings ``found`` can still be computed."""
    return all(finding.rule in COMPUTABLE for finding in found.findings)


def refuse_unsound(quotas: ElasticQuotas, file: str) -> None:
    """Refuse quotas that are not sound by themselves, whatever the demand is.

    Raises:
        InputError: with the first finding, and how to fix it.
    """
    for finding in unsound(DeclaredElasticQuotas(file, quotas)).findings:
        raise InputError(f"{file}: {finding.message} [{finding.rule}]", finding.advice)


def _rules(errors: bool) -> tuple[AnyRule, ...]:
    return tuple(rule for rule in family(ELASTIC) if (rule.severity is Severity.ERROR) is errors)
