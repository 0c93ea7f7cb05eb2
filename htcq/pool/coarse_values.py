"""Times and sizes in an anonymous snapshot: too coarse to tell when a job began.

Of slots nothing looks older than it is, so that nobody is accused of a state that has only begun: a
moment is rounded up to the hour, but not beyond the newest ad. Of ads of one machine the newer one
stays the newer one, because an ad that its partitionable slot has outlived is no slot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from htcq.pool.disclosure import Form, form_of
from htcq.pool.identities import HOUR
from htcq.pool.shown_forms import pair
from htcq.pool.words import ANY_NUMBER, NUMBERS, WHOLE_NUMBER

#: Types of ads of slots, in lower case.
SLOT_AD_TYPES = ("machine", "slot")
#: Forms of times that slots have.
_FORMS = (Form.SINCE, Form.SENT, Form.LASTED, Form.LEFT)
#: How coarse the age of an ad is, in seconds: startds send ads as often (UPDATE_INTERVAL).
_AGE = 300
#: Ads with less than this between them keep their distance small: clocks are compared by it.
_TOGETHER = 60
#: No time that is a time is later, in seconds since 1970.
_MAX = 2**53


@dataclass
class SlotTimes:
    """When the ads of each machine were sent and received; the first pass fills it."""

    _of_machine: dict[str, set[int]] = field(default_factory=dict)
    _newest: int = 0
    _shown: dict[str, dict[int, int]] = field(default_factory=dict)

    def see(self, ad_type: str, lines: Iterable[str]) -> None:
        """Note the times in the ad of a slot."""
        machine, times = "", list[int]()
        for name, value in map(pair, lines):
            lower = name.lower()
            if lower == "machine":
                machine = value.lower()
            elif form_of(ad_type, lower) is Form.SENT:
                time = _whole(value)
                times += [] if time is None else [time]
                if lower == "lastheardfrom" and time is not None:
                    self._newest = max(self._newest, time)
        if times:
            self._of_machine.setdefault(machine, set()).update(times)

    def rewritten(self, ad_type: str, lines: list[str], exact: frozenset[str]) -> list[str]:
        """Return the lines of a slot's ad with coarse times.

        Attributes in ``exact`` (lower case) stay as they are.
        """
        machine = next((value for name, value in map(pair, lines) if name.lower() == "machine"), "")
        out = []
        for line in lines:
            name, value = pair(line)
            form = form_of(ad_type, name.lower())
            if form in _FORMS and name.lower() not in exact:
                line = f"{name} = {self._coarse(form, machine.lower(), value)}"
            out.append(line)
        return out

    def _coarse(self, form: Form | None, machine: str, value: str) -> str:
        if form is Form.LEFT:
            # A list, too: one number for each dynamic slot.
            return NUMBERS.sub(lambda found: _up(found.group()), value)
        time = _whole(value)
        if time is None:
            return "0" if ANY_NUMBER.match(value) else value
        if form is Form.SENT:
            return str(self._sent(machine).get(time, time // _AGE * _AGE))
        if form is Form.LASTED:
            return str(time // HOUR * HOUR)
        up = -(-time // HOUR) * HOUR
        return str(min(up, self._newest) if time <= self._newest else up)

    def _sent(self, machine: str) -> dict[int, int]:
        """Return the new time for each time of a machine's ads, in the same order."""
        found = self._shown.get(machine)
        if found is None:
            found = self._shown[machine] = self._in_order(self._of_machine.get(machine, set()))
        return found

    def _in_order(self, times: set[int]) -> dict[int, int]:
        shown: dict[int, int] = {}
        before = new = 0
        for time in sorted(times, reverse=True):
            coarse = self._newest - (self._newest - time) // _AGE * _AGE
            if not shown:
                new = coarse
            elif before - time < _TOGETHER and new - time < 2 * _AGE:
                new -= 1
            else:
                new = min(new - 1, coarse)
            before, shown[time] = time, new
        return shown


def _whole(value: str) -> int | None:
    if not ANY_NUMBER.match(value):
        return None
    number = float(value)
    return int(number) if math.isfinite(number) and abs(number) < _MAX else None


def _up(value: str) -> str:
    """Return seconds that are left, rounded up to hours: what is left is never nothing."""
    seconds = _whole(value)
    return "0" if seconds is None else str(-(-seconds // HOUR) * HOUR)


def rounded(form: Form, value: str) -> str:
    """Return a time rounded down to the hour, or a size rounded to two digits.

    The order of values stays: a greater one never becomes less.
    """
    number = float(value)
    if not math.isfinite(number):
        return "0"
    if form is Form.HOUR:
        return str(int(number) // HOUR * HOUR)
    rounded = float(f"{number:.1e}")
    if WHOLE_NUMBER.match(value):
        return str(int(rounded))
    return str(rounded)
