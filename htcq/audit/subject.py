"""The subject of rules: a pool (Evidence), declared groups (DeclaredGroups), or elastic quotas."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, TypeVar

from htcq.audit.fix import Setting
from htcq.audit.input import Input

if TYPE_CHECKING:
    from htcq.poolquota.ailment import Ailment

S = TypeVar("S", bound="Subject")


class Subject:
    """A subject of rules as the engine needs it.

    This class answers for a subject that has all its data and that no setting changes.
    """

    @property
    def source(self) -> str:
        """The source of the subject: a pool, a snapshot, a file."""
        return ""

    @property
    def pool_name(self) -> str:
        """The name of the pool; empty for another subject."""
        return ""

    @property
    def taken(self) -> str:
        """The time of the data; empty where it is not known."""
        return ""

    @property
    def incomplete(self) -> tuple[str, ...]:
        """The parts that could not be read, one sentence each."""
        return ()

    @property
    def count(self) -> int:
        """The number of slots, which decides how long a rule takes."""
        return 0

    @property
    def ailments(self) -> tuple[Ailment, ...]:
        """The ailments of the pool's daemons."""
        return ()

    @property
    def unread(self) -> tuple[str, ...]:
        """The gaps that keep every audit from an all-clear, one sentence each."""
        return ()

    def lacks(self, need: Input) -> bool:
        """Return whether data of this kind is missing."""
        return False

    def missing(self, needs: Collection[Input]) -> str:
        """Return those of ``needs`` that are missing, in words; empty where none is."""
        return "; ".join(need.value for need in needs if self.lacks(need))

    def words(self, need: Input) -> str:
        """Return the words for data of this kind that is missing."""
        return self.missing((need,)) or need.value

    def should_have(self, need: Input) -> bool:
        """Return whether data of this kind is missing although it should be there."""
        return False

    def with_settings(self: S, settings: Iterable[Setting]) -> S:
        """Return the subject as it would be with these settings."""
        return self
