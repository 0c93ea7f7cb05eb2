"""START_VANILLA_UNIVERSE of a schedd: jobs offered, slots, and matches that start.

Follows src/condor_schedd.V6/schedd.cpp (VanillaMatchAd, jobCanNegotiate,
scheduler_getRequestConstraints, jobCanUseMatch) and qmgmt.cpp (FindRunnableJob), HTCondor 23.9
to 25.14. The schedd finds attributes in JOB, SLOT, OWNER and, from 24.7 on, SCHEDD alone:
without one of these scopes a name is undefined to it, also with MY or TARGET. The negotiator
finds such a name, since it has the expression as a part of the Requirements: it makes matches
that the schedd gives back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from htcq.classad.names import as_written, visible
from htcq.classad.parser import parse
from htcq.classad.substitution import with_texts
from htcq.classad.tree import Reference, Selection, Span, Tree
from htcq.classads import Ad, Expr, Missing, Value, spelled
from htcq.classads import named as named_attribute
from htcq.pool.job import HELD, IDLE, PLACES, RUNNING, SUSPENDED, TRANSFERRING, Job
from htcq.pool.record import Record

#: The scopes that only this expression has.
_SCOPES = frozenset({"job", "slot", "owner", "schedd"})
_JOB, _OWNER, _SCHEDD, _SLOT, _USER = "job", "owner", "schedd", "slot", "user"
#: The attributes of OWNER, with those of a user record that they are, and the states of jobs that
#: they count.
_COUNTS: tuple[tuple[str, tuple[str, ...], tuple[int, ...]], ...] = (
    ("JobsRunning", ("NumRunning", "NumSuspended"), (RUNNING, TRANSFERRING, SUSPENDED)),
    ("JobsIdle", ("NumIdle",), (IDLE,)),
    ("JobsHeld", ("NumHeld",), (HELD,)),
)


#: The ad of a match that a scope stands for in the request.
_AD_OF = {"job": "MY", "slot": "TARGET"}


class Owners:
    """What schedds know of the users of their jobs.

    ``records`` are those of users, ``home`` the schedd of a job.
    """

    def __init__(
        self, records: Iterable[Record], jobs: Iterable[Job], home: Callable[[Job], str]
    ) -> None:
        self._records = {
            (record.text("ScheddName"), record.text("User")): record for record in records
        }
        self._jobs, self._home = jobs, home
        self._known: dict[tuple[str, Value], Ad] = {}

    def ad(self, schedd: str, user: Value) -> Ad:
        """Return what OWNER is for jobs of ``user`` at ``schedd``."""
        found = self._known.get((schedd, user))
        if found is None:
            name = ""
            if isinstance(user, str):
                name = user
            found = self._known[schedd, user] = self._made(schedd, name)
        return found

    def _made(self, schedd: str, user: str) -> Ad:
        ad, record = Ad({"name": user}), self._records.get((schedd, user))
        for name, attributes, states in _COUNTS:
            known = []
            if record is not None:
                numbers = map(record.number, attributes)
                known = [int(each) for each in numbers if each is not None]
            if not known:
                known = [self._counted[schedd, user, state] for state in states]
            ad[name] = sum(known)
        return ad

    @cached_property
    def _counted(self) -> Counter[tuple[str, Value, Value]]:
        return Counter((self._home(job), job.user, job.status) for job in self._jobs)


class StartVanilla:
    """The ``expression`` of one schedd, whose ad is ``record`` (None: it has none).

    ``finds_schedd`` tells whether its version has the scope SCHEDD.
    """

    def __init__(
        self,
        expression: Expr,
        name: str,
        record: Record | None,
        owners: Owners,
        finds_schedd: bool = True,
    ) -> None:
        self.text, self._expression = expression.text, expression
        self._name, self._owners = name, owners
        self._finds_schedd = finds_schedd
        self._schedd = Ad()
        if record is not None and finds_schedd:
            values = record.values.items()
            self._schedd = Ad({key: each for key, each in values if not isinstance(each, Missing)})
        self._named = tuple(_named(self.text))
        self._scopes = {each.scope for each in self._named}
        self._places = sorted({PLACES[word] for word in self.words() if word in PLACES})
        self._offers: dict[tuple[object, ...], bool | None] = {}

    def words(self) -> set[str]:
        """Return every name in the expression.

        Where it refers to users, the names that tell their jobs apart are included.
        """
        words = set(self._expression.words())
        if _OWNER in self._scopes:
            words.add(_USER)
        return words

    @cached_property
    def names_of_jobs(self) -> frozenset[str]:
        """The attributes that it names in the scope JOB, in lower case."""
        return frozenset(each.name for each in self._named if each.scope == _JOB)

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """The names that the schedd finds nowhere, as they are written."""
        return tuple(dict.fromkeys(each.text for each in self._named if self._is_lost(each)))

    def _is_lost(self, named: _Named) -> bool:
        return not named.scope or (named.scope == _SCHEDD and not self._finds_schedd)

    def with_scopes(self, scoped: Callable[[str], str]) -> str:
        """Return the expression with ``scoped(name)`` for each name without a value."""
        lost = [(each.span, scoped(each.text)) for each in self._named if self._is_lost(each)]
        return with_texts(self.text, lost)

    @property
    def looks_at_slot(self) -> bool:
        """Whether its value may depend on the slot."""
        return _SLOT in self._scopes

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The attributes of the schedd that it names and that no ad here has."""
        if not self._finds_schedd:
            return ()
        own = (each for each in self._named if each.scope == _SCHEDD)
        return tuple(dict.fromkeys(each.text for each in own if each.name not in self._schedd))

    def offers(self, job: Job) -> bool | None:
        """Return whether the schedd offers a job for every slot, or for none.

        It is None where that depends on the slot.
        """
        values = [job[place] for place in self._places]
        key = (id(job.frame), *values, *map(type, values))
        if key not in self._offers:
            self._offers[key] = _decided(self._evaluated(job, None))
        return self._offers[key]

    def is_decided(self, job: Job) -> bool:
        """Return whether it is true or false for ``job`` with nothing left to evaluate."""
        if self.lost or self.looks_at_slot:
            return False
        return isinstance(self._evaluated(job, None), bool)

    def narrows(self, job: Job) -> bool:
        """Return whether the request for an offered job restricts slots by this expression."""
        offers = self.offers(job)
        return offers is None or (offers and bool(self.lost or _SLOT in self._scopes))

    def condition(self, job: Job) -> str:
        """Return the condition on a slot that the request for ``job`` takes from it; MY is the job.

        The schedd puts the job's own values in (flattenVanillaStartExpr): a consumption policy
        does not change what the job requests there.
        """
        named = [each for each in self._named if each.scope]
        return with_texts(self.text, [(each.span, self._replaced(each, job)) for each in named])

    def _replaced(self, named: _Named, job: Job) -> str:
        scope, name = named.scope, named.name
        # Jobs of one request have equal values of their own attributes.
        if scope == _JOB and name not in PLACES:
            value = job.frame.value(name)
            if isinstance(value, Missing) and name in job.frame:
                value = named_attribute(name).evaluate(job.ad())
            if not isinstance(value, Missing):
                return spelled(value)
        if scope in _AD_OF:
            return f"{_AD_OF[scope]}.{named.written}"
        if scope == _SCHEDD:
            return spelled(self._schedd.value(name))
        return spelled(self._owners.ad(self._name, job.user).value(name))

    def starts(self, job: Job, slot: Callable[[], Ad]) -> bool:
        """Return whether the schedd starts ``job`` on a match with the slot of that ad."""
        if _SLOT not in self._scopes:
            return self.offers(job) is True
        return _decided(self._evaluated(job, slot())) is True

    def looks_up(self, job: Job, slot: Callable[[], Ad]) -> bool:
        """Return whether the schedd looks for a job of the user of ``job`` to start on that slot.

        It does not where the expression is false while JOB is undefined. Where it is true then,
        the schedd takes any job, and finds out that it must not start it when it has the claim.
        """
        return _decided(self._evaluated(job, slot(), named=False)) is not False

    def _evaluated(self, job: Job, slot: Ad | None, named: bool = True) -> Value:
        ad = Ad()
        if _SCHEDD in self._scopes and self._finds_schedd:
            ad["SCHEDD"] = self._schedd
        if _OWNER in self._scopes:
            ad["OWNER"] = self._owners.ad(self._name, job.user)
        if named:
            ad["JOB"] = job.ad()
        if slot is not None:
            ad["SLOT"] = slot
        return self._expression.evaluate(ad)


class _Named(NamedTuple):
    """An attribute in one of these scopes; with an empty scope, what is in none of them.

    ``name`` is in lower case, ``written`` and ``text`` are it and all of it as they are written.
    """

    scope: str
    name: str
    written: str
    text: str
    span: Span


def _named(text: str) -> Iterator[_Named]:
    """Yield what an expression names, in its order."""
    scopes: set[int] = set()
    for part in visible(parse(text)):
        if not isinstance(part, (Reference, Selection)) or id(part) in scopes:
            continue
        scope = ""
        if isinstance(part, Selection) and part.of is not None:
            scope = _scope_of(part.of)
            if not scope:
                continue
            scopes.add(id(part.of))
        whole = text[part.span.start : part.span.end]
        yield _Named(scope, part.name, as_written(text, part), whole, part.span)


def _scope_of(tree: Tree) -> str:
    if isinstance(tree, Reference) and tree.scope is None and tree.name in _SCOPES:
        return tree.name
    return ""


def _decided(value: Value) -> bool | None:
    """Return ``value`` as a truth value; None where it is none."""
    if not isinstance(value, (bool, int, float)):
        return None
    return bool(value)
