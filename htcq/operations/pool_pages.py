"""The pages of ``htcq report``: one pool is looked at once, and all pages are written.

What belongs to the site (history, elastic quotas, saved what-ifs) is opened with the rights of the
caller. The pool, and what saved what-ifs hold, is evaluated in a confined process; the pages are
written by its parent, and are shown together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from htcq.errors import EXIT_FINE, EXIT_UNKNOWN, InputError
from htcq.operations.health import marked, tell_ailments
from htcq.operations.output_files import place_of, put_file
from htcq.operations.pool_source import Source, confine_to, open_source, read_open
from htcq.report.pages.site_pages import OVERVIEW, PAGES
from htcq.report.printable import tell
from htcq.store.page_generations import is_page, new_generation

if TYPE_CHECKING:
    from htcq.audit.engine import Audit, Verdict
    from htcq.audit.evidence import Evidence
    from htcq.audit.rule import Rule
    from htcq.drift.explanation import DriftExplanation
    from htcq.elastic.status import Status
    from htcq.operations.elastic_quotas import TreeState
    from htcq.pool.pool import Pool
    from htcq.poolquota.report import PoolQuotaReport
    from htcq.quota.elastic.declaration import ElasticQuotas
    from htcq.report.pages.overview import Freshness
    from htcq.report.pages.what_ifs import WhatIf

#: A page takes as long as a report of its own.
_WORK = 4
#: The longest file of a what-if, in bytes, and the most files.
_LONGEST, _MOST = 64 * 1024 * 1024, 500


@dataclass(frozen=True)
class SiteData:
    """What belongs to the site: the past of pools by name, elastic quotas, saved what-ifs.

    ``why_no_history`` and ``why_no_quotas`` say why there are none.
    """

    stories: Mapping[str, DriftExplanation] = field(default_factory=dict)
    why_no_history: str = ""
    quotas_file: str = ""
    quotas: Mapping[str, tuple[ElasticQuotas, TreeState]] = field(default_factory=dict)
    why_no_quotas: str = ""
    what_ifs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Rules:
    """The rules of the audit, the site's verdicts on them, and why some are left out."""

    rules: Sequence[Rule[Evidence]]
    verdicts: Mapping[str, Verdict]
    refusals: tuple[str, ...] = ()


# What belongs to the site
# --------------------------------------------------------------------------------------------------


def stories_in(store: Path, since: int, until: int) -> dict[str, DriftExplanation]:
    """Return the past of each pool in the history ``store``.

    Raises:
        HistoryError: it cannot be read.
    """
    from htcq.operations.history import story_of
    from htcq.store.history import open_history

    with open_history(store) as history:
        return {pool: story_of(history, pool, since, until, ()) for pool in history.pools()}


def elastic_quotas_in(name: str, negotiator: str) -> dict[str, tuple[ElasticQuotas, TreeState]]:
    """Return the trees of the file ``name`` for ``negotiator``, each with what its journals say.

    Raises:
        InputError: it cannot be read, or a tree is refused.
    """
    from htcq.audit.elastic import refuse_unsound
    from htcq.operations.elastic_quotas import tree_states_of, trees_of

    trees = trees_of(name, negotiator)
    for quotas in trees.values():
        refuse_unsound(quotas, name)
    states = tree_states_of(name, trees)
    return {tree: (quotas, states[tree]) for tree, quotas in trees.items()}


