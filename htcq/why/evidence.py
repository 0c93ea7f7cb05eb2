"""Both sides of a clause that is false: what the job has, what the slots have, which comes nearest.

A clause is taken apart down to its comparisons, also inside of countMatches, whose first argument
is evaluated in the ads of single devices (src/classad/fnCall.cpp: countMatches, HTCondor 25.14).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Callable, NamedTuple

from htcq.classad.clauses import conjuncts
from htcq.classad.names import as_written, visible
from htcq.classad.parser import parse
from htcq.classad.substitution import substituted
from htcq.classad.tree import MY, TARGET, Binary, Call, Literal, Reference, Tree, Unary
from htcq.classads import UNDEFINED, Missing, Value, as_number, spelled
from htcq.units import counted, show_moment, show_number, show_spans

_ORDERED = {">": True, ">=": True, "<": False, "<=": False}
#: What a side has to be, by whether it has to be large, and not the same.
_BOUNDS = {
    (True, False): "at least", (True, True): "more than",
    (False, False): "at most", (False, True): "less than",
}  # fmt: skip
_EQUAL = frozenset(("==", "!=", "=?=", "=!="))
_COUNT_MATCHES = "countmatches"
_CLOCK = "time()"
#: Attributes of jobs alone begin so, in lower case.
_REQUEST = "request"
#: Most values of one side that a sentence names, and most comparisons of one clause.
_MAX_VALUES, _MAX_TERMS = 3, 4
#: Numbers between these are taken for moments where the clause looks at the clock.
_FIRST_MOMENT, _LAST_MOMENT = 1e9, 5e9

#: The values of a text over the slots in question: each with the number of slots.
Valued = Callable[[str], Mapping[Value, int]]


class Side(NamedTuple):
    """One side of a comparison: its text and its values with the number of slots of each.

    ``of_slots``: some part of it is looked up in the slot, ``of_job``: in the job.
    """

    text: str
    values: Mapping[Value, int]
    of_slots: bool
    of_job: bool


@dataclass(frozen=True)
class Term:
    """A comparison, or an attribute alone where ``operator`` is empty (``right`` is None then).

    ``devices``: it is about the devices of a slot, of which one has to match.
    """

    operator: str
    left: Side
    right: Side | None = None
    devices: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What it is, whatever its values."""
        return (self.operator, self.left.text, self.right.text if self.right else "", self.devices)

    def with_more(self, other: Term) -> Term:
        """Return the term with the values that it has on other slots, too."""
        right = self.right
        if right is not None and other.right is not None:
            right = _with_more(right, other.right)
        return replace(self, left=_with_more(self.left, other.left), right=right)


def _with_more(side: Side, other: Side) -> Side:
    return side._replace(values=Counter(side.values) + Counter(other.values))


@dataclass(frozen=True)
class Views:
    """How to look at the two ads of a clause: who owns a name, and what a text comes to.

    ``is_own`` tells of a name in lower case without a scope whether the ad with the clause has it.
    ``text_of`` returns the expression of an attribute of the ad with the clause.
    """

    of_job: bool
    is_own: Callable[[str], bool]
    text_of: Callable[[str], str]
    values: Valued


def terms_of(text: str, views: Views) -> Sequence[Term]:
    """Return the comparisons of ``text`` with the values of their sides, most four."""
    found: list[Term] = []
    for part in _decisive(parse(text)):
        for term in _terms(text, part, views):
            if term not in found:
                found.append(term)
    return found[:_MAX_TERMS]


def _decisive(tree: Tree) -> Iterator[Tree]:
    """Yield the parts that a condition is made of."""
    left = [tree]
    while left:
        part = left.pop()
        if isinstance(part, Binary) and part.operator in ("&&", "||"):
            left += (part.right, part.left)
        elif isinstance(part, Unary) and part.operator == "!":
            left.append(part.operand)
        else:
            yield part


def _terms(text: str, part: Tree, views: Views) -> Iterator[Term]:
    if not isinstance(part, Binary) or part.operator not in (*_ORDERED, *_EQUAL):
        for each in _references(part):
            yield Term("", _side(text, each, views))
        return
    for side in (part.left, part.right):
        if isinstance(side, Call) and side.function == _COUNT_MATCHES and len(side.arguments) == 2:
            yield from _device_terms(text, side, views)
            return
    yield Term(part.operator, _side(text, part.left, views), _side(text, part.right, views))


