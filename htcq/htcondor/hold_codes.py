"""What a HoldReasonCode says, and whose fault it is by itself (``hold_codes.tsv``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from htcq.htcondor.tables import rows

#: Whose fault it is: nobody's, since somebody meant it; the user's, as far as one job tells; the
#: machine's; the access point's.
MEANT, USER, MACHINE, ACCESS = "meant", "user", "machine", "access"
SPOOLING = 16


class HoldCode(NamedTuple):
    """One code: what it says, whose fault it is, and what leads to it.

    ``attributes`` are those of the job, ``knob`` that of its access point; ``look`` is what to look
    at. Each is empty where there is none.
    """

    words: str
    of: str = USER
    attributes: tuple[str, ...] = ()
    knob: str = ""
    look: str = ""


#: A code that a later HTCondor has, or that no ad gives.
_UNKNOWN = HoldCode("")


def hold_code(code: float | None) -> HoldCode:
    """Return what is known of a HoldReasonCode; one without words where nothing is."""
    if code is None:
        return _UNKNOWN
    return _codes().get(f"{code:g}", _UNKNOWN)


@lru_cache(maxsize=1)
def _codes() -> Mapping[str, HoldCode]:
    found = {}
    for row in rows("hold_codes.tsv"):
        cells = row.cells()
        attributes = tuple(cells["attributes"].split())
        found[row.key] = HoldCode(
            cells["words"], cells["of"], attributes, cells["knob"], cells["look"]
        )
    return found
