"""First pass over a snapshot: collects names, and the attributes that expressions name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from htcq.classad.pieces import is_of_strings, strings_in, unquoted, without_escapes
from htcq.htcondor.knob_names import split_prefix
from htcq.pool.coarse_values import SLOT_AD_TYPES, SlotTimes
from htcq.pool.disclosed_knobs import KNOBS, asset_in, groups_in
from htcq.pool.disclosure import COMPARED, Form
from htcq.pool.identities import Names, is_address
from htcq.pool.pseudonyms import folded
from htcq.pool.shown_forms import compared_form, kind_of, knob_form, pair, shown_form
from htcq.pool.words import (
    ANY_NUMBER,
    LISTED,
    SLOT_NAME,
    WHOLE_NUMBER,
    Part,
    parts,
    tokens,
)

#: Lines that are remembered, so that each of a million is read once.
MAX_REMEMBERED = 200_000
#: A longer word is no name.
_MAX_LETTERS = 1000
_ADDRESS_AT = re.compile(r"([^\s@\"'<>,;()\[\]{}=]+)@([^\s@\"'<>,;:#()\[\]{}=/]+)")
_HOST_LIKE = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\.[A-Za-z]{2,}\Z")
_ALIAS = re.compile(r"[?&]alias=([\w.-]+)")
_PREEMPTION_RANK = "knob PREEMPTION_RANK"
#: Parts that identify a single thing.
_IDS = frozenset((Part.PATH, Part.HARDWARE, Part.DEVICE, Part.BUS, Part.URL))


@dataclass
class Collector:
    """Names of a pool, and the attributes that its expressions name."""

    names: Names = field(default_factory=Names)
    times: SlotTimes = field(default_factory=SlotTimes)
    #: Whether a claim may be preempted: then the order of equal claims matters.
    preempts: bool = False
    _named: dict[str, set[str]] = field(default_factory=dict)
    _wanted: set[str] = field(default_factory=set)
    _seen: set[tuple[str, bool, str]] = field(default_factory=set)

    def ad(self, lines: list[str], untyped: str = "job") -> None:
        """Add the names in one ad; one without MyType is of the type ``untyped``."""
        ad_type, group = kind_of(lines, untyped)
        if ad_type in SLOT_AD_TYPES:
            self.times.see(ad_type, lines)
        for line in lines:
            key = (ad_type, group, line)
            if key in self._seen:
                continue
            if len(self._seen) > MAX_REMEMBERED:
                self._seen.clear()
            self._seen.add(key)
            name, value = pair(line)
            self._attribute(ad_type, group, name.lower(), value)

    def _attribute(self, ad_type: str, group: bool, name: str, value: str) -> None:
        form = shown_form(ad_type, group, name)
        if name == "machineresources":
            for text in strings_in(value):
                self.names.assets.update(folded(each) for each in LISTED.findall(text))
        if name == "rank":
            self._rank(ad_type, value)
        if form is Form.CLUSTER and WHOLE_NUMBER.match(value):
            self.names.clusters.add(int(value))
        elif is_of_strings(value):
            self._texts(form or COMPARED.get(name), strings_in(value))
        elif not ANY_NUMBER.match(value):
            self._expression(name, value, form is not None)
        if not ANY_NUMBER.match(value):
            self._anywhere(value)

    def _rank(self, ad_type: str, value: str) -> None:
        """Note whether a Rank may preempt a claim: of a slot, or one below 0 of a job."""
        if ad_type in SLOT_AD_TYPES:
            self.preempts |= not (ANY_NUMBER.match(value) and float(value) == 0)
        else:
            self.preempts |= "-" in value

    def _texts(self, form: Form | None, texts: Iterable[str]) -> None:
        for text in texts:
            if form is Form.WHO:
                self.names.add_principal(text)
            elif form is Form.WHERE and not text.startswith("$("):
                self.names.add_place(text)
            elif form is Form.GROUP:
                self.names.groups.add(text)
            elif form is Form.JOB:
                self.names.add_job(text)
            elif form is Form.LIMITS:
                self._limits(text)

    def _limits(self, text: str) -> None:
        for each in LISTED.findall(text):
            self.names.limits.add(folded(each.partition(":")[0]))

    def _expression(self, name: str, value: str, stays: bool) -> None:
        found = tokens(value)
        words = {folded(each.text) for each in found if each.kind is Part.WORD}
        self._named.setdefault(name, set()).update(words)
        if stays:
            self._wanted.add(name)
        for place, token in enumerate(found):
            if token.kind is not Part.TEXT:
                continue
            compared = compared_form(found, place)
            if compared in (Form.WHO, Form.WHERE):
                text = unquoted(token.text)
                self._texts(compared, LISTED.findall(text) or [text])

    def _anywhere(self, value: str) -> None:
        """Add what looks like a user or a place."""
        text = without_escapes(value)
        self._addresses(text)
        for host in _ALIAS.findall(text):
            self.names.add_host(host)
        for part in parts(text):
            if part.kind is Part.ADDRESS:
                self.names.add_host(part.text)
            elif part.kind is Part.SINFUL:
                self.names.add_place(part.text[1:-1])
            elif part.kind in _IDS or (part.kind is Part.WORD and _HOST_LIKE.match(part.text)):
                self.names.others.add(part.text)

    def _addresses(self, text: str) -> None:
        """Add what stands on both sides of an ``@``."""
        words = [word for word in text.split() if "@" in word and len(word) <= _MAX_LETTERS]
        for left, right in _ADDRESS_AT.findall(" ".join(words)):
            daemon = SLOT_NAME.match(left) or left in self.names.daemons
            self.names.add_host(right, domain=not daemon and not _HOST_LIKE.match(right))
            if not daemon and "#" not in left and not is_address(left):
                self.names.add_principal(left)

    def knob(self, name: str, value: str) -> None:
        """Add the names in one knob."""
        bare = split_prefix(name)[1]
        upper = bare.upper()
        form = KNOBS.get(upper)
        if upper == "PREEMPTION_REQUIREMENTS":
            self.preempts |= value.strip().lower() != "false"
        if form is None:
            self._named_by_knob(name, bare)
        if upper == "MACHINE_RESOURCE_NAMES":
            self.names.assets.update(folded(each) for each in LISTED.findall(value))
        if form in (Form.GROUP, Form.WHERE):
            self._texts(form, LISTED.findall(value))
            if upper.endswith("_DOMAIN") and "$" not in value:
                self.names.add_host(value.strip(), domain=True)
        else:
            self._expression(f"knob {upper}", value, knob_form(name) is not None)
        self._anywhere(value)

    def _named_by_knob(self, name: str, bare: str) -> None:
        """Add the group or the asset with which the name of a knob ends."""
        groups = groups_in(name)
        if groups:
            self.names.groups.add(groups[0][1])
        asset = asset_in(bare)
        if asset and asset[0].upper() == "MACHINE_RESOURCE_":
            self.names.assets.add(folded(asset[1]))

    def place(self, text: str) -> None:
        """Add a daemon's name, a machine or a pool."""
        for each in LISTED.findall(text):
            self.names.add_place(each)

    def text(self, text: str) -> None:
        """Add the hosts and people in a text of any kind."""
        self._anywhere(text)

    def settle(self) -> frozenset[str]:
        """Return every attribute that an expression in the snapshot names, in lower case.

        Only expressions that stay count, and those of attributes that they name. Where nothing is
        preempted, what PREEMPTION_RANK names decides nothing.
        """
        self.names.settle()
        unused = set() if self.preempts else {_PREEMPTION_RANK}
        waiting, found = list(self._wanted - unused), set[str]()
        while waiting:
            for word in self._named.get(waiting.pop(), ()):
                if word not in found:
                    found.add(word)
                    waiting.append(word)
        return frozenset(found)
