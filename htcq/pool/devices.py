"""GPUs of slots: every device has an attribute of its own, named after it, which would make every slot unique.

A startd publishes ``GPUs_GPU_1234abcd = [ Id = …; DeviceName = …; … ]`` for each device (ResAttributes.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Set

from htcq.pool.adtext import Lines

#: What a nameless device says besides what it is, where the devices of a slot differ.
COUNT = b"Devices"
_DEVICE = re.compile(rb"gpus_(?:gpu|mig)[-_][0-9a-f_-]+\Z", re.IGNORECASE)
_ITS_OWN = re.compile(
    rb"\b(?:Id|DeviceUuid|DevicePciBusId|DeviceUsage\w*|\w*Temp\w*|\w*Uuid) *= *[^;\]]*;? *", re.IGNORECASE
)


def nameless_devices(lines: Lines, wanted: Set[str]) -> Lines:
    """Return ``lines`` with one ``GPUs_Device<n>`` for each different device instead of one for every device.

    Where they differ, ``Devices`` in each tells how many are alike. Devices that an expression calls by name
    (``wanted``, lower case) stay as they are besides.
    """
    rest, different = [], dict[bytes, int]()
    for name, text in lines:
        if _DEVICE.match(name):
            nameless = _ITS_OWN.sub(b"", text)
            different[nameless] = different.get(nameless, 0) + 1
            if name.decode("ascii").lower() not in wanted:
                continue
        rest.append((name, text))
    if not different:
        return lines
    alone = len(different) == 1
    texts = (text if alone else _counted(text, different[text]) for text in sorted(different))
    return (*rest, *((b"GPUs_Device%d" % number, text) for number, text in enumerate(texts, 1)))


def _counted(text: bytes, count: int) -> bytes:
    """Return the ad of a device with the number of those that are like it."""
    opened, bracket, rest = text.partition(b"[")
    return b"%s%s %s = %d;%s" % (opened, bracket, COUNT, count, rest)
