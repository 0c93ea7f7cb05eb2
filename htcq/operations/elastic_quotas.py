"""The file of elastic quotas: the tree that is meant, and its settings of writing and reclaim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from htcq.elastic.reclaim.reclaim_history import DAY
from htcq.errors import InputError, JournalError
from htcq.report.printable import tell
from htcq.store.elastic_journal import read_journal
from htcq.store.history_clock import clock_now
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
#: What such a file is called.
WHAT = "the file of quotas"


@dataclass(frozen=True)
class Declared:
    """The declared quotas of one negotiator, and the settings of writing and of taking back.

    ``negotiator`` is empty where neither the command nor the file names one. ``windows`` are the
    planned ones. ``text`` is that of the file. ``refused`` says why the present file is refused, if
    these are the quotas of the last one that was accepted.
    """

    quotas: ElasticQuotas
    settings: WriteSettings
    negotiator: str
    reclaim: ReclaimLimits
    windows: tuple[Window, ...] = ()
    text: str = ""
    refused: str = ""


def read_quota_file(name: str) -> QuotaFile:
    """Return what the file ``name`` declares, whether or not it can be computed.

    Keys of an older version are named on standard error.

    Raises:
        InputError: it cannot be read.
    """
    file = parsed_quota_file(name)
    for warning in file.warnings:
        tell(f"htcq: {warning}")
    return file


def parsed_quota_file(name: str) -> QuotaFile:
    """Return what the file ``name`` declares, and say nothing of keys of an older version.

    Raises:
        InputError: it cannot be read.
    """
    from htcq.operations.site_file import text_of, toml_in
    from htcq.settings.elastic import quotas_from

    text = text_of(Path(name), _HINT)
    return replace(quotas_from(toml_in(Path(name), text, _HINT), name), text=text)


def refuse_unsound_file(file: QuotaFile, name: str, tree: str) -> None:
    """Refuse a tree of the file ``name`` that declares nothing, or is not sound.

    Its planned windows count as well.

    Raises:
        InputError: it is refused.
    """
    from htcq.audit.elastic import refuse_unsound
    from htcq.quota.elastic.window import changed_quotas

    quotas = file.trees[tree]
    refuse_unsound(quotas, name)
    for window in file.windows[tree]:
        refuse_unsound(changed_quotas(quotas, [window]), f"{name}: {window.name}")
    if not quotas.groups:
        raise InputError(f"{name} declares no groups", _HINT)


def read_tree(name: str, negotiator: str) -> tuple[QuotaFile, str]:
    """Return the file of quotas ``name``, and the tree in it for ``negotiator`` (empty: not named).

    Raises:
        InputError: it cannot be read, the tree is refused, or there are several of which none is
            named.
    """
    file = read_quota_file(name)
    names = list(file.trees)
    chosen = negotiator if negotiator in names else names[0]
    if len(names) > 1 and chosen != negotiator:
        raise InputError(
            f"{name} has several trees", f"--name one of {', '.join(filter(None, names))}"
        )
    refuse_unsound_file(file, name, chosen)
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
        file.windows[chosen], file.text,
    )  # fmt: skip


class TreeState(NamedTuple):
    """What is known of a tree besides its quotas.

    Whether these are kept elastic, its planned windows, its last day, and the limits of reclaim.
    """

    activity: Activity
    windows: tuple[Window, ...]
    last_day: LastDay
    limits: ReclaimLimits


def tree_states_of(name: str, trees: Iterable[str]) -> dict[str, TreeState]:
    """Return, by tree of the file ``name``, whether its quotas are kept, and its windows.

    Raises:
        InputError: the file cannot be read.
    """
    from htcq.elastic.activity import UNKNOWN, Activity, LastDay, activity_of

    file = parsed_quota_file(name)
    found = {}
    for tree in trees:
        settings = file.writes[tree]
        last_day = LastDay()
        try:
            journal = read_journal(Path(settings.journal))
            activity = activity_of(journal.state, settings.max_failures)
            last_day = _last_day(journal, file.reclaims[tree].journal)
        except (JournalError, OSError) as error:
            activity = Activity(UNKNOWN, str(error))
        found[tree] = TreeState(activity, file.windows[tree], last_day, file.reclaims[tree])
    return found


def _last_day(journal: Journal, reclaim: str) -> LastDay:
    """Return what the journals of writer and reclaim have of the last 24 hours.

    Raises:
        JournalError: one cannot be read.
    """
    from htcq.elastic.activity import LastDay
    from htcq.elastic.journal import APPLY, INTENT, REFUSED

    clock = clock_now()
    recent = journal.since(DAY, clock)
    lost = list(ReclaimJournal(Path(reclaim)).lost_today(clock.now))
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
