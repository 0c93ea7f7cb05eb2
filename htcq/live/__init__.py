"""The one doorway to HTCondor's Python bindings (``htcondor2``)."""
