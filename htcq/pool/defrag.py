"""The configuration of condor_defrag, which runs beside the negotiator where DAEMON_LIST says so.

Knobs with its own prefix come first (src/condor_utils/config.cpp, HTCondor 25.14).
"""

from __future__ import annotations

from htcq.pool.configuration import Configuration, Knob
from htcq.pool.daemons import DAEMON_LIST, listed_daemons

_DAEMON = "DEFRAG"


def runs_defrag(central: Configuration) -> bool:
    """Return whether the central manager runs condor_defrag."""
    return _DAEMON in listed_daemons(central.value(DAEMON_LIST))


def defrag_knob(central: Configuration, name: str) -> Knob | None:
    """Return a knob of condor_defrag; None where it is not set."""
    return central.knob(f"{_DAEMON}.{name}") or central.knob(name)


def defrag_value(central: Configuration, name: str) -> str:
    """Return the value of a knob of condor_defrag, HTCondor's default where it is not set."""
    knob = defrag_knob(central, name)
    return central.defaults.get(name, "") if knob is None else knob.value
