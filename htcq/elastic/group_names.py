"""Gates of the writer: names of groups that HTCondor refuses or reads otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.elastic.gates import GateRefusal
from htcq.quota.elastic.declaration import ElasticGroup
from htcq.quota.group_tree import why_no_group


def unwritable(groups: Iterable[ElasticGroup]) -> Iterator[GateRefusal]:
    """Yield a refusal for each group whose name HTCondor cannot have."""
    for group in groups:
        why = why_no_group(group.name)
        if why:
            yield GateRefusal("name", f"group {group.name!r} cannot be written for HTCondor", why)


def unnamed_parents(groups: Iterable[ElasticGroup]) -> Iterator[GateRefusal]:
    """Yield a refusal for each group whose name does not say which group it is below, if any.

    The names are HTCondor's tree: it would hold nothing of the parent that is declared.
    """
    for group in groups:
        above, _, last = group.name.rpartition(".")
        if group.parent == above:
            continue
        message = f"group {group.name} has the parent {group.parent}, which its name lacks"
        name = f"{group.parent}.{last}"
        if not group.parent:
            message = f"group {group.name} has no parent, but HTCondor takes it for one of {above}"
            name = last
        hint = f"name it {name}, in the quotas and in the jobs' accounting groups"
        yield GateRefusal("parent", message, hint)
