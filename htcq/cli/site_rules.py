"""A site's own rules: plug-ins in the group ``htcq.rules`` of entry points of packages.

A plug-in is code that runs with the rights of whoever runs htcq, so it is loaded only from where
nobody but root and the caller can write: the directory in which its package is installed, and
the file and directory of its module. One that is broken or not to be trusted is left out and
named; the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from htcq.audit import catalog
from htcq.audit.site_rules import PlugIn, accepted
from htcq.operations.trusted import distrust
from htcq.report.printable import tell

GROUP = "htcq.rules"


def plug_ins() -> tuple[PlugIn, ...]:
    """Return the plug-ins that are installed for this Python, by the names of their packages."""
    taken = {rule.id: "htcq" for rule in catalog.all_rules()}
    found: list[PlugIn] = []
    for package in sorted(_packages(), key=_label):
        for plug_in in _in_package(package, taken):
            found.append(plug_in)
            taken.update({rule.id: f"the plug-in {plug_in.name}" for rule in plug_in.rules})
    return tuple(found)


def tell_refusals(found: tuple[PlugIn, ...]) -> tuple[str, ...]:
    """Say which plug-ins are left out or incomplete, and return what was said."""
    said = [
        f"plug-in {each.name} ({each.package}): {refusal}"
        for each in found
        for refusal in each.refusals
    ]
    for line in said:
        tell(f"htcq: {line}")
    return tuple(said)


def _packages() -> Iterator[metadata.Distribution]:
    """Yield the installed packages that have plug-ins.

    Of two packages with one name the first on the path counts, as in imports.
    """
    seen = set()
    for package in metadata.distributions():
        name = package.metadata["Name"]
        if GROUP in (package.read_text("entry_points.txt") or "") and name not in seen:
            seen.add(name)
            yield package


def _label(package: metadata.Distribution) -> str:
    return f"{package.metadata['Name']} {package.version}"


def _in_package(package: metadata.Distribution, taken: dict[str, str]) -> Iterator[PlugIn]:
    """Yield the plug-ins of one package. Python 3.9 has no ``entry_points(group=…)``."""
    try:
        entries = [entry for entry in package.entry_points if entry.group == GROUP]
    except Exception as error:
        # What is no list of entry points ends in whatever the parser of this Python stumbles over.
        reason = f"left out: its entry points cannot be read: {error}"
        yield PlugIn(package.metadata["Name"], _label(package), refusals=(reason,))
        return
    for entry in entries:
        yield _loaded(entry, package, taken)


def _loaded(
    entry: metadata.EntryPoint, package: metadata.Distribution, taken: dict[str, str]
) -> PlugIn:
    label = _label(package)
    try:
        reason = next(_reasons_for_distrust(entry, package), "")
        if reason:
            return PlugIn(entry.name, label, refusals=(f"left out: {reason}",))
        return accepted(entry.name, label, entry.load(), taken)
    except (Exception, SystemExit) as error:
        # Whatever a stranger's module does when it is imported: the audit goes on without it.
        return PlugIn(entry.name, label, refusals=(f"left out: {type(error).__name__}: {error}",))


def _reasons_for_distrust(
    entry: metadata.EntryPoint, package: metadata.Distribution
) -> Iterator[str]:
    """Yield which place of the plug-in others can write to; nothing of it is imported for that."""
    places = [Path(str(package.locate_file("")))]
    spec = find_spec(entry.value.partition(":")[0].strip().partition(".")[0])
    if spec is not None:
        directories = [Path(each) for each in spec.submodule_search_locations or ()]
        files = [Path(spec.origin)] if spec.origin else []
        places += [*directories, *files, *(file.parent for file in files)]
    for place in dict.fromkeys(places):
        reason = distrust(str(place), place.stat())
        if reason:
            yield reason
