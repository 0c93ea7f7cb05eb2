"""Jobs and parts of a machine in words, as on the command line and in the site file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from htcq.capacity.layout import Part
from htcq.capacity.shape import Shape
from htcq.errors import InputError
from htcq.units import BUILT_IN_ASSETS, CPUS, GPUS, asset_hint, parse_amount


def parse_shape(text: str) -> Shape:
    """Return the job shape of a text such as ``cpus=1,memory=8GiB,disk=1GiB,gpus=1``.

    ``count=10`` stands for ten jobs.

    Raises:
        InputError: the text is not of that form.
    """
    amounts: dict[str, int | float] = {}
    count = 1
    for each in text.split(","):
        asset, equals, value = each.strip().partition("=")
        asset = asset.strip().lower()
        if not equals or not asset or asset in amounts:
            raise InputError(
                f"job '{text}': '{each.strip()}' is not ASSET=AMOUNT", "such as cpus=1,memory=8GiB"
            )
        if asset == "count":
            number = parse_amount("count", value)
            count = int(number)
            if count < 1 or count != number:
                raise InputError(
                    f"job '{text}': count must be 1, 2, 3, …", "such as cpus=1,memory=8GiB,count=10"
                )
            continue
        amount = parse_amount(asset, value)
        if amount.denominator == 1:
            amounts[asset] = int(amount)
        else:
            amounts[asset] = float(amount)
    return Shape(amounts, count)


def parse_part(asset: str, value: Any, where: str) -> Part:
    """Return a part of the machine: ``"50%"`` as a fraction, anything else as an amount.

    Raises:
        InputError: the value is neither a percentage up to 100 nor an amount.
    """
    text = str(value).strip()
    if text.endswith("%"):
        try:
            part = parse_amount(CPUS, text[:-1]) / 100
        except InputError:
            part = Fraction(2)
        if part > 1:
            raise InputError(f"{where}{asset} = {text}: not a percentage", 'such as "50%"')
        return part
    amount = parse_amount(asset, text)
    if amount.denominator != 1:
        raise InputError(
            f"{where}{asset} = {text}: not a whole number of HTCondor's units", 'such as "50%" or 4'
        )
    return int(amount)


def check_shapes(shapes: Iterable[Shape], custom: Iterable[str]) -> None:
    """Refuse shapes with an asset that is neither built in nor a GPU nor ``custom``.

    Raises:
        InputError: with the near name, if there is one.
    """
    known = [*BUILT_IN_ASSETS, GPUS, *custom]
    for shape in shapes:
        for asset in shape.amounts:
            if asset not in known:
                hint = asset_hint(asset, known, f"this node has {', '.join(known)}")
                raise InputError(f"job: unknown asset '{asset}'", hint)
