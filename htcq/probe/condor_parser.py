"""The configuration parser of the HTCondor that is installed here, which may be older than the Python bindings."""

from __future__ import annotations

import tempfile

from htcq.errors import InputError
from htcq.probe.commands import run_tool


def check_with_installed_parser(text: str) -> bool:
    """Let ``condor_config_val`` read ``text`` alone; return whether there is one.

    Raises:
        InputError: it refuses the text.
    """
    with tempfile.NamedTemporaryFile("w", prefix="htcq-", suffix=".config", encoding="utf-8") as file:
        file.write(f"{text}\nUSER_CONFIG_FILE =\nLOCAL_CONFIG_FILE =\nLOCAL_CONFIG_DIR =\n")
        file.flush()
        answer = run_tool(["condor_config_val", "-root-config", file.name, "SLOT_WEIGHT"])
    if answer is None:
        return False
    if answer.status:
        said = answer.complaint.replace(file.name, "the text")
        raise InputError(f"the installed HTCondor cannot read it: {said}", "mend the template that wrote it")
    return True
