"""Who and what a snapshot names: users, hosts, domains, addresses and paths, each with the name that replaces it.

A name gets its replacement once, so that whatever was equal stays equal. New names avoid every name that was given.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

#: Accounts of HTCondor's own and of every machine, which tell nothing about a site.
_NOBODY = frozenset(
    ("condor", "condor_pool", "root", "nobody", "family", "unmapped", "unauthenticated", "anonymous", "password", "")
)
_TOP_LEVEL = re.compile(
    r"[a-z]{2}\Z|(?:com|org|net|edu|gov|int|mil|info|test|local|localdomain|invalid|lan|internal)\Z"
)
_LOCAL = frozenset(("localhost", "undefined", "none", "true", "false")) | _NOBODY
#: A word in pieces: host names and group names are made of such.
_PIECES = re.compile(r"[._-]+")
#: Longer words are cut: no name is made of so many pieces, and the search is quadratic.
_MOST_PIECES = 24
#: Texts whose replacement is remembered, so that it is not worked out for each of a million lines.
MOST_REMEMBERED = 200_000
#: Documentation and reserved ranges, which no site uses: RFC 1112 section 4, RFC 3849.
_IPV4_FIRST = int(ipaddress.IPv4Address("240.0.0.1"))
_IPV6_FIRST = int(ipaddress.IPv6Address("2001:db8::1"))


@dataclass
class Identities:
    """The names found so far; ``groups`` and ``kept`` are words that stay as they are."""

    users: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    groups: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    _folded: dict[str, str] = field(default_factory=dict)
    _given: set[str] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)
    _words: dict[str, str] = field(default_factory=dict)

    def add_user(self, name: str) -> None:
        """Take up an account's name, without group and domain."""
        if name.casefold() not in _NOBODY and name not in self.users:
            self.users[name] = ""
            self._given.add(name.casefold())

    def add_host(self, name: str, domain: bool = False) -> None:
        """Take up a host or domain by its labels; numbers and what every machine has are left alone."""
        if is_address(name) or name.casefold() in _LOCAL:
            return
        labels = [label for label in name.casefold().strip(".").split(".") if label]
        if labels and _TOP_LEVEL.match(labels[-1]) and (len(labels) > 1 or domain):
            labels.pop()
        for place, label in enumerate(labels):
            if not label.isdigit() and label not in self.labels:
                self.labels[label] = "domain" if domain or place else "host"
                self._given.add(label)

    def add_principal(self, name: str) -> None:
        """Take up ``group.user@domain``; groups must be known by now."""
        who, _, where = name.partition("@")
        if where:
            self.add_host(where, domain=True)
        self.add_user(self.user_part(who))

    def user_part(self, name: str) -> str:
        """Return ``name`` without the longest known group before it; empty where it is a group itself."""
        if name in self.groups:
            return ""
        pieces = name.split(".")
        for count in range(len(pieces) - 1, 0, -1):
            if ".".join(pieces[:count]) in self.groups:
                return ".".join(pieces[count:])
        return name

    def settle(self) -> None:
        """Give every name its replacement; after this only single hosts, addresses and paths are still taken up."""
        self.groups -= set(self.users)
        for label, kind in self.labels.items():
            self.labels[label] = self._fresh(kind)
        for name in self.users:
            known = self.labels.get(name)
            new = self.users[name] = known or self._fresh("user")
            self._folded.setdefault(name.casefold(), new)

    def _fresh(self, kind: str) -> str:
        while True:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = f"{kind}{self._counts[kind]}"
            if name not in self._given:
                return name

    def knows_domain(self, name: str) -> bool:
        """Tell whether ``name`` lies in a domain that was taken up."""
        labels = name.casefold().split(".")
        return len(labels) > 1 and labels[0] != "" and (labels[-2] in self.labels or labels[-1] in self.labels)

    def word(self, text: str) -> str:
        """Return a word with every name in it replaced, the longest first."""
        new = self._words.get(text)
        if new is None:
            if len(self._words) > MOST_REMEMBERED:
                self._words.clear()
            new = self._words[text] = self._replaced(text)
        return new

    def _replaced(self, text: str) -> str:
        if text in self.kept or text in self.groups:
            return text
        between = list(_PIECES.finditer(text))[:_MOST_PIECES]
        starts = [0, *(found.end() for found in between)]
        ends = [*(found.start() for found in between), len(text)]
        out, index, done = [], 0, 0
        while index < len(starts):
            for last in range(len(ends) - 1, index - 1, -1):
                part = text[starts[index] : ends[last]]
                new = self._known(part)
                if new is not None:
                    out.append(text[done : starts[index]] + new)
                    done, index = ends[last], last
                    break
            index += 1
        return "".join(out) + text[done:]

    def _known(self, part: str) -> str | None:
        if part in self.users:
            return self.users[part]
        if part in self.groups or part in self.kept:
            return part
        folded = part.casefold()
        return self.labels.get(folded) or self._folded.get(folded)

    def principal(self, name: str) -> str:
        """Return ``group.user@domain`` with user and domain replaced."""
        who, at, where = name.partition("@")
        user = self.user_part(who)
        group = who[: len(who) - len(user)] if user else who
        return f"{group}{self.users.get(user, user)}{at}{self.word(where) if where else ''}"

    def address(self, text: str) -> str:
        """Return another address; the loopback and what is none stay."""
        if not is_address(text):
            return text
        parsed = ipaddress.ip_address(text)
        if parsed.is_loopback or parsed.is_unspecified:
            return text
        key = str(parsed)
        if key not in self.addresses:
            first = _IPV4_FIRST if parsed.version == 4 else _IPV6_FIRST
            number = first + len(self.addresses)
            new = ipaddress.IPv4Address(number) if parsed.version == 4 else ipaddress.IPv6Address(number)
            self.addresses[key] = str(new)
        return self.addresses[key]

    def path(self, text: str) -> str:
        """Return a path that stands for ``text`` alone."""
        if text not in self.paths:
            self.paths[text] = f"/path/{len(self.paths) + 1}"
        return self.paths[text]

    def keep(self, words: Iterable[str]) -> None:
        """Leave ``words`` as they are wherever they stand alone."""
        self.kept.update(words)


def is_address(text: str) -> bool:
    """Tell whether ``text`` is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
