"""An amount that is not a whole number.

It is found where files are read, since such a file has no quotas to examine.
"""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.elastic_quotas import UPSTREAM, DeclaredElasticQuotas
from htcq.audit.rule import Found, Input, Rule, Severity


def _find(quotas: DeclaredElasticQuotas) -> Iterator[Found]:
    yield from ()


RULE = Rule(
    id="elastic-amount-malformed",
    severity=Severity.ERROR,
    needs=(Input.ELASTIC,),
    summary="An amount is not a whole number, or the amounts are not a table",
    consequence=(
        "Nothing can be computed: shares are exact whole numbers, so that half a GPU or true is "
        "not possible."
    ),
    advice="Write whole numbers by dimension, such as min = { cpus = 10, gpus = 1 }.",
    source=UPSTREAM,
    find=_find,
)
