"""What resolves a false clause, from the values of its two sides."""

from __future__ import annotations

from collections.abc import Sequence

from htcq.classad.names import as_written
from htcq.classad.parser import parse
from htcq.classad.tree import Reference
from htcq.classads import Missing, Value, spelled
from htcq.why.evidence import Side, Term

_EQUAL = frozenset(("==", "=?="))
_MAX_VALUES = 3
_REQUEST = "request"
#: Attributes of a job that nobody changes (IMMUTABLE_JOB_ATTRS and SYSTEM_*, 25.14), and those that
#: name the account which is charged for it.
_FIXED = frozenset((
    "owner", "user", "osuser", "clusterid", "procid", "qdate", "accountinggroup", "acctgroup",
    "acctgroupuser", "jobuniverse",
))  # fmt: skip
#: The command that changes an attribute, where it is not condor_qedit.
_COMMANDS = {"jobprio": "condor_prio"}


def advice(terms: Sequence[Term], of_job: bool) -> str:
    """Return what resolves a clause with these ``terms``; empty where its values do not tell.

    ``of_job``: it is one of the job's Requirements, otherwise one of START.
    """
    found: dict[str, None] = {}
    for term in terms:
        for text in _of_term(term, of_job):
            found[text] = None
    return "; ".join(found)


def _of_term(term: Term, of_job: bool) -> Sequence[str]:
    sides = [term.left] if term.right is None else [term.left, term.right]
    if term.devices:
        return [f"a slot with such a device; a lower {term.left.text} in the job's require_gpus"]
    undefined = [each for each in sides if _name(each) and _is_undefined(each)]
    if undefined:
        return [_of_undefined(each, of_job) for each in undefined]
    clause = "the clause in the job's Requirements" if of_job else "START of the execution points"
    if term.right is None and of_job and term.left.of_slots and _name(term.left):
        # Such as HasDocker, which the startd itself sets by what it finds on the machine.
        return [f"slots where {_name(term.left)} is true; {clause}"]
    of_slots = [each for each in sides if each.of_slots and not each.of_job]
    own = [each for each in sides if each.of_job and not each.of_slots]
    if term.operator in _EQUAL and len(of_slots) == 1 and len(own) == 1 and _name(own[0]):
        change, values = _change_of(_name(own[0]), clause), _values(of_slots[0])
        return [clause if change == clause else f"{change} to a value that slots have: {values}"]
    if own and _name(own[0]) and _name(own[0]).lower() != "requirements":
        changes = dict.fromkeys((_change_of(_name(own[0]), clause), clause))
        return ["; ".join(changes)]
    return []


def _change_of(name: str, clause: str) -> str:
    """Return how an attribute of a job is changed; ``clause`` where it cannot be."""
    if name.lower() in _FIXED:
        return clause
    return _COMMANDS.get(name.lower(), f"condor_qedit of {name}")


def _of_undefined(side: Side, of_job: bool) -> str:
    name = _name(side)
    if name.lower() == "requirements":
        return "condor_qedit of Requirements to an expression that has a value"
    if side.of_slots:
        if of_job:
            return f"slots that advertise {name} (STARTD_ATTRS), or a clause without it"
        if side.of_job:
            return f"a value of {name} in the slots (STARTD_ATTRS) or in the job: START names it"
        return f"a value of {name} in the slots, which START refers to"
    command = f"+{name}"
    if name.lower().startswith(_REQUEST):
        command = f"request_{name[len(_REQUEST) :].lower()}"
    return f"a value of {name} in the job: {command} in its submit file, condor_qedit"


def _is_undefined(side: Side) -> bool:
    return bool(side.values) and all(isinstance(value, Missing) for value in side.values)


def _name(side: Side) -> str:
    """Return the attribute that a side is; empty where it is anything else."""
    tree = parse(side.text)
    return as_written(side.text, tree) if isinstance(tree, Reference) else ""


def _values(side: Side) -> str:
    known: list[Value] = [each for each in side.values if not isinstance(each, Missing)]
    most = sorted(known, key=lambda value: (-side.values[value], str(value)))
    return ", ".join(spelled(value) for value in most[:_MAX_VALUES])
