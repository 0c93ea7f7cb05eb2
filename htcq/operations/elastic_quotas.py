"""The file of elastic quotas: the tree that is meant, and its settings of writing and reclaim."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from htcq.elastic.reclaim.reclaim_history import DAY
from htcq.errors import InputError, JournalError
from htcq.store.elastic_journal import read_journal
from htcq.store.reclaim_journal import ReclaimJournal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from htcq.elastic.activity import Activity, LastDay
    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.quota.elastic.window import Window
    from htcq.settings.elastic import QuotaFile
    from htcq.settings.elastic_write import WriteSettings
    from htcq.settings.reclaim import ReclaimLimits
    from htcq.store.elastic_journal import Journal

_HINT = "see htcq-elastic(1)"


@dataclass(frozen=True)
class Declared:
    """The declared quotas of one negotiator, and the settings of writing and of taking back.

    ``negotiator`` is empty where neither the command nor the file names one. ``windows`` are the
    planned ones.
    """

    quotas: ElasticQuotas
    settings: WriteSettings
    negotiator: str
    reclaim: ReclaimLimits
    windows: tuple[Window, ...] = ()


def read_quota_file(name: str) -> QuotaFile:
    """Return what the file ``name`` declares, whether or not it can be computed.

    Raises:
        InputError: it cannot be read.
    """
    from htcq.operations.site_file import parse_toml
    from htcq.settings.elastic import quotas_from

    return quotas_from(parse_toml(Path(name), _HINT), name)


def read_tree(name: str, negotiator: str) -> tuple[QuotaFile, str]:
    """Return the file of quotas ``name``, and the tree in it for ``negotiator`` (empty: not named).

    Raises:
        InputError: it cannot be read, the tree is refused, or there are several of which none is
            named.
    """
    from htcq.audit.elastic import refuse_unsound
    from htcq.quota.elastic.window import changed_quotas

    file = read_quota_file(name)
    names = list(file.trees)
    chosen = negotiator if negotiator in names else names[0]
    if len(names) > 1 and chosen != negotiator:
        raise InputError(
            f"{name} has several trees", f"--name one of {', '.join(filter(None, names))}"
        )
    quotas = file.trees[chosen]
    refuse_unsound(quotas, name)
    for window in file.windows[chosen]:
        refuse_unsound(changed_quotas(quotas, [window]), f"{name}: {window.name}")
    if not quotas.groups:
        raise InputError(f"{name} declares no groups", _HINT)
    return file, chosen


def read_declared(
    name: str, negotiator: str, directory: str | None = None, journal: str | None = None
) -> Declared:
    """Return the quotas in the file ``name``.

    ``directory`` and ``journal`` replace those in the file.

    Raises:
        InputError: they cannot be read, are refused, or are those of several negotiators of which
            none is named.
    """
    file, chosen = read_tree(name, negotiator)
    given: dict[str, Any] = {
        key: value for key, value in (("directory", directory), ("journal", journal)) if value
    }
    settings = replace(file.writes[chosen], **given)
    return Declared(
        file.trees[chosen], settings, negotiator or chosen, file.reclaims[chosen],
        file.windows[chosen],
    )  # fmt: skip


class TreeState(NamedTuple):
    """Whether the quotas of a tree are kept elastic, its planned windows, and its last day."""

    activity: Activity
    windows: tuple[Window, ...]
    last_day: LastDay


def tree_states_of(name: str, trees: Iterable[str]) -> dict[str, TreeState]:
    """Return, by tree of the file ``name``, whether its quotas are kept, and its windows.

    Raises:
        InputError: the file cannot be read.
    """
    from htcq.elastic.activity import UNKNOWN, Activity, LastDay, activity_of

    file = read_quota_file(name)
    found = {}
    for tree in trees:
        settings = file.writes[tree]
        last_day = LastDay()
        try:
            journal = read_journal(Path(settings.journal))
            activity = activity_of(journal.state, settings.max_failures)
            last_day = _last_day(journal, file.reclaims[tree].journal, time.time())
        except (JournalError, OSError) as error:
            activity = Activity(UNKNOWN, str(error))
        found[tree] = TreeState(activity, file.windows[tree], last_day)
    return found


def _last_day(journal: Journal, reclaim: str, now: float) -> LastDay:
    """Return what the journals of writer and reclaim have of the 24 hours before ``now``.

    Raises:
        JournalError: one cannot be read.
    """
    from htcq.elastic.activity import LastDay
    from htcq.elastic.journal import APPLY, INTENT, REFUSED

    recent = [each for each in journal.records if each.time > now - DAY]
    lost = list(ReclaimJournal(Path(reclaim)).lost_today(now))
    return LastDay(
        refused=sum(each.kind == REFUSED for each in recent),
        writes=sum(each.kind == INTENT and each.what == APPLY for each in recent),
        vacated=len(lost),
        lost=sum(each.hours for each in lost),
    )


def trees_of(name: str, negotiator: str) -> Mapping[str, ElasticQuotas]:
    """Return the trees of the file ``name`` for ``negotiator``; all where it is not named.

    Raises:
        InputError: it cannot be read, or has several trees and none is that negotiator's.
    """
    trees = read_quota_file(name).trees
    if not negotiator:
        return trees
    tree = tree_for(trees, negotiator)
    if tree is None:
        raise InputError(
            f"{name} has no tree for the negotiator {negotiator}",
            f"its trees are {', '.join(sorted(trees))}",
        )
    return {tree: trees[tree]}


def tree_for(trees: Mapping[str, ElasticQuotas], negotiator: str) -> str | None:
    """Return the name of the tree for ``negotiator``, if one of ``trees`` is.

    A tree is called like its negotiator, with or without the machine; one without a name is for
    any negotiator.
    """
    for name in (negotiator, negotiator.partition("@")[0], ""):
        if name in trees:
            return name
    return None
