"""The choice of a model as the user wrote it; one builder checks the values of flags and file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

from htcq.capacity.choice import Choice
from htcq.errors import InputError
from htcq.units import parse_amount, parse_weight, whole_number

#: The keys that choose a model; the flags of the same meaning have the same names.
CHOICE_KEYS = (
    "model",
    "preset",
    "claims",
    "share",
    "assets",
    "level",
    "rule",
    "charge",
    "whole_charges",
    "weights",
    "scale",
    "optional_assets",
    "cpu_shares",
    "splitting",
)
_Value = TypeVar("_Value")
#: An asset, or GPUs by a word of the name of their card.
_ASSET = re.compile(r"[a-z][a-z0-9_]*(:[a-z0-9][a-z0-9 _.-]*)?\Z")


@dataclass(frozen=True)
class Given:
    """A choice as the user wrote it, in words, on the command line or in the site file."""

    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""

    def choice(self, forced: bool = False) -> Choice:
        """Return the choice.

        Raises:
            InputError: a value is wrong.
            ModelError: a value does not suit the model.
        """
        if not self.values:
            return Choice(forced=forced)
        return Choice(
            model=self._text("model"),
            preset=self._text("preset"),
            claims=self._whole("claims"),
            share=self._text("share"),
            assets=self._assets("assets"),
            levels=self._table("level", self._level),
            rule=self._text("rule"),
            charges=self._table("charge", self._charge),
            whole_charges=self._truth("whole_charges"),
            weights=self._table("weights", self._weight),
            scale=self._scale(),
            optional_assets=self._assets("optional_assets"),
            cpu_shares=self._whole("cpu_shares"),
            splitting=self._text("splitting") or "negotiator",
            forced=forced,
        )

    def _text(self, key: str) -> str:
        value = self.values.get(key) or ""
        if not isinstance(value, str):
            self._refuse(key, value, "text in quotes")
        return value

    def _truth(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            self._refuse(key, value, "true or false")
        return value

    def _whole(self, key: str) -> int | None:
        value: int | None = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, type(None))):
            self._refuse(key, value, "a whole number")
        return value

    def _list(self, key: str) -> list[Any]:
        value = self.values.get(key) or []
        if not isinstance(value, list):
            self._refuse(key, value, 'a list such as ["cpus", "memory"]')
        return value

    def _table(self, key: str, read: Callable[[str, Any], _Value]) -> dict[str, _Value]:
        """Return a table by asset, each value as ``read`` returns it."""
        table = self.values.get(key) or {}
        if not isinstance(table, Mapping):
            self._refuse(key, table, 'a table such as { cpus = 1, memory = "2GiB" }')
        values = {self._asset(key, asset): value for asset, value in table.items()}
        return {asset: read(asset, value) for asset, value in values.items()}

    def _assets(self, key: str) -> tuple[str, ...]:
        return tuple(self._asset(key, asset) for asset in self._list(key))

    def _asset(self, key: str, asset: Any) -> str:
        """Return the name of an asset; it becomes a part of configuration text."""
        name = str(asset).lower()
        if not _ASSET.match(name):
            raise InputError(
                f"{self.where}{key}: {name!r} is not a name of an asset",
                "such as memory, gpus or gpus:a100",
            )
        return name

    def _scale(self) -> Fraction | None:
        value = self.values.get("scale")
        if value is None:
            return None
        try:
            return Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            self._refuse("scale", value, "a number above 0")

    def _level(self, asset: str, value: Any) -> int:
        try:
            return int(str(value))
        except ValueError:
            self._refuse(f"level {asset}", value, "a whole number")

    def _weight(self, asset: str, value: Any) -> Fraction:
        return parse_weight(asset, str(value))

    def _charge(self, asset: str, value: Any) -> Fraction:
        text = str(value)
        if text.startswith("-"):
            raise InputError(
                f"{self.where}charge {asset}={text}: a charge must be above 0",
                "leave the asset out instead",
            )
        amount, divided, claims = text.partition("/")
        if divided and not whole_number(claims):
            raise InputError(
                f"{self.where}charge {asset}={text}: not an even share", "such as memory=64GiB/32"
            )
        return parse_amount(asset, amount) / int(claims or 1)

    def _refuse(self, key: str, value: Any, expected: str) -> NoReturn:
        raise InputError(f"{self.where}{key} is {value!r}", f"it must be {expected}")