def _references(part: Tree) -> Sequence[Reference]:
    found: dict[tuple[str, str | None], Reference] = {}
    for each in visible(part):
        if isinstance(each, Reference):
            found.setdefault((each.name, each.scope), each)
    return list(found.values())


def _side(text: str, part: Tree, views: Views) -> Side:
    written = text[part.span.start : part.span.end]
    owners = {_is_of_job(each, views) for each in _references(part)}
    values = views.values(written)
    if _is_of_neither(part, values, views):
        owners = {True, False}
    return Side(written, values, False in owners, True in owners)


def _is_of_neither(part: Tree, values: Mapping[Value, int], views: Views) -> bool:
    """Return whether START names an attribute that the slots lack and the job as well.

    It may be meant to be either's.
    """
    if views.of_job or not isinstance(part, Reference) or part.scope is not None:
        return False
    return not views.is_own(part.name) and not any(map(_is_known, values))


def _is_of_job(part: Reference, views: Views) -> bool:
    own = part.scope == MY or (part.scope != TARGET and views.is_own(part.name))
    if views.of_job and part.scope is None and part.name.startswith(_REQUEST):
        # No slot has such an attribute: it is the job that lacks it.
        return True
    return own is views.of_job


# Devices
# --------------------------------------------------------------------------------------------------


def _device_terms(text: str, call: Call, views: Views) -> Iterator[Term]:
    """Yield the terms of a condition on devices that no device of the slots meets."""
    condition, devices = (text[each.span.start : each.span.end] for each in call.arguments)
    wanted = call.arguments[0]
    if isinstance(wanted, Reference) and _is_of_job(wanted, views) is views.of_job:
        condition = views.text_of(wanted.name) or condition
    for each in conjuncts(condition):
        if any(as_number(value) for value in views.values(f"countMatches({each}, {devices})")):
            # Some device meets this part.
            continue
        tree = parse(each)
        if not isinstance(tree, Binary) or tree.operator not in (*_ORDERED, *_EQUAL):
            continue
        yield _device_term(each, tree, devices, views)


def _device_term(text: str, tree: Binary, devices: str, views: Views) -> Term:
    name, asked, operator = tree.left, tree.right, tree.operator
    if isinstance(name, Literal):
        name, asked, operator = asked, name, _turned(operator)
    property_, wanted = (text[each.span.start : each.span.end] for each in (name, asked))
    # An attribute alone is undefined in evalInEachContext: it has to be a part of something.
    each = f"evalInEachContext(0 + {property_}, {devices})"
    values = views.values(f"{'min' if operator in ('<', '<=') else 'max'}({each})")
    if operator in _EQUAL:
        values = views.values(f'join(" and ", evalInEachContext(strcat({property_}), {devices}))')
    return Term(
        operator,
        Side(property_, values, True, False),
        Side(wanted, views.values(wanted), False, False),
        devices,
    )


def _turned(operator: str) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)


# Sentences
# --------------------------------------------------------------------------------------------------


def evidence(terms: Iterable[Term], now: str, where: str = "") -> str:
    """Return the two sides of ``terms`` in words; ``now`` is the time as it stands in the texts.

    ``where`` names the other ad where it is not that of slots.
    """
    found = (_sentence(each, now, where) for each in terms)
    return "; ".join(dict.fromkeys(filter(None, found)))


def readable(text: str, now: str) -> str:
    """Return ``text`` as its author wrote it: with time() in the place of the moment ``now``."""
    if not now or now not in text:
        return text

    def clock(part: Tree) -> str | None:
        if isinstance(part, Literal) and spelled(part.value) == now:
            return _CLOCK
        return None

    return substituted(text, clock)


def _sentence(term: Term, now: str, where: str) -> str:
    left, right = term.left, term.right
    if right is None:
        # That it is false is what "not true" says.
        return "" if set(left.values) <= {False} else _is(left, now, where)
    if term.devices:
        return _of_devices(term)
    if term.operator in _ORDERED:
        found = _ordered(term.operator, left, right, now, where)
        if found:
            return found
    return "; ".join(
        _is(each, now, where) for each in (left, right) if each.of_job or each.of_slots
    )


