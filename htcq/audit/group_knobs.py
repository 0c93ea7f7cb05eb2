"""Sound knobs of groups: the list of groups, and quotas that the negotiator accepts.

Several findings may concern one list or one quota; all of them propose the same value, which
fixes all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import product
from weakref import WeakKeyDictionary

from htcq.audit.evidence import Evidence
from htcq.audit.fix import Setting
from htcq.audit.fix_settings import central
from htcq.audit.policies import number
from htcq.htcondor.knob_names import GROUP_STEMS, lacks_underscore, names_that_matter, stem_of
from htcq.pool.configuration import LEGAL_NAME, Knob
from htcq.quota.group_tree import MAX_QUOTA, ROOT, name_key
from htcq.quota.knobs import TreeProblem
from htcq.spelling import nearest

_NAMES = "GROUP_NAMES"
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SHARE, _AMOUNT = "GROUP_QUOTA_DYNAMIC_", "GROUP_QUOTA_"
#: Knobs that begin like the quota of a group, and are for all groups.
_OF_ALL = ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "GROUP_QUOTA_ROUND_ROBIN_RATE")
#: Added to a share, so that rounding does not leave its product a little below a whole number.
_DUST = 1e-6
#: The results by pool: many findings of one audit propose them.
_known: WeakKeyDictionary[Evidence, tuple[Setting, ...]] = WeakKeyDictionary()
_near: WeakKeyDictionary[Evidence, dict[str, str]] = WeakKeyDictionary()


def default_of(evidence: Evidence, knob: str) -> str:
    """Return HTCondor's default of a knob of the central manager.

    It is empty where it is not known; an empty value removes the knob.
    """
    if evidence.pool.central is None:
        return ""
    return evidence.pool.central.defaults.get(knob.upper(), "")


def sound_groups(evidence: Evidence) -> tuple[Setting, ...]:
    """Return the list of groups with all that have knobs or subgroups, and quotas of added ones."""
    if evidence not in _known:
        _known[evidence] = _sound_groups(evidence)
    return _known[evidence]


def _sound_groups(evidence: Evidence) -> tuple[Setting, ...]:
    listed = _listed(evidence)
    names: dict[bytes, str] = {}
    for name in [*listed, *_unlisted(evidence)]:
        if name_key(name) == name_key(ROOT):
            continue
        for each in (*_above(name), name):
            names.setdefault(name_key(each), each)

    settings = [central(evidence, _NAMES, ", ".join(names.values()))]
    known = {name_key(name) for name in listed}
    for key, name in names.items():
        if key not in known:
            settings += _quota_above(evidence, name, names.values())
    return tuple(settings)


def of_unknown_group(evidence: Evidence, knob: Knob) -> tuple[Setting, ...]:
    """Return the settings that fix a knob of a group that is not listed.

    The knob moves to a listed group of a near name; without one, the list of groups is fixed.
    """
    near = near_group_knob(evidence, knob)
    if not near:
        return sound_groups(evidence)
    removed = central(evidence, knob.bare, "")
    if evidence.setting(near).strip():
        return (removed,)
    value = " ".join((knob.raw or knob.value).split())
    return central(evidence, near, value), removed


def near_group_knob(evidence: Evidence, knob: Knob) -> str:
    """Return the knob of a listed group with a name near that of ``knob``; empty without one."""
    found = _near.setdefault(evidence, {})
    if knob.name not in found:
        pairs = product(_listed(evidence), GROUP_STEMS)
        known = [f"{stem}_{group}" for group, stem in pairs]
        found[knob.name] = nearest(knob.bare, known)
    return found[knob.name]


def whole_quota(evidence: Evidence, name: str) -> tuple[Setting, ...]:
    """Return the quota of a group raised to a whole number; nothing where it has none."""
    quotas = evidence.quotas
    group, quota = quotas.tree[name], quotas.quota(name).quota
    if name == ROOT or quota <= 0 or group.config_quota <= 0:
        return ()
    if group.static:
        return (central(evidence, f"{_AMOUNT}{name}", str(math.ceil(group.config_quota))),)
    share = min(1.0, group.config_quota * math.ceil(quota) / quota + _DUST)
    return (central(evidence, f"{_SHARE}{name}", f"{share:.6f}"),)


def in_range(evidence: Evidence, problem: TreeProblem) -> tuple[Setting, ...]:
    """Return the probable meaning of a value on which the negotiator crashes; else the default."""
    knob, text = problem.knob, problem.value
    upper = knob.upper()
    found = _NUMBER.search(text)
    if problem.kind == "not-a-boolean":
        value = default_of(evidence, knob) or "False"
    elif upper in _OF_ALL or not upper.startswith(_AMOUNT) or found is None:
        value = default_of(evidence, knob)
    elif upper.startswith(_SHARE):
        value = number(_share(float(found.group()), "%" in text))
    else:
        value = number(_amount(evidence, float(found.group()), "%" in text))
    return (central(evidence, knob, value),)


def _share(amount: float, percent: bool) -> float:
    """Return a share from 0 to 1; whole numbers above 1 are percentages."""
    if percent or (1 < amount <= 100 and amount == int(amount)):
        amount /= 100
    return min(amount, 1.0)


def _amount(evidence: Evidence, amount: float, percent: bool) -> float:
    pool = 0.0
    if evidence.pool.slots:
        pool = evidence.quotas.inputs.pool_weight
    if percent:
        return float(math.floor(pool * min(amount, 100.0) / 100))
    if amount > MAX_QUOTA:
        return float(math.floor(pool))
    return amount


def _listed(evidence: Evidence) -> list[str]:
    return evidence.setting(_NAMES).replace(",", " ").split()


def _above(name: str) -> Iterator[str]:
    """Yield the groups above ``name``, the highest first."""
    parts = name.split(".")
    for count in range(1, len(parts)):
        yield ".".join(parts[:count])


def _unlisted(evidence: Evidence) -> Iterator[str]:
    """Yield the groups that have a knob, are not listed, and have no name near a listed one."""
    configuration = evidence.pool.central
    if configuration is None:
        return
    known_knobs = names_that_matter(configuration.defaults)
    known = {name_key(name) for name in _listed(evidence)}
    for knob in configuration:
        own = knob.bare
        stem = stem_of(own)
        is_of_a_group = stem in GROUP_STEMS and own.upper() not in known_knobs
        if not is_of_a_group or not knob.value.strip() or (not known and lacks_underscore(own)):
            continue
        groups = [
            own[len(each) + 1 :] for each in GROUP_STEMS if own.upper().startswith(f"{each}_")
        ]
        is_listed = any(name_key(group) in known for group in groups)
        if not is_listed and not near_group_knob(evidence, knob):
            yield own[len(stem) + 1 :]


def _quota_above(evidence: Evidence, name: str, names: Iterable[str]) -> Iterator[Setting]:
    """Yield the quota of a group that was not listed: the sum of the amounts of its children."""
    if not LEGAL_NAME.match(name):
        return
    if evidence.setting(f"{_AMOUNT}{name}").strip() or evidence.setting(f"{_SHARE}{name}").strip():
        return
    total = 0.0
    for below in names:
        if name_key(below.rpartition(".")[0]) != name_key(name):
            continue
        found = _NUMBER.fullmatch(evidence.setting(f"{_AMOUNT}{below}").strip())
        if found is not None:
            total += float(found.group())
    if total > 0:
        yield central(evidence, f"{_AMOUNT}{name}", number(total))
