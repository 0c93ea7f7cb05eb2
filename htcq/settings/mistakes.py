"""All mistakes of a site file, not only the first one, each with the key where it stands.

What is checked says one mistake at a time. So the key of a mistake is left out, and the rest is
checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from htcq.errors import EXIT_USAGE, HtcqError
from htcq.settings.tables import SITE_FILE

#: Names of tables and keys, from the outside to the inside, and numbers of items of lists.
Place = tuple[Any, ...]
#: Raises HtcqError on a mistake in a site file's content.
Check = Callable[[Mapping[str, Any]], object]

#: As many mistakes are looked for in one section.
MOST = 50
#: A key is looked for by leaving out each of so many.
_WIDEST = 200
_BEGINNING = f"{SITE_FILE}: "


@dataclass(frozen=True)
class Mistake:
    """A mistake: where it stands, what is wrong, and what helps."""

    place: Place
    message: str
    hint: str


def mistakes_in(content: Mapping[str, Any], check: Check) -> Iterator[Mistake]:
    """Yield what ``check`` refuses of ``content``, at most :data:`MOST` mistakes.

    A mistake that only follows from what was left out is not one.
    """
    rest: Any = content
    left_out: list[Place] = []
    for _ in range(MOST):
        found = _refusal(rest, check)
        if found is None:
            return
        place = _narrowed(rest, _named(str(found), rest), check, str(found))
        follows = any(len(place) < len(each) and each[: len(place)] == place for each in left_out)
        if not follows:
            message = str(found).removeprefix(_BEGINNING)
            yield Mistake(place, message, found.hint)
        if not place:
            return
        left_out.append(place)
        rest = _without(rest, place)


def _refusal(content: Any, check: Check) -> HtcqError | None:
    try:
        check(content)
    except HtcqError as error:
        if error.exit_status != EXIT_USAGE:
            # It could not be found out, such as without HTCondor's bindings.
            raise
        return error
    return None


def _named(message: str, content: Any) -> Place:
    """Return the place that ``message`` begins with, as far as ``content`` has it."""
    rest = message.removeprefix(_BEGINNING).removeprefix("[")
    place: Place = ()
    while isinstance(content, Mapping):
        # Of two names that fit the longer one is meant: a name may have a dot.
        fitting = [key for key in content if _begins(rest, key)]
        if not fitting:
            break
        key = max(fitting, key=len)
        place, content = (*place, key), content[key]
        rest = rest[len(key) :].removeprefix(".")
    return place


def _begins(text: str, key: str) -> bool:
    after = text[len(key) : len(key) + 1]
    return text.startswith(key) and not (after.isalnum() or after in ("_", "-"))


def _narrowed(content: Any, place: Place, check: Check, message: str) -> Place:
    """Return the innermost key at or below ``place`` without which the mistake is none."""
    inner = _at(content, place)
    keys: list[Any] = []
    if isinstance(inner, Mapping):
        keys = list(inner)
    elif isinstance(inner, list):
        keys = list(range(len(inner)))
    if len(keys) > _WIDEST:
        return place
    for key in keys:
        below = (*place, key)
        other = _refusal(_without(content, below), check)
        if other is None or str(other) != message:
            return _narrowed(content, below, check, message)
    return place


def _at(content: Any, place: Place) -> Any:
    for key in place:
        content = content[key]
    return content


def _without(content: Any, place: Place) -> Any:
    """Return ``content`` without what stands at ``place``."""
    key, *inner = place
    if isinstance(content, list):
        rest: Any = list(content)
    else:
        rest = dict(content)
    if inner:
        rest[key] = _without(rest[key], tuple(inner))
    else:
        del rest[key]
    return rest
