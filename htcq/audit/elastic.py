"""Checks elastic quotas: what makes them unsound comes first, then what somebody should know of sound ones."""

from __future__ import annotations

from htcq.audit.catalog import ELASTIC, family
from htcq.audit.elastic_quotas import DeclaredElasticQuotas
from htcq.audit.engine import Audit, audit
from htcq.audit.rule import AnyRule, Severity
from htcq.errors import InputError
from htcq.quota.elastic.declaration import ElasticQuotas

#: What is wrong only with the amounts: such quotas must not be written, and what they come to is
#: well defined.
COMPUTABLE = frozenset(
    (
        "elastic-min-above-max", "elastic-min-not-of-parent", "elastic-children-min-above-parent",
        "elastic-guarantee-not-covered", "elastic-max-below-used", "elastic-used-without-max",
        "elastic-kinds-above-whole", "elastic-dimension-not-of-parent",
    )
)  # fmt: skip


def unsound(quotas: DeclaredElasticQuotas) -> Audit:
    """Return every reason to refuse the quotas: what Koordinator's admission refuses, and what would never end."""
    return audit(quotas, _rules(errors=True))


def doubtful(quotas: DeclaredElasticQuotas) -> Audit:
    """Return what somebody should know of quotas that can be computed: Koordinator lets it pass and says nothing."""
    return audit(quotas, _rules(errors=False))


def is_computable(found: Audit) -> bool:
    """Tell whether quotas of which ``found`` is wrong come to anything that is well defined."""
    return all(finding.rule in COMPUTABLE for finding in found.findings)


def refuse_unsound(quotas: ElasticQuotas, file: str) -> None:
    """Refuse quotas that are not sound by themselves, whatever is wanted of them.

    Raises:
        InputError: with the first of what is wrong, and how to fix it.
    """
    for finding in unsound(DeclaredElasticQuotas(file, quotas)).findings:
        raise InputError(f"{file}: {finding.message} [{finding.rule}]", finding.advice)


def _rules(errors: bool) -> tuple[AnyRule, ...]:
    return tuple(rule for rule in family(ELASTIC) if (rule.severity is Severity.ERROR) is errors)
