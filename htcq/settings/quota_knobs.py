"""The knobs of all group quotas: ``[quotas]`` of htcq.toml, and numbers as HTCondor reads them.

Names and ranges are those of GroupEntry.cpp, matchmaker.cpp and param_info.in, HTCondor 25.14.
Only the given keys become knobs: all others keep their value in the rest of the configuration, or
HTCondor's default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from htcq.classads import Expr
from htcq.errors import InputError, PolicyError
from htcq.quota.settings import GREATEST_RATE, MAX_ROUNDS
from htcq.settings.tables import SITE_FILE, check_keys, number_in

#: Every key of ``[quotas]`` with the knob that it sets.
QUOTA_KNOBS: Mapping[str, str] = {
    "accept_surplus": "GROUP_ACCEPT_SURPLUS",
    "autoregroup": "GROUP_AUTOREGROUP",
    "oversubscription": "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION",
    "strict": "NEGOTIATOR_STRICT_ENFORCE_QUOTA",
    "use_slot_weights": "NEGOTIATOR_USE_SLOT_WEIGHTS",
    "weighted_demand": "NEGOTIATOR_USE_WEIGHTED_DEMAND",
    "max_allocation_rounds": "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
    "round_robin_rate": "GROUP_QUOTA_ROUND_ROBIN_RATE",
    "sort_expression": "GROUP_SORT_EXPR",
}
QUOTA_KEYS = tuple(QUOTA_KNOBS)


def number_text(value: float) -> str:
    """Return ``value`` with all its digits and without an exponent, so that no digit is lost."""
    return format(Decimal(repr(value)), "f")


def truth_text(value: bool) -> str:
    """Return a truth value as HTCondor's own files spell it."""
    if value:
        return "True"
    return "False"


def truth_of(where: str, value: Any) -> bool:
    """Return ``value``.

    Raises:
        InputError: it is neither true nor false.
    """
    if not isinstance(value, bool):
        raise InputError(f"htcq.toml: {where} is {value!r}", "it must be true or false")
    return value


def quota_knobs_from(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the knobs that the table ``[quotas]`` sets, by name, with their texts.

    Raises:
        InputError: an unknown key (with the near one), or a value that HTCondor would refuse.
    """
    check_keys("quotas.", table, QUOTA_KEYS)
    knobs: dict[str, str] = {}
    for key, knob in QUOTA_KNOBS.items():
        if key in table:
            read = _READERS.get(key, _truth)
            knobs[knob] = read(f"quotas.{key}", table[key])
    return knobs


def _truth(where: str, value: Any) -> str:
    return truth_text(truth_of(where, value))


def _rounds(where: str, value: Any) -> str:
    hint = f"it must be a whole number from 1 to {MAX_ROUNDS}"
    return number_text(number_in(f"{SITE_FILE}: {where}", value, 1, MAX_ROUNDS, hint, whole=True))


def _rate(where: str, value: Any) -> str:
    hint = f"it must be a number from 1 to {GREATEST_RATE:g}"
    return number_text(number_in(f"{SITE_FILE}: {where}", value, 1, GREATEST_RATE, hint))


def _expression(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or not value.strip():
        raise InputError(
            f"htcq.toml: {where} is {value!r}",
            "it must be a ClassAd expression in quotes, on one line",
        )
    text = value.strip()
    if "$" in text or text.endswith("\\"):
        raise InputError(
            f"htcq.toml: {where} has a '$' or ends in a backslash",
            "HTCondor's configuration would interpret them",
        )
    try:
        Expr(text)
    except PolicyError as error:
        raise InputError(
            f"htcq.toml: {where}: {error}", "the negotiator would exit on it"
        ) from error
    return text


_READERS: Mapping[str, Callable[[str, Any], str]] = {
    "max_allocation_rounds": _rounds,
    "round_robin_rate": _rate,
    "sort_expression": _expression,
}
