"""The configuration parser of the HTCondor that is installed here, which may be older than the Python bindings."""

from __future__ import annotations

from htcq.errors import InputError
from htcq.passing import temporary_directory
from htcq.pool.configuration import assignments
from htcq.probe.commands import run_tool


def check_with_installed_parser(text: str) -> bool:
    """Let ``condor_config_val`` read ``text`` alone; return whether there is one.

    Raises:
        InputError: it refuses the text.
    """
    with temporary_directory() as directory:
        file = directory / "text.config"
        file.write_text(
            f"{text}\nUSER_CONFIG_FILE =\nLOCAL_CONFIG_FILE =\nLOCAL_CONFIG_DIR =\n",
            encoding="utf-8",
        )
        answer = run_tool(["condor_config_val", "-root-config", str(file), "SLOT_WEIGHT"])
    if answer is None:
        return False
    if answer.status:
        said = answer.complaint.replace(str(file), "the text")
        raise InputError(
            f"the installed HTCondor cannot read it: {said}", "fix the template that wrote it"
        )
    return True


def place_by_tool(name: str, subsystem: str) -> str:
    """Return file and line that give the knob ``name`` its value for the daemon ``subsystem``; empty if not known."""
    answer = run_tool(["condor_config_val", "-subsystem", subsystem, "-verbose", name])
    found = assignments(answer.output) if answer is not None and not answer.status else []
    return found[0].place if found else ""
