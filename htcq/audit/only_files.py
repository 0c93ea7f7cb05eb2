"""What evidence that is configuration files alone lacks, in words that name the option for it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from htcq.audit.input import Input

#: What else configuration files may be given with, and what only a pool has.
_WORDS = {
    Input.CENTRAL: "the configuration of a central manager (--role central)",
    Input.ACCESS: "the configuration of an access point (--role access)",
    Input.EXECUTE: "the configuration of an execution point (--role execute)",
    Input.SLOTS: "the hardware of the execution point (--node FILE)",
    Input.SHAPES: "the hardware of the execution point (--node FILE)",
}
_OF_NODES = {Input.SLOTS, Input.SHAPES}
_A_POOL = "a pool (--pool or --snapshot)"


def words_for(lacking: AbstractSet[Input], is_execution_point: bool) -> str:
    """Return the first that is missing: a pool, another role of the machine, or its hardware."""
    if not lacking <= _WORDS.keys():
        return _A_POOL
    if lacking & _OF_NODES and not is_execution_point:
        return _WORDS[Input.EXECUTE]
    return next((words for need, words in _WORDS.items() if need in lacking), "")
