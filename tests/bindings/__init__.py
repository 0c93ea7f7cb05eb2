"""HTCondor's Python bindings of every series, from the wheels that contrib/lock/bindings names."""
