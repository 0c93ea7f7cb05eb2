"""Templates: strict, and a site's own come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from htcq.errors import TemplateError
from htcq.templating import render, template_directory


def _site(tmp_path: Path, text: str, name: str = "x.j2") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path


def test_a_site_may_replace_one_template_and_include_the_others(tmp_path: Path) -> None:
    site = _site(tmp_path, "# {{ who }}\n{% include 'condor/central.config.j2' %}")
    values = {"who": "me", "htcq": "1", "model": "m", "splitting": "scheduler", "weight": "Cpus"}

    assert render("x.j2", values, site).startswith("# me\n# Written by htcq 1 for a central manager")


def test_html_is_escaped_and_configuration_is_not(tmp_path: Path) -> None:
    for name, expected in (("x.html.j2", "&lt;b&gt;"), ("x.config.j2", "<b>")):
        assert expected == render(name, {"value": "<b>"}, _site(tmp_path, "{{ value }}", name))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{{ value.nothing }}", "has no attribute 'nothing'"),
        ("{{ value | nothing }}", "No filter named 'nothing'"),
        ("{% for %}", "line 1"),
        ("{% include 'gone.j2' %}", "gone.j2 is not there"),
        ("{{ 1 // 0 }}", "cannot be rendered"),
        ("{{ value + 1 }}", "cannot be rendered"),
    ],
)
def test_a_template_with_a_mistake_is_refused_by_place(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateError) as refused:
        render("x.j2", {"value": "text"}, _site(tmp_path, text))

    assert said in str(refused.value)
    assert refused.value.hint


def test_every_template_opens_with_purpose_variables_and_oldest_htcondor() -> None:
    templates = sorted(template_directory().rglob("*.j2"))

    assert templates
    for path in templates:
        opening = path.read_text(encoding="utf-8").partition("#}")[0]
        assert [word for word in ("{#", "Purpose: ", "Variables: ", "Oldest HTCondor: ") if word not in opening] == []
