"""Ads of which a pool has few: submitters, schedds, negotiators, collectors, accounting records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.classads import UNDEFINED, Value, as_number
from htcq.pool.ad_lines import AdSchema, RawAd
from htcq.pool.secrets import is_secret_attribute
from htcq.pool.values import Interned, text_of

#: Everything is kept of these, and their frames are as many as they are.
RECORD = AdSchema((), frozenset({"*"}))

SUBMITTER, SCHEDD, NEGOTIATOR, COLLECTOR, ACCOUNTING, DEFRAG = (
    "Submitter",
    "Scheduler",
    "Negotiator",
    "Collector",
    "Accounting",
    "Defrag",
)
RECORD_TYPES = (SUBMITTER, SCHEDD, NEGOTIATOR, COLLECTOR, ACCOUNTING, DEFRAG)
#: What a schedd knows of a user (condor_qusers).
USER = "Owner"


@dataclass(frozen=True)
class Record:
    """One such ad: its plain values by lower-case attribute name."""

    type: str
    values: Mapping[str, Value]

    def value(self, name: str) -> Value:
        """Return the attribute ``name``; UNDEFINED where it is absent."""
        return self.values.get(name.lower(), UNDEFINED)

    def number(self, name: str) -> int | float | None:
        """Return ``name`` as a number; None where it is none."""
        return as_number(self.value(name))

    def text(self, name: str) -> str:
        """Return ``name`` as text; empty where it is none."""
        value = self.value(name)
        if isinstance(value, str):
            return value
        return ""

    @property
    def name(self) -> str:
        """The ad's Name."""
        return self.text("Name")


def record_of(raw: RawAd, interned: Interned) -> Record:
    """Return the record that stands in the lines of ``raw``, without what is secret."""
    named = ((text_of(name).lower(), text) for name, text in raw.shared)
    values = {name: interned[text] for name, text in named if not is_secret_attribute(name)}
    return Record(raw.type.decode(), values)
