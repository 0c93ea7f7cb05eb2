"""GPUs of slots: every device has an attribute of its own, named after it, which would make every slot unique.

A startd publishes ``GPUs_GPU_1234abcd = [ Id = …; DeviceName = …; … ]`` for each device (ResAttributes.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections.abc import Set

from htcq.pool.adtext import Lines

_DEVICE = re.compile(rb"gpus_(?:gpu|mig)[-_][0-9a-f_-]+\Z", re.IGNORECASE)
_ITS_OWN = re.compile(
    rb"\b(?:Id|DeviceUuid|DevicePciBusId|DeviceUsage\w*|\w*Temp\w*|\w*Uuid) *= *[^;\]]*;? *", re.IGNORECASE
)


def nameless_devices(lines: Lines, wanted: Set[str]) -> Lines:
    """Return ``lines`` with one ``GPUs_Device<n>`` for each different device instead of one for every device.

    Devices that an expression calls by name (``wanted``, lower case) stay as they are besides.
    """
    rest, different = [], dict[bytes, None]()
    for name, text in lines:
        if _DEVICE.match(name):
            different[_ITS_OWN.sub(b"", text)] = None
            if name.decode("ascii").lower() not in wanted:
                continue
        rest.append((name, text))
    if not different:
        return lines
    return (*rest, *((b"GPUs_Device%d" % number, text) for number, text in enumerate(sorted(different), 1)))
