"""A job can take a fraction of a GPU or another custom asset."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.fractions import fractional
from htcq.audit.rule import Found, Input, Rule, Severity
from htcq.units import BUILT_IN_ASSETS


def _find(evidence: Evidence) -> Iterator[Found]:
    return fractional(evidence, lambda asset: asset not in BUILT_IN_ASSETS)


RULE = Rule(
    id="fractional-custom-asset",
    severity=Severity.ERROR,
    needs=(Input.SLOTS,),
    summary="The consumption of a custom asset, such as GPUs, can be a fraction",
    consequence=(
        "Custom assets are allocated as whole units. For half a GPU the dynamic slot gets none, "
        "no device is bound, and the job does not fit: the claim is refused and the job is "
        "matched again, forever, while its user is charged."
    ),
    advice="Round up in the consumption expression.",
    source=(
        "src/condor_startd.V6/Resource.cpp:create_dslot, ResAttributes.cpp, 25.14; seen on 25.14.1"
    ),
    find=_find,
)
