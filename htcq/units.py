"""Amounts and weights of HTCondor's assets: parsed, converted and printed here, nowhere else.

HTCondor mixes its units: memory is in MB (2**20 bytes), disk in KiB, everything else is a plain
count (docs/classad-attributes/machine-classad-attributes.rst, 25.14). Names of assets are lower
case here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from fractions import Fraction

from htcq.errors import InputError
from htcq.spelling import meant, near_names

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
#: HTCondor's units in a GiB: people read weights of memory and disk for each GiB.
PER_GIB = {asset: _BYTES["GIB"] // unit for asset, unit in _UNIT_BYTES.items()}
#: Decimals of an amount that is shown, if it has no more: then it can be typed as it was printed.
_DECIMALS = 3
#: The fewest whole units of a rounded size, where nobody types it back.
_A_FEW = 8
#: A size from here on has four digits.
_FOUR_DIGITS = 999.5
#: What people count of these assets.
_COUNTED = {CPUS: "core", GPUS: "GPU"}
#: Counts from here on would be shown with an exponent.
_SHORT = 1e6
#: Numbers from here on, or nearer to 0, are shown with an exponent.
_TOO_LONG, _TOO_SMALL = 1e15, 5e-5
#: Longer numbers are never meant; Python refuses to read thousands of digits.
_MAX_DIGITS = 18
_NUMBER = rf"[0-9]{{1,{_MAX_DIGITS}}}(?:\.[0-9]{{0,{_MAX_DIGITS}}})?|\.[0-9]{{1,{_MAX_DIGITS}}}"
_AMOUNT = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z]*)\s*\Z")
#: A number, and the amount that has this weight: 8, 1/2, 0.25/GiB, 1/4GiB.
_WEIGHT = re.compile(rf"\s*({_NUMBER})\s*(?:/\s*({_NUMBER})?\s*([A-Za-z]*)\s*)?\Z")
#: Short names that no spelling is near to.
_ALSO_CALLED = {"ram": MEMORY, "cores": CPUS, "core": CPUS, "mem": MEMORY, "storage": DISK}


def whole_number(text: str) -> int | None:
    """Return the number that ``text`` spells in ASCII digits; None where none or too long."""
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        return None
    return int(text)


def parse_amount(asset: str, text: str) -> Fraction:
    """Return the amount of ``asset`` that ``text`` names, in HTCondor's unit (MB, KiB or a count).

    Sizes are binary, as HTCondor's own submit language reads them: 1GB and 1GiB are both 2**30
    bytes. Memory and disk must carry a unit, because 2048 could be meant in MB or in KiB.

    Raises:
        InputError: not a number, a unit that does not exist, or memory or disk without one.
    """
    found = _AMOUNT.match(text)
    if found is None:
        raise InputError(f"{asset}: '{text}' is not an amount", _example(asset))
    number, unit = Fraction(found.group(1)), found.group(2).upper()
    if asset not in _UNIT_BYTES:
        if unit:
            hint = asset_hint(
                asset, _UNIT_BYTES, f"{_example(asset)}; only memory and disk have units"
            )
            raise InputError(f"{asset}: '{text}' has a unit, but {asset} is a count", hint)
        return number
    if not unit:
        raise InputError(f"{asset}: '{text}' has no unit", _example(asset))
    if unit not in _BYTES:
        raise InputError(f"{asset}: '{text}' has an unknown unit", _example(asset))
    return number * _BYTES[unit] / _UNIT_BYTES[asset]


def parse_weight(asset: str, text: str) -> Fraction:
    """Return the weight of one HTCondor unit of ``asset``, from ``1`` or ``0.25/GiB``.

    ``1/4GiB`` is a weight of 1 for each 4 GiB. Memory and disk need a unit, other assets have none.

    Raises:
        InputError: not a number, negative, or a unit that the asset does not have.
    """
    found = _WEIGHT.match(text)
    if found is None:
        wrong = f"'{text}' is not a weight"
        if text.strip().startswith("-"):
            wrong = "a weight must not be negative"
        raise InputError(f"weight of {asset}: {wrong}", _weight_example(asset))
    number, amount, unit = found.groups("")
    unit = unit.upper()
    sized = asset in _UNIT_BYTES
    if unit and not sized:
        hint = asset_hint(asset, _UNIT_BYTES, _weight_example(asset))
        raise InputError(f"weight of {asset}: '{text}' has a unit, but {asset} is a count", hint)
    if sized and unit not in _BYTES:
        wrong = "an unknown unit" if unit else "no unit"
        raise InputError(f"weight of {asset}: '{text}' has {wrong}", _weight_example(asset))
    per = Fraction(amount or 1)
    if not per:
        raise InputError(f"weight of {asset}: '{text}' divides by 0", _weight_example(asset))
    if sized:
        per *= Fraction(_BYTES[unit], _UNIT_BYTES[asset])
    return Fraction(number) / per


def _weight_example(asset: str) -> str:
    if asset in _UNIT_BYTES:
        return f"such as {asset}=0.25/GiB"
    return f"such as {asset}=1"


def show_weight(asset: str, weight: Fraction) -> str:
    """Return ``weight`` of one HTCondor unit as :func:`parse_weight` reads it: ``0.25/GiB``."""
    suffix = "/GiB" if asset in PER_GIB else ""
    decimal = decimal_text(weight * PER_GIB.get(asset, 1))
    if decimal:
        return f"{decimal}{suffix}"
    unit = {MEMORY: "MiB", DISK: "KiB"}.get(asset, "")
    return f"{weight.numerator}/{weight.denominator}{unit}"


def decimal_text(number: Fraction) -> str:
    """Return ``number`` (0 or more) with all its decimals.

    Empty where they never end, or are more than 12.
    """
    scaled = number * 10**12
    if scaled.denominator != 1:
        return ""
    whole, rest = divmod(scaled.numerator, 10**12)
    return f"{whole}.{rest:012d}".rstrip("0").rstrip(".")


def nearest_asset(asset: str, known: Iterable[str]) -> str:
    """Return the one of ``known`` that ``asset`` was meant to be; empty where none is near."""
    names = list(known)
    meant = _ALSO_CALLED.get(asset)
    if meant in names:
        return str(meant)
    return next(iter(near_names(asset, names)), "")


def asset_hint(asset: str, known: Iterable[str], otherwise: str) -> str:
    """Return the hint that names the asset that was meant; ``otherwise`` where none is near."""
    near = nearest_asset(asset, known)
    if not near:
        return otherwise
    return meant([near])


def _example(asset: str) -> str:
    if asset in _UNIT_BYTES:
        return f"give a unit: {asset}=2GiB or {asset}=512MiB"
    return f"give a plain number: {asset}=1"


def show_amount(asset: str, amount: float) -> str:
    """Return ``amount`` (HTCondor's unit) as a person reads it, such as ``2 GiB`` or ``8``.

    A whole amount is shown in the largest unit in which it is exact, so that
    :func:`parse_amount` reads it back.
    """
    if asset not in _UNIT_BYTES:
        if abs(amount) < _SHORT or not float(amount).is_integer():
            return f"{amount:g}"
        return str(int(amount))
    size = amount * _UNIT_BYTES[asset]
    rounded = ""
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        scale = _BYTES[unit.upper()]
        if abs(size) < scale:
            continue
        shown = f"{size / scale:.{_DECIMALS}f}".rstrip("0").rstrip(".")
        if Fraction(shown) * scale == size:
            return f"{shown} {unit}"
        if not rounded:
            short = f"{size / scale:.2f}".rstrip("0").rstrip(".")
            rounded = f"{short} {unit}"
    return rounded or f"{size:g} B"


def show_rough(asset: str, amount: float) -> str:
    """Return ``amount`` for a person who does not type it back.

    Sizes are in whole units, of which there are at least a few.
    """
    size = amount * _UNIT_BYTES.get(asset, 0)
    for unit in ("PiB", "TiB", "GiB"):
        scale = _BYTES[unit.upper()]
        if size >= _A_FEW * scale:
            return f"{round(size / scale)} {unit}"
    return show_amount(asset, amount)


def amount_of(asset: str, amount: float) -> str:
    """Return an amount with its asset for a sentence: ``1 GPU``, ``8 cores``, ``1 MiB disk``.

    Disk is rounded to three digits; nobody asks for single KiB.
    """
    if asset in _COUNTED:
        one = _COUNTED[asset]
        return f"{show_number(amount)} {one if amount == 1 else amount_name(asset)}"
    if asset == DISK and amount:
        return f"{_in_three_digits(amount * _UNIT_BYTES[DISK])} {asset}"
    return f"{show_amount(asset, amount)} {asset}"


def amount_name(asset: str) -> str:
    """Return what people call an asset: ``cores``, ``GPUs``, ``memory``."""
    return f"{_COUNTED[asset]}s" if asset in _COUNTED else asset


def amounts_of(amounts: Mapping[str, float | None]) -> str:
    """Return amounts as ``1 core, 2 GiB memory``, without those that are 0 or unknown."""
    shown = [amount_of(asset, amount) for asset, amount in amounts.items() if amount]
    return ", ".join(shown) or "nothing"


def _in_three_digits(size: float) -> str:
    for unit in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        shown = size / _BYTES[unit.upper()]
        if shown < _FOUR_DIGITS:
            break
    return f"{max(1.0, shown):.3g} {unit}"


def show_number(number: float) -> str:
    """Return a weight or a count for people, with at most four decimals: ``1,234.5``, ``nan``."""
    too_small = 0 < abs(number) < _TOO_SMALL
    if math.isnan(number) or abs(number) >= _TOO_LONG or too_small:
        return f"{number:.4g}"
    text = f"{number:,.4f}".rstrip("0").rstrip(".")
    if text == "-0":
        return "0"
    return text


def show_span(seconds: float) -> str:
    """Return a length of time in its greatest unit: ``7 d``, ``1.5 h``, ``20 min``, ``45 s``."""
    for unit, name in _SPANS:
        if abs(seconds) >= unit:
            return f"{seconds / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{seconds:.0f} s"


def show_spans(one: float, other: float) -> tuple[str, str]:
    """Return two lengths of time that are compared in one unit: ``20 h``, ``40 h``.

    Each has its own where the longer one would be a number of many digits.
    """
    for unit, name in (*_SPANS, (1, "s")):
        if abs(min(one, other, key=abs)) >= unit:
            if abs(max(one, other, key=abs)) < _MOST_OF_UNIT * unit:
                first, second = (f"{each / unit:.1f}".removesuffix(".0") for each in (one, other))
                return f"{first} {name}", f"{second} {name}"
            break
    return show_span(one), show_span(other)


def show_moment(seconds: float) -> str:
    """Return a moment in seconds since 1970 as ``2026-11-02 08:15:00 UTC``.

    A number that no calendar has stays a number.
    """
    if not 0 <= seconds < _LAST_MOMENT:
        return show_number(seconds)
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")


def plain_number(number: float) -> str:
    """Return a number with all its digits for programs: ``12``, ``0.1``, ``1e+16``, ``nan``."""
    return repr(float(number)).removesuffix(".0")


def two_digits(amount: float) -> float:
    """Return ``amount`` to two significant digits.

    Memory and disk of machines of one kind differ by some MB.
    """
    return float(f"{amount:.1e}")


#: The largest number of names that a sentence lists.
_LISTED = 3
#: Between clauses of a sentence.
_ENDS = ("; ", ": ", ", ", " (")
_SPANS = ((86400, "d"), (3600, "h"), (60, "min"))
#: A longer time is not said in the unit of a shorter one.
_MOST_OF_UNIT = 1000
_LAST_MOMENT = 1e11
_ATTRIBUTES = {CPUS: "Cpus", MEMORY: "Memory", DISK: "Disk", GPUS: "GPUs"}


def attribute(asset: str) -> str:
    """Return the ClassAd attribute that holds ``asset`` (attribute names ignore case)."""
    return _ATTRIBUTES.get(asset) or asset[:1].upper() + asset[1:]


def counted(number: int, one: str, many: str = "") -> str:
    """Return ``1 submitter`` or ``5 submitters``."""
    if number == 1:
        return f"1 {one}"
    return f"{number} {many or one + 's'}"


def shortened(text: str, letters: int) -> str:
    """Return ``text`` in one line, cut off where it has more than so many letters.

    It ends with a clause, or else with a word, if one ends in its second half.
    """
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    line = line[: letters - 3]
    ends = max(line.rfind(each) for each in _ENDS)
    if ends < letters // 2:
        ends = line.rfind(" ")
    return f"{line[:ends] if ends >= letters // 2 else line}..."


def first_named(names: Sequence[str], most: int, number: int = 0) -> str:
    """Return the first of ``names`` and how many more there are: ``a, b and 4 more``.

    They are the first of a ``number`` of things where that is more than they are themselves.
    """
    text, more = ", ".join(names[:most]), max(number, len(names)) - min(most, len(names))
    return f"{text} and {more} more" if more else text


def listed(names: Iterable[str]) -> str:
    """Return names in words: ``a``, ``a and b``, ``a, b and c``, ``a, b, c and 4 more``."""
    words = list(dict.fromkeys(names))
    if not words:
        return ""
    if len(words) == 1:
        return words[0]
    if len(words) > _LISTED + 1:
        words = [*words[:_LISTED], f"{len(words) - _LISTED} more"]
    return f"{', '.join(words[:-1])} and {words[-1]}"
