"""What rules look at: a pool (Evidence), declared groups (DeclaredGroups), or elastic quotas (ElasticQuotas)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from htcq.audit.fix import Setting
from htcq.audit.input import Input

if TYPE_CHECKING:
    from htcq.poolquota.ailment import Ailment

S = TypeVar("S", bound="Subject")


class Subject:
    """What the engine asks of a subject; answered here for one that has all its data and that no setting changes."""

    @property
    def source(self) -> str:
        """Where it comes from: a pool, a snapshot, a file."""
        return ""

    @property
    def pool_name(self) -> str:
        """What the pool is called; empty for what is no pool."""
        return ""

    @property
    def taken(self) -> str:
        """When it was as it is here; empty where that is not known."""
        return ""

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What of it could not be read, one sentence each."""
        return ()

    @property
    def count(self) -> int:
        """How many slots it has, which tells how long a rule takes."""
        return 0

    @property
    def ailments(self) -> tuple[Ailment, ...]:
        """What is wrong with the daemons of the pool."""
        return ()

    @property
    def unread(self) -> tuple[str, ...]:
        """What keeps an audit from an all-clear, whatever the rules are, one sentence each."""
        return ()

    def lacks(self, need: Input) -> bool:
        """Tell whether data of this kind is missing."""
        return False

    def should_have(self, need: Input) -> bool:
        """Tell whether data of this kind is missing although it should be there."""
        return False

    def with_settings(self: S, settings: Iterable[Setting]) -> S:
        """Return the subject as it would be with these settings."""
        return self
