"""What HTCondor's parser says of a configuration, asked once for each text.

The parser runs in a process of its own. Forked from a process that holds thousands of tests it costs more than most of
them, and small pools have the same few configurations. What the parser says depends on what it is asked and on nothing
else: it sees neither the environment nor the files of this machine.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Sequence

from htcq.live.configuration import Dump
from htcq.live.configuration import read_dump as asked
from htcq.pool.precedence import Reading


def read_dump(text: str, names: Sequence[str], of_daemons: Sequence[Reading] = ()) -> Dump:
    """Return what ``htcq.live.configuration.read_dump`` returns; it is the caller's own."""
    found: Dump = pickle.loads(_answer(pickle.dumps((text, names, of_daemons))))
    return found


@functools.lru_cache(maxsize=512)
def _answer(question: bytes) -> bytes:
    return pickle.dumps(asked(*pickle.loads(question)))
