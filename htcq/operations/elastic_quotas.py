"""The file of elastic quotas: the tree that is meant, and its settings of writing and reclaim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from htcq.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.settings.elastic import QuotaFile
    from htcq.settings.elastic_write import WriteSettings
    from htcq.settings.reclaim import ReclaimLimits

_HINT = "see htcq-elastic(1)"


@dataclass(frozen=True)
class Declared:
    """The declared quotas of one negotiator, and the settings of writing and of taking back.

    ``negotiator`` is empty where neither the command nor the file names one.
    """

    quotas: ElasticQuotas
    settings: WriteSettings
    negotiator: str
    reclaim: ReclaimLimits


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

    file = read_quota_file(name)
    names = list(file.trees)
    chosen = negotiator if negotiator in names else names[0]
    if len(names) > 1 and chosen != negotiator:
        raise InputError(
            f"{name} has several trees", f"--name one of {', '.join(filter(None, names))}"
        )
    quotas = file.trees[chosen]
    refuse_unsound(quotas, name)
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
    return Declared(file.trees[chosen], settings, negotiator or chosen, file.reclaims[chosen])


def trees_of(name: str, negotiator: str) -> Mapping[str, ElasticQuotas]:
    """Return the trees of the file ``name`` for ``negotiator``; all where it is not named.

    Raises:
        InputError: it cannot be read, or has several trees and none is that negotiator's.
    """
    trees = read_quota_file(name).trees
    if not negotiator:
        return trees
    for tree in (negotiator, negotiator.partition("@")[0], ""):
        if tree in trees:
            return {tree: trees[tree]}
    raise InputError(
        f"{name} has no tree for the negotiator {negotiator}",
        f"its trees are {', '.join(sorted(trees))}",
    )
