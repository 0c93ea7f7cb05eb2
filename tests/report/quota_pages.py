"""Looks at made-up pools for tests of the page: large numbers, long names, and names that would break out."""

from __future__ import annotations

from dataclasses import replace

from htcq.poolquota.report import PoolQuotaReport
from tests.audit.rules.quota.groups import wants
from tests.poolquota.looks import group_ad, look

#: Without blanks and dots: GROUP_NAMES is a list of words, and a dot stands between a group and its
#: subgroup.
SCRIPT = "<script>document['title']='stolen'</script>"
LONG = "group_physics.production.a_group_with_quite_a_long_name_of_its_own"
CONFIG = f"""
GROUP_NAMES = group_physics, group_physics.production, {LONG}, group_physics.analysis, group_chemistry, \
group_chemistry.{SCRIPT}, group_biology
GROUP_QUOTA_DYNAMIC_group_physics = 0.6
GROUP_QUOTA_DYNAMIC_group_chemistry = 0.4
GROUP_QUOTA_group_physics.production = 4000
GROUP_QUOTA_DYNAMIC_group_physics.analysis = 0.29
GROUP_QUOTA_{LONG} = 1000
GROUP_QUOTA_group_biology = 7
GROUP_ACCEPT_SURPLUS = True
GROUP_ACCEPT_SURPLUS_group_chemistry = False
"""
_ADS = (
    wants("group_physics.analysis", 6000, 1200),
    wants("group_physics.production", 2000),
    wants("group_chemistry", 900, 500),
    wants("group_chemistry.ghost", 2, 1, "eve"),
    group_ad("<none>", SubtreeQuota="10000.0"),
    group_ad("group_physics.analysis", EffectiveQuota="1500.0", WeightedResourcesUsed="1200.0"),
    group_ad("group_chemistry", WeightedResourcesUsed="512.5"),
)
CHANGES = (
    ("GROUP_QUOTA_DYNAMIC_group_physics.analysis", "0.3"),
    ("GROUP_QUOTA_group_physics.production", "3000"),
)


def _site(config: str) -> PoolQuotaReport:
    given = look(config, *_ADS, weight=10000)
    return replace(
        given, source="cm.example.net", taken="2026-11-02T08:15:00+00:00", negotiator="west"
    )


SITE = _site(CONFIG)
CHANGED = _site(
    CONFIG.replace("0.29", "0.3")
    .replace("= 4000", "= 3000")
    .replace("group_biology", "group_botany")
)
OTHER = replace(look("GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n", wants("a", 7)), source="b.example.net")
PLAIN = replace(look("", wants("", 5)), source="plain.example.net")
