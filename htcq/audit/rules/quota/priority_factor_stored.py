"""GROUP_PRIO_FACTOR_<group> is not what the accountant has stored for users of the group."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import knob_fact
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.audit.users import is_nice
from htcq.quota.group_tree import assigned_group
from htcq.quota.knobs import number_of


def _find(evidence: Evidence) -> Iterator[Found]:
    quotas = evidence.quotas
    for record in quotas.accounts.values():
        stored = record.number("PriorityFactor")
        if stored is None or is_nice(evidence, record.name):
            continue
        if record.value("IsAccountingGroup") is True:
            continue
        name = f"GROUP_PRIO_FACTOR_{assigned_group(quotas.tree, record.name).group}"
        wanted = number_of(evidence.setting(name).strip() or "0")
        if wanted and abs(wanted - stored) > 1e-6 * wanted:
            yield Found(
                cause=name.upper(),
                subject=f"submitter {record.name}",
                message=(
                    f"{record.name} has a priority factor of {stored:g}, but {name} is {wanted:g}"
                ),
                facts=(knob_fact(evidence, name), Fact("PriorityFactor", f"{stored:g}")),
                advice=f"Set the factor: condor_userprio -setfactor {record.name} {wanted:g}",
                examples=(record.name,),
            )


RULE = Rule(
    id="priority-factor-stored",
    severity=Severity.INFO,
    needs=(Input.CENTRAL, Input.ACCOUNTING),
    summary="Users of a group have another priority factor than GROUP_PRIO_FACTOR_<group>",
    consequence=(
        "The knob is read only when the accountant sees a user for the first time. The factor is "
        "then stored, and later changes of the configuration do not affect that user."
    ),
    advice="Set the factor of existing users with condor_userprio -setfactor.",
    source="src/condor_negotiator.V6/Accountant.cpp:GetPriorityFactor, 25.14",
    find=_find,
)
