"""Attributes of GPUs, without the name of each device.

Every device has an attribute of its own, named after it, which would make every slot unique.

A startd publishes ``GPUs_GPU_1234abcd = [ Id = …; DeviceName = …; … ]`` for each device
(ResAttributes.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set

from htcq.pool.adtext import Lines

#: What a nameless device says besides what it is, where the devices of a slot differ.
COUNT = b"Devices"
_DEVICE = re.compile(rb"gpus_(?:gpu|mig)[-_][0-9a-f_-]+\Z", re.IGNORECASE)
_AVAILABLE, _NAME = b"availablegpus", re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_ITS_OWN = re.compile(
    rb"\b(?:Id|DeviceUuid|DevicePciBusId|DeviceUsage\w*|\w*Temp\w*|\w*Uuid) *= *[^;\]]*;? *",
    re.IGNORECASE,
)


def nameless_devices(lines: Lines, wanted: Set[str]) -> Lines:
    """Return ``lines`` with one ``GPUs_Device<n>`` for each different device.

    They replace the attributes of all single devices.

    Where they differ, ``Devices`` in each tells how many are alike. AvailableGPUs, in which jobs
    count the devices that suit them, names them so too, as often as they are there. Devices that
    an expression calls by name (``wanted``, lower case) stay as they are besides.
    """
    rest: list[tuple[bytes, bytes]] = []
    named: dict[bytes, bytes] = {}
    for name, text in lines:
        if _DEVICE.match(name):
            named[name.lower()] = _ITS_OWN.sub(b"", text)
            if name.decode("ascii").lower() not in wanted:
                continue
        rest.append((name, text))
    if not named:
        return lines
    count = Counter(named.values())
    new = {text: b"GPUs_Device%d" % number for number, text in enumerate(sorted(count), 1)}
    names = {name: new[text] for name, text in named.items()}
    rest = [
        (name, _renamed(text, names) if name.lower() == _AVAILABLE else text) for name, text in rest
    ]
    alone = len(count) == 1
    return (
        *rest,
        *((name, text if alone else _counted(text, count[text])) for text, name in new.items()),
    )


def _renamed(text: bytes, names: Mapping[bytes, bytes]) -> bytes:
    """Return a list of devices with their new names, in an order of its own."""
    found = [names.get(each.lower(), each) for each in _NAME.findall(text)]
    return b"{ %s }" % b", ".join(sorted(found)) if found else text


def _counted(text: bytes, count: int) -> bytes:
    """Return the ad of a device with the number of those that are like it."""
    opened, bracket, rest = text.partition(b"[")
    return b"%s%s %s = %d;%s" % (opened, bracket, COUNT, count, rest)
