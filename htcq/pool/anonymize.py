"""Replaces users, hosts, addresses and paths in ads and configurations, so that relations survive and names do not.

Two passes over all files of a snapshot: :class:`Collector` finds out who is named, :class:`Rewriter` replaces. Group
names stay. In ads only texts between quotes are changed: outside of them stand attributes and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from htcq.pool.identities import MOST_REMEMBERED, Identities

#: Who: ``user``, ``group.user`` or either with ``@domain``.
_PRINCIPALS = frozenset({
    "owner", "user", "remoteuser", "remoteowner", "acctgroupuser", "accountinggroup", "preemptinguser",
    "preemptingowner", "preemptingaccountinggroup", "jobowner", "osuser", "lastremoteuser", "childremoteuser",
    "childremoteowner", "childaccountinggroup", "authenticatedidentity",
})  # fmt: skip
_SUBMITTERS = re.compile(r"lastnegotiationcyclesubmitters\w+\Z|submitterglobal\w*\Z")
_HOSTS = frozenset({
    "machine", "scheddname", "remotehost", "lastremotehost", "clientmachine", "utsnamenodename", "startdname",
    "negotiatorname", "collectorhost", "collector_host_string", "remotepool", "lastremotepool", "remotescheddname",
    "matchmachinename", "privatenetworkname", "childname", "workingcm", "globaljobid",
})  # fmt: skip
_SCHEDDS = re.compile(r"lastnegotiationcyclescheddsoutoftime\w*\Z")
_DOMAINS = frozenset(("uiddomain", "filesystemdomain"))
_GROUPS = frozenset({
    "acctgroup", "remotegroup", "remotenegotiatinggroup", "submittergroup", "submitternegotiatinggroup",
})  # fmt: skip
#: Words of HTCondor's own: they stay, here and wherever an expression compares with them.
_KEPT = frozenset({
    "mytype", "targettype", "state", "activity", "childstate", "childactivity", "arch", "opsys", "opsysandver",
    "opsysname", "microarch", "slottype", "machineresources", "condorversion", "condorplatform", "surpluspolicy",
    "assignedgpus", "mappingmethod", "authenticationmethod", "autoclusterattrs", "submitversion",
})  # fmt: skip
#: Free text, command lines and addresses in other forms: nothing that htcq reads.
_DROPPED = frozenset({
    "addressv1", "hardwareaddress", "subnetmask", "args", "arguments", "notifyuser", "condoradmin", "holdreason",
    "removereason", "releasereason", "drainreason", "offlinereason", "jobbatchname", "jobdescription", "jobnotes",
    "emailattributes", "submiteventnotes", "submiteventusernotes", "slotbrokenreason", "ccbid",
})  # fmt: skip
_NAMED_USERS = ("submitter", "accounting", "")
_HOST_KNOB = re.compile(r"_HOSTS?\Z|_DOMAIN\Z|HOSTNAME\Z|\AFLOCK_|_ADDRESS\Z", re.IGNORECASE)
_USER_KNOB = re.compile(r"(?<!_PER)_USERS?\Z|_ADMIN\Z", re.IGNORECASE)
_GROUP_NAMES = "GROUP_NAMES"

_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_WORD = r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?"
_PART = re.compile(
    r"(?P<sinful><(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+):[0-9]+(?:\?[^<>\s]*)?>)"
    r"|(?P<url>[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'|,;]+)"
    r"|(?P<path>(?<![\w.)\]}-])~?/(?:[\w.+@%~:-]+/?)+)"
    r"|(?P<address>(?<![\w.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.])"
    r"|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:.])))"
    rf"|(?P<word>{_WORD})"
)
_AT = re.compile(rf"({_WORD})@({_WORD})")
_FULL_NAME = re.compile(rf"(?<![\w@./-])({_WORD})")
_HOST_LIKE = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\.[A-Za-z]{2,}\Z")
_SLOT_NAME = re.compile(r"slot[0-9]+(?:_[0-9]+)*\Z|backfill[0-9_]+\Z")
_ALIAS = re.compile(r"[?&]alias=([\w.-]+)")
#: An expression that compares somebody or some host with a text, or looks for it in a list.
_COMPARED = (
    r"(?:(?:target|my)\.)?(?P<{name}>{attributes})\s*(?:==|=\?=|!=|=!=|is\b|isnt\b|,)\s*"
    r"(?P<{text}>\"(?:[^\"\\]|\\.)*\")"
)
_WHO = "owner|user|remoteuser|remoteowner|acctgroupuser|accountinggroup|jobowner"
_WHERE = "machine|utsnamenodename|scheddname|clientmachine"
_COMPARISON = re.compile(
    _COMPARED.format(name="first", text="second", attributes=f"{_WHO}|{_WHERE}")
    + rf"|(?P<text>\"(?:[^\"\\]|\\.)*\")\s*(?:==|=\?=|!=|=!=|,)\s*(?:(?:target|my)\.)?(?P<name>{_WHO}|{_WHERE})\b",
    re.IGNORECASE,
)


@dataclass
class Collector:
    """The first pass: takes up every name, and :meth:`settle` decides what each of them is."""

    identities: Identities = field(default_factory=Identities)
    _principals: set[str] = field(default_factory=set)
    _pairs: set[tuple[str, str]] = field(default_factory=set)
    _guesses: set[str] = field(default_factory=set)
    _daemons: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)

    def ad(self, lines: list[str]) -> None:
        """Take up the names in one ad."""
        pairs = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition("=") for line in lines)]
        ad_type = next((value.strip('"').lower() for name, value in pairs if name == "mytype"), "")
        group = any(name == "isaccountinggroup" and value.lower() == "true" for name, value in pairs)
        for name, value in pairs:
            if '"' in value and name not in _DROPPED:
                self._attribute(name, value, ad_type, group)

    def _attribute(self, name: str, value: str, ad_type: str, group: bool) -> None:
        texts = [_plain(text) for text in _TEXT.findall(value)]
        if name in _KEPT:
            self.identities.keep(word for text in texts for word in re.findall(_WORD, text))
        elif name == "name":
            self._name(texts, ad_type, group)
        elif name in _GROUPS or (name == "accountinggroup" and ad_type in ("accounting", "")):
            self.identities.groups.update(texts)
        elif name in _PRINCIPALS:
            self._principals.update(texts)
        elif _SUBMITTERS.match(name):
            self._principals.update(word for text in texts for word in re.split(r"[,\s]+", text) if word)
        elif name in _HOSTS or name in _DOMAINS or _SCHEDDS.match(name):
            for text in texts:
                self._host(text, name in _DOMAINS)
        if value not in self._seen:
            if len(self._seen) > MOST_REMEMBERED:
                self._seen.clear()
            self._seen.add(value)
            self._anywhere(value, texts)

    def _name(self, texts: list[str], ad_type: str, group: bool) -> None:
        for text in texts:
            if group:
                self.identities.groups.add(text)
            elif ad_type in _NAMED_USERS:
                self._principals.add(text)
            else:
                local, _, host = text.rpartition("@")
                self._host(text if not re.search(r"\s", local) else host, False)

    def _host(self, text: str, domain: bool) -> None:
        """Take up ``host``, ``daemon@host``, lists of them, and what follows a ``#`` or ``:`` not at all."""
        for each in re.split(r"[,\s]+", text):
            local, _, host = each.rpartition("@")
            if local:
                self._daemons.add(local)
            found = re.match(_WORD, host)
            if found and not host.startswith(("<", "[")):
                self.identities.add_host(found.group(), domain)

    def _anywhere(self, value: str, texts: list[str]) -> None:
        for text in texts:
            self._pairs.update(_AT.findall(text))
            for host in _ALIAS.findall(text):
                self.identities.add_host(host)
            self._guesses.update(word for word in _FULL_NAME.findall(text) if "." in word)
        for found in _COMPARISON.finditer(value):
            name = (found["first"] or found["name"]).lower()
            for text in re.split(r"[,\s]+", _plain((found["second"] or found["text"])[1:-1])):
                if re.fullmatch(rf"{_WORD}(?:@{_WORD})?", text):
                    if name in _PRINCIPALS:
                        self._principals.add(text)
                    else:
                        self._host(text, False)

    def knob(self, name: str, value: str) -> None:
        """Take up the names in one knob."""
        if name.upper() == _GROUP_NAMES:
            self.identities.groups.update(re.findall(r"[^\s,]+", value))
        elif _HOST_KNOB.search(name):
            for word in re.findall(r"[^\s,?]+", value):
                self._host(word, name.upper().endswith("_DOMAIN"))
        elif _USER_KNOB.search(name):
            self._principals.update(re.findall(rf"{_WORD}(?:@{_WORD})?", value))
        self._anywhere(value, [_plain(text) for text in _TEXT.findall(value)] + [_TEXT.sub(" ", value)])

    def host(self, text: str) -> None:
        """Take up a daemon's name, a machine or a pool."""
        for each in text.split(","):
            self._host(each.strip().rpartition(":")[0] or each.strip(), False)

    def text(self, text: str) -> None:
        """Take up the hosts and people in a text of any kind."""
        self._anywhere("", [text])

    def settle(self) -> Identities:
        """Return the identities, with their new names."""
        identities = self.identities
        identities.groups.discard("")
        for name in sorted(self._principals):
            identities.add_principal(name)
        for left, right in sorted(self._pairs):
            identities.add_host(right, domain=not _HOST_LIKE.match(right) and left not in self._daemons)
            if left not in self._daemons and not _SLOT_NAME.match(left):
                identities.add_user(identities.user_part(left))
        for word in sorted(self._guesses):
            if self._is_host(word):
                identities.add_host(word)
        identities.settle()
        return identities

    def _is_host(self, word: str) -> bool:
        """Tell whether a word that stands anywhere is a host: by its domain, or by its looks."""
        known = self.identities
        looks = known.knows_domain(word) or _HOST_LIKE.match(word)
        other = word in known.groups or word in known.users or word in known.kept or known.user_part(word) != word
        return bool(looks) and not other and not _is_version(word)


