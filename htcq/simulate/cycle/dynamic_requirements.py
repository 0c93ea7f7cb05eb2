"""What of a slot's Requirements is decided anew by the dynamic slot that is made for a job.

A startd asks them again there (src/condor_startd.V6/command.cpp, request_claim, HTCondor 25.14).
What the slot and its dynamic slot see alike held in the match, and holds again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from htcq.classads import Expr
from htcq.columns.parser import parse
from htcq.columns.tree import MY, Binary, Foreign, Reference, Tree, written
from htcq.pool.shared_attributes import SharedAttributes
from htcq.simulate.cycle.reference_graph import ANY_NAME, ReferenceGraph

#: What a dynamic slot has for itself, besides its amounts.
_OF_DYNAMIC_SLOT = frozenset({"dynamicslot", "partitionableslot", "slottype", "numdynamicslots"})
#: Compares the request with what the slot has left, which a startd does apart.
_LIMITS = "withinresourcelimits"
#: References that are followed into each other, which keeps circles out.
_MAX_DEPTH = 20


def asked_again(
    slot: SharedAttributes, job: SharedAttributes, assets: tuple[str, ...], links: ReferenceGraph
) -> tuple[Expr, ...]:
    """Return the parts of Requirements of ``slot`` that are other ones on its dynamic slot.

    All parts must hold. The consumption policy of a slot changes what ``job`` asks of ``assets``.
    """
    changing = _OF_DYNAMIC_SLOT | {ANY_NAME}
    for asset in assets:
        changing |= {asset, f"totalslot{asset}", f"request{asset}", f"_cp_orig_request{asset}"}
    found = []
    for tree in _parts(Reference("requirements"), slot, _MAX_DEPTH):
        expression = links.parsed(written(tree))
        if expression is None:
            continue
        if not changing.isdisjoint(links.reached(expression.words(), slot, job)):
            found.append(expression)
    return tuple(found)


def asked_of_changed_requests(
    slot: SharedAttributes, job: SharedAttributes, names: Collection[str], links: ReferenceGraph
) -> tuple[Expr, ...]:
    """Return the parts of Requirements of ``slot`` that come upon ``names``, without _LIMITS.

    The startd asks them of a request that it has changed, before it makes a dynamic slot, and takes
    the request as it came where they do not hold (src/condor_startd.V6/Resource.cpp, create_dslot).
    """
    found = []
    for tree in _parts(Reference("requirements"), slot, _MAX_DEPTH, _LIMITS):
        if isinstance(tree, Reference) and tree.name.lower() == _LIMITS:
            continue
        expression = links.parsed(written(tree))
        if expression is None:
            continue
        reached = links.reached(expression.words(), slot, job)
        if ANY_NAME in reached or not reached.isdisjoint(names):
            found.append(expression)
    return tuple(found)


def _parts(tree: Tree, slot: SharedAttributes, depth: int, kept: str = "") -> Iterator[Tree]:
    """Yield what must hold for ``tree`` to hold; a reference to ``kept`` as it stands."""
    if isinstance(tree, Binary) and tree.operator == "&&":
        yield from _parts(tree.left, slot, depth, kept)
        yield from _parts(tree.right, slot, depth, kept)
        return
    if (
        isinstance(tree, Reference)
        and tree.scope in (None, MY)
        and depth
        and tree.name.lower() != kept
    ):
        expression = slot.expression(tree.name)
        if expression is not None:
            inner = parse(expression.text)
            if not isinstance(inner, Foreign):
                yield from _parts(inner, slot, depth - 1, kept)
                return
    yield tree
