"""The gates: reasons why nothing is written now.

What was observed may be too old, incomplete or inconsistent, or somebody else has written.

Each gate yields a sentence and a hint. Numbers of half a pool are wrong everywhere, so that a mere
suspicion closes a gate. A schedd that is silent, late or has another clock closes a gate only if
jobs of it are known: otherwise anybody who may advertise a schedd could keep the gate closed.
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
    health: PoolHealth,
    state: JournalState,
    present: str | None,
    settings: WriteSettings,
    now: float,
    confirmed: bool = False,
) -> Iterator[GateRefusal]:
    """Yield every reason not to act on an observation.

    ``present`` is the text of the file, ``now`` this machine's clock. ``confirmed``: a person has
    accepted that the pool is smaller than it was.
    """
    yield from _negotiators(health)
    yield from _whole(health, state, settings, confirmed)
    yield from _silent(health, state, now, confirmed)
    yield from _ages(health, state, settings, now)
    yield from _clocks(health, state, settings, now)
    if state.unfinished is None:
        yield from foreign_file(state, present, settings)
        yield from _overridden(health, state, settings)


def _negotiators(health: PoolHealth) -> Iterator[GateRefusal]:
    names = health.negotiators
    if not names:
        yield GateRefusal("negotiator", f"{health.source} has no negotiator", "is it running?")
    elif health.negotiator and health.negotiator not in names:
        message = f"{health.source} has no negotiator {health.negotiator}"
        yield GateRefusal("negotiator", message, f"its negotiators: {', '.join(names)}")


def several(health: PoolHealth, named: str) -> Iterator[GateRefusal]:
    """Yield a refusal if the pool has several negotiators, of which none is ``named``.

    Each negotiator has a tree of its own.
    """
    if len(health.negotiators) > 1 and not named:
        message = (
            f"{health.source} has {len(health.negotiators)} negotiators: "
            f"{', '.join(health.negotiators)}"
        )
        yield GateRefusal("several-negotiators", message, "select one of them: --name NEGOTIATOR")


def _whole(
    health: PoolHealth, state: JournalState, settings: WriteSettings, confirmed: bool
) -> Iterator[GateRefusal]:
    for each in health.missing:
        yield GateRefusal(
            "incomplete",
            f"{health.source} was not read completely: {each}",
            "try again; incomplete data is not sufficient",
        )
    if not health.slots or not health.pool_weight > 0:
        yield GateRefusal(
            "no-slots", f"{health.source} shows no slots", "was its collector restarted recently?"
        )
    before = state.seen
    if before is None or confirmed:
        return
    hint = (
        "if they are gone permanently, 'htcq elastic apply --accept-loss' accepts the smaller pool"
    )
    counts = (
        ("slots", health.slots, before.slots),
        ("schedds", health.schedds, before.schedds),
    )
    for what, now_there, then in counts:
        if now_there < settings.min_seen * then:
            message = (
                f"{now_there} {what} are present, less than {settings.min_seen:.0%} of the "
                f"{then} seen before"
            )
            yield GateRefusal(f"few-{what}", message, hint)
    if health.pool_weight < (1 - settings.capacity_drop) * before.pool_weight:
        message = (
            f"the pool weighs {health.pool_weight:g}, {settings.capacity_drop:.0%} or more below "
            f"the {before.pool_weight:g} seen before"
        )
        yield GateRefusal("capacity", message, hint)


def _counts(name: str, health: PoolHealth, state: JournalState, now: float) -> bool:
    """Tell whether the pool cannot be judged without the schedd ``name``.

    That is so if slots are claimed for it, and for some time after it was seen with jobs. Before
    the first observation its submitter ads are believed.
    """
    if name in health.schedd_ads.claiming:
        return True
    if state.seen is None:
        return name in health.schedd_ads.wanting
    return name in state.seen.busy and state.silent_for(now) <= PATIENCE


def _silent(
    health: PoolHealth, state: JournalState, now: float, confirmed: bool
) -> Iterator[GateRefusal]:
    for name, why in sorted(health.schedd_ads.silent.items()):
        if not confirmed and _counts(name, health, state, now):
            message = f"{health.source} was not read completely: jobs of {name}: {why}"
            hint = "try again; 'htcq elastic apply --accept-loss' continues without its jobs"
            yield GateRefusal("incomplete", message, hint)


def ignored_faults(
    health: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[str]:
    """Yield, as sentences, the faults of schedds that close no gate.

    No jobs are known of these schedds.
    """
    ads = health.schedd_ads
    for name, why in sorted(ads.silent.items()):
        if not _counts(name, health, state, now):
            yield f"{health.source}: 1 schedd left out: {name}: {why}"
    for name, heard in sorted(ads.heard.items()):
        if now - heard > settings.ad_age and not _counts(name, health, state, now):
            yield f"{health.source}: an ad of the schedd {name} is {now - heard:.0f} s old"
    for name, skew in sorted(health.skews.items()):
        if abs(skew) > settings.skew and _is_dispensable(name, health, state, now):
            yield f"{health.source}: {_clock_message(name, skew)}"


def _is_dispensable(name: str, health: PoolHealth, state: JournalState, now: float) -> bool:
    return name in health.schedd_ads.heard and not _counts(name, health, state, now)


def _clock_message(name: str, skew: float) -> str:
    if skew > 0:
        return f"the clock of {name} is {skew:.0f} s ahead of the collector's"
    return f"the clock of {name} is {-skew:.0f} s behind the collector's"


def _oldest(health: PoolHealth, state: JournalState, now: float) -> float | None:
    """Return when the collector received the oldest ad that counts; None where there is none."""
    heard = health.schedd_ads.heard
    if not heard:
        if health.heard is None:
            return None
        return health.heard[0]
    times = [time for name, time in heard.items() if _counts(name, health, state, now)]
    if health.slots_heard is not None:
        times.append(health.slots_heard)
    return min(times, default=None)


def _ages(
    health: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[GateRefusal]:
    oldest = _oldest(health, state, now)
    if oldest is not None and now - oldest > settings.ad_age:
        message = f"the oldest ad is {now - oldest:.0f} s old, more than {settings.ad_age} s"
        hint = "does its daemon still reach the collector? elastic.write.ad_age is the limit"
        yield GateRefusal("ad-age", message, hint)
    if health.cycle_end is None:
        message = "the end of the negotiator's last cycle is not known"
        yield GateRefusal("cycle", message, "is it running?")
    elif now - health.cycle_end > settings.cycle_age:
        message = (
            f"the negotiator's last cycle ended {now - health.cycle_end:.0f} s ago, more than "
            f"{settings.cycle_age} s"
        )
        yield GateRefusal("cycle", message, "is it stuck? elastic.write.cycle_age is the limit")


def _clocks(
    health: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[GateRefusal]:
    if health.heard is not None and health.heard[1] - now > settings.skew:
        message = (
            f"the collector received an ad {health.heard[1] - now:.0f} s in the future of this "
            "machine"
        )
        yield GateRefusal("clock", message, "set the clocks of this machine and of the collector")
    hint = "set the clocks; elastic.write.skew is the limit"
    for name, skew in sorted(health.skews.items()):
        if abs(skew) > settings.skew and not _is_dispensable(name, health, state, now):
            yield GateRefusal("clock", _clock_message(name, skew), hint)


def foreign_file(
    state: JournalState, present: str | None, settings: WriteSettings
) -> Iterator[GateRefusal]:
    """Yield that the file, whose text is ``present``, is not as the journal knows it."""
    if digest_of(present) == state.digest:
        return
    path = f"{settings.directory}/{settings.file}"
    if state.in_force is None:
        message = f"{path} exists, but the journal has no record of it"
        yield GateRefusal("file", message, "remove it, or name another file")
        return
    hint = (
        "'htcq elastic disable' writes the static quotas, 'htcq elastic apply' starts again "
        "from them"
    )
    if present is None:
        yield GateRefusal("file", f"{path} is gone", hint)
    else:
        yield GateRefusal("file", f"{path} was changed by somebody else", hint)


def _overridden(
    health: PoolHealth, state: JournalState, settings: WriteSettings
) -> Iterator[GateRefusal]:
    """Yield the knobs of our file that have other values in the negotiator."""
    intent = state.in_force
    if health.configured is None or intent is None:
        return
    if state.result != VERIFIED or intent.after == ABSENT:
        return
    hint = (
        f"files that are read after {settings.file} override it: remove the setting "
        "there; otherwise find out why the negotiator was not reconfigured"
    )
    for name, ours in file_of(intent.quotas).knobs():
        value, place = health.configured.get(name.upper(), ("", ""))
        if _words(value) != _words(ours):
            present = f"{value or 'not set'}{_in_file(place)}"
            message = f"{name} is {present} in the negotiator, not {ours}"
            yield GateRefusal("overridden", message, hint)


def _words(text: str) -> list[str]:
    """Return the words of a knob, to compare lists in any order."""
    return sorted(part.lower() for part in text.replace(",", " ").split())


def _in_file(place: str) -> str:
    if place:
        return f" in {place}"
    return ""


def undeclared(health: PoolHealth, declared: Collection[str]) -> Iterator[GateRefusal]:
    """Yield the pool's groups that are not ``declared``: they would no longer be groups."""
    if health.configured is None:
        return
    names, _ = health.configured.get("GROUP_NAMES", ("", ""))
    known = {name_key(each) for each in declared}
    for name in names.replace(",", " ").split():
        if name_key(name) not in known and name != ROOT:
            message = f"the pool has a group {name} that the quotas do not declare"
            hint = "declare it, with a min and a max, or remove it from GROUP_NAMES first"
            yield GateRefusal("undeclared", message, hint)


def negotiator_specific(
    configured: Mapping[str, tuple[str, str]], file: QuotaKnobs
) -> Iterator[GateRefusal]:
    """Yield knobs for the negotiator alone, which override ours in any file."""
    for name, _ in file.knobs():
        value, place = configured.get(f"NEGOTIATOR.{name.upper()}", ("", ""))
        if value:
            message = f"NEGOTIATOR.{name} = {value}{_in_file(place)} overrides the file"
            yield GateRefusal("overridden", message, "remove it")