def _is_version(word: str) -> bool:
    return word[0].isdigit() and word.replace(".", "").replace("-", "").isdigit()


def _plain(text: str) -> str:
    """Return the content of a quoted text without its escapes."""
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


@dataclass(frozen=True)
class Rewriter:
    """The second pass."""

    identities: Identities
    _cache: dict[str, str] = field(default_factory=dict)

    def ad_line(self, line: str) -> str | None:
        """Return one line of an ad; None where nothing of it may stay."""
        name, equals, value = line.partition("=")
        key = name.strip().lower()
        if key in _DROPPED:
            return None
        if key == "name" and re.search(r'"\S*\s.*@', value):
            # A pool's own title, as its administrator wrote it.
            value = re.sub(r'".*@', '"pool@', value)
        if '"' not in value or key in _KEPT or key in _GROUPS:
            return line if key not in _GROUPS else f"{name}{equals}{self._texts(value, self.free)}"
        return f"{name}{equals}{self._texts(value, self._principal if key in _PRINCIPALS else self.free)}"

    def _texts(self, value: str, change: Callable[[str], str]) -> str:
        return _TEXT.sub(lambda found: f'"{change(found.group(1))}"', value)

    def _principal(self, text: str) -> str:
        who = text.partition("@")[0]
        plain = re.fullmatch(rf"{_WORD}(?:@{_WORD})?", text)
        known = plain and self.identities.user_part(who) in self.identities.users
        return self.identities.principal(text) if known else self.free(text)

    def knob(self, name: str, value: str) -> tuple[str, str]:
        """Return a knob's name and value; users are part of names only where groups are."""
        if name.upper().startswith("GROUP_"):
            pieces = [self.identities.users.get(piece, piece) for piece in re.split(r"([._])", name)]
            return "".join(pieces), self._unquoted(value, self.free)
        bare = _HOST_KNOB.search(name) or _USER_KNOB.search(name)
        return name, self._unquoted(value, self.free if bare else self._bare)

    def _unquoted(self, value: str, change: Callable[[str], str]) -> str:
        """Return ``value`` with its texts replaced, and by ``change`` what stands between them."""
        out, done = [], 0
        for found in _TEXT.finditer(value):
            out += [change(value[done : found.start()]), f'"{self.free(found.group(1))}"']
            done = found.end()
        return "".join(out) + change(value[done:])

    def _bare(self, text: str) -> str:
        """Return what stands outside of texts in a knob: hosts and paths are replaced, attributes and numbers not."""
        return _PART.sub(self._bare_part, text)

    def _bare_part(self, found: re.Match[str]) -> str:
        if found.lastgroup == "path" and found.group().count("/") < 2:
            return found.group()
        if found.lastgroup == "word":
            if found.group().lower().startswith(("my.", "target.")):
                return found.group()
            around = found.string[found.start() - 1 : found.start()] + found.string[found.end() : found.end() + 1]
            if "@" not in around and not self.identities.knows_domain(found.group()):
                return found.group()
        return self._part(found)

    def free(self, text: str) -> str:
        """Return a text with every name in it replaced."""
        new = self._cache.get(text)
        if new is None:
            if len(self._cache) > MOST_REMEMBERED:
                self._cache.clear()
            new = self._cache[text] = _PART.sub(self._part, text)
        return new

    def _part(self, found: re.Match[str]) -> str:
        text, identities = found.group(), self.identities
        if found.lastgroup == "sinful":
            return self._sinful(text)
        if found.lastgroup == "url":
            scheme = text.partition("://")[0]
            return f"{scheme}:/{identities.path(text)}"
        if found.lastgroup == "path":
            return identities.path(text)
        return identities.address(text) if found.lastgroup == "address" else identities.word(text)

    def _sinful(self, text: str) -> str:
        """Return a daemon's address: where it is and its alias; the rest of it is left out."""
        where, port = text[1:-1].partition("?")[0].rsplit(":", 1)
        bare = where.strip("[]")
        new = self.identities.address(bare) if not bare[:1].isalpha() or ":" in bare else self.identities.word(bare)
        new = f"[{new}]" if where.startswith("[") else new
        alias = _ALIAS.search(text)
        return f"<{new}:{port}?alias={self.identities.word(alias.group(1))}>" if alias else f"<{new}:{port}>"
