"""Whether two daemons can agree on authentication, encryption and integrity before they talk.

Follows src/condor_io/condor_secman.cpp (ReconcileSecurityAttribute, ReconcileMethodLists,
getSecSetting) and src/condor_utils/condor_perms.cpp, HTCondor 25.8. What a configuration does not
set is not judged: defaults of methods depend on what a machine has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from htcq.pool.configuration import Configuration, Knob

REQUIRED, NEVER = "REQUIRED", "NEVER"
#: A level is known by its first letter.
_LEVELS = {"R": REQUIRED, "Y": REQUIRED, "T": REQUIRED, "N": NEVER, "F": NEVER}
_TOKEN = "TOKEN"
_TOKENS = frozenset(("TOKENS", "IDTOKEN", "IDTOKENS"))
#: Where the setting of a level of access is looked up besides.
_BESIDES = {"ADVERTISE_STARTD": ("DAEMON",), "ADVERTISE_SCHEDD": ("DAEMON",)}
_FEATURES = ("AUTHENTICATION", "ENCRYPTION", "INTEGRITY")


class Party(NamedTuple):
    """A daemon that asks or answers: its name in a sentence, its machine, its configuration.

    ``level`` is the level of access by which it looks up its settings: CLIENT where it asks.
    """

    name: str
    machine: str
    configuration: Configuration
    level: str = "CLIENT"


class Conflict(NamedTuple):
    """Why two daemons do not talk, and the knobs of both."""

    text: str
    knobs: tuple[Knob, ...]


def conflicts(client: Party, server: Party) -> Iterator[Conflict]:
    """Yield why ``client`` cannot send commands to ``server``."""
    if _is_family(client, server):
        return
    for feature in _FEATURES:
        own, other = _setting(client, feature), _setting(server, feature)
        if own is None or other is None or {_level(own), _level(other)} != {REQUIRED, NEVER}:
            continue
        text = f"{_shown(client, own)}, and {_shown(server, other)}"
        yield Conflict(f"{text}: they agree on no {feature.lower()}", (own, other))
    own, other = (_setting(each, "AUTHENTICATION_METHODS") for each in (client, server))
    if own is None or other is None or _methods(own) & _methods(other):
        return
    found = (_setting(each, "AUTHENTICATION") for each in (client, server))
    levels = [each for each in found if each is not None]
    if {_level(each) for each in levels} & {REQUIRED, NEVER} == {REQUIRED}:
        yield Conflict(
            f"{_shown(client, own)}, and {_shown(server, other)}: they have no method of "
            "authentication in common, and one of them requires authentication",
            (own, other, *levels),
        )


def _is_family(client: Party, server: Party) -> bool:
    """Return whether both may be children of one condor_master, which gives them a session."""
    both = (client.configuration, server.configuration)
    return client.machine == server.machine and all(
        each.truth("SEC_USE_FAMILY_SESSION", True) for each in both
    )


def _setting(party: Party, feature: str) -> Knob | None:
    for level in (party.level, *_BESIDES.get(party.level, ()), "DEFAULT"):
        found = party.configuration.knob(f"SEC_{level}_{feature}")
        if found is not None and found.value.strip():
            return found
    return None


def _level(knob: Knob) -> str:
    return _LEVELS.get(knob.value.strip()[:1].upper(), "")


def _methods(knob: Knob) -> frozenset[str]:
    names = knob.value.upper().replace(",", " ").split()
    return frozenset(_TOKEN if name in _TOKENS else name for name in names)


def _shown(party: Party, knob: Knob) -> str:
    return f"{party.name} has {knob.name} = {knob.value.strip()}"
