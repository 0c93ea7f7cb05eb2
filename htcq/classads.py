"""The one doorway to HTCondor's ClassAd language (``classad2``).

``classad2`` returns an undefined value and an error as members of an int-like enumeration, so
that a naive ``float(value)`` turns them into 2.0 and 1.0. Here they are :data:`UNDEFINED` and
:data:`ERROR`, which are no numbers. The library is imported on first use, because ``htcq probe``
must work where it is missing.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Union

from htcq.errors import PolicyError
from htcq.growth import is_endless
from htcq.library import library


class Missing(enum.Enum):
    """Results of an expression that are no value."""

    UNDEFINED = "undefined"
    ERROR = "error"


UNDEFINED = Missing.UNDEFINED
ERROR = Missing.ERROR
Value = Union[int, float, bool, str, Missing]
_WORDS: Mapping[str, Value] = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}


#: A longer expression is refused unparsed: the library's recursion would overflow the stack of the
#: process (25.14).
LONGEST = 32 * 1024
#: Numbers of one spelling to the library and to Python. The library reads digits after a leading
#: zero as octal ones or not at all, and refuses a point without a digit behind it.
_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,17})(\.[0-9]{1,30}(?:[eE][-+]?[0-9]{1,4})?|[eE][-+]?[0-9]{1,4})?\Z"
)
#: HTCondor's whole numbers have 64 bits.
_END_OF_WHOLE = 2.0**63
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: A string of old ClassAds: a backslash is one of its characters unless a quote follows.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def _library() -> Any:
    return library().classad2


@functools.lru_cache(maxsize=1)
def refusals() -> tuple[type[Exception], ...]:
    """Return what the library raises: an exception of its own (25.14), or Python's (23.9)."""
    own = getattr(_library(), "ClassAdException", None)
    if own is None:
        return (RuntimeError, SyntaxError, TypeError, ValueError)
    return (own, ValueError)


@functools.lru_cache(maxsize=1)
def library_version() -> tuple[int, ...]:
    """Return the library's version, as (25, 14, 1)."""
    return tuple(int(part) for part in _library().version().split("."))


def is_old_library() -> bool:
    """Return whether the library is older than 25, as that of Debian 13 (23.9) is."""
    return library_version() < (25,)


def ends_at_macros() -> bool:
    """Return whether the library ends the process where a macro cannot be computed."""
    return library_version() < (25, 13)


class References(NamedTuple):
    """The attributes that an expression names, in lower case.

    ``own`` stand without a scope or in MY; one without a scope is looked up in TARGET where MY
    lacks it.
    """

    own: frozenset[str]
    target: frozenset[str]


