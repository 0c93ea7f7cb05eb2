"""Anonymous ads and configurations: relations survive, names do not.

Attributes and knobs that nobody needs are left out.

It is the second pass over a snapshot, after that of ``htcq.pool.named``. Every word of an
expression that HTCondor does not know is replaced.
"""

from __future__ import annotations

import re
from functools import partial

from htcq.classad.pieces import is_of_strings, requoted, unquoted, with_strings
from htcq.htcondor.knob_names import split_prefix
from htcq.pool.attribute_names import JOB_NAMES, SLOT_NAMES, job_names, slot_names
from htcq.pool.coarse_values import SLOT_AD_TYPES, SlotTimes, rounded
from htcq.pool.disclosed_knobs import KNOBS, LIMIT, NUMBERED, asset_in, groups_in
from htcq.pool.disclosure import COARSE, COMPARED, OF_TYPE, VOCABULARY, Form
from htcq.pool.identities import Identities, Names
from htcq.pool.name_search import NameSearch
from htcq.pool.pseudonyms import Pseudonyms, folded
from htcq.pool.shown_forms import compared_form, kind_of, knob_form, pair, shown_form
from htcq.pool.words import (
    ANY_NUMBER,
    HEXADECIMAL,
    LISTED,
    SLOT_NAME,
    WHOLE_NUMBER,
    Part,
    Token,
    is_number,
    parts,
    tokens,
)  # fmt: skip

#: Texts whose replacement is kept, so that it is not computed for each of a million lines.
MAX_REMEMBERED = 200_000
_PLAIN_TEXT = re.compile(r"[\w .,:;$()/~+-]{0,100}\Z", re.ASCII)
_DAY = r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2} +[0-9]+ +[0-9]{4})"
_VERSION = re.compile(rf"(\$CondorVersion: *[0-9.]+ +{_DAY}).*\Z")
_GPU_NAME = re.compile(r"((?:gpus_)?(?:gpu|mig)_)([0-9a-f]{8}[0-9a-f_]*)\Z", re.IGNORECASE)
_CYCLE = re.compile(r"lastnegotiationcycle\w+\Z", re.IGNORECASE)
#: Prefixes of the name of an asset, the longest first.
PREFIXES = (
    "_cp_orig_request", "_condor_request", "consumption", "totalslot", "available", "assigned",
    "detected", "request", "require", "offline", "total", "child", "gpus_",
)  # fmt: skip
#: Functions that search in a text.
_LOOKS_INTO_TEXTS = frozenset(
    ("regexp", "regexps", "regexpmember", "substr", "stringlistregexpmember")
)
#: A pattern that finds more names than this stays a text as any other.
_MAX_ALTERNATIVES = 500
#: A search for a pattern with more repetitions, or nested ones, might never end; a set in a set is
#: no pattern.
_MAX_REPETITIONS = 3
_REPETITION, _NESTED = re.compile(r"[*+{]"), re.compile(r"\)[*+{]|\[\[")
#: A longer name of an attribute is not made of others.
_MAX_LETTERS = 100
SUFFIXES = ("provisioned", "averageusage", "usage")


