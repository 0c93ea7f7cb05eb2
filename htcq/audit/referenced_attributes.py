"""The attributes of jobs and slots that an expression of a slot refers to, directly or not."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from htcq.classads import literal
from htcq.pool.autocluster import Autocluster
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.slot import PLACES
from htcq.pool.slot_class import SlotClass
from htcq.units import attribute


class ReferencedAttributes(NamedTuple):
    """The references of an expression of a slot.

    ``of_jobs`` are the attributes of jobs, in lower case; ``of_slot`` says whether there is any
    reference to the slot.
    """

    of_jobs: frozenset[str]
    of_slot: bool


def looks_of(kind: SlotClass, names: Iterable[str]) -> ReferencedAttributes:
    """Return the attributes that the attributes ``names`` of ``kind`` refer to.

    An attribute that the slot lacks is looked up in the job.
    """
    frame, of_jobs, of_slot = kind.first.frame, set[str](), False
    left, seen = list(names), set[str]()
    assets = {attribute(asset).lower() for asset in kind.assets}
    while left:
        name = left.pop()
        expression = frame.expression(name)
        if name in seen or expression is None:
            continue
        seen.add(name)
        references = expression.references()
        of_jobs |= references.target
        for each in references.own:
            if each in frame or each in PLACES or each in assets:
                of_slot = True
                left.append(each)
            else:
                of_jobs.add(each)
    return ReferencedAttributes(frozenset(of_jobs), of_slot)


def values_of(jobs: Autocluster, names: Iterable[str]) -> Hashable:
    """Return a key for ``jobs``: classes with equal attributes ``names`` have equal keys."""
    values: list[Hashable] = []
    for name in sorted(names):
        text = jobs.frame.text(name)
        if text and literal(text) is None:
            # The references of the job's expression are not followed: the class stands for itself.
            return id(jobs)
        value: Hashable = text
        if not text and name in JOB_PLACES:
            value = jobs.first[JOB_PLACES[name]]
        values.append(value)
    return tuple(values)
