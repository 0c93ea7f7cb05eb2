"""The pages of one pool that belong together: their files, and the links that each of them has."""

from __future__ import annotations

from htcq.report.formats.html import Link

OVERVIEW, GROUPS, MACHINES, JOBS, AUDIT, DRIFT, ELASTIC, WHAT_IFS = (
    "index.html",
    "groups.html",
    "machines.html",
    "jobs.html",
    "audit.html",
    "drift.html",
    "elastic.html",
    "what-ifs.html",
)
#: The files and what the pages are called, in the order of the links.
PAGES = {
    OVERVIEW: "Overview",
    GROUPS: "Groups",
    MACHINES: "Machines",
    JOBS: "Jobs and waits",
    AUDIT: "Audit",
    DRIFT: "Drift and history",
    ELASTIC: "Elastic quotas",
    WHAT_IFS: "What-ifs",
}


def links_of(file: str) -> tuple[Link, ...]:
    """Return the links of the page ``file``."""
    return tuple(Link(each, name, each == file) for each, name in PAGES.items())
