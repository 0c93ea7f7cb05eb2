"""The templates of HTCondor's metaknobs, from the library that the Python bindings load.

The bindings have no function for them; the library has param_meta_value
(src/condor_utils/param_info.h, 23.0 to 25.14).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from pathlib import Path

from htcq.live.parser_process import ParserProcess
from htcq.pool.metaknobs import Templates, Use, closure

_LIBRARY = "libcondor_utils"
#: ``const char * param_meta_value(const char * meta, const char * param, int * meta_id)``
_FUNCTION = "_Z16param_meta_valuePKcS0_Pi"


def read_templates(wanted: Iterable[Use]) -> Templates | None:
    """Return the templates of ``wanted``, and of all that these use in turn.

    None where the library does not say; one that HTCondor does not have is left out.

    Raises:
        BindingsError: the bindings cannot be imported.
    """
    found: Templates | None = ParserProcess(foreign=True).call(templates_here, list(wanted))
    return found


def templates_here(wanted: Iterable[Use]) -> Templates | None:
    """Return the same; only inside a :class:`ParserProcess`."""
    ask = _function()
    if ask is None:
        return None
    return closure(wanted, ask)


def _function() -> Callable[[str, str], str | None] | None:
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    path = next((line.split(maxsplit=5)[-1] for line in maps if _LIBRARY in line), None)
    # The library is loaded already: this is another handle of it.
    function = getattr(ctypes.CDLL(path), _FUNCTION, None) if path else None
    if function is None:
        return None
    function.restype = ctypes.c_char_p
    function.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)

    def template(category: str, name: str) -> str | None:
        text: bytes | None = function(category.encode(), name.encode(), None)
        return None if text is None else text.decode("utf-8", "replace")

    return template
