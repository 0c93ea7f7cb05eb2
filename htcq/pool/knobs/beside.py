"""Knobs that change no match and that htcq reads: for the audit, for drift and for elastic quotas.

A part in angle brackets stands for a name of the site's own. ``tests/pool/test_knob_table.py``
fails where htcq reads a knob that no table has, and where no code reads one of these.
"""

from __future__ import annotations

_NAMES = """
CLASSAD_LIFETIME COLLECTOR_HOST CONDOR_HOST ENABLE_PERSISTENT_CONFIG ENABLE_RUNTIME_CONFIG
HTCQMODEL HTCQMODELHASH HTCQ_<name> IMMUTABLE_JOB_ATTRS JOB_TRANSFORM_<name> LOCAL_CONFIG_DIR
LOCAL_CONFIG_DIR_EXCLUDE_REGEXP LOCAL_CONFIG_FILE MAX_ACCOUNTANT_DATABASE_SIZE
NEGOTIATOR_UPDATE_INTERVAL PROTECTED_JOB_ATTRS REQUIRE_LOCAL_CONFIG_FILE SCHEDD_INTERVAL
SECURE_JOB_ATTRS SETTABLE_ATTRS_<level> <daemon>_SETTABLE_ATTRS_<level> STARTD_NAME
START_LOCAL_UNIVERSE START_SCHEDULER_UNIVERSE SUBMIT_REQUIREMENT_<name> UPDATE_INTERVAL
USER_CONFIG_FILE
"""
NAMES = tuple(_NAMES.split())