def _of_devices(term: Term) -> str:
    assert term.right is not None
    known = {value: slots for value, slots in term.left.values.items() if _is_known(value)}
    slots = sum(term.left.values.values())
    asked = _shown(next(iter(term.right.values), UNDEFINED))
    text = f"the job asks for devices with {term.left.text} {term.operator} {asked}"
    if not known:
        return f"{text}; no device of {counted(slots, 'slot')} has {term.left.text}"
    best = _nearest(known, term.operator in (">", ">=")) if term.operator in _ORDERED else None
    if best is None:
        return f"{text}; {counted(slots, 'slot')} have {_listed(known)}"
    return f"{text}; the best of {counted(slots, 'slot')} has {_shown(best)}"


def _ordered(operator: str, left: Side, right: Side, now: str, where: str) -> str:
    """Return a comparison by size with the slot that comes nearest; empty where none is known."""
    up = _ORDERED[operator]
    if right.of_slots and not left.of_slots:
        left, right, up = right, left, not up
    if not left.of_slots or right.of_slots:
        return ""
    asked = next(iter(right.values), UNDEFINED)
    best = _nearest(left.values, up)
    if best is None or as_number(asked) is None:
        return ""
    is_span = now != "" and now in f"{left.text} {right.text}" and not _is_moment(best)
    slots = sum(left.values.values())
    needed, has = _shown(asked, now), _shown(best, now)
    if is_span:
        needed, has = show_spans(as_number(asked) or 0, as_number(best) or 0)
    whose = f" ({readable(right.text, now)} of the job)" if right.of_job else ""
    of = f"the best of {counted(slots, 'slot')}" if slots > 1 else (where or "the slot")
    if is_span and _is_left_time(left.text, now):
        return f"{readable(left.text, now)}: {has} left on {of}, {needed} needed{whose}"
    bound = _BOUNDS[up, len(operator) == 1]
    return f"{readable(left.text, now)} has to be {bound} {needed}{whose}; {of} has {has}"


def _is_left_time(text: str, now: str) -> bool:
    """Return whether ``text`` is how much time is left until some moment."""
    tree = parse(text)
    return (
        isinstance(tree, Binary)
        and tree.operator == "-"
        and text[tree.right.span.start : tree.right.span.end] == now
    )


def _nearest(values: Mapping[Value, int], up: bool) -> Value | None:
    numbers = [value for value in values if as_number(value) is not None]
    if not numbers:
        return None
    return (max if up else min)(numbers, key=lambda value: as_number(value) or 0)


def _is(side: Side, now: str, where: str) -> str:
    """Return what a side is."""
    other = where or ("the slot" if sum(side.values.values()) == 1 else "the slots")
    whose = f"of {other}" if side.of_slots else "of the job"
    if side.of_slots and side.of_job:
        whose = f"of the job and {other}"
    name = readable(side.text, now)
    tree = parse(side.text)
    if isinstance(tree, Reference):
        name = as_written(side.text, tree)
    return f"{name} {whose} is {_listed(side.values, now)}"


def _listed(values: Mapping[Value, int], now: str = "") -> str:
    most = sorted(values, key=lambda value: (-values[value], str(value)))
    first = [_shown(value, now) for value in most[:_MAX_VALUES]]
    if len(most) > 1:
        first = [f"{text} on {values[value]}" for text, value in zip(first, most)]
    more = len(most) - _MAX_VALUES
    if more > 0:
        first.append(f"{counted(more, 'other value')}")
    return ", ".join(first)


def _is_known(value: Value) -> bool:
    return not isinstance(value, Missing)


def _is_moment(value: Value) -> bool:
    number = as_number(value)
    return number is not None and _FIRST_MOMENT < number < _LAST_MOMENT


def _shown(value: Value, now: str = "") -> str:
    number = as_number(value)
    if number is None or isinstance(value, bool):
        return spelled(value)
    if now and _is_moment(value):
        return show_moment(number)
    return show_number(number) if type(value) is int else spelled(value)
