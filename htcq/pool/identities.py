"""Names in a snapshot and their new names.

Users, groups, hosts, domains, addresses, devices and paths.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from htcq.pool.disclosure import VOCABULARY
from htcq.pool.pseudonyms import Pseudonyms, folded
from htcq.quota.group_tree import ROOT

#: Accounts of HTCondor's own and of every machine, which disclose nothing about a site; names that
#: mean no host.
NOBODY = frozenset((
    "condor", "condor_pool", "root", "nobody", "family", "unmapped", "unauthenticated", "anonymous",
    "password", "nice-user", "nice_user", "dedicatedscheduler", "", ROOT,
))  # fmt: skip
_NOWHERE = frozenset(("localhost", "undefined", "none", "true", "false", ROOT, ""))
#: Beginnings of the names of slots.
_ANY_SLOT = ("", "slot", "backfill")
_SLOT_NAME = re.compile(r"([A-Za-z_]*)([0-9]{1,4}(?:_[0-9]{1,4})*)\Z")
_PLACE = re.compile(r"(\[[0-9A-Fa-f:.]+\]|.*?)(?::([0-9]{1,5}))?(?:\?.*)?\Z", re.DOTALL)
_GLOBAL_ID = re.compile(r"(.*)#([0-9]{1,18})\.([0-9]{1,18})#([0-9]{1,18})\Z", re.DOTALL)
_JOB_ID = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})\Z")
_LEGAL = re.compile(r"[A-Za-z0-9_./]+\Z")
#: Ranges that no site uses: RFC 1112 section 4, RFC 3849.
_IPV4, _IPV4_SIZE = int(ipaddress.IPv4Address("240.0.0.1")), 2**28 - 4
_IPV6, _IPV6_SIZE = int(ipaddress.IPv6Address("2001:db8::1")), 2**64
_WELL_KNOWN_PORT, _FIRST_PORT, _PORTS = 9618, 10_000, 50_000
HOUR = 3600


@dataclass
class Names:
    """Every name in a pool, as the first pass over it found them."""

    users: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    domains: set[str] = field(default_factory=set)
    daemons: set[str] = field(default_factory=set)
    #: Addresses, paths, ids, and whole names of hosts and submitters; they are only searched for.
    others: set[str] = field(default_factory=set)
    accounts: set[str] = field(default_factory=set)
    clusters: set[int] = field(default_factory=set)
    #: Assets that slots hand out, in lower case.
    assets: set[str] = field(default_factory=set)
    limits: set[str] = field(default_factory=set)

    def add_principal(self, text: str) -> None:
        """Add ``group.user@domain``."""
        who, *places = text.split("@")
        for where in places:
            self.add_host(where, domain=True)
        if folded(text) not in NOBODY:
            self.others.add(text)
            self.accounts.add(who)

    def settle(self) -> None:
        """Find the users among the accounts: what is no group before them."""
        groups = self.known_groups()
        for who in self.accounts:
            *above, last = who.split(".")
            path = ""
            for piece in above:
                if path:
                    path = f"{path}.{piece}"
                else:
                    path = piece
                if folded(path) not in groups:
                    self._add_user(piece)
            self._add_user(last)

    def _add_user(self, name: str) -> None:
        *above, user = name.split("\\")
        domains = [folded(each) for each in above if each]
        self.domains.update(domains)
        self.labels.update(domains)
        if folded(user) not in NOBODY:
            self.users.add(user)

    def add_host(self, text: str, domain: bool = False) -> None:
        """Add a host or a domain by its labels."""
        text = text.strip(".")
        if folded(text) in _NOWHERE:
            return
        if is_address(text):
            address = ipaddress.ip_address(text)
            if not (address.is_loopback or address.is_unspecified):
                self.others.add(text)
            return
        labels = [folded(label) for label in text.split(".") if label]
        self.others.add(text)
        self.labels.update(labels)
        self.domains.update(labels if domain else labels[1:])

    def add_place(self, text: str) -> None:
        """Add ``host``, ``host:port`` or ``daemon@host``."""
        local, _, host = text.rpartition("@")
        for piece in local.split("@"):
            prefix, _ = _daemon_parts(piece)
            if folded(prefix) not in _ANY_SLOT:
                self.daemons.add(prefix)
        found = _PLACE.match(host)
        if found:
            host = found.group(1)
        self.add_host(host.strip("[]"))

    def add_job(self, text: str) -> None:
        """Add ``schedd#cluster.proc#time`` or ``cluster.proc``."""
        whole, short = _GLOBAL_ID.match(text), _JOB_ID.match(text)
        if whole:
            self.others.add(text)
            self.add_place(whole.group(1))
            self.clusters.add(int(whole.group(2)))
        elif short:
            self.clusters.add(int(short.group(1)))

    def known_groups(self) -> set[str]:
        """Return every group in the form in which names of groups are compared."""
        return {folded(name) for name in self.groups}


