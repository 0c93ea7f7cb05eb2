"""Configuration that fixes a finding, in reports: as JSON, and as lines by machines and file."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.fix import Setting, by_place


def settings_json(settings: tuple[Setting, ...]) -> list[dict[str, object]]:
    """Return settings as htcq-audit(1) describes them."""
    return [
        {
            "role": setting.role.value,
            "nodes": list(setting.nodes),
            "file": setting.file,
            "knob": setting.knob,
            "value": setting.value,
        }
        for setting in settings
    ]


def settings_text(settings: tuple[Setting, ...]) -> Iterator[str]:
    """Yield a line for the machines and the file, and then the lines of configuration."""
    for (whose, file), found in by_place(settings).items():
        yield place_text(whose, file)
        for setting in found:
            yield setting.line


def place_text(whose: str, file: str) -> str:
    """Return where settings belong: ``On the central manager, now set in FILE:``."""
    on = whose
    if not whose.startswith("every"):
        on = f"the {whose}"
    if file:
        return f"On {on}, now set in {file}:"
    return f"On {on}:"
