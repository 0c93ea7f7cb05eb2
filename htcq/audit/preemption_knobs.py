"""Preemption expressions without the attribute that is never true."""

from __future__ import annotations

from htcq.audit.evidence import Evidence
from htcq.classad.substitution import with_references

_NEVER = "remoteautoregroup"
#: True where the root group negotiated for another one.
_MEANT = "(RemoteNegotiatingGroup =!= RemoteGroup)"


def sound_preemption(evidence: Evidence, knob: str) -> str:
    """Return the expression of ``knob`` on one line.

    RemoteAutoregroup is replaced by the expression that it was meant to be.
    """
    text = " ".join(evidence.setting(knob).split())
    return with_references(text, lambda part: _MEANT if part.name == _NEVER else None)
