"""The schemas of files: examples of this repository are right, what htcq refuses for its structure is wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from htcq.errors import HtcqError
from htcq.settings import settings_from
from htcq.settings.elastic import quotas_from
from tests.docs.documents import PAGES, README, ROOT, examples
from tests.pins.places import TEXTS
from tests.schemas.validation import objections, plain

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_HEREDOC = re.compile(r"cat > ([\w.-]+\.toml) <<\S+\n(.*?)^EOF$", re.MULTILINE | re.DOTALL)
_READERS: dict[str, Callable[[Any], Any]] = {
    "htcq.toml": settings_from,
    "elastic.toml": lambda content: quotas_from(content, "elastic.toml"),
}


def _texts() -> Iterator[tuple[str, str]]:
    """Yield every TOML text of the repository that is an example, with the place where it stands."""
    for path in sorted(ROOT.glob("contrib/**/*.toml")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for document in (*PAGES, README):
        for example in examples(document):
            if example.file.endswith(".toml"):
                yield f"{document.name}: {example.file}", example.printed
            for name, text in _HEREDOC.findall(example.command):
                yield f"{document.name}: {name}", text
    for name, text in TEXTS.items():
        if name.endswith(".toml") and name != "bad.toml":
            yield f"tests/pins: {name}", text


def _read(name: str, content: Any) -> bool:
    """Return whether htcq reads ``content`` as a file of that schema."""
    try:
        _READERS[name](content)
    except HtcqError:
        return False
    return True


EXAMPLES = [(place, tomllib.loads(text)) for place, text in _texts()]


@pytest.mark.parametrize(("place", "content"), EXAMPLES, ids=[place for place, _ in EXAMPLES])
def test_what_htcq_reads_is_what_the_schema_says(place: str, content: Any) -> None:
    for name in _READERS:
        if _read(name, content):
            assert objections(name, plain(content)) == []


def test_there_are_examples_of_both_files_in_contrib_readme_and_manual() -> None:
    found = {
        name: [place for place, content in EXAMPLES if content and _read(name, content)]
        for name in _READERS
    }

    assert len(found["htcq.toml"]) >= 20
    assert len(found["elastic.toml"]) >= 8
    for beginning in ("contrib/", "README.md", "htcq.toml.5", "tests/pins"):
        assert any(place.startswith(beginning) for place in found["htcq.toml"]), beginning
    assert any(place.startswith("htcq-elastic.1") for place in found["elastic.toml"])


BAD_SITE: dict[str, Any] = {
    "an unknown key": {"capactiy": {}},
    "an unknown key of the model": {"capacity": {"modle": "linear"}},
    "an unknown model": {"capacity": {"model": "round"}},
    "two ways to name a model": {"capacity": {}, "slot_types": {"1": {}}},
    "a slot type 10": {"slot_types": {"10": {}}},
    "no slots": {"slot_types": {"1": {"count": 0}}},
    "jobs in a text": {"jobs": "cpus=1"},
    "claims in a text": {"capacity": {"model": "fixed", "claims": "8"}},
    "a word for a truth": {"literal": "yes"},
    "an unknown key of a kind": {"nodes": {"gpu": {"match": "true", "matches": "true"}}},
    "an unknown key of a rule": {"audit": {"rules": {"fractional-cpus": {"disabled": True}}}},
    "subjects that are no list": {"audit": {"rules": {"fractional-cpus": {"only": "slot *"}}}},
    "a quota below 0": {"groups": {"a": {"quota": -1}}},
    "a share above 1": {"groups": {"a": {"b": {"share": 1.5}}}},
    "a quota and a share": {"groups": {"a": {"quota": 1, "share": 0.5}}},
    "an unknown key of a group": {"groups": {"a": {"qouta": 1}}},
    "a date that is none": {"groups": {"a": {"quota": 1, "expires": "2027-02-30"}}},
    "no round at all": {"quotas": {"max_allocation_rounds": 0}},
    "an unknown knob": {"quotas": {"max_rounds": 2}},
    "a time in seconds": {"drift": {"keep_fine": 86400}},
    "a time in months": {"drift": {"keep_fine": "2m"}},
}
BAD_QUOTAS: dict[str, Any] = {
    "an unknown key": {"group": {}},
    "a fraction": {"groups": {"a": {"min": {"cpus": 1.5}}}},
    "a min without limit": {"groups": {"a": {"min": {"cpus": "unlimited"}}}},
    "an amount without a dimension": {"groups": {"a": {"max": 5}}},
    "an unknown key of a group": {"groups": {"a": {"minimum": {"cpus": 1}}}},
    "a rounding that is none": {"elastic": {"rounding": "up"}},
    "a part above 1": {"elastic": {"write": {"offer_step": 1.5}}},
    "a time without a unit": {"elastic": {"write": {"plan_age": "600"}}},
    "an unknown key of writing": {"elastic": {"write": {"holdd": "600s"}}},
    "an unknown key of reclaim": {"elastic": {"reclaim": {"over": "600s"}}},
    "no batch": {"elastic": {"reclaim": {"batch": 0}}},
    "a tree within a tree": {"trees": {"one": {"trees": {}}}},
}


@pytest.mark.parametrize(
    ("name", "content"),
    [("htcq.toml", each) for each in BAD_SITE.values()]
    + [("elastic.toml", each) for each in BAD_QUOTAS.values()],
    ids=[*BAD_SITE, *(f"quotas: {each}" for each in BAD_QUOTAS)],
)
def test_what_htcq_refuses_is_refused(name: str, content: Any) -> None:
    assert not _read(name, content)
    assert objections(name, content) != []


@pytest.mark.parametrize(
    "content", [{"capacity": {"preset": "disk-centric"}}, {"audit": {"fail_on": "fatal"}}]
)
def test_a_word_that_only_its_command_refuses_is_refused(content: Any) -> None:
    assert objections("htcq.toml", content) != []


def test_a_date_of_toml_is_one() -> None:
    assert objections("htcq.toml", plain({"groups": {"a": {"expires": date(2027, 3, 31)}}})) == []
