"""The sentences about clauses that are false on slots: of the job's Requirements, and of START."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from htcq.classads import Expr, Missing, as_number
from htcq.pool.slot import startd_in
from htcq.simulate.cycle.queues import Request
from htcq.units import counted, shortened
from htcq.why import match_failure as wall
from htcq.why.advice import advice
from htcq.why.blocked import Blocked, number_of, some_of
from htcq.why.evidence import Term, evidence, readable
from htcq.why.match_failure import MatchFailure
from htcq.why.requirements import Clause

#: Clauses that HTCondor writes into Requirements by itself, by an attribute that they name:
#: condor_submit for the deferral of a start, the schedd for a job that asks for slots of its
#: dedicated scheduler.
_DEFERRAL = "deferraltime"
_WRITTEN = {
    _DEFERRAL: (wall.DEFERRED, "it requests a later start: {}"),
    "dedicatedscheduler": (
        wall.DEDICATED_SCHEDULER,
        "no slot is dedicated to the scheduler of its access point: {}",
    ),
}
#: The wall of a clause, and what has it, by whether that is the job.
_OWNERS = {True: (wall.REQUIREMENTS, "Requirements"), False: (wall.START, "START")}
#: Most clauses of one kind that become walls.
_MAX_CLAUSES = 5
#: Most letters of a clause that no sentence names.
_MAX_LETTERS = 160
#: Slots that are kept from a request, in the order of the first slots.
_Found = Sequence[Blocked]


class LastClause(NamedTuple):
    """The clause that keeps a job from ``found``, the slots that what comes before leaves to it.

    ``met`` is how many slots its Requirements allow.
    """

    clause: Clause
    found: _Found
    met: int


def last_clause(found: _Found) -> LastClause | None:
    """Return the clause that keeps a job from the last slots; None where a size does.

    An owner means what Requirements say: where they allow large slots START of these is the last
    obstacle. Where they allow none it is their clause that excludes what the others leave.
    """
    met = some_of(each.only(~each.failure.excluded) for each in found)
    rest = some_of(each.only(~each.failure.lacks_any) for each in met)
    if not met:
        rest = _last_excluded(found)
    counts = [clause for clause, _ in _counts(rest) if clause.of_job is not bool(met)]
    return LastClause(counts[0], rest, number_of(met)) if counts else None


def _last_excluded(found: _Found) -> list[Blocked]:
    """Return those of ``found`` that are left to a job the longest: they exclude all of them."""
    rest = some_of(found)
    for clause, _ in _counts(found):
        if clause.of_job:
            left = some_of(each.only(~each.false(clause)) for each in rest)
            if not left:
                return rest
            rest = left
    return rest


def last_wall(last: LastClause, slots: int) -> MatchFailure:
    """Return the wall of the last obstacle of a job on ``slots`` slots."""
    clause, found = last.clause, last.found
    written = _written(clause, found)
    if written is not None:
        return written
    id_, owner = _OWNERS[clause.of_job]
    number, count = number_of(found), sum(each.count(each.false(clause)) for each in found)
    if number == slots:
        return _clause(id_, owner, clause, count, slots, found)
    those = ("it" if number == 1 else "them") if count == number else ""
    told = _clause(id_, owner, clause, count, slots, found, those)
    return replace(told, text=f"{_left(last, number, slots)}; {told.text}")


def _left(last: LastClause, number: int, slots: int) -> str:
    """Return that ``number`` of ``slots`` slots are left to a job, and by what."""
    where = f"{number} of {counted(slots, 'slot')}"
    if last.clause.of_job:
        return f"other clauses of Requirements allow {where}"
    if last.met == number:
        return f"Requirements allow {where}"
    large = "is large enough" if number == 1 else "are large enough"
    if last.met == slots:
        return f"{where} {large}"
    return f"{where} {'meets' if number == 1 else 'meet'} Requirements and {large}"


def clause_walls(
    found: _Found, slots: int, beside: Clause | None = None, with_room: bool = False
) -> Iterator[MatchFailure]:
    """Yield the walls of the clauses that are false on ``found``, which are some of ``slots``.

    A clause ``beside`` them is left out. ``with_room``: ``found`` are those that have room, and
    nobody asked the others.
    """
    counts = [(clause, count) for clause, count in _counts(found) if clause != beside]
    for of_job, (id_, owner) in _OWNERS.items():
        own = [(clause, count) for clause, count in counts if clause.of_job is of_job]
        for clause, count in own[:_MAX_CLAUSES]:
            those = f"{counted(count, 'slot')} with room" if with_room else ""
            yield _written(clause, found) or _clause(id_, owner, clause, count, slots, found, those)


def _clause(
    id_: str, owner: str, clause: Clause, count: int, slots: int, found: _Found, those: str = ""
) -> MatchFailure:
    """Return the wall of a clause that is false on ``count`` of ``slots`` slots: on ``those``."""
    where = those or _where(count, slots)
    if clause.lacks:
        return _without_policy(id_, clause, count, slots, found, where)
    now = found[0].failure.now
    shown, owner = readable(clause.text, now), clause.attribute or owner
    what = owner if shown.upper() == owner else f"{owner}: {shown}"
    amounts: dict[str, wall.Amount] = {"clause": shown, "slots": count, "of": slots}
    if clause.attribute:
        amounts["attribute"] = clause.attribute
    if clause.is_error:
        text = (
            f"{what} is an error on {where}: in their configuration it is not a ClassAd expression"
        )
        return MatchFailure(id_, text, {**amounts, "is_error": True})
    terms = _terms(clause, found)
    sides = evidence(terms, now)
    verb = "excludes" if clause.of_job else "refuses the job on"
    text = f"{what} {verb} {where}"
    if sides:
        text = f"{text}: {sides}"
    cure = advice(terms, clause.of_job)
    if clause.of_job and _DEFERRAL in clause.text.lower():
        cure = "condor_qedit of DeferralTime, to a number of seconds since 1970"
    return MatchFailure(id_, text, amounts, cure)


def _without_policy(
    id_: str, clause: Clause, count: int, slots: int, found: _Found, where: str
) -> MatchFailure:
    """Return the wall of slots whose ads lack the consumption policy that they compare."""
    those = some_of(each.only(each.failure.clauses[clause]) for each in found
                    if clause in each.failure.clauses)  # fmt: skip
    first = those[0].first[1]
    text = (
        f"{clause.attribute} refuses the job on {where}: {first} has no "
        f"{clause.lacks[0]}, which it compares"
    )
    amounts: dict[str, wall.Amount] = {
        "clause": shortened(clause.text, _MAX_LETTERS), "slots": count, "of": slots,
        "attribute": clause.attribute, "lacks": ", ".join(clause.lacks),
    }  # fmt: skip
    machine = startd_in(first)
    advice = f"condor_restart -startd on {machine}, or CONSUMPTION_POLICY = False there"
    return MatchFailure(id_, text, amounts, advice)


def _terms(clause: Clause, found: _Found) -> Sequence[Term]:
    """Return the comparisons of a clause with the values that they have on all slots."""
    merged: dict[tuple[str, ...], Term] = {}
    for each in found:
        false = each.false(clause)
        if not false.any():
            continue
        for term in each.failure.terms(clause, false, each.stand_for):
            key = term.key
            merged[key] = term if key not in merged else merged[key].with_more(term)
    return list(merged.values())


def _counts(found: _Found) -> Sequence[tuple[Clause, int]]:
    """Return the false clauses with their slots: most slots first, then by the first slot."""
    counts, firsts = Counter[Clause](), dict[Clause, int]()
    for each in found:
        for clause, false in each.failure.clauses.items():
            rows = each.rows & false
            if rows.any():
                counts[clause] += each.count(rows)
                place = each.slots.first_of(rows)[0]
                firsts[clause] = min(place, firsts.get(clause, place))
    return sorted(counts.items(), key=lambda each: (-each[1], firsts[each[0]]))


def _where(count: int, slots: int) -> str:
    """Return ``count`` of ``slots`` in words."""
    if count != slots:
        return f"{count} of {counted(slots, 'slot')}"
    if slots == 1:
        return "the only slot"
    return f"all {slots} slots"


def _written(clause: Clause, found: _Found) -> MatchFailure | None:
    """Return the wall of a clause that HTCondor wrote; None where it did not.

    A deferral without a time is none: no time makes the clause true.
    """
    for attribute, (id_, text) in _WRITTEN.items():
        if clause.of_job and attribute in clause.text.lower():
            now, terms = found[0].failure.now, _terms(clause, found)
            if id_ == wall.DEFERRED and any(map(_never_holds, terms)):
                return None
            shown = readable(clause.text, now)
            sides = evidence(terms, now)
            told = f"{shown}: {sides}" if sides and id_ == wall.DEFERRED else shown
            return MatchFailure(id_, text.format(told), {"clause": shown})
    return None


def waits_for_no_time(clause: Expr, request: Request) -> bool:
    """Return whether a clause defers the start of a ``request`` to what is no time."""
    if _DEFERRAL not in clause.words():
        return False
    return as_number(request.first.ad().value(_DEFERRAL)) is None


def _never_holds(term: Term) -> bool:
    """Return whether a side that is the job's alone has no value."""
    sides = (term.left, term.right) if term.right is not None else (term.left,)
    return any(
        not side.of_slots and all(isinstance(value, Missing) for value in side.values)
        for side in sides
    )
