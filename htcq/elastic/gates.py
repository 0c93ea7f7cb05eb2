"""The gates: reasons why nothing is written now.

What was observed may be too old, incomplete or inconsistent, or somebody else has written.

Each gate yields a sentence and a hint. Numbers of half a pool are wrong everywhere, so that a mere
suspicion closes a gate. Schedds that are silent, late or have another clock, and slots with old
ads, count by the slot weight that they hold: up to a limit the rest is known well enough, and
whoever may advertise a schedd that holds nothing cannot close a gate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from htcq.elastic.journal import VERIFIED, JournalState, PoolSeen
from htcq.elastic.pool_health import PoolHealth
from htcq.elastic.quota_file import ABSENT, QuotaKnobs, digest_of, file_of
from htcq.elastic.usage_check import ahead, apart, comparable
from htcq.quota.group_tree import ROOT, name_key
from htcq.settings.elastic_write import WriteSettings

_ROUNDING = 1e-9
#: The gate that is closed where the negotiator has another value of a knob than the file.
OVERRIDDEN = "overridden"


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
    expected: float = 1.0,
) -> Iterator[GateRefusal]:
    """Yield every reason not to act on an observation.

    ``present`` is the text of the file, ``now`` this machine's clock. ``confirmed``: a person has
    accepted that the pool has another size. ``expected`` is the part of the pool that is there by
    plan.
    """
    yield from _negotiators(health)
    yield from _whole(health, state, settings, confirmed, expected)
    yield from _schedds(health, state, settings, now, confirmed)
    yield from _ages(health, settings, now)
    yield from _clocks(health, settings, now)
    yield from _usage(health, state)
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
    health: PoolHealth,
    state: JournalState,
    settings: WriteSettings,
    confirmed: bool,
    expected: float,
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
        "if they are gone permanently, 'htcq elastic apply --accept-loss' accepts the smaller "
        "pool; [[elastic.window]] announces a loss"
    )
    if health.slots < settings.min_seen * expected * before.slots:
        part = settings.min_seen * expected
        message = (
            f"{health.slots} slots are present, less than {part:.0%} of the {before.slots} seen "
            "before"
        )
        yield GateRefusal("few-slots", message, hint)
    least = (1 - settings.capacity_drop) * expected
    if health.pool_weight < least * before.pool_weight:
        message = (
            f"the pool weighs {health.pool_weight:g}, {1 - least:.0%} or more below "
            f"the {before.pool_weight:g} seen before"
        )
        yield GateRefusal("capacity", message, hint)
    yield from grown(health.pool_weight, before, settings)


def grown(weight: float, before: PoolSeen, settings: WriteSettings) -> Iterator[GateRefusal]:
    """Yield that the pool weighs more than it may without a person.

    It is compared with what a person has accepted, not with the last look: slots that somebody has
    made up must not come one by one. A pool that has shrunk may grow to its former size again.
    """
    # As much as a loss that is allowed may be made good.
    most = before.known_weight / (1 - min(settings.capacity_drop, 0.99))
    if 0 < most * (1 + _ROUNDING) < weight:
        message = (
            f"the pool weighs {weight:g}, more than the {most:g} to which one of "
            f"{before.known_weight:g} may grow"
        )
        hint = (
            "if the new slots are there, 'htcq elastic apply --accept-loss' accepts the larger pool"
        )
        yield GateRefusal("growth", message, hint)


def _usage(health: PoolHealth, state: JournalState) -> Iterator[GateRefusal]:
    """Yield the groups whose usage was not the accountant's, at this look and at the one before."""
    if state.seen is None or health.taken_at is None:
        return
    before = state.seen.usage
    if not comparable(health.usage, health.taken_at, before, health.cycle_seconds):
        return
    hint = (
        "'htcq status' lists the claims of each group: is the name of a submitter unreadable, or "
        "does somebody advertise slots that are none?"
    )
    for each in apart(health.usage, health.taken_at, before):
        if each.group in before.apart:
            yield GateRefusal("usage", f"{health.source}: {each.sentence}", hint)


