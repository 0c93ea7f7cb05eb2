"""HTCondor's own configuration parser, through its Python bindings.

The parser ends the process at a syntax error (src/condor_utils/config.cpp, 25.14), so it runs in a child process
that answers through a pipe.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from htcq.errors import NESTED_VARIABLE, BindingsMissing, InputError

#: Appended to a text so that nothing of this machine's own configuration is read after it.
_ALONE = "\nUSER_CONFIG_FILE =\nLOCAL_CONFIG_FILE =\nLOCAL_CONFIG_DIR =\n"
_NO_BINDINGS = 42


def read_configuration(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` after ``text`` alone was read, macros expanded; undefined ones are left out.

    Raises:
        BindingsMissing: the bindings cannot be imported.
        InputError: HTCondor's parser refuses the text.
    """
    with tempfile.NamedTemporaryFile("w", prefix="htcq-", suffix=".config", encoding="utf-8") as file:
        file.write(text + _ALONE)
        file.flush()
        status, answer, complaint = _in_child(lambda: _values(names), {"CONDOR_CONFIG": file.name})
        if status == _NO_BINDINGS:
            raise BindingsMissing("htcondor2")
        if status:
            told = complaint.replace(file.name, "the text").strip().splitlines()
            raise InputError(f"HTCondor cannot read it: {' '.join(told[-2:])}", "mend the template that wrote it")
    return answer


def own_configuration(names: Sequence[str]) -> dict[str, str]:
    """Return the values of ``names`` in this machine's own HTCondor configuration; empty where there is none."""
    status, answer, _ = _in_child(lambda: _values(names), {NESTED_VARIABLE: "1"})
    return {} if status else answer


def _values(names: Sequence[str]) -> Mapping[str, str]:
    import htcondor2

    values = {name: htcondor2.param.get(name) for name in names}
    return {name: str(value) for name, value in values.items() if value is not None}


def _in_child(answer: Callable[[], Mapping[str, str]], environment: Mapping[str, str]) -> tuple[int, dict[str, str], str]:
    """Run ``answer`` in a child process; return its exit status, its answer and what it wrote to stderr."""
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    child = os.fork()
    if child == 0:
        _answer_and_exit(answer, environment, out_write, err_write)
    os.close(out_write)
    os.close(err_write)
    with os.fdopen(out_read, encoding="utf-8") as out, os.fdopen(err_read, encoding="utf-8", errors="replace") as err:
        answered, complaint = out.read(), err.read()
    _, status = os.waitpid(child, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1
    return code, json.loads(answered) if answered else {}, complaint


def _answer_and_exit(
    answer: Callable[[], Mapping[str, str]], environment: Mapping[str, str], out: int, err: int
) -> None:
    code = 1
    try:
        os.dup2(err, 2)
        if "CONDOR_CONFIG" in environment:
            # Values from the environment would win over the text that is being read.
            for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
                del os.environ[name]
        os.environ.update(environment)
        os.write(out, json.dumps(answer()).encode())
        code = 0
    except ImportError:
        code = _NO_BINDINGS
    finally:
        os._exit(code)


def configuration_directories(params: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the directories that HTCondor reads configuration files from (LOCAL_CONFIG_DIR)."""
    listed = params.get("LOCAL_CONFIG_DIR", "").replace(",", " ").split()
    return tuple(Path(each) for each in listed)
