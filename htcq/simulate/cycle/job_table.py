"""Requests as tables of one row, and what all tables of a cycle share.

Follows matchmakingAlgorithm, SubmitterLimitPermits and calculateRanks of
src/condor_negotiator.V6/matchmaker.cpp, and src/condor_utils/consumption_policy.cpp, HTCondor
25.14.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from htcq.classads import UNDEFINED, Ad, Value, literal, parsed
from htcq.policy.claim import request_of, stand_in
from htcq.pool.job import PLACES as JOB_PLACES
from htcq.pool.reference_graph import ANY_NAME, ReferenceGraph
from htcq.pool.shared_attributes import SharedAttributes
from htcq.simulate.cycle.queues import Request

if TYPE_CHECKING:
    from htcq.columns.column import Column
    from htcq.columns.engine import Engine
    from htcq.columns.table import Schema, Table


#: What of a slot decides about matches and costs, besides what jobs name.
DECIDES = (
    "requirements", "rank", "currentrank", "withinresourcelimits", "slotweight", "machineresources",
    "partitionableslot", "dynamicslot", "slottype", "wantclaiming",
)  # fmt: skip
#: Begins the names of what a job asked for before its requests were changed for a slot.
ORIGINAL = "_cp_orig_"
#: Requests whose tables are kept.
_MAX_JOBS = 4096
#: Sets of shared attributes, besides those that there are, after which everything is made anew.
_MAX_FRAMES = 2_000


class Ranking:
    """The negotiator's two ranks; ``by_jobs`` are all names of attributes that only jobs have."""

    def __init__(self, pre: str, post: str, by_jobs: frozenset[str], links: ReferenceGraph) -> None:
        self.texts = (pre, post)
        self.expressions = (parsed(pre), parsed(post))
        self._by_jobs, self._links = by_jobs, links

    def covers(self, other: Ranking) -> bool:
        """Return whether what ``other`` says of a slot is also what this one says."""
        return self.texts == other.texts and self._by_jobs.issuperset(other._by_jobs)

    def looks_at_job(self, frame: SharedAttributes) -> bool:
        """Return whether the ranks of slots with ``frame`` depend on the job."""
        words: set[str] = set()
        for expression in self.expressions:
            if expression is not None:
                words |= self._links.reached(expression.words(), frame)
        if "target" in words or ANY_NAME in words:
            return True
        return any(word in self._by_jobs and word not in frame.texts for word in words)


class TableContext:
    """What all tables of a cycle share: the engine, the schemas of ads, the tables of requests.

    ``names`` are all words that expressions of slots and jobs contain.
    """

    def __init__(
        self, engine: Engine, links: ReferenceGraph, names: Iterable[str], ranking: Ranking
    ) -> None:
        self.engine, self.links, self.ranking = engine, links, ranking
        self.names = frozenset(names)
        self.keeps_original = any(name.startswith(ORIGINAL) for name in self.names)
        self._reached: dict[SharedAttributes, frozenset[str]] = {}
        self._shared: dict[SharedAttributes, tuple[Schema, Mapping[str, Value]]] = {}
        self._schemas: dict[tuple[tuple[str, str], ...], Schema] = {}
        self._jobs: dict[tuple[object, ...], JobTable] = {}
        self._of_request: dict[int, tuple[Request, JobTable]] = {}

    def shared(self, frame: SharedAttributes) -> tuple[Schema, Mapping[str, Value]]:
        """Return the expressions of ads that have ``frame``, and their plain values by name."""
        found = self._shared.get(frame)
        if found is None:
            found = self._shared[frame] = self._read(frame)
        return found

    def _read(self, frame: SharedAttributes) -> tuple[Schema, Mapping[str, Value]]:
        # The ad is built to know what of it is not evaluated.
        frame.ad(())
        refused = {name.lower() for name in frame.endless}
        texts, values = {}, {}
        for name in sorted(self._names_of(frame) & frame.texts.keys()):
            text = frame.texts[name]
            value = literal(text)
            if value is not None:
                values[name] = value
            else:
                texts[name] = "error" if name in refused else text
        key = tuple(texts.items())
        if key not in self._schemas:
            self._schemas[key] = self.engine.schema(texts)
        return self._schemas[key], values

    def serves(
        self, links: ReferenceGraph, names: Iterable[str], ranking: Ranking, frames: int
    ) -> bool:
        """Return whether the tables of a cycle with these are equal to its own.

        It serves no more where it knows far more than the ``frames`` that there are.
        """
        return (
            len(self._reached) <= 2 * frames + _MAX_FRAMES
            and self.links.words.issuperset(links.words)
            and self.names.issuperset(names)
            and self.ranking.covers(ranking)
        )

    def places(self, frame: SharedAttributes, places: Mapping[str, int]) -> Sequence[str]:
        """Return the names of the attributes of ads' own that anything evaluated looks at."""
        return sorted(self._names_of(frame) & places.keys())

    def _names_of(self, frame: SharedAttributes) -> frozenset[str]:
        """Return every name that an evaluation may come upon in ads that have ``frame``."""
        found = self._reached.get(frame)
        if found is None:
            consumption = [name for name in frame.texts if name.startswith("consumption")]
            names = (*self.names, *DECIDES, *consumption)
            found = self._reached[frame] = self.links.reached(names, frame)
        return found

    def job(self, request: Request) -> JobTable:
        """Return the table of ``request``; the same for all that look equal to everything."""
        found = self._of_request.get(id(request))
        if found is None or found[0] is not request:
            if len(self._of_request) >= _MAX_JOBS:
                self._of_request.clear()
                self._jobs.clear()
            found = self._of_request[id(request)] = (request, self._job(request))
        return found[1]

    def _job(self, request: Request) -> JobTable:
        values = [
            request.first[JOB_PLACES[name]] for name in self.places(request.frame, JOB_PLACES)
        ]
        key = (id(request.frame), *values, *map(type, values))
        if key not in self._jobs:
            self._jobs[key] = JobTable(self, request)
        return self._jobs[key]


