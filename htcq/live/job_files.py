"""The submit commands of a sweep's jobs, and their files by the key of the item.

Submit commands and their quoting as condor_submit(1) of HTCondor 25.14 and 23.9 takes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from htcq.errors import InputError

_LOG, _OUT, _ERR = ".log", ".out", ".err"


def log_of(directory: Path, key: str) -> Path:
    """Return the path of a job's event log; the file exists once the schedd has the job."""
    return directory / f"{key}{_LOG}"


def outputs_of(directory: Path, key: str) -> tuple[str, str]:
    """Return a job's standard output and standard error, empty where there is no file."""
    return _text(directory / f"{key}{_OUT}"), _text(directory / f"{key}{_ERR}")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def forget(directory: Path, key: str) -> None:
    """Remove the files of a job.

    The log goes last, since it marks a job whose files are still to be gathered.
    """
    for ending in (_OUT, _ERR, _LOG):
        (directory / f"{key}{ending}").unlink(missing_ok=True)


def cannot_be_passed(words: Sequence[str]) -> str:
    """Return the first of ``words`` that HTCondor would change on its way to a job, if any."""
    return next((word for word in words if "$$" in word or "$(dollar)" in word.lower()), "")


def job_item(key: str, words: Sequence[str], files: Sequence[str]) -> dict[str, str]:
    """Return the variables of the job that runs htcq with ``words`` on ``files``.

    The files have plain names.
    """
    words = [_quoted(word) for word in words]
    return {"htcq_key": key, "htcq_files": ",".join(files), "htcq_words": " ".join(words)}


def _quoted(word: str) -> str:
    """Return ``word`` in the new syntax of ``arguments`` (condor_submit(1)), safe from macros."""
    return "'" + word.replace("$", "$(DOLLAR)").replace('"', '""').replace("'", "''") + "'"


def job_commands(
    executable: str, directory: Path, token: str, name: str, retries: int, own: Mapping[str, str]
) -> dict[str, str]:
    """Return the submit description of all jobs, whose files are in ``directory``.

    Status 1 is a result, 2 is bad input: neither is tried again. ``own`` are the user's commands.

    Raises:
        InputError: HTCondor would not take ``directory`` for what it is.
    """
    place = str(directory)
    words = name.replace("$", " ").split()
    if "$" in place or not place.isprintable() or place != place.strip():
        raise InputError(f"{place!r} cannot be given to jobs", "choose a plain name for --results")
    return {
        "request_memory": "1024",
        **own,
        "executable": executable,
        "transfer_executable": "false",
        "arguments": '"$(htcq_words)"',
        "initialdir": place,
        "should_transfer_files": "YES",
        "when_to_transfer_output": "ON_EXIT",
        "transfer_input_files": "$(htcq_files)",
        "transfer_output_files": "",
        "output": f"$(htcq_key){_OUT}",
        "error": f"$(htcq_key){_ERR}",
        "log": f"$(htcq_key){_LOG}",
        "batch_name": " ".join(filter(str.isprintable, words)),
        "max_retries": str(retries),
        "retry_until": "ExitCode =?= 1 || ExitCode =?= 2",
        "notification": own.get("notification", "never"),
        "My.HtcqSweep": f'"{token}"',
        "My.HtcqKey": '"$(htcq_key)"',
    }
