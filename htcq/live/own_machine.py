"""This machine's own HTCondor: its configuration in effect, its startd, its negotiator's files.

Everything here runs in a child process: the parser ends a process at a mistake, and a daemon may
not answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from htcq.errors import PoolError
from htcq.library import library, only
from htcq.live.ads import Written
from htcq.live.bindings import load, reason
from htcq.live.configuration import expanded_here
from htcq.live.deadline import Task, run_all
from htcq.live.parser_process import ParserProcess
from htcq.live.remote_config import is_wanted, write_configuration
from htcq.pool.config_statements import Assignment
from htcq.pool.daemons import DAEMON_LIST, daemons_of, listed_daemons
from htcq.pool.secrets import is_secret_knob
from htcq.quota.knobs import number_of

_ADDRESS_FILE = "STARTD_ADDRESS_FILE"
#: Of a slot ad, what shows how its startd is configured; attributes of every asset besides.
_ATTRIBUTES = re.compile(
    r"(?:Name|SlotTypeID|PartitionableSlot|SlotWeight|NumClaims|HtcqModel(?:Hash)?"
    r"|Consumption\w+|Total\w+)\Z"
)
_NOT_DYNAMIC = "DynamicSlot =!= true"
_SECONDS = 20.0
#: Where the accountant keeps its log, and the bytes at which it is compacted (Accountant.cpp,
#: 25.14).
_LOG_FILE, _LOG_NAME, _LOG_LIMIT, _USUAL_LIMIT = (
    "ACCOUNTANT_DATABASE_FILE", "Accountantnew.log", "MAX_ACCOUNTANT_DATABASE_SIZE", 1_000_000,
)  # fmt: skip


@dataclass(frozen=True)
class InEffect:
    """The values of knobs, by upper-case name, and texts with their macros expanded."""

    values: Mapping[str, str] = field(default_factory=dict)
    expanded: tuple[str, ...] = ()


def configuration_in_effect(
    subsystem: str, directory: str, names: Sequence[str], texts: Sequence[str]
) -> InEffect:
    """Return the configuration of the daemon ``subsystem``.

    It is that of ``directory`` alone, or of this machine where ``directory`` is empty.
    ``PREFIX*`` among ``names`` stands for all such knobs; knobs that are not defined are left out.
    Knobs of a daemon with a local name that the master starts are there too, as LOCAL.KNOB.

    Raises:
        BindingsError: the bindings cannot be imported.
        InputError: HTCondor's parser refuses the configuration.
    """
    process = ParserProcess(own=not directory)
    found: InEffect = process.call(_in_effect_here, subsystem, directory, list(names), list(texts))
    return found


def _in_effect_here(
    subsystem: str, directory: str, names: Sequence[str], texts: Sequence[str]
) -> InEffect:
    htcondor2 = library().htcondor2
    htcondor2.set_subsystem(subsystem)
    if directory:
        with only(f"LOCAL_CONFIG_DIR = {directory}\nLOCAL_CONFIG_FILE =\nUSER_CONFIG_FILE =\n"):
            htcondor2.reload_config()
    else:
        htcondor2.reload_config()
    defined = {name.upper() for name in htcondor2.param}
    wanted = {name.upper() for name in names if not name.endswith("*")}
    for name in names:
        if name.endswith("*"):
            wanted |= {each for each in defined if each.startswith(name[:-1].upper())}
    locals_ = {name.upper() for name in _local_names(htcondor2.param, subsystem)}
    wanted |= {
        each
        for each in defined
        if each.partition(".")[0] in locals_ and each.partition(".")[2] in wanted
    }
    # The daemon's own SUBSYSTEM.KNOB wins in a macro as it does for the daemon.
    values = {name: expanded_here(htcondor2.param, f"$({name})") for name in sorted(wanted)}
    return InEffect(
        {name: value for name, value in values.items() if value},
        tuple(expanded_here(htcondor2.param, text) for text in texts),
    )


def _local_names(param: Any, subsystem: str) -> tuple[str, ...]:
    """Return the local names of the daemons of ``subsystem`` that the master may start."""
    texts = [(name, expanded_here(param, f"$({name})")) for name in param]
    found = (Assignment(name, text, "", 0) for name, text in texts)
    return tuple(
        each.local for each in daemons_of(found, "") if each.local and each.subsystem == subsystem
    )


def startd_address(knobs: Mapping[str, str]) -> str:
    """Return the address of the startd that runs on this machine.

    Raises:
        PoolError: none runs, or the file with its address cannot be read.
    """
    path = Path(knobs.get(_ADDRESS_FILE, ""))
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise PoolError(
            f"no startd runs on this machine: there is no {path}", "see MasterLog"
        ) from None
    except OSError as error:
        raise PoolError(
            f"the running startd cannot be asked: {path}: {error.strerror}", "run as root"
        ) from error
    return text.partition("\n")[0].strip()


def startd_slots(address: str) -> tuple[Mapping[str, str], ...]:
    """Return the slot ads of the startd at ``address``, as texts of their expressions.

    Dynamic slots are left out.

    Raises:
        PoolError: it does not answer.
    """
    (outcome,) = run_all([Task("startd", _slots_here, (address,))], _SECONDS)
    if not outcome.done:
        raise PoolError(
            f"the running startd does not answer: {reason(outcome.why, outcome.complaint)}",
            "see StartLog",
        )
    slots: tuple[Mapping[str, str], ...] = outcome.value
    return slots


def _slots_here(address: str) -> tuple[dict[str, str], ...]:
    htcondor2 = load()
    ads = htcondor2.Collector(address).query(htcondor2.AdType.Startd, constraint=_NOT_DYNAMIC)
    return tuple(
        {name: str(ad.lookup(name)) for name in ad if _ATTRIBUTES.match(name)} for ad in ads
    )


def negotiator_configuration(pool: str | None, path: Path) -> Written:
    """Write the negotiator's knobs in this machine's files to ``path``, as of a running daemon.

    Nothing is written where this machine runs no negotiator of ``pool`` (None: this machine's own).
    """
    param = _negotiator_knobs(pool)
    if param is None:
        return Written(0)
    values = {name: str(param[name]) for name in filter(is_wanted, param)}
    values = {name: value for name, value in values.items() if not is_secret_knob(name, value)}
    return write_configuration(path, "Configuration from the files of this machine", values)


def accountant_log(pool: str | None) -> tuple[int, int] | None:
    """Return the size of the accountant's log of ``pool``, and the one at which it is compacted.

    None where it is not on this machine, or cannot be seen.
    """
    param = _negotiator_knobs(pool)
    if param is None:
        return None
    path = Path(str(param.get(_LOG_FILE) or Path(str(param.get("SPOOL", "")), _LOG_NAME)))
    try:
        size = path.stat().st_size
    except OSError:
        return None
    limit = number_of(str(param.get(_LOG_LIMIT, "")))
    if limit is None:
        return size, _USUAL_LIMIT
    return size, int(limit)


def _negotiator_knobs(pool: str | None) -> Any:
    """Return the configuration of this machine's negotiator; None if it runs none of ``pool``."""
    htcondor2 = load()
    htcondor2.set_subsystem("NEGOTIATOR")
    htcondor2.reload_config()
    param = htcondor2.param
    collectors = str(param.get("COLLECTOR_HOST", "")).replace(",", " ").split()
    daemons = listed_daemons(str(param.get(DAEMON_LIST, "")))
    if "NEGOTIATOR" not in daemons:
        return None
    if pool is not None and pool not in collectors:
        return None
    return param