class JobTable:
    """The ad of a request as a table of one row, and as the negotiator changes it for slots."""

    def __init__(self, context: TableContext, request: Request) -> None:
        self.request = request
        self._engine, self._keeps_original = context.engine, context.keeps_original
        schema, values = context.shared(request.frame)
        own: dict[str, Column] = {}
        for name, value in values.items():
            own[name] = self._engine.column([value])
        for name in context.places(request.frame, JOB_PLACES):
            own_value: Value = request.first[JOB_PLACES[name]]  # type: ignore[assignment]
            if own_value is not UNDEFINED:
                own[name] = self._engine.column([own_value])
        self.table = self._engine.table_of(schema, 1, own, lambda row: request.ad())
        self._consuming: dict[str, Table] = {}
        #: What it takes of slots whose consumption does not depend on the slot, by their kind.
        self.taken: dict[object, Mapping[str, Column]] = {}
        self._asking: dict[int, Table] = {}
        self._original: dict[tuple[str, ...], tuple[Table, Mapping[str, Value]]] = {}

    def value(self, name: str) -> Value:
        """Return the value of an attribute, whatever the slot."""
        own = self.table.own(name.lower())
        if own is None:
            return self.request.ad().value(name)
        found = self._engine.value(own, 0)
        return UNDEFINED if found is None else found

    def consuming(self, asset: str) -> Table:
        """Return the table in which the consumption of ``asset`` is evaluated."""
        found = self._consuming.get(asset)
        if found is None:
            found = self.table
            instead = stand_in(self.request.frame, asset)
            if instead is not None:
                found = self._changed({request_of(asset): instead})
            self._consuming[asset] = found
        return found

    def _changed(self, changed: Mapping[str, Value]) -> Table:
        columns = {name.lower(): self._engine.column([value]) for name, value in changed.items()}
        request = self.request
        return self.table.replaced(columns, lambda row: request.ad(changed))

    def overridden(self, taken: Mapping[str, Column], rows: int) -> Table:
        """Return the table in which the job asks for what it takes of each row's slot."""
        found = self._asking.get(id(taken))
        if found is not None:
            return found
        names = {}
        for asset in taken:
            if request_of(asset).lower() in self.request.frame.texts:
                names[asset] = request_of(asset)
        columns: dict[str, Column] = {}
        for asset, name in names.items():
            # What it asks for itself stays where its consumption is no number.
            own = self.table.own(name.lower())
            columns[name.lower()] = self._engine.arrays.completed(taken[asset], own)
        before, original = self._with_originals(tuple(names.values()))
        engine, request = self._engine, self.request

        def ad_of(row: int) -> Ad:
            changed = dict(original)
            for asset, name in names.items():
                amount = engine.value(taken[asset], row)
                if amount is not None:
                    changed[name] = amount
            return request.ad(changed)

        constant = all(taken[asset].rows == 1 for asset in names)
        found = before.replaced(columns, ad_of, 1 if constant else rows)
        if constant and any(taken is known for known in self.taken.values()):
            self._asking[id(taken)] = found
        return found

    def _with_originals(self, names: tuple[str, ...]) -> tuple[Table, Mapping[str, Value]]:
        """Return the table with what the job asked for before, and that by attribute.

        Only where any expression looks at it.
        """
        found = self._original.get(names)
        if found is None:
            original: dict[str, Value] = {}
            if self._keeps_original:
                original = {f"{ORIGINAL}{name}": self.value(name) for name in names}
            found = self._original[names] = (self._changed(original), original)
        return found