def _doubts(
    health: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[tuple[str, str, str]]:
    """Yield the schedds that cannot be relied on: the gate, the schedd, and a sentence."""
    ads = health.schedd_ads
    for name, why in sorted(ads.silent.items()):
        yield "incomplete", name, f"jobs of {name}: {why}"
    if state.seen is not None:
        for name in sorted(set(state.seen.busy) - ads.known):
            yield "incomplete", name, f"jobs of {name}: it has no ad any more"
    for name, heard in sorted(ads.heard.items()):
        if now - heard > settings.ad_age:
            yield "ad-age", name, f"an ad of the schedd {name} is {now - heard:.0f} s old"
    for name, skew in sorted(health.skews.items()):
        if abs(skew) > settings.skew and name in {*ads.heard, *ads.known}:
            yield "clock", name, _clock_message(name, skew)


def _schedds(
    health: PoolHealth, state: JournalState, settings: WriteSettings, now: float, confirmed: bool
) -> Iterator[GateRefusal]:
    """Yield the schedds that cannot be relied on, if they hold too much of the pool together.

    The slots say how much that is; its idle jobs are those of its submitters' ads.
    """
    doubts = list(_doubts(health, state, settings, now))
    if confirmed:
        doubts = [each for each in doubts if each[0] != "incomplete"]
    held = health.schedd_ads.held
    weight = sum(held.get(name, 0.0) for name in {name for _, name, _ in doubts})
    if not _is_too_much(weight, health, settings):
        return
    hint = (
        f"schedds in doubt hold {weight:g} of the pool's weight of {health.pool_weight:g}; "
        "elastic.write.min_seen is the limit"
    )
    for gate, name, why in doubts:
        if held.get(name, 0.0) > 0:
            yield GateRefusal(gate, f"{health.source}: {why}", hint)


def _is_too_much(weight: float, health: PoolHealth, settings: WriteSettings) -> bool:
    """Return whether slots of a weight in doubt leave less than what must be seen."""
    return weight > (1 - settings.min_seen) * health.pool_weight * (1 + _ROUNDING)


def ignored_faults(
    health: PoolHealth, state: JournalState, settings: WriteSettings, now: float
) -> Iterator[str]:
    """Yield, as sentences, the faults that close no gate.

    Schedds hold too little, or the last look at usage is of a time after ``now``.
    """
    told = "" if state.seen is None else ahead(state.seen.usage, now)
    if told:
        yield f"{health.source}: {told}"
    if not list(_schedds(health, state, settings, now, confirmed=False)):
        for _, _, why in _doubts(health, state, settings, now):
            yield f"{health.source}: {why}"


def _clock_message(name: str, skew: float) -> str:
    if skew > 0:
        return f"the clock of {name} is {skew:.0f} s ahead of the collector's"
    return f"the clock of {name} is {-skew:.0f} s behind the collector's"


def _ages(health: PoolHealth, settings: WriteSettings, now: float) -> Iterator[GateRefusal]:
    old = [(heard, weight) for heard, weight in health.slots_heard if now - heard > settings.ad_age]
    weight = sum(weight for _, weight in old)
    if _is_too_much(weight, health, settings):
        message = (
            f"slots of a weight of {weight:g} have ads older than {settings.ad_age} s; the oldest "
            f"ad is {now - min(old)[0]:.0f} s old"
        )
        hint = "do their daemons still reach the collector? elastic.write.ad_age is the limit"
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


def _clocks(health: PoolHealth, settings: WriteSettings, now: float) -> Iterator[GateRefusal]:
    if health.heard is not None and health.heard[1] - now > settings.skew:
        message = (
            f"the collector received an ad {health.heard[1] - now:.0f} s in the future of this "
            "machine"
        )
        yield GateRefusal("clock", message, "set the clocks of this machine and of the collector")
    hint = "set the clocks; elastic.write.skew is the limit"
    for name in health.negotiators:
        skew = health.skews.get(name, 0.0)
        if abs(skew) > settings.skew:
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
    if health.configured is None or intent is None or state.follows:
        # Where another central manager serves, its negotiator reads another file.
        return
    if state.result != VERIFIED or intent.after == ABSENT or not intent.quotas:
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
            yield GateRefusal(OVERRIDDEN, message, hint)


def _words(text: str) -> list[str]:
    """Return the words of a knob, to compare lists in any order."""
    return sorted(part.lower() for part in text.replace(",", " ").split())


def _in_file(place: str) -> str:
    if place:
        return f" in {place}"
    return ""


def undeclared(
    health: PoolHealth, declared: Collection[str], retired: Collection[str] = ()
) -> Iterator[GateRefusal]:
    """Yield the pool's groups that are not ``declared``: they would no longer be groups.

    ``retired`` are those that only our own file has made, and that have no jobs any more.
    """
    if health.configured is None:
        return
    names, _ = health.configured.get("GROUP_NAMES", ("", ""))
    known = {name_key(each) for each in (*declared, *retired)}
    for name in names.replace(",", " ").split():
        if name_key(name) not in known and name != ROOT:
            message = f"the pool has a group {name} that the quotas do not declare"
            hint = (
                "declare it, with a min and a max; to retire it, declare a max of 0 until its jobs "
                "have ended"
            )
            yield GateRefusal("undeclared", message, hint)


def negotiator_specific(
    configured: Mapping[str, tuple[str, str]], file: QuotaKnobs
) -> Iterator[GateRefusal]:
    """Yield knobs for the negotiator alone, which override ours in any file."""
    for name, _ in file.knobs():
        for whole, (value, place) in configured.items():
            if value and whole.endswith(f".{name.upper()}"):
                prefix = whole[: -len(name)]
                message = f"{prefix}{name} = {value}{_in_file(place)} overrides the file"
                yield GateRefusal(OVERRIDDEN, message, "remove it")
