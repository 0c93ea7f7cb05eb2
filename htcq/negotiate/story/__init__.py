"""Why a group gets what it gets, in sentences: its quota, its demand, what was left over, its turn and its limit."""
