"""Limits of the machine that data from elsewhere may use.

Such data are a snapshot that somebody sent, or the answer of a daemon.

Sizes are bytes. Honest data stay below: text of ClassAds shrinks to a thirtieth (gzip) or
fiftieth (xz). The process that reads it may have half a byte of memory for each byte of text,
beside 400 MiB.
"""

from __future__ import annotations

from dataclasses import dataclass

from htcq.errors import LIMITS_OPTION as OPTION

__all__ = ("DEADLINES", "MIB", "NAGIOS_DEADLINE", "OPTION", "PATIENCE", "USUAL", "Limits")

MIB = 1024 * 1024
#: How long one query of a pool may take unless the user says otherwise, in seconds.
PATIENCE = 60.0
#: How many times as long a command may take that asks a live pool.
DEADLINES = 10
#: Nagios gives a plugin 60 seconds; it must be over before, in seconds.
NAGIOS_DEADLINE = 50.0
#: Bytes of text that an archive usually has for each of its own.
_USUAL_EXPANSION = 50


@dataclass(frozen=True)
class Limits:
    """The limits of one run; ``factor`` raises those that honest data may reach, in proportion.

    ``unconfined``: also where the machine cannot confine the process that reads.
    """

    factor: float = 1.0
    unconfined: bool = False

    @property
    def members(self) -> int:
        """Files in a snapshot, without directories."""
        return round(5000 * self.factor)

    @property
    def text(self) -> int:
        """Size of one configuration; no dump of a real machine has a tenth of it."""
        return round(4 * MIB * self.factor)

    @property
    def texts(self) -> int:
        """Size of all configurations of a snapshot."""
        return round(64 * MIB * self.factor)

    def expanded(self, stored: int) -> int:
        """Return the size to which an archive of ``stored`` bytes may expand."""
        return round((16 * MIB + self.expansion * stored) * self.factor)

    @property
    def expansion(self) -> int:
        """Bytes that an archive may have for each of its own, before the factor."""
        return 250

    def memory(self, size: int, packed: bool = False) -> int:
        """Return the memory for the process that reads a text or an archive of ``size``."""
        return round((400 * MIB + _text_size(size, packed) / 2) * self.factor)

    def seconds(self, size: int, packed: bool = False) -> int:
        """Return the processor time for that process."""
        return round((600 + _text_size(size, packed) / MIB) * self.factor)

    @property
    def one_step(self) -> int:
        """Seconds of processor time for one expression."""
        return max(1, round(4 * self.factor))

    @property
    def part_of_machine(self) -> float:
        """Part of its memory, and of the free disk, that answers of daemons may take."""
        return min(0.95, 0.5 * self.factor)


def _text_size(size: int, packed: bool) -> int:
    """Return the size of the text in an archive of ``size``, or of a text."""
    if packed:
        return size * _USUAL_EXPANSION
    return size


USUAL = Limits()
