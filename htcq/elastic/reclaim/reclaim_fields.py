"""Fields of the events of reclaim: jobs, names and numbers, checked as they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: What a record of the journal has under ``reclaim``.
Payload = Mapping[str, Any]
#: Name of the schedd and number of the job.
JobKey = tuple[str, str]


@dataclass(frozen=True)
class JobEntry:
    """A job that is to be vacated, as the journal has it, with the ``hours`` that it loses."""

    schedd: str
    job: str
    group: str = ""
    submitter: str = ""
    hours: float = 0.0

    @property
    def key(self) -> JobKey:
        """Schedd and number of the job."""
        return (self.schedd, self.job)

    def fields(self) -> dict[str, Any]:
        """Return the job as an object of the journal."""
        names = {"group": self.group, "submitter": self.submitter}
        return {**key_fields(self.key), **names, "lost_weight_hours": self.hours}


@dataclass(frozen=True)
class FailedJob:
    """A job that was not vacated, or of which this is unknown, and ``why``."""

    entry: JobEntry
    why: str = ""

    def fields(self) -> dict[str, Any]:
        """Return the job as an object of the journal."""
        return {**self.entry.fields(), "why": self.why}


def key_fields(key: JobKey) -> dict[str, str]:
    """Return schedd and number of a job as an object of the journal."""
    schedd, job = key
    return {"schedd": schedd, "job": job}


def text_from(payload: Payload, name: str) -> str:
    """Return the text ``name``, empty where it is missing.

    Raises:
        ValueError: it is no text.
    """
    value = payload.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}")
    return value


def number_from(value: Any) -> float:
    """Return ``value`` as a finite number; JSON's 1e999 is infinite.

    Raises:
        TypeError, ValueError: it is no finite number.
    """
    number = float(value)
    if not math.isfinite(number):
        raise ValueError("a time is not finite")
    return number


def names_from(payload: Payload, name: str) -> tuple[str, ...]:
    """Return the list of texts ``name``, empty where it is missing.

    Raises:
        ValueError: it is no list of texts.
    """
    names = _list_from(payload, name)
    for each in names:
        if not isinstance(each, str):
            raise ValueError(f"{name} has {each!r}")
    return tuple(names)


def counts_from(payload: Payload, name: str) -> dict[str, int]:
    """Return the counts by text in the object ``name``, none where it is missing.

    Raises:
        ValueError: it is no object of counts.
    """
    counts = payload.get(name, {})
    if not isinstance(counts, Mapping):
        raise ValueError(f"{name} is {counts!r}")
    return {str(each): int(number_from(count)) for each, count in counts.items()}


def keys_from(payload: Payload, name: str) -> tuple[JobKey, ...]:
    """Return schedd and number of each job in the list ``name``.

    Raises:
        ValueError: it is no list of jobs.
    """
    return tuple(entry.key for entry in entries_from(payload, name))


def entries_from(payload: Payload, name: str) -> tuple[JobEntry, ...]:
    """Return the jobs in the list ``name``, none where it is missing.

    Raises:
        ValueError: it is no list of jobs.
    """
    return tuple(_entry_from(each) for each in _list_from(payload, name))


def failures_from(payload: Payload, name: str) -> tuple[FailedJob, ...]:
    """Return the jobs in the list ``name``, with the reasons, none where it is missing.

    Raises:
        ValueError: it is no list of jobs.
    """
    return tuple(
        FailedJob(_entry_from(each), str(each.get("why", ""))) for each in _list_from(payload, name)
    )


def _list_from(payload: Payload, name: str) -> list[Any]:
    value = payload.get(name, [])
    if not isinstance(value, list):
        raise ValueError(f"{name} is {value!r}")
    return value


def _entry_from(value: Any) -> JobEntry:
    if not isinstance(value, Mapping):
        raise ValueError(f"a job is {value!r}")
    for name in ("schedd", "job"):
        if name not in value:
            raise ValueError(f"{name} is missing")
    return JobEntry(
        str(value["schedd"]),
        str(value["job"]),
        str(value.get("group", "")),
        str(value.get("submitter", "")),
        number_from(value.get("lost_weight_hours", 0.0)),
    )
