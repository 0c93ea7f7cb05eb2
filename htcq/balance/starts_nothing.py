"""Machines of which a finding says that nothing starts or lasts there, as the balance has them.

The simulated cycle knows nothing of what fails after a match: to it such a machine is free, and
matches with it start. The jobs wait all the same, and the cores are nobody's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from htcq.balance.causes import STARTING, STARTS_NOTHING, UNWANTED
from htcq.balance.standing import Part
from htcq.expected.unmet import JobKey, Unmet
from htcq.why.verdict import Verdicts

#: What such a machine has, as far as nothing else closes it.
_FREE = frozenset((STARTING, UNWANTED))


class FailingMachines:
    """The slots and the matches that lead to nothing, by what was ``unmet``."""

    def __init__(self, verdicts: Verdicts, unmet: Iterable[Unmet]) -> None:
        startds = {name for each in unmet if each.is_fault for name in each.machines}
        self._slots = frozenset(
            str(slot.name) for slot in verdicts.pool.slots or () if slot.startd in startds
        )
        starts = {(each.access_point, each.job): each.slot for each in verdicts.trace.matches}
        starts.update(verdicts.after.leftovers)
        #: The jobs that start there in the simulated cycle.
        self.jobs = frozenset(JobKey(*key) for key, slot in starts.items() if slot in self._slots)

    def parts(self, parts: Sequence[Part]) -> Iterator[Part]:
        """Yield the ``parts`` of a balance, those of these machines under their own cause."""
        for part in parts:
            if part.cause in _FREE and part.slots[0] in self._slots:
                yield part._replace(cause=STARTS_NOTHING)
            else:
                yield part
