"""Checks of elastic quotas: errors, which make them unsound, and warnings on sound ones."""

from __future__ import annotations

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

    Koordinator's admission refuses them as well, or their computation would never end.
    """
    return audit(quotas, _rules(errors=True))


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
