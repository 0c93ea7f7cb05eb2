"""Root causes, and the findings that follow from each.

A rule gives its root cause the settings under which the pool would not have it. The rules that
found something are run again on the pool with those settings. What they do not find there
follows from the root cause. So nothing that has another cause, or a second one, is listed under it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from htcq.audit.fix import Role, Setting
from htcq.audit.rule import AnyRule, Found, Input, Severity
from htcq.audit.subject import Subject
from htcq.errors import BindingsError

#: How many root causes are tried: each costs up to half an audit, so that a large pool has fewer
#: tried.
_MIN_TRIED, _MAX_TRIED = 3, 20
#: How many slots are looked at again, in all trials together, beyond the fewest trials.
_MAX_SLOTS = 60_000


@dataclass(frozen=True)
class Cause:
    """One finding: what one rule found of one cause."""

    rule: str
    cause: str


@dataclass(frozen=True)
class Occurrence:
    """One thing that a rule found; all things of one cause make one finding."""

    rule: AnyRule
    found: Found

    @property
    def cause(self) -> Cause:
        """The finding that it is a part of."""
        return Cause(self.rule.id, self.found.cause)

    @property
    def mark(self) -> tuple[Cause, str]:
        """The key that tells it from everything else that is found."""
        return self.cause, self.found.subject


@dataclass
class _Root:
    """A root cause.

    ``matters`` says whether it is more than information by itself. ``settings`` are those of the
    pool without it. ``gone`` is what is not found any more in that pool.
    """

    cause: Cause
    matters: bool
    settings: dict[Setting, None] = field(default_factory=dict)
    gone: list[Occurrence] = field(default_factory=list)


def root_causes(
    subject: Subject, occurrences: Sequence[Occurrence]
) -> dict[tuple[Cause, str], Cause]:
    """Return the root cause of each occurrence that follows from one, by its mark.

    ``occurrences`` is in the order of the rules.
    """
    if len(occurrences) <= 1:
        # Nothing is there that could follow from another thing.
        return {}

    tried = _to_be_tried(_roots(occurrences), subject.count)
    for root in tried:
        root.gone = _gone(subject, root, occurrences)
    # The one from which most follows comes first; of two that explain each other the one that
    # matters by itself, then the one whose rule comes first.
    tried.sort(key=lambda root: (_number_gone(root), root.matters), reverse=True)

    owners = _implied(occurrences)
    of_balance: set[Cause] = set(owners.values())
    chosen: set[Cause] = set()
    for root in tried:
        follows_itself = any(cause == root.cause for cause, _ in owners)
        if follows_itself:
            continue
        chosen.add(root.cause)
        gone = {each.mark for each in root.gone}
        stays = {each.cause for each in occurrences if each.mark not in gone}
        for each in root.gone:
            if each.cause not in chosen and not (each.cause in of_balance and each.cause in stays):
                owners.setdefault(each.mark, root.cause)
    # What a finding implies follows from that finding's own root cause.
    above = {cause: owner for (cause, _), owner in owners.items()}
    return {mark: above.get(owner, owner) for mark, owner in owners.items()}


def _implied(occurrences: Sequence[Occurrence]) -> dict[tuple[Cause, str], Cause]:
    """Return the owners of what is found of the balance and follows from another finding."""
    owners: dict[tuple[Cause, str], Cause] = {}
    for root in occurrences:
        for each in occurrences:
            of_balance = Input.BALANCE in each.rule.needs
            if of_balance and each.found.cause in root.found.implies:
                owners.setdefault(each.mark, root.cause)
    return owners


def _roots(occurrences: Sequence[Occurrence]) -> list[_Root]:
    """Return the root causes among ``occurrences``, each with the settings of all its parts."""
    roots: dict[Cause, _Root] = {}
    for each in occurrences:
        if not each.found.without_it:
            continue
        severity = max(each.found.severity or each.rule.severity, each.found.harm.severity)
        matters = severity > Severity.INFO
        root = roots.setdefault(each.cause, _Root(each.cause, matters))
        root.matters = root.matters or matters
        for setting in each.found.without_it:
            root.settings[setting] = None
    return list(roots.values())


def _to_be_tried(roots: Sequence[_Root], slots: int) -> list[_Root]:
    """Return the root causes to try; the fewer, the more ``slots`` the pool has.

    Those whose settings leave execution points alone come first: they are cheap to try.
    """

    def place(root: _Root) -> tuple[bool, bool]:
        changes_slots = any(setting.role is Role.EXECUTE for setting in root.settings)
        return changes_slots, not root.matters

    count = max(_MIN_TRIED, min(_MAX_TRIED, _MAX_SLOTS // max(1, slots)))
    return sorted(roots, key=place)[:count]


def _number_gone(root: _Root) -> int:
    """Return how many findings are gone without ``root``."""
    return len({each.cause for each in root.gone})


def _gone(subject: Subject, root: _Root, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """Return the occurrences that are not found any more in the pool without ``root``.

    There are none where ``root`` itself is still found there.
    """
    without = subject.with_settings(root.settings)
    rules = {each.rule.id: each.rule for each in occurrences}
    before: dict[str, set[tuple[Cause, str]]] = {}
    for each in occurrences:
        before.setdefault(each.rule.id, set()).add(each.mark)

    own = _left(rules.pop(root.cause.rule), without)
    if own is None or any(cause == root.cause for cause, _ in own):
        return []
    left: dict[str, set[tuple[Cause, str]] | None] = {root.cause.rule: own}
    for id_, rule in rules.items():
        left[id_] = _left(rule, without)

    gone: list[Occurrence] = []
    for each in occurrences:
        id_ = each.rule.id
        if each.cause != root.cause and _is_gone(each, before[id_], left[id_]):
            gone.append(each)
    return gone


def _left(rule: AnyRule, without: Subject) -> set[tuple[Cause, str]] | None:
    """Return the marks of what ``rule`` still finds; None where it cannot look."""
    if any(without.lacks(need) for need in rule.needs):
        return None
    try:
        return set(_marks(rule, without))
    except BindingsError:
        raise
    except Exception:
        # The engine reports a rule that fails; one that fails here only explains nothing.
        return None


def _marks(rule: AnyRule, without: Subject) -> Iterator[tuple[Cause, str]]:
    for each in rule.find(without):
        if isinstance(each, Found):
            yield Occurrence(rule, each).mark


def _is_gone(
    one: Occurrence, before: set[tuple[Cause, str]], left: set[tuple[Cause, str]] | None
) -> bool:
    """Return whether ``one`` is gone.

    It is not where ``left`` has something new of the same cause or of the same subject.
    """
    if left is None or one.mark in left:
        return False
    new = left - before
    return not any(cause == one.cause or subject == one.found.subject for cause, subject in new)


def by_root(
    occurrences: Iterable[Occurrence], owners: Mapping[tuple[Cause, str], Cause]
) -> dict[Cause, list[Occurrence]]:
    """Return the occurrences that follow from each root cause."""
    found: dict[Cause, list[Occurrence]] = {}
    for each in occurrences:
        owner = owners.get(each.mark)
        if owner is not None:
            found.setdefault(owner, []).append(each)
    return found
