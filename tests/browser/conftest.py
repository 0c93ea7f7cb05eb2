"""A headless Chromium that reports what its pages ask the network for and what they complain about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


#: Every element with text of its own: its text, colour and the colour behind it; WCAG 2.1 contrast
#: ratios.
_CONTRASTS = """
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const [r, g, b] = parts(colour).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (one, other) => {
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
};
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if ((parts(colour)[3] ?? 1) > 0) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const colour = ([selector, property]) => selector ? getComputedStyle(document.querySelector(selector))[property]
  : behind(document.body);
if (arguments[0]) return arguments[0].map(([one, other]) => ratio(colour(one), colour(other)));
return [...document.querySelectorAll('body *')]
  .filter((each) => !each.closest('svg, script') && each.checkVisibility())
  .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
  .map((each) => [each.textContent.trim().slice(0, 40), ratio(getComputedStyle(each).color, behind(each))]);
"""
#: The selector of something in a picture and the property that has its colour; the page itself has
#: neither.
Shape = tuple[str, str]
PAGE: Shape = ("", "")


class Browser:
    """A page in a window of some size, in light or dark."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(
        self, page: Path, width: int = 1280, scheme: str = "light", media: str = "screen"
    ) -> None:
        """Open ``page`` anew, forgetting what former pages asked for."""
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self._command("Emulation.setDeviceMetricsOverride", **metrics)
        self.emulate(scheme, media)
        self._command("Emulation.setScriptExecutionDisabled", value=False)
        self.driver.get("about:blank")
        self.complaints()
        self.requests()
        self.driver.get(page.as_uri())

    def emulate(self, scheme: str, media: str = "screen") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._command("Emulation.setEmulatedMedia", media=media, features=features)

    def without_scripts(self, page: Path) -> None:
        self.open(page)
        self._command("Emulation.setScriptExecutionDisabled", value=True)
        self.driver.get(page.as_uri())
        # What looks at the page is a script as well; those of the page did not run when it was
        # loaded.
        self._command("Emulation.setScriptExecutionDisabled", value=False)

    def run(self, script: str, *arguments: object) -> Any:
        """Return what the JavaScript function body ``script`` returns."""
        return self.driver.execute_script(script, *arguments)

    def scrolling(self) -> int:
        """Return how many elements of the page are narrower than what is in them, and do not let it stand out."""
        wide = (
            "return [...document.querySelectorAll('main *')].filter((each) => each.scrollWidth > "
            "each.clientWidth + 1"
        )
        count = self.run(
            f"{wide} && getComputedStyle(each).overflowX !== 'visible' && each.clientWidth > "
            "1).length"
        )
        return int(count)

    def brightness(self, page: Path, scheme: str) -> int:
        """Return how bright the background of ``page`` is: 0 is black, 765 is white."""
        self.open(page, scheme=scheme)
        colour = self.run("return getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3]))

    def first_by_keyboard(self, page: Path) -> WebElement:
        """Return what the first press of the tabulator key in ``page`` comes to."""
        self.open(page)
        self.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
        return self.driver.switch_to.active_element

    def contrasts(self) -> list[tuple[str, float]]:
        """Return every text that is to be seen with its contrast."""
        return [(text, ratio) for text, ratio in self.run(_CONTRASTS)]

    def contrasts_of_bars(self) -> list[float]:
        """Return the contrasts of what a bar shows with what is behind it."""
        used, asked = (".bar .used", "fill"), (".bar .asked", "fill")
        return self.contrasts_of([(used, PAGE), (used, asked), ((".bar .quota", "stroke"), asked)])

    def contrasts_of(self, pairs: Sequence[tuple[Shape, Shape]]) -> list[float]:
        """Return the contrast within each pair of shapes."""
        return list(self.run(_CONTRASTS, [list(pair) for pair in pairs]))

    def title_after_a_script_of_somebody_else(self, page: Path) -> str:
        """Return the title of ``page`` with a script in it that would change that."""
        text = page.read_text(encoding="utf-8")
        page.write_text(
            text.replace("<main>", "<main><script>document.title = 'stolen'</script>"),
            encoding="utf-8",
        )
        self.open(page)
        return self.driver.title

    def complaints(self) -> list[str]:
        """Return what came up on the console since this was last asked."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return every address that was asked for since this was last asked."""
        messages = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        return [
            each["params"]["request"]["url"]
            for each in messages
            if each["method"] == "Network.requestWillBeSent"
        ]

    def _command(self, name: str, **parameters: object) -> Any:
        return self.driver.execute_cdp_cmd(name, parameters)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield Browser(driver)
    driver.quit()
