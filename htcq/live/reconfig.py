"""Reconfiguration of a negotiator, and the check that its groups then have their new quotas.

A negotiator that refuses the command says so in its own log alone, and one in a long cycle comes
to it later; so only what it publishes after a cycle counts
(src/condor_negotiator.V6/Accountant.cpp: one ad for each group, HTCondor 25.14).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from htcq import time_limit
from htcq.errors import BindingsError, PoolError
from htcq.live.ads import LOCATION, literal_number, literal_text
from htcq.live.bindings import NO_BINDINGS, load, reason, refused
from htcq.live.deadline import Task, TaskOutcome, run_all
from htcq.pool.slot_ages import SlotAges
from htcq.quota.group_tree import ROOT, name_key

RECONFIG = "reconfig"
#: Ads are looked at after so many seconds, then less and less often.
_PAUSE, _LONGEST_PAUSE = 0.5, 5.0
#: Cycles that began after the reconfig and may not show it yet, after the one that was under way.
CYCLES = 2
_AGREES = 5e-4
#: All groups are published at the end of a cycle; within so many seconds, however many there are.
_ONE_CYCLE = 30
_SURPLUS = {True: ("byquota", "regroup"), False: ("no", "regroup")}
_GROUP = (
    "Name",
    "ConfigQuota",
    "SurplusPolicy",
    "NegotiatorName",
    "LastHeardFrom",
    "DaemonLastReconfigTime",
)

#: By group its quota in slot weight and whether it accepts surplus.
Quotas = Mapping[str, "tuple[float, bool]"]


@dataclass(frozen=True)
class Negotiator:
    """One negotiator of the pool whose collector is ``pool`` (None: this machine's).

    Without ``name`` it is the only one of the pool. ``timeout`` is in seconds, for each question.
    """

    pool: str | None
    name: str = ""
    timeout: float = 60.0

    def reconfigure(self) -> None:
        """Send it the command; whether it obeys, :meth:`shows` tells.

        Raises:
            PoolError: it is not there, or there are several and none is named.
            BindingsError: HTCondor's bindings are missing.
        """
        self._ask(RECONFIG, _reconfigure, self.pool, self.name)

    def published(self) -> Published:
        """Return what it publishes of its groups now.

        Raises:
            PoolError: the collector does not answer.
            BindingsError: HTCondor's bindings are missing.
        """
        found: Published = self._ask("accounting", _published, self.pool, self.name)
        return found

    def slot_ages(self) -> SlotAges | None:
        """Return when the collector heard of the slots; None where there are none.

        Raises:
            PoolError: the collector does not answer.
            BindingsError: HTCondor's bindings are missing.
        """
        found: SlotAges | None = self._ask("slots", _slot_ages, self.pool)
        return found

    def shows(
        self,
        quotas: Quotas,
        within: float,
        again: Callable[[], None],
        before: Published | None = None,
    ) -> str:
        """Wait until the groups are published with ``quotas``, and return why they are not.

        The reason is empty where they are. ``before`` is what was published before the reconfig:
        only what is newer counts, and what says that the negotiator has reconfigured itself since.
        Quotas that are there after :data:`CYCLES` cycles count as well: a negotiator that refuses
        the command may have them all the same. ``again`` is called after each cycle that did not
        show them. It takes :data:`CYCLES` cycles after the one that may have been under way, and
        ``within`` seconds, at most.

        Raises:
            BindingsError: HTCondor's bindings are missing.
        """
        time_limit.add(within)
        within = time_limit.within(within)
        until = time.monotonic() + within
        watch = _Watch(quotas, before)
        pause = _PAUSE
        while True:
            try:
                newer = watch.look(self.published())
                if not watch.why or (newer and watch.cycles > CYCLES):
                    return watch.told()
                if newer:
                    again()
            except PoolError as error:
                watch.why = str(error)
            if time.monotonic() > until:
                return f"{watch.why}, {within:g} s after it was told"
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _ask(self, what: str, function: Callable[..., Any], *arguments: object) -> Any:
        outcome = run_all([Task(what, function, arguments)], self.timeout)[0]
        if not outcome.done:
            raise unreachable(self.pool, outcome)
        return outcome.value


@dataclass(frozen=True)
class Published:
    """The quota and surplus policy of each group, as a negotiator publishes them.

    ``heard`` is when the collector received the newest ad, ``reconfigured`` the time of the last
    reconfig or start, by the negotiator's clock, in whole seconds
    (src/condor_daemon_client/dc_collector.cpp, 25.14).
    """

    groups: Mapping[str, tuple[float, str]]
    heard: float
    reconfigured: float

    def differences(self, quotas: Quotas) -> Iterator[str]:
        """Yield, as sentences, how the published groups differ from ``quotas``."""
        if quotas and not self.groups:
            yield "the negotiator publishes no groups"
            return
        published = {name_key(name): each for name, each in self.groups.items()}
        for name, (quota, takes) in quotas.items():
            found = published.get(name_key(name))
            if found is None:
                yield f"the negotiator has no group {name}"
            elif not abs(found[0] - quota) <= _AGREES:
                yield f"the negotiator has a quota of {found[0]:g} for {name}, not {quota:g}"
            elif found[1] and found[1] not in _SURPLUS[takes]:
                yield f"the negotiator has the surplus policy '{found[1]}' for {name}"


class _Watch:
    """What a negotiator publishes after a reconfig, look by look.

    ``cycles`` counts the cycles that ended since, ``why`` says why the quotas are not there.
    """

    def __init__(self, quotas: Quotas, before: Published | None) -> None:
        self.cycles = 0
        self.why = "the collector does not answer"
        self._quotas = quotas
        self._before = before
        self._heard: float | None = None
        if before is not None:
            self._heard = before.heard

    def look(self, now: Published) -> bool:
        """Take up what is published now, and return whether it is newer than the last look."""
        if self._before is None:
            self._before = now
        newer = self._heard is not None and now.heard > self._heard
        self._heard = now.heard
        self.cycles += newer
        self.why = next(now.differences(self._quotas), "")
        if not self.why and now.reconfigured <= self._before.reconfigured:
            # What was published before the reconfig may agree by chance.
            if not self.cycles:
                self.why = "the negotiator has published nothing"
            elif self.cycles <= CYCLES or not self._quotas:
                self.why = "the negotiator has not reconfigured itself"
        return newer

    def told(self) -> str:
        """Return why the quotas are not there, empty where they are."""
        if self.why:
            return f"{self.why}, {CYCLES} cycles after it was told"
        return ""


def _reconfigure(pool: str | None, name: str) -> None:
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(htcondor2.AdType.Negotiator, projection=list(LOCATION))
    chosen = [ad for ad in found if not name or literal_text(ad, "Name") == name]
    if len(chosen) != 1:
        known = ", ".join(sorted(str(ad.get("Name")) for ad in found)) or "none"
        lacking = "not one negotiator"
        if name:
            lacking = f"no negotiator {name}"
        raise ValueError(f"it has {lacking}: {known}")
    htcondor2.send_command(chosen[0], htcondor2.DaemonCommand.Reconfig)


def _published(pool: str | None, name: str) -> Published:
    htcondor2 = load()
    found = htcondor2.Collector(pool).query(
        htcondor2.AdType.Accounting,
        constraint="IsAccountingGroup =?= true",
        projection=list(_GROUP),
    )
    return published_in(
        ad for ad in found if not name or literal_text(ad, "NegotiatorName") == name
    )


def published_in(ads: Iterable[Any]) -> Published:
    """Return what a negotiator publishes in ``ads``, as far as it is in plain values."""
    ours = list(ads)
    newest = max((_time(ad, "LastHeardFrom") for ad in ours), default=0.0)
    groups = {}
    for ad in ours:
        # A group that is none any more keeps its last ad for a quarter of an hour.
        group = literal_text(ad, "Name")
        if group not in ("", ROOT) and _time(ad, "LastHeardFrom") >= newest - _ONE_CYCLE:
            quota = literal_number(ad, "ConfigQuota")
            policy = literal_text(ad, "SurplusPolicy")
            groups[group] = (math.nan if quota is None else quota, policy)
    reconfigured = max((_time(ad, "DaemonLastReconfigTime") for ad in ours), default=0.0)
    return Published(groups, newest, reconfigured)


def _time(ad: Any, name: str) -> float:
    return literal_number(ad, name) or 0.0


def _slot_ages(pool: str | None) -> SlotAges | None:
    htcondor2 = load()
    wanted = ["Name", "LastHeardFrom"]
    found = htcondor2.Collector(pool).query(htcondor2.AdType.Startd, projection=wanted)
    heard = {}
    for ad in found:
        time_ = literal_number(ad, "LastHeardFrom")
        if time_ is not None:
            heard[literal_text(ad, "Name")] = time_
    if not heard:
        return None
    return SlotAges(min(heard.values()), max(heard.values()), heard)


def unreachable(pool: str | None, outcome: TaskOutcome) -> Exception:
    """Return why a question to the collector of ``pool`` has no answer."""
    if outcome.why.startswith(NO_BINDINGS):
        return BindingsError("htcondor2")
    where = pool or "this machine's pool"
    user = refused(f"{outcome.why}\n{outcome.complaint}")
    if user and outcome.what == RECONFIG:
        return PoolError(
            f"the negotiator refuses to be reconfigured by {user} (ADMINISTRATOR authorisation)",
            "run as root on the central manager, or with a token that may",
        )
    return PoolError(
        f"{where}: {reason(outcome.why, outcome.complaint)}",
        "check that collector and negotiator run, and --name",
    )
