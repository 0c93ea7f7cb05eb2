"""Preemption expressions without the attribute that is never true."""

from __future__ import annotations

import re

from htcq.audit.evidence import Evidence

_NEVER = re.compile(r"(?:\b(?:MY|TARGET)\s*\.\s*)?\bRemoteAutoregroup\b", re.IGNORECASE)
#: True where the root group negotiated for another one.
_MEANT = "(RemoteNegotiatingGroup =!= RemoteGroup)"


def sound_preemption(evidence: Evidence, knob: str) -> str:
    """Return the expression of ``knob`` on one line.

    RemoteAutoregroup is replaced by the expression that it was meant to be.
    """
    return _NEVER.sub(_MEANT, " ".join(evidence.setting(knob).split()))
