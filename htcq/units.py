"""Amounts of the assets that HTCondor counts: parsed, converted and printed here and nowhere else.

HTCondor mixes its units: memory is in MB (2**20 bytes), disk in KiB, everything else is a plain count
(docs/classad-attributes/machine-classad-attributes.rst, 25.14). Names of assets are lower case here.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from htcq.errors import InputError

MEMORY = "memory"
DISK = "disk"
CPUS = "cpus"
GPUS = "gpus"
BUILT_IN_ASSETS = (CPUS, MEMORY, DISK)

_BYTES = {
    "B": 1,
    "K": 2**10, "KB": 2**10, "KIB": 2**10,
    "M": 2**20, "MB": 2**20, "MIB": 2**20,
    "G": 2**30, "GB": 2**30, "GIB": 2**30,
    "T": 2**40, "TB": 2**40, "TIB": 2**40,
    "P": 2**50, "PB": 2**50, "PIB": 2**50,
}  # fmt: skip
_UNIT_BYTES = {MEMORY: 2**20, DISK: 2**10}
#: Numbers from here on, or nearer to 0, are shown with an exponent.
_TOO_LONG, _TOO_SMALL = 1e15, 5e-5
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-z]*)\s*\Z")


def parse_amount(asset: str, text: str) -> Fraction:
    """Return the amount of ``asset`` that ``text`` names, in HTCondor's unit (MB, KiB or a count).

    Sizes are binary, as HTCondor's own submit language reads them: 1GB and 1GiB are both 2**30 bytes.
    Memory and disk must carry a unit, because 2048 could be meant in MB or in KiB.

    Raises:
        InputError: not a number, a unit that does not exist, or memory or disk without one.
    """
    found = _AMOUNT.match(text)
    if found is None:
        raise InputError(f"{asset}: '{text}' is not an amount", _example(asset))
    number, unit = Fraction(found.group(1)), found.group(2).upper()
    if asset not in _UNIT_BYTES:
        if unit:
            raise InputError(
                f"{asset}: '{text}' has a unit, but {asset} is a count",
                f"{_example(asset)}; only memory and disk have units",
            )
        return number
    if not unit:
        raise InputError(f"{asset}: '{text}' has no unit", _example(asset))
    if unit not in _BYTES:
        raise InputError(f"{asset}: '{text}' has an unknown unit", _example(asset))
    return number * _BYTES[unit] / _UNIT_BYTES[asset]


def _example(asset: str) -> str:
    if asset in _UNIT_BYTES:
        return f"give a unit: {asset}=2GiB or {asset}=512MiB"
    return f"give a plain number: {asset}=1"


def show_amount(asset: str, amount: float) -> str:
    """Return ``amount`` (HTCondor's unit) as a person reads it, such as ``2 GiB`` or ``8``."""
    if asset not in _UNIT_BYTES:
        return f"{amount:g}"
    size = amount * _UNIT_BYTES[asset]
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        scale = _BYTES[unit.upper()]
        if abs(size) >= scale:
            shown = f"{size / scale:.2f}".rstrip("0").rstrip(".")
            return f"{shown} {unit}"
    return f"{size:g} B"


def show_number(number: float) -> str:
    """Return a weight or a count as a person reads it, with at most four decimals: ``1,234.5``, ``0.6667``, ``nan``."""
    if math.isnan(number) or abs(number) >= _TOO_LONG or 0 < abs(number) < _TOO_SMALL:
        return f"{number:.4g}"
    text = f"{number:,.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def attribute(asset: str) -> str:
    """Return the name of the ClassAd attribute that holds ``asset`` (attribute names ignore case)."""
    return {CPUS: "Cpus", MEMORY: "Memory", DISK: "Disk", GPUS: "GPUs"}.get(asset, asset[:1].upper() + asset[1:])
