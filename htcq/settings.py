"""``htcq.toml`` as frozen records, built from a mapping; htcq.toml(5) describes every key.

Flags and file use the same builder, so that a value is checked once, in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from htcq.capacity.choice import Choice
from htcq.capacity.layout import Part, SlotType
from htcq.capacity.shape import Shape
from htcq.errors import InputError
from htcq.units import BUILT_IN_ASSETS, GPUS, parse_amount

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
    "cpu_shares",
    "splitting",
)
_TOP_KEYS = ("capacity", "slot_types", "jobs", "templates", "literal")
_SLOT_KEYS = (*CHOICE_KEYS, "count", "part", "parts")


@dataclass(frozen=True)
class Settings:
    """What a site file says: the slot types with their models, its jobs, its templates."""

    slot_types: tuple[SlotType, ...] = ()
    jobs: tuple[Shape, ...] = ()
    templates: str = ""
    literal: bool = False


@dataclass(frozen=True)
class Given:
    """A choice as the user wrote it, in words: what flags and site file have in common."""

    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""

    def choice(self, forced: bool = False) -> Choice:
        """Return the choice; InputError or ModelError where a value is wrong."""
        values = self.values
        return (
            Choice(
                model=self._text("model"),
                preset=self._text("preset"),
                claims=self._whole("claims"),
                share=self._text("share"),
                assets=tuple(str(asset).lower() for asset in self._list("assets")),
                levels={asset: self._level(asset, n) for asset, n in self._table("level").items()},
                rule=self._text("rule"),
                charges={asset: self._charge(asset, amount) for asset, amount in self._table("charge").items()},
                whole_charges=self._truth("whole_charges"),
                cpu_shares=self._whole("cpu_shares"),
                splitting=self._text("splitting") or "negotiator",
                forced=forced,
            )
            if values
            else Choice(forced=forced)
        )

    def _text(self, key: str) -> str:
        value = self.values.get(key) or ""
        return value if isinstance(value, str) else self._refuse(key, value, "text in quotes")

    def _truth(self, key: str) -> bool:
        value = self.values.get(key, False)
        return value if isinstance(value, bool) else self._refuse(key, value, "true or false")

    def _whole(self, key: str) -> int | None:
        value: int | None = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, type(None))):
            self._refuse(key, value, "a whole number")
        return value

    def _list(self, key: str) -> list[Any]:
        value = self.values.get(key) or []
        return value if isinstance(value, list) else self._refuse(key, value, 'a list such as ["cpus", "memory"]')

    def _table(self, key: str) -> dict[str, Any]:
        value = self.values.get(key) or {}
        if not isinstance(value, Mapping):
            self._refuse(key, value, 'a table such as { cpus = 1, memory = "2GiB" }')
        return {str(asset).lower(): amount for asset, amount in value.items()}

    def _level(self, asset: str, value: Any) -> int:
        try:
            return int(str(value))
        except ValueError:
            self._refuse(f"level {asset}", value, "a whole number")

    def _charge(self, asset: str, value: Any) -> Fraction:
        text = str(value)
        if text.startswith("-"):
            raise InputError(
                f"{self.where}charge {asset}={text}: a charge must be above 0", "leave the asset out instead"
            )
        return parse_amount(asset, text)

    def _refuse(self, key: str, value: Any, expected: str) -> NoReturn:
        raise InputError(f"{self.where}{key} is {value!r}", f"it must be {expected}")


def parse_shape(text: str) -> Shape:
    """Return the job shape written as ``cpus=1,memory=8GiB,disk=1GiB,gpus=1`` (``count=10`` for ten of them).

    Raises:
        InputError: not of that form.
    """
    amounts: dict[str, int | float] = {}
    count = 1
    for each in text.split(","):
        asset, equals, value = each.strip().partition("=")
        asset = asset.strip().lower()
        if not equals or not asset or asset in amounts:
            raise InputError(f"job '{text}': '{each.strip()}' is not ASSET=AMOUNT", "such as cpus=1,memory=8GiB")
        if asset == "count":
            number = parse_amount("count", value)
            count = int(number)
            if count < 1 or count != number:
                raise InputError(f"job '{text}': count must be 1, 2, 3, …", "such as cpus=1,memory=8GiB,count=10")
            continue
        amount = parse_amount(asset, value)
        amounts[asset] = int(amount) if amount.denominator == 1 else float(amount)
    return Shape(amounts, count)


def parse_part(asset: str, value: Any, where: str) -> Part:
    """Return a part of the machine: ``"50%"`` as a fraction, anything else as an amount.

    Raises:
        InputError: not a percentage up to 100 and not an amount.
    """
    text = str(value).strip()
    if text.endswith("%"):
        try:
            part = Fraction(text[:-1].strip()) / 100
        except (ValueError, ZeroDivisionError):
            part = Fraction(-1)
        if not 0 <= part <= 1:
            raise InputError(f"{where}{asset} = {text}: not a percentage", 'such as "50%"')
        return part
    amount = parse_amount(asset, text)
    if amount.denominator != 1:
        raise InputError(f"{where}{asset} = {text}: not a whole number of HTCondor's units", 'such as "50%" or 4')
    return int(amount)


def settings_from(content: Mapping[str, Any], forced: bool = False) -> Settings:
    """Return the settings that the parsed site file holds.

    Raises:
        InputError: an unknown key (with the near one), or a value of the wrong kind.
    """
    _known("", content, _TOP_KEYS)
    jobs = content.get("jobs", [])
    if not isinstance(jobs, list) or not all(isinstance(job, str) for job in jobs):
        raise InputError("htcq.toml: jobs must be a list of texts", 'such as jobs = ["cpus=1,memory=8GiB"]')
    if "capacity" in content and "slot_types" in content:
        raise InputError("htcq.toml: [capacity] and [slot_types] contradict each other", "give one of them")
    for key, kind in (("templates", str), ("literal", bool)):
        if not isinstance(content.get(key, kind()), kind):
            raise InputError(f"htcq.toml: {key} is {content[key]!r}", f"it must be a {kind.__name__}")
    return Settings(
        slot_types=_slot_types(content, forced),
        jobs=tuple(parse_shape(job) for job in jobs),
        templates=content.get("templates", ""),
        literal=content.get("literal", False),
    )


def _slot_types(content: Mapping[str, Any], forced: bool) -> tuple[SlotType, ...]:
    if "capacity" in content:
        table = _table("capacity", content["capacity"])
        _known("capacity.", table, CHOICE_KEYS)
        return (SlotType(Given(table, "htcq.toml: capacity.").choice(forced)),)
    types = []
    for number, value in sorted(_table("slot_types", content.get("slot_types", {})).items()):
        where = f"slot_types.{number}."
        table = _table(f"slot_types.{number}", value)
        _known(where, table, _SLOT_KEYS)
        if not number.isdigit() or not 1 <= int(number) <= 9:
            raise InputError(f"htcq.toml: slot_types.{number}", "slot types are numbered 1 to 9")
        types.append(_slot_type(int(number), table, f"htcq.toml: {where}", forced))
    return tuple(types)


def _slot_type(number: int, table: Mapping[str, Any], where: str, forced: bool) -> SlotType:
    given = {key: value for key, value in table.items() if key in CHOICE_KEYS}
    count = table.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"{where}count is {count!r}", "it must be a whole number, 1 or more")
    given_parts = _table(f"slot_types.{number}.parts", table.get("parts", {}))
    parts = {asset.lower(): parse_part(asset.lower(), part, where) for asset, part in given_parts.items()}
    if "part" in table:
        every = parse_part("part", table["part"], where)
        parts = {**dict.fromkeys((*BUILT_IN_ASSETS, GPUS), every), **parts}
    return SlotType(Given(given, where).choice(forced), number, count, parts)


def _table(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"htcq.toml: {name} is {value!r}", f"it must be a table: [{name}]")
    return value


def _known(where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    for key in table:
        if key not in known:
            import difflib

            near = difflib.get_close_matches(key, list(known), 1)
            hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(known)}"
            raise InputError(f"htcq.toml: {where}{key} is unknown", hint)


def check_shapes(shapes: Iterable[Shape], custom: Iterable[str]) -> None:
    """Refuse shapes that name an asset which is neither HTCondor's own nor one of the node's.

    Raises:
        InputError: with the near name, if there is one.
    """
    known = [*BUILT_IN_ASSETS, GPUS, *custom]
    for shape in shapes:
        for asset in shape.amounts:
            if asset not in known:
                import difflib

                near = difflib.get_close_matches(asset, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"this node has {', '.join(known)}"
                raise InputError(f"job: unknown asset '{asset}'", hint)
