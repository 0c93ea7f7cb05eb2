"""A captured pool with expressions that mean to newer ClassAds what they mean to its negotiator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from htcq.classad.older import as_before
from htcq.htcondor.releases import CLOSE_DEFAULT_OPERATOR
from htcq.pool.configuration import Configuration, Knob
from htcq.pool.pool import Pool
from htcq.pool.shared_attributes import Expressions, SharedAttributes
from htcq.pool.versions import version


def as_negotiator_reads(pool: Pool) -> Pool:
    """Return ``pool``; with its expressions rewritten where its negotiators are older than 23.10.1.

    What startds and schedds evaluate is taken to mean the same to them.
    """
    found = [version(record.value("CondorVersion")) for record in pool.negotiators]
    if not found or any(map(CLOSE_DEFAULT_OPERATOR.holds, found)):
        return pool
    frames = _rewritten(slot.frame for slot in pool.slots or ())
    jobs = _rewritten(job.frame for job in pool.jobs or ())
    central = None if pool.central is None else _configured(pool.central)
    changed = replace(pool, central=central)
    if frames:
        slots = tuple(
            slot._replace(frame=frames.get(id(slot.frame), slot.frame)) for slot in pool.slots or ()
        )
        shared = tuple({id(slot.frame): slot.frame for slot in slots}.values())
        changed = replace(changed, slots=slots, slot_frames=shared)
    if jobs:
        queued = tuple(
            job._replace(frame=jobs.get(id(job.frame), job.frame)) for job in pool.jobs or ()
        )
        changed = replace(changed, jobs=queued)
    return changed


def _rewritten(frames: Iterable[SharedAttributes]) -> dict[int, SharedAttributes]:
    """Return those that are read otherwise, rewritten, by the id of the one that is replaced."""
    expressions, found = Expressions(), dict[int, SharedAttributes]()
    for frame in {id(frame): frame for frame in frames}.values():
        texts = {}
        for name, text in frame.texts.items():
            older = as_before(text)
            if older is not None:
                texts[frame.names[name]] = older
        if texts:
            found[id(frame)] = frame.changed(texts, expressions)
    return found


def _configured(own: Configuration) -> Configuration:
    return own.changed(_read_before)


def _read_before(knob: Knob) -> Knob:
    older = as_before(knob.value)
    return knob if older is None else replace(knob, value=older, raw=older)
