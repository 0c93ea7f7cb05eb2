"""The frame of every page: what it holds runs and loads nothing but its own style and script."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from htcq.errors import TemplateError
from htcq.report.charts.pictures import Pictures
from htcq.report.formats.html import page
from htcq.report.pages.audit import audit_page
from htcq.report.pages.quota import quota_page
from tests.poolquota.looks import busy
from tests.report.audits import NOTHING

_PAGES = {
    "audit": lambda: audit_page(NOTHING, Pictures()),
    "quota": lambda: quota_page([(busy(), None)]),
}


@pytest.fixture(params=_PAGES, ids=_PAGES)
def text(request: pytest.FixtureRequest) -> str:
    return _PAGES[str(request.param)]()


def test_only_the_style_and_the_script_of_the_page_are_allowed(text: str) -> None:
    policy = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[0].replace(
        "&#39;", "'"
    )
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)

    def digest(inner: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()}'"

    assert policy.split("; ") == [
        "default-src 'none'",
        "img-src data:",
        f"style-src {digest(style)}",
        f"script-src {digest(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_no_element_has_a_style_or_a_handler_of_its_own(text: str) -> None:
    """The policy would block them: they would do nothing."""
    assert re.findall(r"<[^>]+\s(?:style|on[a-z]+)=", text) == []


def test_the_page_of_an_unknown_name_is_refused() -> None:
    with pytest.raises(TemplateError):
        page("no-such-page", {})
