"""Attributes of GPUs, without the name of each device.

Every device has an attribute of its own, named after it, which would make every slot unique.

A startd publishes ``GPUs_GPU_1234abcd = [ Id = …; DeviceName = …; … ]`` for each device
(ResAttributes.cpp, 25.14).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set

from htcq.pool.ad_lines import Lines

#: Attribute of a nameless device that counts equal ones, where the devices of a slot differ.
COUNT = b"Devices"
_DEVICE = re.compile(rb"gpus_(?:gpu|mig)[-_][0-9a-f_-]+\Z", re.IGNORECASE)
_AVAILABLE, _NAME = b"availablegpus", re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_ITS_OWN = re.compile(
    rb"\b(?:Id|DeviceUuid|DevicePciBusId|DeviceUsage\w*|\w*Temp\w*|\w*Uuid) *= *[^;\]]*;? *",
    re.IGNORECASE,
)


def nameless_devices(lines: Lines, wanted: Set[str]) -> Lines:
    """Return ``lines`` with one ``GPUs_Device<n>`` for each different device.

    They replace the attributes of all single devices. Where devices differ, ``Devices`` in each
    is the number of equal ones. AvailableGPUs, in which jobs count the devices that suit them,
    repeats the new names as often as there are devices, in the order in which the startd hands
    them out. Devices that an expression calls by name (``wanted``, lower case) stay as well.
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
    for place, (name, text) in enumerate(rest):
        if name.lower() == _AVAILABLE:
            rest[place] = (name, _renamed(text, names))
    for text, name in new.items():
        if len(count) > 1:
            text = _counted(text, count[text])
        rest.append((name, text))
    return tuple(rest)


def _renamed(text: bytes, names: Mapping[bytes, bytes]) -> bytes:
    """Return a list of devices with their new names."""
    found = [names.get(each.lower(), each) for each in _NAME.findall(text)]
    if not found:
        return text
    return b"{ %s }" % b", ".join(found)


def _counted(text: bytes, count: int) -> bytes:
    """Return the ad of a device with the number of those that are like it."""
    opened, bracket, rest = text.partition(b"[")
    return b"%s%s %s = %d;%s" % (opened, bracket, COUNT, count, rest)
