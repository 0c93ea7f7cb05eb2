"""Keys of an older version in a file of elastic quotas: they are read once more, with a warning.

A file that an upgrade refuses would stop the writer on the day of the upgrade. The next version
refuses these keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from htcq.errors import InputError

#: The keys of today by their former names, by table of ``[elastic]``.
RENAMED: Mapping[str, Mapping[str, str]] = {
    "write": {"fail_most": "max_failures", "least_seen": "min_seen"},
    "reclaim": {"gap": "max_gap", "settle": "settle_time"},
}
#: Keys without a successor, by table of ``[elastic]``: quotas no longer rise and fall in small
#: steps.
REMOVED: Mapping[str, frozenset[str]] = {
    "write": frozenset(
        (
            "hold",
            "hold_time",
            "raise_most",
            "max_raise",
            "lower_most",
            "max_lower",
            "least_change",
            "min_change",
            "least_part",
            "min_change_part",
            "headroom",
        )
    ),
}
_NEXT = "the next version refuses it"


def with_present_keys(
    content: Mapping[str, Any], file: str
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return ``content``, what the TOML ``file`` holds, with the keys of today, and warnings.

    What is no table is left as it is.

    Raises:
        InputError: a key is there by its former and by its present name.
    """
    warnings: list[str] = []
    found = _tree(content, "", file, warnings)
    trees = content.get("trees")
    if isinstance(trees, Mapping):
        found["trees"] = {
            name: _tree(tree, f"trees.{name}.", file, warnings) for name, tree in trees.items()
        }
    return found, tuple(warnings)


def _tree(tree: Any, where: str, file: str, warnings: list[str]) -> Any:
    if not isinstance(tree, Mapping):
        return tree
    elastic = tree.get("elastic")
    if not isinstance(elastic, Mapping):
        return dict(tree)
    tables = dict(elastic)
    for name in RENAMED:
        given = elastic.get(name)
        if isinstance(given, Mapping):
            place = f"{where}elastic.{name}"
            tables[name] = dict(_present(given, name, place, file, warnings))
    return {**tree, "elastic": tables}


def _present(
    given: Mapping[str, Any], name: str, place: str, file: str, warnings: list[str]
) -> Iterator[tuple[str, Any]]:
    """Yield the keys of the table ``name`` by their names of today, without those that went."""
    for key, value in given.items():
        new = RENAMED[name].get(key, key)
        if key in REMOVED.get(name, ()):
            warnings.append(f"{file}: {place}.{key} has no effect any more: delete it; {_NEXT}")
            continue
        if new != key:
            if new in given:
                raise InputError(
                    f"{file}: {place}.{key} is the former name of {new}, which is there too",
                    f"delete {key}",
                )
            warnings.append(f"{file}: {place}.{key} is called {new} now: rename it; {_NEXT}")
        yield new, value
