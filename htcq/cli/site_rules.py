"""A site's own rules: plug-ins in the group ``htcq.rules`` of the entry points of installed packages.

A plug-in is code that runs with the rights of whoever runs htcq, so it is loaded only from where nobody but root and
the caller can write: the directory in which its package is installed, and the file and directory of its module.
One that is broken or not to be trusted is left out and named; the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from htcq.audit import catalog
from htcq.audit.site_rules import PlugIn, accepted
from htcq.cli.trusted import distrust
from htcq.report.printable import tell

GROUP = "htcq.rules"


def plug_ins() -> tuple[PlugIn, ...]:
    """Return the plug-ins that are installed for this Python, in the order of their names."""
    taken = {rule.id: "htcq" for rule in catalog.ALL}
    found = []
    for entry, package in sorted(_entries(), key=lambda each: each[0].name):
        found.append(_loaded(entry, package, taken))
        taken.update({rule.id: f"the plug-in {entry.name}" for rule in found[-1].rules})
    return tuple(found)


def tell_refusals(found: tuple[PlugIn, ...]) -> tuple[str, ...]:
    """Say which plug-ins are left out or incomplete, and return what was said."""
    said = [f"plug-in {each.name} ({each.package}): {refusal}" for each in found for refusal in each.refusals]
    for line in said:
        tell(f"htcq: {line}")
    return tuple(said)


def _entries() -> Iterator[tuple[metadata.EntryPoint, metadata.Distribution]]:
    """Yield the entry points of the group; of two packages with one name the first on the path counts, as in imports.

    Python 3.9 has no ``entry_points(group=…)``, and an entry point of its does not know its package.
    """
    seen = set()
    for package in metadata.distributions():
        entries = [entry for entry in package.entry_points if entry.group == GROUP]
        if not entries or package.metadata["Name"] in seen:
            continue
        seen.add(package.metadata["Name"])
        for entry in entries:
            yield entry, package


def _loaded(entry: metadata.EntryPoint, package: metadata.Distribution, taken: dict[str, str]) -> PlugIn:
    label = f"{package.metadata['Name']} {package.version}"
    try:
        reason = next(_reasons_for_distrust(entry, package), "")
        if reason:
            return PlugIn(entry.name, label, refusals=(f"left out: {reason}",))
        return accepted(entry.name, label, entry.load(), taken)
    except (Exception, SystemExit) as error:
        # Whatever a stranger's module does when it is imported: the audit goes on without it.
        return PlugIn(entry.name, label, refusals=(f"left out: {type(error).__name__}: {error}",))


def _reasons_for_distrust(entry: metadata.EntryPoint, package: metadata.Distribution) -> Iterator[str]:
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
