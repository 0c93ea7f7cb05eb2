"""htcq: claim capacity, consumption policies, slot weights and group quotas for HTCondor sites."""

__version__ = "1.0.1"
#: How every configuration file begins that htcq writes.
WRITTEN_BY = "# Written by htcq"