class Expr:
    """One parsed ClassAd expression.

    Raises:
        PolicyError: the text is not a ClassAd expression.
    """

    __slots__ = ("_tree", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        library = _library()
        if len(text) > LONGEST:
            raise PolicyError(
                f"an expression of {len(text)} characters: {text[:40]}…",
                f"{LONGEST} are the most",
            )
        if is_endless(text):
            raise PolicyError(
                f"an expression that takes too long or grows too large: {text[:40]}…",
                "nest it less",
            )
        try:
            self._tree = library.ExprTree(text)
        except refusals() as error:
            raise PolicyError(
                f"not a ClassAd expression: {text}", "check brackets and quotes"
            ) from error

    def evaluate(self, my: Ad | None = None, target: Ad | None = None) -> Value:
        """Return the value with MY and TARGET as given.

        Strings, undefined and error come back as such.
        """
        library = _library()
        try:
            if my is None:
                value = self._tree.eval()
            elif target is None:
                value = self._tree.eval(my.native)
            else:
                value = self._tree.eval(my.native, target.native)
        except SystemError:
            # A list of what is no text (25.14.1).
            return ERROR
        except refusals():
            # Nested beyond what the library evaluates: HTCondor's daemons get an error as well. Or
            # no text at all.
            return ERROR
        if isinstance(value, library.Value):
            return UNDEFINED if value == library.Value.Undefined else ERROR
        if isinstance(value, (bool, int, float, str)):
            return value
        return ERROR

    @property
    def native(self) -> Any:
        """The library's own expression, for putting it into an :class:`Ad`."""
        return self._tree

    def unparsed(self) -> str:
        """Return the library's text, the same for all spellings of one expression."""
        return str(self._tree)

    def references(self) -> References:
        """Return the attributes that the expression names, in lower case."""
        own, target = set(), set()
        try:
            found = _library().ClassAd().externalRefs(self._tree)
        except ValueError:
            # Too long a chain of scopes for the library; all that it may name is better than
            # nothing.
            return References(frozenset(self.words()), frozenset())
        for name in found:
            scope, dot, rest = name.lower().partition(".")
            if scope == "target" and dot:
                target.add(rest.partition(".")[0])
            elif scope == "my" and dot:
                own.add(rest.partition(".")[0])
            elif scope:
                own.add(scope)
        return References(frozenset(own), frozenset(target))

    def words(self) -> list[str]:
        """Return every word of the text in lower case, repeated words included.

        Words in strings and names of functions count too.
        """
        return [word.lower() for word in _WORD.findall(self.text)]


class Ad:
    """One ClassAd: values and expressions by attribute name, whatever its case."""

    __slots__ = ("native",)

    def __init__(
        self, attributes: Mapping[str, int | float | bool | str | Expr] | None = None
    ) -> None:
        self.native = _library().ClassAd()
        for name, value in (attributes or {}).items():
            self[name] = value

    def __setitem__(self, name: str, value: int | float | bool | str | Expr | Ad) -> None:
        # An ad in an ad is a copy: what becomes of the one that was given does not change it.
        self.native[name] = value.native if isinstance(value, (Expr, Ad)) else _storable(value)

    def __delitem__(self, name: str) -> None:
        del self.native[name]

    def __contains__(self, name: str) -> bool:
        # The library's own test evaluates the attribute, which fails where its text is no UTF-8.
        try:
            self.native.lookup(name)
        except KeyError:
            return False
        return True

    @contextlib.contextmanager
    def changed(self, name: str, value: Value) -> Iterator[None]:
        """Let the attribute ``name`` have another value for a while."""
        own = None
        if name in self:
            own = self.native.lookup(name)
        self[name] = Expr(value.value) if isinstance(value, Missing) else value
        try:
            yield
        finally:
            if own is None:
                del self[name]
            else:
                self.native[name] = own

    def says(self, name: str, value: Value) -> bool:
        """Return whether the attribute ``name`` is the literal ``value``, of the same type."""
        try:
            own = self.native[name]
        except KeyError:
            return False
        return type(own) is type(value) and bool(own == value)

    def value(self, name: str, target: Ad | None = None) -> Value:
        """Return the value of the attribute ``name``; UNDEFINED where there is none."""
        if target is None and name not in self:
            return UNDEFINED
        return named(name).evaluate(self, target)


@functools.lru_cache(maxsize=1024)
def named(name: str) -> Expr:
    """Return the expression that is the attribute ``name``, parsed once."""
    return Expr(name)


def _storable(value: int | float | bool | str) -> int | float | bool | str:
    """Return ``value`` as the library can hold it: it would end the process at what is no UTF-8."""
    if isinstance(value, str):
        if value.isascii():
            return value
        return value.encode("utf-8", "replace").decode("utf-8")
    if abs(value) < _END_OF_WHOLE:
        return value
    return float(value)


def literal(text: str) -> Value | None:
    """Return the value of a literal number, truth value or string; None for other expressions.

    It is what the library returns. Spellings that the library reads in a way of its own, such as
    ``010`` or a whole number of more than 18 digits, give None.
    """
    first = text[:1]
    if first == '"':
        inner = text[1:-1]
        closed = text[-1:] == '"' and len(text) > 1
        if closed and '"' not in inner and "\\" not in inner and "\0" not in inner:
            return inner
        return None
    found = _NUMBER.match(text)
    if found:
        if found.group(1) is None:
            return int(text)
        return float(text)
    return _WORDS.get(text.lower())


def spelled(value: Value) -> str:
    """Return the text of an expression that has ``value``."""
    if isinstance(value, Missing):
        return value.value
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if as_number(value) is None:
        return ERROR.value
    return repr(value).lower()


def parsed(text: str | None) -> Expr | None:
    """Return ``text`` as an expression; None where it is empty or no ClassAd expression."""
    if not text or not text.strip():
        return None
    try:
        return Expr(text)
    except PolicyError:
        return None


def fault_of(text: str) -> int | None:
    """Return where ``text`` stops being an expression of old ClassAds, as configuration is read.

    None where it is one. Otherwise it is the index of the bracket or quote without a counterpart,
    or that of the last character.
    """
    library = _library()
    if len(text) > LONGEST or is_endless(text):
        return None
    one_line = " ".join(text.split("\n"))
    plain = _line_of_ad(library, one_line)
    # What follows an expression is ignored in a line of an ad. "a) + (b" is none either.
    if plain is not None and _line_of_ad(library, f"({one_line}) + 0") == f"({plain}) + 0":
        return None
    if "//" in text and parsed(f"{text}\n") is not None:
        return None
    if plain is not None and text.rstrip().endswith('\\"'):
        # A backslash before a quote that ends the text is one of the string's characters.
        return None
    if plain is not None and " ? " in plain:
        # What follows a choice as a whole is ignored, as in "a ? b : c ) + d" (seen on 25.14.1).
        return None
    return _unpaired(text)


def _line_of_ad(library: Any, text: str) -> str | None:
    """Return what the library reads as the value of a line of an old ad; None if it refuses it."""
    try:
        ad = library.parseOne(f"A = {text}", library.ParserType.Old)
        return str(ad.lookup("A"))
    except KeyError:
        return None
    except refusals():
        return None


def _unpaired(text: str) -> int:
    """Return the place of the first bracket or quote in ``text`` without a counterpart."""
    opened: list[int] = []
    place = 0
    while place < len(text):
        letter = text[place]
        if letter == '"':
            closing = _QUOTED.match(text, place)
            if closing is None:
                return place
            place = closing.end()
            continue
        if letter in "([{":
            opened.append(place)
        elif letter in ")]}" and (
            not opened or "([{".index(text[opened.pop()]) != ")]}".index(letter)
        ):
            return place
        place += 1
    if opened:
        return opened[-1]
    return max(0, len(text.rstrip()) - 1)


def holds(value: Value) -> bool:
    """Return whether a condition is met for HTCondor: true, or a number other than 0 (IsAMatch)."""
    return bool(as_number(value))


def is_number(value: Value) -> bool:
    """Return whether HTCondor takes ``value`` for a number.

    Booleans count (src/classad/value.cpp, 25.14).
    """
    return isinstance(value, (bool, int, float))


def as_number(value: Value) -> int | float | None:
    """Return ``value`` as a plain finite number, whole where it is whole; None where it is none."""
    if type(value) is int:
        return value
    if not isinstance(value, (bool, int, float)) or value != value or abs(value) == float("inf"):
        return None
    if isinstance(value, float) and not (value.is_integer() and abs(value) < _END_OF_WHOLE):
        return value
    return int(value)
