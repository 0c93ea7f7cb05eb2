"""The configuration parser of the installed HTCondor, which may be older than the bindings."""

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
        complaint = answer.complaint.replace(str(file), "the text")
        raise InputError(
            f"the installed HTCondor cannot read it: {complaint}", "fix the template that wrote it"
        )
    return True


def place_by_tool(name: str, subsystem: str) -> str:
    """Return file and line of the value of a daemon's knob, empty where not known.

    ``name`` is that of the knob, ``subsystem`` that of the daemon.
    """
    answer = run_tool(["condor_config_val", "-subsystem", subsystem, "-verbose", name])
    if answer is None or answer.status:
        return ""
    found = assignments(answer.output)
    if not found:
        return ""
    return found[0].place
