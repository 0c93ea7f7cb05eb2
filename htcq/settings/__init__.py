"""The site file ``htcq.toml`` and the words of the command line that mean the same."""

from htcq.settings.amounts import check_shapes as check_shapes
from htcq.settings.amounts import parse_part as parse_part
from htcq.settings.amounts import parse_shape as parse_shape
from htcq.settings.choices import CHOICE_KEYS as CHOICE_KEYS
from htcq.settings.choices import Given as Given
from htcq.settings.drift import DRIFT_KEYS as DRIFT_KEYS
from htcq.settings.drift import DriftSettings as DriftSettings
from htcq.settings.durations import parse_duration as parse_duration
from htcq.settings.groups import GROUP_KEYS as GROUP_KEYS
from htcq.settings.groups import DeclaredGroup as DeclaredGroup
from htcq.settings.groups import GroupSettings as GroupSettings
from htcq.settings.quota_knobs import QUOTA_KEYS as QUOTA_KEYS
from htcq.settings.rules import AUDIT_KEYS as AUDIT_KEYS
from htcq.settings.rules import RULE_KEYS as RULE_KEYS
from htcq.settings.rules import AuditSettings as AuditSettings
from htcq.settings.rules import RuleSettings as RuleSettings
from htcq.settings.site import SLOT_KEYS as SLOT_KEYS
from htcq.settings.site import TOP_KEYS as TOP_KEYS
from htcq.settings.site import Settings as Settings
from htcq.settings.site import settings_from as settings_from
