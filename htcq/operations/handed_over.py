"""What a confined process hands over: records as strict JSON, read back by the types of fields.

Whoever took over the process may write anything in their place: nothing of them is evaluated, and
what is not of its type, not finite or longer than a limit is refused. See
``htcq.operations.confined``.
"""

from __future__ import annotations

import functools
import json
import math
import re
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from htcq.errors import (
    EXIT_FINDINGS,
    EXIT_UNKNOWN,
    EXIT_USAGE,
    ConfinementError,
    EvaluationError,
    HtcqError,
)

#: The request that has a record; no file has this name.
RECORD = "\0"
#: Whole numbers from here on fit into no integer of 64 bits.
_END = 2**63
_MAX_DIGITS = 20
#: Exit statuses of errors.
_FAILURES = (EXIT_FINDINGS, EXIT_USAGE, EXIT_UNKNOWN)
_OR_NONE = re.compile(r"(.*) \| None")
_HINT = "report it, with the snapshot of the pool"


def text_of(record: object) -> bytes:
    """Return as JSON what consists of plain values, dataclasses, tuples and mappings.

    A number that is not finite becomes what the histories keep of it: 0, or the largest one. So
    does a whole one beyond 64 bits.
    """
    return json.dumps(_plain(record), allow_nan=False, separators=(",", ":")).encode()


def _plain(value: object) -> object:
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, int) and abs(value) >= _END:
        return _END - 1 if value > 0 else 1 - _END
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


def _finite(value: float) -> float:
    if math.isnan(value):
        return 0.0
    return max(-sys.float_info.max, min(sys.float_info.max, value))


def failed(error: Exception) -> bytes:
    """Return what is handed over where ``error`` ended the evaluation."""
    from htcq.report.failure import reason, traced

    traced(error)
    if isinstance(error, HtcqError):
        failure = _Failure(str(error), error.hint, error.exit_status)
    else:
        failure = _Failure(reason(error), "", EXIT_UNKNOWN)
    return text_of({"failure": failure})


@dataclass(frozen=True)
class _Failure:
    """An error: its message, its hint and its exit status."""

    message: str
    hint: str
    exit_status: int


def found_in(text: bytes) -> object:
    """Return the value that was found, of what was handed over.

    Raises:
        EvaluationError: there is none; it says why.
        ConfinementError: it is not JSON, or has a number that is not finite.
    """
    value = value_of(text)
    if isinstance(value, dict) and "found" in value:
        return value["found"]
    failure = record_of(_Failure, value.get("failure") if isinstance(value, dict) else None)
    status = failure.exit_status if failure.exit_status in _FAILURES else EXIT_UNKNOWN
    raise EvaluationError(failure.message, failure.hint, status)


def value_of(text: bytes) -> object:
    """Return the value of the JSON ``text``.

    Raises:
        ConfinementError: it is none, or has a number that is not finite or has too many digits.
    """
    try:
        return json.loads(text, parse_int=_whole, parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise ConfinementError("what the confined process found is not JSON", _HINT) from error


def _whole(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def record_of(kind: Any, value: object, where: str = "it") -> Any:
    """Return ``value`` as ``kind``: a dataclass, or a type that its fields may have.

    These are str, bool, int, float, each of them or None, tuple[X, ...], tuple[X, Y] and
    Mapping[str, X]; object is whatever JSON has. A field of a dataclass that is missing is refused,
    and so is one that it has not.

    Raises:
        ConfinementError: ``value`` is something else; ``where`` says which.
    """
    if kind in _PLAIN:
        if not _PLAIN[kind](value):
            raise _refused(where, kind.__name__)
        return kind(value)
    if kind is object:
        return value
    arguments = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if origin is typing.Union:
        return None if value is None else record_of(arguments[0], value, where)
    if origin is tuple:
        return _tuple_of(arguments, value, where)
    if not isinstance(value, dict):
        raise _refused(where, "an object")
    if origin is not None:
        return {name: record_of(arguments[1], each, where) for name, each in value.items()}
    wanted = _types_of(kind)
    if wanted.keys() != value.keys():
        raise _refused(where, kind.__name__)
    return kind(**{name: record_of(each, value[name], name) for name, each in wanted.items()})


def _tuple_of(kinds: Any, value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _refused(where, "a list")
    if kinds[-1] is Ellipsis:
        return tuple(record_of(kinds[0], each, where) for each in value)
    if len(value) != len(kinds):
        raise _refused(where, f"a list of {len(kinds)}")
    return tuple(record_of(kind, each, where) for kind, each in zip(kinds, value))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _END


_PLAIN: Mapping[Any, typing.Callable[[object], bool]] = {
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: _is_whole,
    float: lambda value: isinstance(value, float) or _is_whole(value),
}


@functools.cache
def _types_of(kind: Any) -> dict[str, Any]:
    """Return the types of the fields of a dataclass by their names.

    Python 3.9 has no ``X | None``.
    """
    names = {**vars(sys.modules[kind.__module__]), "Optional": typing.Optional}
    texts = {each.name: _OR_NONE.sub(r"Optional[\1]", str(each.type)) for each in fields(kind)}
    return typing.get_type_hints(types.SimpleNamespace(__annotations__=texts), names)


def _refused(where: str, wanted: str) -> ConfinementError:
    return ConfinementError(
        f"what the confined process found is refused: {where} is not {wanted}", _HINT
    )