def what_if_texts(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return name and text of each file, and of each JSON file in a directory of results.

    Raises:
        InputError: there is no such file, or too many or too long ones.
    """
    files: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            files += sorted(path.glob("*.json"))
        else:
            files.append(path)
    if len(files) > _MOST:
        raise InputError(f"--what-if: {len(files)} files", f"no more than {_MOST}")
    return tuple((path.stem, _text_of(path)) for path in files)


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > _LONGEST:
            raise InputError(f"{path} is too long", f"no more than {_LONGEST >> 20} MiB")
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        hint = "'htcq simulate --json' makes one, a sweep a directory of them"
        raise InputError(f"{path} cannot be read: {error.strerror}", hint) from error


# The pages
# --------------------------------------------------------------------------------------------------


def check_directory(name: str) -> None:
    """Make the directory ``name`` if it is missing, and make sure that pages can be put there.

    Raises:
        InputError: they cannot.
    """
    directory = Path(name)
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{directory} cannot be made: {error.strerror}", "give a directory for the pages"
        ) from error
    for file in PAGES:
        if not is_page(directory / file):
            place_of(str(directory / file))


def write_pages(source: Source, directory: str, site: SiteData, rules: Rules) -> tuple[int, str]:
    """Write all pages into ``directory``; return the exit status and the verdict.

    Raises:
        HtcqError: the pool cannot be read at all, or a page not be written.
    """
    check_directory(directory)
    opened = open_source(source)
    # The overview is shown last where the pages are there for the first time.
    names = sorted(PAGES, key=lambda each: each == OVERVIEW)
    with new_generation(Path(directory), names) as place:
        confine_to([opened], [str(place / file) for file in names], _WORK)
        pool = read_open(opened, partly=True)
        seen = _Pages(pool, source, site, rules)
        for file, text in seen.pages().items():
            put_file(str(place / file), text)
    return seen.status(), seen.verdict


class _Pages:
    """The pages of one pool."""

    def __init__(self, pool: Pool, source: Source, site: SiteData, rules: Rules) -> None:
        from htcq.audit.engine import audit
        from htcq.audit.evidence import Evidence
        from htcq.pool.pool import seconds_of
        from htcq.poolquota.pool_quotas import PoolQuotas
        from htcq.poolquota.report import look_at
        from htcq.report.pages.what_ifs import what_ifs_in
        from htcq.report.terminal import with_progress
        from htcq.report.views.overview import Seen, verdict

        self._site, self._source, self._file_name = site, source, pool.source
        # Pages are published: they have the name of the pool, not the path of a snapshot.
        self._pool = replace(pool, source=pool.name)
        self._evidence = Evidence(self._pool)
        quotas = PoolQuotas(
            self._pool, self._evidence.weights, source.negotiator or pool.negotiator
        )
        self._look: PoolQuotaReport = look_at(quotas, self._pool)
        shown = with_progress(rules.rules, lambda rule: rule.id)
        found: Audit = audit(self._evidence, shown, rules.verdicts).without(rules.refusals)
        self._seen = Seen(
            self._look,
            self._evidence.balance,
            found,
            self._story(),
            seconds_of(pool.taken_at),
        )
        self._what_ifs: list[WhatIf] = []
        for name, text in site.what_ifs:
            self._what_ifs += what_ifs_in(name, text)
        self._statuses = self._status_of_trees()
        self.verdict = verdict(self._seen)

    def _story(self) -> DriftExplanation | None:
        stories = self._site.stories
        return stories.get(self._pool.name)

    def _status_of_trees(self) -> list[Status]:
        from htcq.elastic.status import status_of

        if self._pool.slots is None:
            return []
        found = []
        for tree, (quotas, state) in self._site.quotas.items():
            name = self._source.negotiator or tree
            found.append(status_of(self._pool, quotas, *state, tree, name))
        return found

    def pages(self) -> dict[str, str]:
        """Return the text of each page by its file."""
        from htcq.report.charts.pictures import pictures_of
        from htcq.report.pages import site_pages
        from htcq.report.pages.audit import audit_page
        from htcq.report.pages.elastic import elastic_page
        from htcq.report.pages.jobs import jobs_page
        from htcq.report.pages.machines import machines_page
        from htcq.report.pages.overview import overview_page
        from htcq.report.pages.quota import quota_page
        from htcq.report.pages.what_ifs import what_ifs_page

        links, pool, pictures = site_pages.links_of, self._pool, pictures_of(self._evidence)
        return {
            site_pages.OVERVIEW: overview_page(self._seen, pool, pictures, list(self._freshness())),
            site_pages.GROUPS: quota_page([(self._look, None)], (), links(site_pages.GROUPS)),
            site_pages.MACHINES: machines_page(self._seen.balance, pool),
            site_pages.JOBS: jobs_page(self._evidence),
            # The bars of groups have a page of their own.
            site_pages.AUDIT: audit_page(
                self._seen.audit, replace(pictures, groups=()), links(site_pages.AUDIT)
            ),
            site_pages.DRIFT: self._drift_page(),
            site_pages.ELASTIC: elastic_page(self._statuses, pool, self._why_no_quotas()),
            site_pages.WHAT_IFS: what_ifs_page(self._what_ifs, pool),
        }

    def _why_no_quotas(self) -> str:
        if self._site.quotas and self._pool.slots is None:
            return "The slots of the pool could not be read: what there is to share is not known."
        return self._site.why_no_quotas

    def _drift_page(self) -> str:
        from htcq.report.pages.drift import drift_page
        from htcq.report.pages.listing import listing_page
        from htcq.report.pages.site_pages import DRIFT, links_of

        story = self._seen.story
        if story is None:
            return listing_page(DRIFT, self._pool, [self._why_no_history()], [])
        return drift_page([story], links=links_of(DRIFT))

    def _why_no_history(self) -> str:
        if self._site.stories:
            return f"The history has no pool {self._pool.name}: 'htcq drift record' keeps it."
        return self._site.why_no_history

    def _freshness(self) -> Iterator[Freshness]:
        from htcq.report.freshness import freshness_of

        yield from freshness_of(
            self._seen,
            self._pool,
            bool(self._source.snapshot),
            self._why_no_history(),
            self._statuses,
            self._what_ifs,
        )

    def status(self) -> int:
        """Return the exit status, after what could not be read was said on standard error."""
        audit = self._seen.audit
        tell_ailments(audit.health, self._file_name)
        gaps = list(dict.fromkeys((*audit.incomplete, *audit.gaps)))
        gaps += [f"{each.name}: {each.wrong}" for each in self._what_ifs if each.after is None]
        for gap in gaps:
            tell(f"htcq: {self._file_name}: {gap}")
        if gaps:
            return EXIT_UNKNOWN
        return marked(EXIT_FINE, audit.health)