class Identities:
    """The new names of a pool's names; ``keep_groups`` leaves groups as they are."""

    def __init__(
        self, names: Names, pseudonyms: Pseudonyms, keep_groups: bool = False, exact: bool = False
    ) -> None:
        self.names, self.pseudonyms, self.keep_groups = names, pseudonyms, keep_groups
        self._users = {folded(name) for name in names.users}
        self._groups = names.known_groups() - {"", folded(ROOT)}
        self._places = _places(self._groups)
        numbers = sorted(names.clusters)
        self._clusters = {number: place for place, number in enumerate(numbers, 1)}
        if exact:
            self._clusters = {number: number for number in numbers}
        self._addresses: dict[str, str] = {}
        self._taken: set[str] = set()

    # Users and groups

    def is_user(self, text: str) -> bool:
        """Return whether ``text`` names a user."""
        return folded(text) in self._users

    def is_account(self, text: str) -> bool:
        """Return whether ``text`` is an account: ``group.user@domain``, or part of such a name."""
        who = text.partition("@")[0]
        return text not in VOCABULARY and (who in self.names.accounts or self.is_user(who))

    def is_group(self, text: str) -> bool:
        """Return whether ``text`` names a group."""
        return folded(text) in self._groups

    def principal(self, text: str) -> str:
        """Return ``group.user@domain`` with new names.

        What precedes the last dot is the group, if there is one.

        As the negotiator sees it (``htcq.quota.group_tree.assigned_group``): a dot in a user's
        name makes its beginning a group, which may not be known.
        """
        if folded(text) == folded(ROOT):
            return text
        who, *places = text.split("@")
        above, dot, user = who.rpartition(".")
        return "@".join([f"{self._path(above)}{dot}{self.user(user)}", *map(self.host, places)])

    def user(self, name: str) -> str:
        """Return the new name of an account; one of Windows has a domain before a backslash."""
        *above, last = name.split("\\")
        new = last
        if folded(last) not in NOBODY:
            new = self.pseudonyms.new("user", last)
        return "\\".join([*(self._label(each) for each in above), new])

    def group(self, path: str) -> str:
        """Return the new name of a group."""
        if folded(path) in NOBODY:
            return path
        return self._path(path)

    def _path(self, path: str) -> str:
        if not path or (self.keep_groups and self.is_group(path)):
            return path
        new, above = [], ""
        for piece in path.split("."):
            if above:
                above = f"{above}.{piece}"
            else:
                above = piece
            place = self._places.get(folded(above))
            if place is None:
                new.append(self.user(piece))
            elif self.keep_groups or folded(piece) in NOBODY:
                new.append(piece)
            else:
                # Only a group whose name is legal can have a quota; order is that of the names.
                joint = "-"
                if _LEGAL.match(piece):
                    joint = "_"
                new.append(self.pseudonyms.new("group", piece, joint, f"g{place}"))
        return ".".join(new)

    # Hosts

    def knows_host(self, text: str) -> bool:
        """Return whether ``text`` is a host or a domain, or lies in a domain that is known."""
        labels = [folded(label) for label in text.strip(".").split(".")]
        known = self.names.labels
        if len(labels) == 1:
            return labels[0] in known
        return labels[-1] in self.names.domains and labels[-2] in known

    def host(self, text: str) -> str:
        """Return a host or a domain with new names, label by label; an address becomes another."""
        if folded(text) in _NOWHERE:
            return text
        if is_address(text):
            return self.address(text)
        return ".".join(map(self._label, text.split(".")))

    def _label(self, label: str) -> str:
        if not label:
            return label
        kind = "host"
        if folded(label) in self.names.domains:
            kind = "domain"
        return self.pseudonyms.new(kind, label)

    def place(self, text: str) -> str:
        """Return ``host``, ``host:port`` or ``daemon@host`` with new names."""
        local, at, host = text.rpartition("@")
        daemons = "@".join(map(self._daemon, local.split("@")))
        port = None
        found = _PLACE.match(host)
        if found:
            host, port = found.groups()
        bare = host.strip("[]")
        new = self.host(bare)
        if bare != host:
            new = f"[{new}]"
        return f"{daemons}{at}{new}{self.port(port)}"

    def _daemon(self, name: str) -> str:
        prefix, number = _daemon_parts(name)
        if folded(prefix) in _ANY_SLOT:
            return name
        new = self.pseudonyms.new("daemon", prefix)
        if not number:
            return new
        return f"{new}-{number}"

    def port(self, port: str | None) -> str:
        """Return a colon and a port: HTCondor's usual one, or another than it was."""
        if port is None:
            return ""
        if int(port) == _WELL_KNOWN_PORT:
            return f":{port}"
        return f":{_FIRST_PORT + self.pseudonyms.number('port', port, _PORTS)}"

    def address(self, text: str) -> str:
        """Return another address; the loopback and texts that are no address stay."""
        if not is_address(text):
            return text
        parsed = ipaddress.ip_address(text)
        if parsed.is_loopback or parsed.is_unspecified:
            return text
        key = str(parsed)
        if key not in self._addresses:
            new = self._new_address(parsed.version, key)
            self._taken.add(new)
            self._addresses[key] = new
            self.pseudonyms.remember(new)
        return self._addresses[key]

    def _new_address(self, version: int, key: str) -> str:
        """Return an address that no other one has yet."""
        first, size = _IPV6, _IPV6_SIZE
        if version == 4:
            first, size = _IPV4, _IPV4_SIZE
        number = self.pseudonyms.number("address", key, size)
        while True:
            new = _address(version, first + number)
            if new not in self._taken:
                return new
            number = (number + 1) % size

    # Jobs and the rest

    def cluster(self, number: int) -> int:
        """Return the number of a cluster among all clusters, in their order."""
        return self._clusters.get(number, 0)

    def job(self, text: str) -> str | None:
        """Return the id of a job with new names; None where it is none."""
        whole = _GLOBAL_ID.match(text)
        if whole:
            schedd, cluster, proc, time = whole.groups()
            hour = int(time) // HOUR * HOUR
            return f"{self.place(schedd)}#{self.cluster(int(cluster))}.{proc}#{hour}"
        short = _JOB_ID.match(text)
        if short:
            return f"{self.cluster(int(short.group(1)))}.{short.group(2)}"
        return None

    def limit(self, name: str) -> str:
        """Return the new name of a concurrency limit, which may have a scope before a dot."""
        new = []
        for piece in name.split("."):
            if piece:
                piece = self.pseudonyms.new("limit", folded(piece), "_")
            new.append(piece)
        return ".".join(new)

    def device(self, text: str) -> str:
        """Return another id of a device.

        It has hexadecimal digits where the old one has them; the first eight are replaced by
        themselves.
        """
        digits = folded(text.replace("-", "").replace("_", ""))
        first = self.pseudonyms.digits("device", digits[:8])[:8]
        rest = self.pseudonyms.digits("device", digits, 24)[: max(0, len(digits) - 8)]
        new = iter(first + rest)
        letters = []
        for letter in text:
            if letter not in "-_":
                letter = next(new, "0")
            letters.append(letter)
        found = "".join(letters)
        self.pseudonyms.remember(found.replace("-", "_"))
        self.pseudonyms.remember(found)
        return found


def is_address(text: str) -> bool:
    """Return whether ``text`` is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _address(version: int, number: int) -> str:
    if version == 4:
        return str(ipaddress.IPv4Address(number))
    return str(ipaddress.IPv6Address(number))


def _daemon_parts(name: str) -> tuple[str, str]:
    """Return the letters of a daemon's name and the number of a slot that ends it, if any."""
    found = _SLOT_NAME.match(name)
    if found is None:
        return name, ""
    return found.group(1), found.group(2)


def _places(groups: Iterable[str]) -> dict[str, str]:
    """Return the place of each group, and of those above it, among its siblings.

    Places are digits that sort as numbers do.
    """
    siblings: dict[str, set[bytes]] = {}
    for name in groups:
        above = ""
        for piece in name.split("."):
            siblings.setdefault(above, set()).add(piece.encode("utf-8", "surrogateescape"))
            if above:
                above = f"{above}.{piece}"
            else:
                above = piece
    found = {}
    for above, below in siblings.items():
        width = len(str(len(below)))
        for place, written in enumerate(sorted(below), 1):
            text = written.decode("utf-8", "surrogateescape")
            path = text
            if above:
                path = f"{above}.{text}"
            found[path] = f"{place:0{width}d}"
    return found
