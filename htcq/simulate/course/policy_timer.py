"""When access points and shadows evaluate the policies of their jobs.

A schedd looks at jobs that wait or are held, a shadow at the job that it runs. When a schedd looked
last no ad tells: it is taken to look half an interval after its first job with a policy is known.
Times are in seconds since the capture of the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from htcq.simulate.course.agenda import Agenda
from htcq.simulate.course.claims import Claim
from htcq.simulate.course.lives import Life, Lives
from htcq.simulate.course.policies import Act, Verdict


class PolicyTimer:
    """Looks at ``lives``, noted in ``agenda``, and tells what is to be done.

    ``of_queue`` is called with jobs that wait or are held, ``of_claim`` with the claims of those
    that run.
    """

    def __init__(
        self,
        lives: Lives,
        agenda: Agenda,
        of_queue: Callable[[Life, Verdict], None],
        of_claim: Callable[[Claim, Verdict], None],
    ) -> None:
        self._lives, self._agenda = lives, agenda
        self._of_queue, self._of_claim = of_queue, of_claim
        self._schedds = set[str]()

    def enlist(self, life: Life, now: float) -> None:
        """Let the access point of a job look from now on, if the job has a policy to look at."""
        if life.policy.is_periodic and life.schedd not in self._schedds:
            self._schedds.add(life.schedd)
            self._note(life.schedd, now + self._lives.interval(life.schedd) / 2)

    def _note(self, schedd: str, at: float) -> None:
        self._agenda.note(at, partial(self._schedd, schedd, at))

    def _schedd(self, schedd: str, now: float) -> None:
        for life in self._lives.in_queue(schedd):
            verdict = self._lives.looked_at(life, now)
            if verdict.act is not Act.STAYS:
                self._of_queue(life, verdict)
        self._note(schedd, now + self._lives.interval(schedd))

    def watch(self, life: Life, claim: Claim, since: float, now: float) -> None:
        """Let a shadow look at the job of ``claim``, which began to run then."""
        if not life.policy.is_periodic:
            return
        looks = (since + each for each in self._lives.looks(claim.schedd, claim.slot))
        self._next(life, claim, claim.run, (at for at in looks if at > now))

    def _next(self, life: Life, claim: Claim, run: int, looks: Iterator[float]) -> None:
        at = next(looks, None)
        if at is not None:
            self._agenda.note(at, partial(self._shadow, life, claim, run, looks, at))

    def _shadow(
        self, life: Life, claim: Claim, run: int, looks: Iterator[float], now: float
    ) -> None:
        if claim.run != run or not claim.runs:
            return
        verdict = self._lives.looked_at(life, now)
        if verdict.act is Act.STAYS:
            self._next(life, claim, run, looks)
        else:
            self._of_claim(claim, verdict)
