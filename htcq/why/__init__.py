"""Why a job waits: what stands between it and a start, in the order in which HTCondor meets it."""
