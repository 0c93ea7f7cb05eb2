"""The negotiator's answer about its accountant, which has more than it publishes.

condor_userprio -long prints one ad whose attributes end in the number of their group or
submitter (Name1, Name2); the Python bindings make one ad of each.
"""

from __future__ import annotations

import re

from htcq.classads import Value
from htcq.errors import InputError
from htcq.pool.adtext import Chunks, Damage, read_ads
from htcq.pool.left_out import ACCOUNT, LeavingOut
from htcq.pool.record import ACCOUNTING, RECORD, Record, record_of
from htcq.pool.values import Interned

_TYPE = ACCOUNTING.encode()
_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})\Z")


def read_priorities(chunks: Chunks, left_out: LeavingOut | None = None) -> tuple[Record, ...]:
    """Return the records of groups and submitters in ``chunks``.

    One without a name is left out.

    Raises:
        InputError: there is text that cannot be read.
    """
    damage, interned, found = Damage(left_out=left_out or LeavingOut()), Interned(), list[Record]()
    for raw in read_ads(chunks(), {_TYPE: RECORD}, damage, interned, untyped=_TYPE):
        record = record_of(raw, interned)
        records = [record]
        if not record.name:
            records = _one_each(record)
        for each in records:
            if each.name:
                found.append(each)
            else:
                damage.left_out.add(ACCOUNT, "", "its Name is no text")
    sentences = damage.sentences()
    if sentences:
        raise InputError("; it ".join(sentences))
    return tuple(found)


def _one_each(record: Record) -> list[Record]:
    by_number: dict[int, dict[str, Value]] = {}
    for name, value in record.values.items():
        numbered = _NUMBERED.match(name)
        if numbered:
            by_number.setdefault(int(numbered.group(2)), {})[numbered.group(1)] = value
    return [Record(ACCOUNTING, by_number[number]) for number in sorted(by_number)]
