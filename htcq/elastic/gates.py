"""Why nothing is written now: what a look saw is too old, too little, contradicts itself, or somebody else is at work.

Each gate yields a sentence and what would help. Numbers of half a pool are wrong everywhere, so
that a doubt counts. A schedd that is silent, late or has another clock closes a gate only if
jobs of it are known: anybody who may advertise a schedd could hold the gate closed otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from htcq.elastic.journal import VERIFIED, JournalState
from htcq.elastic.pool_health import PoolHealth
from htcq.elastic.quota_file import ABSENT, QuotaKnobs, digest_of, file_of
from htcq.quota.group_tree import ROOT, name_key
from htcq.settings.elastic_write import WriteSettings

#: So many seconds after the last step a schedd that had jobs then is waited for (CLASSAD_LIFETIME,
#: after which the collector forgets a daemon).
PATIENCE = 900.0


@dataclass(frozen=True)
class GateRefusal:
    """One reason: the gate, what is wrong in a sentence, and what would help."""

    gate: str
    message: str
    hint: str = ""


def refusals(
    sight: PoolHealth,
    state: JournalState,
    present: str | None,
    settings: WriteSettings,
    now: float,
    confirmed: bool = False,
) -> Iterator[GateRefusal]:
    """Yield every reason not to act on what was seen.

    ``present`` is the file's text, ``now`` this machine's clock. ``confirmed`` says that a
    person has seen that the pool is smaller than it was, which is no reason then.
    """
    yield from _negotiators(sight)
    yield from _whole(sight, state, settings, confirmed)
    yield from _silent(sight, state, now, confirmed)
    yield from _ages(sight, state, settings, now)
    yield from _clocks(sight, state, settings, now)
    if state.unfinished is None:
        yield from foreign_file(state, present, settings)
        yield from _overridden(sight, state, settings)


def _negotiators(sight: PoolHealth) -> Iterator[GateRefusal]:
    names = sight.negotiators
    if not names:
        yield GateRefusal("negotiator", f"{sight.source} has no negotiator", "is it running?")
    elif sight.negotiator and sight.negotiator not in names:
        message = f"{sight.source} has no negotiator {sight.negotiator}"
        yield GateRefusal("negotiator", message, f"its negotiators: {', '.join(names)}")


def several(sight: PoolHealth, named: str) -> Iterator[GateRefusal]:
    """Yield that a pool has several negotiators and none is ``named``: each has a tree of its own."""
    if len(sight.negotiators) > 1 and not named:
        message = (
            f"{sight.source} has {len(sight.negotiators)} negotiators: "
            f"{', '.join(sight.negotiators)}"
        )
        yield GateRefusal("several-negotiators", message, "select one of them: --name NEGOTIATOR")


def _whole(
    sight: PoolHealth, state: JournalState, settings: WriteSettings, confirmed: bool
) -> Iterator[GateRefusal]:
    for each in sight.missing:
        yield GateRefusal(
            "incomplete",
            (f"{sight.source} was not read completely: {each}"),
            "try again; incomplete data is not sufficient",
        )
    if not sight.slots or not sight.pool_weight > 0:
        yield GateRefusal(
            "no-slots", f"{sight.source} shows no slots", "was its collector restarted recently?"
        )
    before = state.seen
    if before is None or confirmed:
        return
    hint = (
        "if they are gone permanently, 'htcq elastic apply --accept-loss' accepts the smaller pool"
    )
    for what, now_there, then in (
        ("slots", sight.slots, before.slots),
        ("schedds", sight.schedds, before.schedds),
    ):
        if now_there < settings.min_seen * then:
            message = (
                f"{now_there} {what} are present, less than {settings.min_seen:.0%} of the "
                f"{then} seen before"
            )
            yield GateRefusal(f"few-{what}", message, hint)
    if sight.pool_weight < (1 - settings.capacity_drop) * before.pool_weight:
        message = (
            f"the pool weighs {sight.pool_weight:g}, {settings.capacity_drop:.0%} or more below "
            "the "
            f"{before.pool_weight:g} seen before"
        )
        yield GateRefusal("capacity", message, hint)


def _counts(name: str, sight: PoolHealth, state: JournalState, now: float) -> bool:
    """Tell whether the pool cannot be judged without the schedd ``name``.

    So it is where slots are claimed for it, and for some time after it was seen with jobs.
    Before anything was seen its submitter ads are believed.
    """
    if name in sight.schedd_ads.claiming:
        return True
    if state.seen is None:
        return name in sight.schedd_ads.wanting
    return name in state.seen.busy and state.silent_for(now) <= PATIENCE


def _silent(
    sight: PoolHealth, state: JournalState, now: float, confirmed: bool
) -> Iterator[GateRefusal]:
    for name, why in sorted(sight.schedd_ads.silent.items()):
        if not confirmed and _counts(name, sight, state, now):
            hint = "try again; 'htcq elastic apply --accept-loss' continues without its jobs"
            yield GateRefusal(
                "incomplete", f"{sight.source} was not read completely: jobs of {name}: {why}", hint
            )


def passed_over(
    sight: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[str]:
    """Yield in sentences what is wrong with schedds that no jobs are known of, and closes no gate."""
    ads = sight.schedd_ads
    for name, why in sorted(ads.silent.items()):
        if not _counts(name, sight, state, now):
            yield f"{sight.source}: 1 schedd left out: {name}: {why}"
    for name, heard in sorted(ads.heard.items()):
        if now - heard > settings.ad_age and not _counts(name, sight, state, now):
            yield f"{sight.source}: an ad of the schedd {name} is {now - heard:.0f} s old"
    for name, skew in sorted(sight.skews.items()):
        if abs(skew) > settings.skew and _is_dispensable(name, sight, state, now):
            yield f"{sight.source}: {_clock_told(name, skew)}"


def _is_dispensable(name: str, sight: PoolHealth, state: JournalState, now: float) -> bool:
    return name in sight.schedd_ads.heard and not _counts(name, sight, state, now)


def _clock_told(name: str, skew: float) -> str:
    which = "ahead of" if skew > 0 else "behind"
    return f"the clock of {name} is {abs(skew):.0f} s {which} the collector's"


def _oldest(sight: PoolHealth, state: JournalState, now: float) -> float | None:
    """Return when the collector heard of the oldest ad that counts; None where there is none."""
    if not sight.schedd_ads.heard:
        return None if sight.heard is None else sight.heard[0]
    times = [
        time for name, time in sight.schedd_ads.heard.items() if _counts(name, sight, state, now)
    ]
    times += [] if sight.slots_heard is None else [sight.slots_heard]
    return min(times, default=None)


def _ages(
    sight: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[GateRefusal]:
    oldest = _oldest(sight, state, now)
    if oldest is not None and now - oldest > settings.ad_age:
        message = f"the oldest ad is {now - oldest:.0f} s old, more than {settings.ad_age} s"
        yield GateRefusal(
            "ad-age",
            message,
            "does its daemon still reach the collector? elastic.write.ad_age is the limit",
        )
    if sight.cycle_end is None:
        yield GateRefusal(
            "cycle", "the end of the negotiator's last cycle is not known", "is it running?"
        )
    elif now - sight.cycle_end > settings.cycle_age:
        message = (
            f"the negotiator's last cycle ended {now - sight.cycle_end:.0f} s ago, more than "
            f"{settings.cycle_age} s"
        )
        yield GateRefusal("cycle", message, "is it stuck? elastic.write.cycle_age is the limit")


def _clocks(
    sight: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[GateRefusal]:
    if sight.heard is not None and sight.heard[1] - now > settings.skew:
        message = (
            f"the collector received an ad {sight.heard[1] - now:.0f} s in the future of this "
            "machine"
        )
        yield GateRefusal("clock", message, "set the clocks of this machine and of the collector")
    for name, skew in sorted(sight.skews.items()):
        if abs(skew) > settings.skew and not _is_dispensable(name, sight, state, now):
            yield GateRefusal(
                "clock", _clock_told(name, skew), "set the clocks; elastic.write.skew is the limit"
            )


def foreign_file(
    state: JournalState, present: str | None, settings: WriteSettings
) -> Iterator[GateRefusal]:
    """Yield that the file, whose text is ``present``, is not as the journal knows it."""
    if digest_of(present) == state.digest:
        return
    path = f"{settings.directory}/{settings.file}"
    if state.in_force is None:
        yield GateRefusal(
            "file",
            f"{path} exists, but the journal has no record of it",
            "remove it, or name another file",
        )
    else:
        done = "is gone" if present is None else "was changed by somebody else"
        hint = (
            "'htcq elastic disable' writes the static quotas, 'htcq elastic apply' starts again "
            "from them"
        )
        yield GateRefusal("file", f"{path} {done}", hint)


def _overridden(
    sight: PoolHealth, state: JournalState, settings: WriteSettings
) -> Iterator[GateRefusal]:
    """Yield the knobs of our file that are something else to the negotiator."""
    intent = state.in_force
    if (
        sight.configured is None
        or intent is None
        or state.result != VERIFIED
        or intent.after == ABSENT
    ):
        return
    for name, ours in file_of(intent.quotas).knobs():
        value, place = sight.configured.get(name.upper(), ("", ""))
        if not _same(value, ours):
            where = f" in {place}" if place else ""
            hint = (
                f"files that are read after {settings.file} override it: remove the setting "
                "there; otherwise find "
                "out why the negotiator was not reconfigured"
            )
            yield GateRefusal(
                "overridden",
                f"{name} is {value or 'not set'}{where} in the negotiator, not {ours}",
                hint,
            )


def _same(value: str, ours: str) -> bool:
    one, other = (
        [part.lower() for part in text.replace(",", " ").split()] for text in (value, ours)
    )
    return sorted(one) == sorted(other)


def undeclared(sight: PoolHealth, declared: Collection[str]) -> Iterator[GateRefusal]:
    """Yield the pool's groups that nobody ``declared``: they would be no groups any more."""
    if sight.configured is None:
        return
    names, _ = sight.configured.get("GROUP_NAMES", ("", ""))
    known = {name_key(each) for each in declared}
    for name in names.replace(",", " ").split():
        if name_key(name) not in known and name != ROOT:
            message = f"the pool has a group {name} that the quotas do not declare"
            yield GateRefusal(
                "undeclared",
                message,
                "declare it, with a min and a max, or remove it from GROUP_NAMES first",
            )


def negotiator_specific(
    configured: Mapping[str, tuple[str, str]], file: QuotaKnobs
) -> Iterator[GateRefusal]:
    """Yield knobs for the negotiator alone, which win over ours wherever they stand."""
    for name, _ in file.knobs():
        value, place = configured.get(f"NEGOTIATOR.{name.upper()}", ("", ""))
        if value:
            where = f" in {place}" if place else ""
            yield GateRefusal(
                "overridden", f"NEGOTIATOR.{name} = {value}{where} overrides the file", "remove it"
            )
