"""Templates: strict, and a site's own come first."""

from __future__ import annotations

import time
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

    assert render("x.j2", values, site).startswith(
        "# me\n# Written by htcq 1 for a central manager"
    )


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
        ("{{ 7 * 71e999 }}", "cannot be rendered"),
    ],
)
def test_a_template_with_a_mistake_is_refused_by_place(
    text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(TemplateError) as refused:
        render("x.j2", {"value": "text"}, _site(tmp_path, text))

    assert said in str(refused.value)
    assert refused.value.hint


def test_every_template_opens_with_purpose_variables_and_oldest_htcondor() -> None:
    templates = sorted(template_directory().rglob("*.j2"))

    assert templates
    for path in templates:
        opening = path.read_text(encoding="utf-8").partition("#}")[0]
        assert [
            word
            for word in ("{#", "Purpose: ", "Variables: ", "Oldest HTCondor: ")
            if word not in opening
        ] == []


@pytest.mark.parametrize(
    "text",
    [
        "{{ value.__class__ }}",
        "{{ value.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.system('true') }}",
        "{{ value | attr('__class__') }}",
        "{{ '{0.__class__}'.format(value) }}",
        "{{ values.append(3) }}",
    ],
)
def test_a_template_reaches_nothing_but_its_variables(text: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateError) as refused:
        render("x.j2", {"value": "text", "values": []}, _site(tmp_path, text))

    assert "unsafe" in str(refused.value)
    assert refused.value.hint == "templates use their variables and nothing else"


@pytest.mark.parametrize(
    "text",
    ["{{ range(10**9) | list }}", "{{ 'a' * 10**9 }}", "{{ 10**9 * [1] }}", "{{ 9 ** (9 ** 9) }}"],
)
def test_a_small_template_makes_no_endless_text(text: str, tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(TemplateError, match=r"is too long|Range too big"):
        render("x.j2", {}, _site(tmp_path, text))

    assert time.monotonic() - began < 10


def configured(tmp_path: Path, template: str, **values: object) -> str:
    (tmp_path / "condor").mkdir()
    return render("condor/x.j2", values, _site(tmp_path, template, "condor/x.j2"))


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ value }} = 1\n", "include : /bin/false | #"),
        ("{{ value }} = 1\n", "@use ROLE: Execute #"),
        ("{{ value }} = 1\n", "ERROR : no #"),
        ("{{ value }} = 1\n", "if true #"),
        ("{{ value }}\n", "X @=end"),
        ("{{ value | upper }} = 1\n", "include : /bin/false | #"),
        ("include : {{ value }}\n", "/bin/false |"),
        ("X = {{ value }}\n", "$ENV(SECRET)"),
        ("X = {{ value.split(' ') | join('\\n') }}\n", "1 include:/bin/false|"),
        ("include : /etc/a\n{{ value }}\n", "include : /etc/b"),
    ],
)
def test_a_value_makes_no_command_that_the_template_does_not_have(
    template: str, value: str, tmp_path: Path
) -> None:
    with pytest.raises(TemplateError) as refused:
        configured(tmp_path, template, value=value)

    assert "which is a command to HTCondor" in str(refused.value)


@pytest.mark.parametrize("value", ["1\ninclude : /bin/false |", "1\r", "1 \\", "a\0", "a\x0cb"])
def test_a_value_stays_on_its_line(value: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="does not stay on its line"):
        configured(tmp_path, "X = {{ value[0] }}\n", value=[value])


def test_commands_of_the_template_itself_and_of_those_that_it_includes_stand(
    tmp_path: Path,
) -> None:
    (tmp_path / "condor").mkdir()
    _site(tmp_path, "if defined X\n  use ROLE: Execute\nendif\n", "condor/y.j2")
    _site(
        tmp_path,
        "{% include 'condor/y.j2' %}\nY = $INT({{ n }})\ninclude : /etc/a\n",
        "condor/x.j2",
    )

    assert "use ROLE: Execute" in render("condor/x.j2", {"n": 3}, tmp_path)
