"""The one doorway to HTCondor's ClassAd language (``classad2``).

``classad2`` returns an undefined value and an error as members of an int-like enumeration, so
that a naive ``float(value)`` turns them into 2.0 and 1.0. Here they are :data:`UNDEFINED` and
:data:`ERROR`, which are no numbers. The library is imported on first use, because ``htcq probe``
must work where it is missing.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from htcq.classad.dialect import differs, for_library, from_library
from htcq.classad.growth import is_endless
from htcq.classad.names import words
from htcq.classad.parser import NotAnExpressionError
from htcq.classad.tokens import LONGEST as LONGEST
from htcq.classad.values import END_OF_WHOLE
from htcq.classad.values import ERROR as ERROR
from htcq.classad.values import UNDEFINED as UNDEFINED
from htcq.classad.values import Missing as Missing
from htcq.classad.values import Value as Value
from htcq.classad.values import as_number as as_number
from htcq.classad.values import holds as holds
from htcq.classad.values import is_number as is_number
from htcq.classad.values import literal as literal
from htcq.classad.values import spelled as spelled
from htcq.errors import PolicyError
from htcq.library import library


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


@functools.lru_cache(maxsize=1)
def _unparsable() -> tuple[type[Exception], ...]:
    return (NotAnExpressionError, *refusals())


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


def _parsed(text: str, whole: bool) -> Any:
    """Return the library's tree of an expression of old ClassAds."""
    parse = _library().ExprTree
    if differs(text):
        return parse(for_library(text, whole))
    try:
        return parse(text)
    except refusals():
        return parse(for_library(text, whole))


class Expr:
    """One parsed ClassAd expression, as HTCondor's daemons read it (:mod:`htcq.classad.dialect`).

    Without ``whole`` the text is the line of an ad, where what follows the expression is ignored.

    Raises:
        PolicyError: the text is not a ClassAd expression.
    """

    __slots__ = ("_tree", "text")

    def __init__(self, text: str, whole: bool = True) -> None:
        self.text = text
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
            self._tree = _parsed(text, whole)
        except _unparsable() as error:
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
        except UnicodeDecodeError as error:
            return error.object.decode("utf-8", "surrogateescape")
        except refusals():
            # Nested beyond what the library evaluates: HTCondor's daemons get an error as well.
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
        return from_library(str(self._tree))

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
        return words(self.text)


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


def _storable(value: int | float | bool | str) -> Any:
    """Return ``value`` as the library can hold it: it would end the process at what is no UTF-8."""
    if isinstance(value, str):
        return value if value.isascii() else _storable_text(value)
    if abs(value) < END_OF_WHOLE:
        return value
    return float(value)


def _storable_text(value: str) -> Any:
    try:
        return value.encode("utf-8", "surrogateescape").decode()
    except UnicodeDecodeError:
        return Expr(spelled(value)).native
    except UnicodeEncodeError:
        # Half a character of UTF-16, which no daemon has sent.
        return value.encode("utf-8", "replace").decode()


def parsed(text: str | None) -> Expr | None:
    """Return ``text`` as an expression; None where it is empty or no ClassAd expression."""
    if not text or not text.strip():
        return None
    try:
        return Expr(text)
    except PolicyError:
        return None
