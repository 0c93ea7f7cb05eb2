"""Profiles of an audit: how much the site file may change of what it finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from htcq.audit.engine import Verdict
from htcq.audit.rule import AnyRule
from htcq.errors import InputError
from htcq.settings import AuditSettings
from htcq.spelling import did_you_mean

SITE = "site"


@dataclass(frozen=True)
class Profile:
    """What gives exit status 1, and whether the site file may leave out and lower findings.

    ``fail_on`` is a severity; empty: what the site file says.
    """

    fail_on: str = ""
    lenient: bool = True

    def settings(self, site: AuditSettings) -> AuditSettings:
        """Return what the site file says, as far as it may disable rules."""
        if self.lenient:
            return site
        return AuditSettings()

    def verdicts(
        self, site: Mapping[str, Verdict], rules: Iterable[AnyRule]
    ) -> Mapping[str, Verdict]:
        """Return the site's verdicts; where it may not lower findings, only those that raise."""
        if self.lenient:
            return site
        raised: dict[str, Verdict] = {}
        for rule in rules:
            severity = site.get(rule.id, Verdict()).severity
            if severity is not None and severity > rule.severity:
                raised[rule.id] = Verdict(severity=severity)
        return raised


PROFILES = {
    "minimal": Profile("error"),
    SITE: Profile(),
    "strict": Profile("warning", lenient=False),
}


def profile(name: str) -> Profile:
    """Return the profile ``name``.

    Raises:
        InputError: there is none.
    """
    found = PROFILES.get(name)
    if found is None:
        words = ", ".join(PROFILES)
        raise InputError(
            f"there is no profile '{name}'", did_you_mean(name, PROFILES, f"they are {words}")
        )
    return found
