"""Gates of the writer: what would break a min within one cycle, whatever is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from htcq.elastic.gates import GateRefusal
from htcq.elastic.step_simulation import BrokenMin
from htcq.quota.settings import Settings

_DEFAULTS = Settings()


def unguaranteed(
    broken: Iterable[BrokenMin], settings: Settings = _DEFAULTS
) -> Iterator[GateRefusal]:
    """Yield a refusal for each min that the next cycle would break by a forecast.

    ``settings`` are the settings of the computed cycles.
    """
    hint = "no group may be matched beyond its min before the others have theirs"
    if settings.round_robin_rate < _DEFAULTS.round_robin_rate:
        hint += (
            f"; with GROUP_QUOTA_ROUND_ROBIN_RATE = {settings.round_robin_rate:g} groups take "
            "turns for what is free: remove it"
        )
    for each in broken:
        yield GateRefusal("guarantee", each.sentence, hint)


def below_a_match(
    mins: Iterable[tuple[str, float]], heaviest: tuple[str, float]
) -> Iterator[GateRefusal]:
    """Yield a refusal for each group whose min is less than what one match charges.

    A match of a slot without a consumption policy charges the whole slot (matchmaker.cpp:
    SubmitterLimitPermits, 25.14). A group below that gets no further match with a part of its min
    used, and with none of it used takes the whole slot, which others may be guaranteed.
    """
    slot, weight = heaviest
    for group, least in mins:
        if 0 < least < weight:
            message = (
                f"the min of {group} has a slot weight of {least:g}, and one match charges the "
                f"whole of {slot}, {weight:g}"
            )
            hint = (
                "raise the min, or give such slots a consumption policy, see htcq-emit(1), and "
                "restart their startds"
            )
            yield GateRefusal("match", message, hint)


def overshoots(settings: Settings) -> Iterator[GateRefusal]:
    """Yield a refusal if submitters of one group may together pass its limit.

    Where preemption is considered, the negotiator reads a group's usage before the turns of its
    submitters, not between them: each of them may take what the group has left, and so the min of
    another group (matchmaker.cpp: negotiateWithGroup, 25.14).
    """
    if settings.consider_preemption:
        message = (
            "NEGOTIATOR_CONSIDER_PREEMPTION is True: each submitter of a group may take all that "
            "the group has left, and so the min of another group"
        )
        hint = (
            "set NEGOTIATOR_CONSIDER_PREEMPTION = False on the central manager; "
            "PREEMPTION_REQUIREMENTS and the RANK of machines then preempt nothing"
        )
        yield GateRefusal("preemption", message, hint)
