"""A knob that must be a ClassAd expression is none."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted, listed
from htcq.audit.fix import Role, Setting
from htcq.audit.fix_settings import settings_of
from htcq.audit.harm import part_of_pool
from htcq.audit.job_policies import JobPolicies, JobPolicy
from htcq.audit.knob_flaws import flaws_of, knob_as_written
from htcq.audit.rule import Fact, Found, Harm, Rule, Severity
from htcq.htcondor.knob_types import Type
from htcq.pool.configuration import Configuration
from htcq.pool.knob_values import Flaw, fault_in
from htcq.pool.slot import Slot
from htcq.pool.slot_class import EXAMPLES
from htcq.pool.transforms import BrokenLine, Loss

#: A rule of its own says what becomes of the pool's weight.
_OF_OTHER_RULES = frozenset(
    (
        "NEGOTIATOR_SLOT_CONSTRAINT",
        "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
        "GROUP_DYNAMIC_MACH_CONSTRAINT",
    )
)


def _find(evidence: Evidence) -> Iterator[Found]:
    written: dict[str, Found] = {}
    for whose, configuration, flaw, severity in flaws_of(evidence):
        if flaw.known.type is not Type.EXPRESSION or flaw.known.name in _OF_OTHER_RULES:
            continue
        found = _found(whose, configuration, flaw, severity)
        if flaw.known.name == "START":
            written.setdefault(whose, found)
        yield found
    yield from _of_transforms(evidence)
    yield from _of_slots(evidence, written)


def _found(whose: str, configuration: Configuration, flaw: Flaw, severity: Severity) -> Found:
    fault = f" ({flaw.fault})" if flaw.fault else ""
    name = flaw.knob.name
    default = configuration.defaults.get(flaw.known.name, "")
    return Found(
        cause=f"{name.upper()} = {flaw.text}",
        subject=f"knob {name}",
        message=f"{name} is not a ClassAd expression{fault}: {flaw.consequence}",
        facts=(knob_as_written(flaw.knob),),
        examples=(whose,),
        severity=severity,
        # What the site wants instead only the site knows.
        trial=tuple(settings_of(whose, configuration, [(name, default)])),
    )


def _of_transforms(evidence: Evidence) -> Iterator[Found]:
    """Yield the lines of transforms that schedds cannot use; an anonymous snapshot has none."""
    for name, configuration in evidence.access.items():
        version = evidence.pool.schedd_version(name)
        policies = JobPolicies(configuration, version, evidence.pool.only_files)
        for policy in () if evidence.pool.anonymous else policies.transforms():
            for line in policy.broken:
                yield _of_line(name, policy, line)


def _of_line(name: str, policy: JobPolicy, line: BrokenLine) -> Found:
    wrong = line.wrong
    if not wrong:
        begins = line.text.rindex(line.expression)
        fault = fault_in(
            line.expression, line.place, f"character {begins + line.place + 1} of the line"
        )
        wrong = f"{line.text[:begins].rstrip(' =,')} has no ClassAd expression"
        wrong += f" ({fault})" if fault else ""
    return Found(
        cause=f"{policy.knob.upper()} = {line.text}",
        subject=f"knob {policy.knob}",
        message=f"{policy.knob}: {wrong}: schedd {name} {line.loss.value}",
        facts=(Fact(policy.knob, line.text, policy.place),),
        examples=(name,),
        severity=Severity.ERROR if line.loss is Loss.JOBS else Severity.WARNING,
    )


def _of_slots(evidence: Evidence, written: dict[str, Found]) -> Iterator[Found]:
    """Yield that slots advertise Start = error: what the startd makes of such a START."""
    slots: dict[str, list[Slot]] = {}
    for slot in evidence.slots:
        machine = str(slot.machine)
        named = f"execution point {machine}" in written
        if slot.frame.text("Start").strip().lower() == "error" and not named:
            slots.setdefault(machine, []).append(slot)
    if not slots:
        return
    closed = [slot for each in slots.values() for slot in each]
    part = part_of_pool(evidence, closed)
    yield Found(
        cause="Start = error",
        subject=f"slot {closed[0].name}",
        message=(
            f"START of {listed(slots)} is not a ClassAd expression: "
            f"Start = error on {counted(len(closed), 'slot')}, no job starts there, "
            f"{100 * part:.0f} % of the pool"
        ),
        facts=(Fact("Start", "error"),),
        advice=(
            "Correct START on these machines, or the macro that it is made of: "
            "'condor_config_val -verbose -startd START' prints it with file and line. Then "
            "reconfigure their startds."
        ),
        count=len(closed),
        examples=tuple(str(slot.name) for slot in closed[:EXAMPLES]),
        severity=Severity.ERROR,
        harm=Harm(shut=part),
        trial=tuple(Setting(Role.EXECUTE, "START", "True", nodes=(machine,)) for machine in slots),
    )


RULE = Rule(
    id="knob-does-not-parse",
    severity=Severity.WARNING,
    needs=(),
    summary="The value of a knob is not the ClassAd expression that it must be",
    consequence=(
        "Each finding says what the daemon does. The negotiator exits at its ranks, at "
        "PREEMPTION_REQUIREMENTS and at its constraints, the startd at SLOT_WEIGHT, IS_OWNER, "
        "MACHINEMAXVACATETIME and the consumption policy, and their master starts them in vain: "
        "an error. With START = error in their ads slots take no job: an error too. Most other "
        "expressions are dropped, some of them without a line in any log, as "
        "SYSTEM_PERIODIC_HOLD is: the policy is not there."
    ),
    advice="Correct brackets, quotes and operators, and reconfigure the daemon.",
    source=(
        "callers of ParseClassAdRvalExpr and AssignExpr, 25.14; each knob was tried with a missing "
        "bracket on 25.14.1"
    ),
    find=_find,
)