class Rewriter:
    """The second pass over a snapshot, with the names of the first."""

    def __init__(
        self,
        names: Names,
        named: frozenset[str],
        key: bytes,
        keep_groups: bool = False,
        times: SlotTimes | None = None,
    ) -> None:
        self._times = times or SlotTimes()
        self.search = NameSearch(names, keep_groups)
        self.pseudonyms = Pseudonyms(key, (folded(name) for name in names.users | names.labels))
        self.identities = Identities(
            names, self.pseudonyms, keep_groups, exact="clusterid" in named
        )
        self._named = named
        self._assets = {each: self._new_asset(each) for each in sorted(names.assets)}
        derived = (slot_names(names.assets) | job_names(names.assets)) - SLOT_NAMES - JOB_NAMES
        self._of_assets = {each.lower() for each in derived}
        self._lines: dict[tuple[str, bool, str], str | None] = {}
        self._generic: dict[str, str] = {}
        #: Expressions that search in texts, which have changed.
        self.patterns: set[str] = set()

    def _new_asset(self, asset: str) -> str:
        if len(asset) <= _MAX_LETTERS and not self.search.holds_name(asset):
            return asset
        return self.pseudonyms.new("asset", asset, "_")

    @property
    def exact(self) -> tuple[str, ...]:
        """Times and sizes that stay as they are, in lower case: expressions name them."""
        return tuple(sorted(self._named & COARSE))

    # Ads

    def ad(self, lines: list[str], untyped: str = "job") -> list[str]:
        """Return the lines of an ad that stay; none where nobody needs ads of its type."""
        ad_type, group = kind_of(lines, untyped)
        if ad_type not in OF_TYPE:
            return []
        if ad_type in SLOT_AD_TYPES:
            lines = self._times.rewritten(ad_type, lines, self._named)
        changed = (self._line(ad_type, group, line) for line in lines)
        return [line for line in changed if line is not None]

    def _line(self, ad_type: str, group: bool, line: str) -> str | None:
        key = (ad_type, group, line)
        if key not in self._lines:
            if len(self._lines) > MAX_REMEMBERED:
                self._lines.clear()
            self._lines[key] = self._new_line(ad_type, group, *pair(line))
        return self._lines[key]

    def _new_line(self, ad_type: str, group: bool, name: str, value: str) -> str | None:
        lower = name.lower()
        form = shown_form(ad_type, group, lower)
        if form is None:
            if lower not in self._named and lower not in self._of_assets:
                return None
            form = Form.EXPRESSION
        return f"{self.word(name)} = {self._value(form, lower, value)}"

    def _value(self, form: Form, name: str, value: str) -> str:
        if form is Form.CLUSTER and WHOLE_NUMBER.match(value):
            return str(self.identities.cluster(int(value)))
        is_coarse = form in (Form.HOUR, Form.ROUGH)
        if is_coarse and ANY_NUMBER.match(value):
            if name in self._named:
                return value
            return rounded(form, value)
        of_text = not is_coarse and form not in (Form.EXPRESSION, Form.CLUSTER)
        if not of_text or not is_of_strings(value):
            return self.expression(value)
        return with_strings(value, partial(self._text, form))

    def _text(self, form: Form, text: str) -> str:
        identities = self.identities
        if form is Form.WHO:
            return identities.principal(text)
        if form is Form.JOB:
            return identities.job(text) or self.free(text)
        if form is Form.PLAIN:
            return self._plain(text)
        if form is Form.LIMITS:
            return LISTED.sub(lambda found: self._limit(found.group()), text)
        if form is Form.GROUP:
            return identities.group(text)
        return self._place(text)

    def _place(self, text: str) -> str:
        if text.startswith("$("):
            return self.expression(text)
        if text.startswith("<"):
            return self.free(text)
        return self.identities.place(text)

    def _limit(self, text: str) -> str:
        name, colon, amount = text.partition(":")
        if not is_number(amount):
            amount = self.free(amount)
        return f"{self.identities.limit(name)}{colon}{amount}"

    def _plain(self, text: str) -> str:
        """Return words of HTCondor's own as they are; of its version the number and the day."""
        version = _VERSION.match(text)
        if version:
            return f"{version.group(1)} $"
        if _PLAIN_TEXT.match(text) and not self.search.holds_name(text):
            return text
        return self.free(text)

    def names_stand(self, line: str) -> bool:
        """Return whether a line of an ad holds an old name where only new ones may stand."""
        name, value = pair(line)
        form = COMPARED.get(name.lower())
        return form in (Form.WHO, Form.WHERE, Form.GROUP) and self.search.names_stand(value)

    # Expressions

    def expression(self, text: str) -> str:
        """Return an expression with its unknown words and its texts replaced."""
        found, out, patterns = tokens(text), list[str](), 0
        for place, token in enumerate(found):
            if token.kind is Part.TEXT:
                form = compared_form(found, place)
                pattern = None
                if _is_pattern(found, place):
                    pattern = self._pattern(form, token.text)
                if pattern:
                    patterns -= 1
                out.append(pattern or requoted(token.text, partial(self._compared, form)))
            elif token.kind is Part.WORD:
                out.append(self.word(token.text.strip("'")))
                patterns += folded(token.text) in _LOOKS_INTO_TEXTS
            elif token.text.isprintable():
                out.append(token.text)
            out.append(token.space)
        if patterns:
            self.patterns.add(text)
        return "".join(out)

    def _pattern(self, form: Form | None, text: str) -> str | None:
        """Return a pattern for the new names of all names that the quoted pattern ``text`` matches.

        None where there is no such pattern.
        """
        new = self._new_names(form)
        if new is None:
            return None
        if len(_REPETITION.findall(text)) > _MAX_REPETITIONS or _NESTED.search(text):
            return None
        try:
            pattern = re.compile(unquoted(text))
        except (re.error, OverflowError, RecursionError):
            return None
        # Nobody's name: what the expression takes where there is none.
        new[""] = ""
        found = sorted({each for name, each in new.items() if pattern.search(name[:_MAX_LETTERS])})
        if not found:
            return '"^nobody$"'
        if len(found) > _MAX_ALTERNATIVES or any('"' in each or "\\" in each for each in found):
            return None
        either = "|".join(each.replace(".", "[.]") for each in found)
        return f'"^({either})$"'

    def _new_names(self, form: Form | None) -> dict[str, str] | None:
        """Return the new names of everything of that form; None where the form has no names."""
        names, identities = self.identities.names, self.identities
        if form is Form.GROUP:
            return {name: identities.group(name) for name in names.groups}
        if form is Form.WHO:
            who = names.users | names.accounts | names.others
            return {name: identities.principal(name) for name in who}
        if form is Form.WHERE:
            return {name: self._place(name) for name in names.others}
        return None

    def _compared(self, form: Form | None, text: str) -> str:
        identities = self.identities
        if form is Form.WHO:
            return LISTED.sub(lambda found: identities.principal(found.group()), text)
        if form is Form.GROUP:
            return LISTED.sub(lambda found: identities.group(found.group()), text)
        if form is Form.WHERE:
            return LISTED.sub(lambda found: self._place(found.group()), text)
        if form is Form.PLAIN:
            return self._plain(text)
        return self.free(text)

    def word(self, name: str) -> str:
        """Return the name of an attribute or a function.

        Names that HTCondor knows stay; others get a new name.
        """
        fold = folded(name)
        if fold in VOCABULARY or _CYCLE.match(fold):
            return name
        asset = self._assets.get(fold)
        if asset is not None:
            return name if asset == fold else asset
        gpu = _GPU_NAME.match(name)
        if gpu:
            return f"{gpu.group(1)}{self.identities.device(gpu.group(2))}"
        if len(fold) <= _MAX_LETTERS:
            made = self._made_word(name, fold)
            if made:
                return made
        return self.pseudonyms.new("attr", fold, "_")

    def _made_word(self, name: str, fold: str) -> str:
        """Return the new name of an attribute that is made of others; empty for any other."""
        for prefix in PREFIXES:
            if fold.startswith(prefix) and len(fold) > len(prefix):
                size = len(prefix)
                return f"{name[:size]}{self.word(name[size:])}"
        for suffix in SUFFIXES:
            if fold.endswith(suffix) and fold[: -len(suffix)] in self._assets:
                size = len(suffix)
                return f"{self.word(name[:-size])}{name[-size:]}"
        return ""

    # Texts

    def free(self, text: str) -> str:
        """Return a text of any kind with every part of it replaced that HTCondor does not know."""
        new = self._generic.get(text)
        if new is None:
            if len(self._generic) > MAX_REMEMBERED:
                self._generic.clear()
            new = self._generic[text] = self._freed(text)
        return new

    def _freed(self, text: str) -> str:
        if self.identities.is_account(text):
            return self.identities.principal(text)
        if "," in text:
            return ",".join(map(self.free, text.split(",")))
        return "".join(f"{self._part(part)}{part.space}" for part in parts(text))

    def _part(self, part: Token) -> str:
        text, identities = part.text, self.identities
        if part.kind is Part.SINFUL:
            return f"<{identities.place(text[1:-1].partition('?')[0])}>"
        if part.kind in (Part.PATH, Part.URL):
            return f"/path/{self.pseudonyms.new('path', text)}"
        if part.kind is Part.ADDRESS:
            return identities.address(text)
        if part.kind in (Part.DEVICE, Part.HARDWARE, Part.BUS):
            return HEXADECIMAL.sub(lambda found: identities.device(found.group()), text)
        if part.kind is Part.MAIL:
            return self._mail(text)
        if part.kind is Part.WORD:
            return self._free_word(text)
        return text if text.isprintable() else ""

    def _mail(self, text: str) -> str:
        """Return ``user@domain`` or ``daemon@host`` with new names."""
        left = text.rpartition("@")[0]
        slot = SLOT_NAME.match(left.partition("@")[0])
        if slot or left in self.identities.names.daemons:
            return self.identities.place(text)
        return self.identities.principal(text)

    def _free_word(self, text: str) -> str:
        identities, fold = self.identities, folded(text)
        if fold in VOCABULARY or is_number(text):
            return text
        if identities.is_user(text):
            return identities.user(text)
        if identities.is_group(text):
            return identities.group(text)
        if identities.is_user(text.rpartition(".")[2]):
            return identities.principal(text)
        if identities.knows_host(text):
            return identities.host(text)
        if fold in self._assets:
            return self.word(text)
        if fold in identities.names.limits:
            return identities.limit(text)
        if fold in self._named:
            return self.word(text)
        return self.pseudonyms.new("word", text)

    # Knobs

    def knob(self, name: str, value: str) -> list[tuple[str, str]]:
        """Return the knobs that replace this one.

        None, one, or one for each way in which its name can be read.
        """
        form = knob_form(name)
        if form is None:
            return []
        new = self._knob_value(form, value)
        return [(each, new) for each in dict.fromkeys(self._knob_names(name))]

    def _knob_value(self, form: Form, value: str) -> str:
        if form is Form.EXPRESSION:
            return self.expression(value)
        return LISTED.sub(lambda found: self._text(form, found.group()), value)

    def _knob_names(self, name: str) -> list[str]:
        prefix, bare = split_prefix(name)
        if bare.upper() in KNOBS or NUMBERED.match(name):
            return [name]
        groups = groups_in(name)
        if groups:
            known = [each for each in groups if self.identities.is_group(each[1])]
            return [f"{stem}{self.identities.group(group)}" for stem, group in known or groups[:1]]
        limit = LIMIT.match(name)
        if limit:
            inner = limit.group(1) or limit.group(2)
            if folded(inner) in self.identities.names.limits or limit.group(2):
                return [name.replace(inner, self.identities.limit(inner))]
            return []
        asset = asset_in(bare)
        if asset is None:
            return []
        stem, asset_name = asset
        return [f"{prefix}{stem}{self.word(asset_name)}"]


def _is_pattern(found: list[Token], place: int) -> bool:
    """Return whether the text at ``place`` is the pattern of ``regexp("pattern", attribute …``."""
    before = [folded(each.text) for each in found[max(0, place - 2) : place]]
    return before == ["regexp", "("]
