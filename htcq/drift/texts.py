"""A quota as it was declared or configured, as one line of text that is kept, and read back.

``static 20 accept_surplus``: HTCondor's word for an amount or a share, the number, and what
holds besides.
"""

from __future__ import annotations

from htcq.drift.observation import QuotaSetting
from htcq.units import plain_number

_KINDS = {"static": True, "dynamic": False}


def setting_text(setting: QuotaSetting) -> str:
    """Return ``setting`` as text; :func:`setting_of` reads it back to the last digit."""
    words = ["dynamic", plain_number(setting.quota)]
    if setting.static:
        words[0] = "static"
    if setting.accept_surplus:
        words.append("accept_surplus")
    if setting.autoregroup:
        words.append("autoregroup")
    return " ".join(words)


def setting_of(text: str) -> QuotaSetting | None:
    """Return the setting in ``text``; None where it is none."""
    kind, _, rest = text.partition(" ")
    number, *flags = rest.split(" ")
    try:
        return QuotaSetting(
            float(number), _KINDS[kind], "accept_surplus" in flags, "autoregroup" in flags
        )
    except (KeyError, ValueError):
        return None
