"""The shape of a job: what it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from htcq.policy.consumption import Number
from htcq.policy.defaults import DEFAULT_REQUEST


@dataclass(frozen=True)
class Shape:
    """A job's request in HTCondor's units (cpus in cores), and the number of such jobs."""

    amounts: Mapping[str, Number]
    count: int = 1

    def full(self) -> dict[str, Number]:
        """Return the request as the schedd completes it: defaults for what the job does not say."""
        return {**DEFAULT_REQUEST, **self.amounts}
