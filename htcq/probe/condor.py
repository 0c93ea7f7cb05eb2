"""HTCondor's own detection and what the site has configured, from one condor_config_val or from the bindings.

The text is what ``condor_config_val -verbose -dump`` prints: ``NAME = raw``, then `` # at:
source`` and `` # expanded: value`` (same in 23.9 and 25.14). The source tells a site's decision
from a default.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from htcq import WRITTEN_BY
from htcq.errors import ProbeError
from htcq.probe.machine import Machine

_DETECTED = ("DETECTED_CPUS", "DETECTED_CPUS_LIMIT", "DETECTED_PHYSICAL_CPUS", "DETECTED_MEMORY")
_NAMES = (
    *_DETECTED,
    "CONDOR_VERSION",
    "NUM_CPUS",
    "MEMORY",
    "RESERVED_MEMORY",
    "DISK",
    "RESERVED_DISK",
    "EXECUTE",
    "LIBEXEC",
    "STARTD_DETECT_GPUS",
    "STARTD_ENFORCE_DISK_LIMITS",
    "MACHINE_RESOURCE_*",
    "OFFLINE_MACHINE_RESOURCE_*",
)
_BUILT_IN_SOURCES = ("<Default>", "<Detected>")
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True)
class Knob:
    """One knob of HTCondor's configuration: its expanded value, the place that set it, and whether htcq wrote that."""

    name: str
    value: str
    source: str = ""
    from_htcq: bool = False

    @property
    def configured(self) -> bool:
        """Whether the site set it: neither HTCondor itself nor a file of htcq's own, which only repeats the probe."""
        return bool(self.source) and self.source not in _BUILT_IN_SOURCES and not self.from_htcq


@dataclass(frozen=True)
class Knobs:
    """HTCondor's configuration as far as the probe asks for it; empty where no HTCondor was found."""

    origin: str = ""
    known: Mapping[str, Knob] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return the expanded value of ``name``, empty where it is not defined."""
        knob = self.known.get(name)
        return knob.value if knob else ""

    def number(self, name: str) -> int | None:
        """Return ``name`` as a whole number, None where it is not defined or is none."""
        return whole_number(self.text(name))

    def configured(self, name: str) -> Knob | None:
        """Return the knob ``name`` if the site has set it."""
        knob = self.known.get(name)
        return knob if knob and knob.configured else None

    def beginning(self, prefix: str) -> Iterator[tuple[str, Knob]]:
        """Yield the rest of the name, and the knob, of all whose names begin with ``prefix``."""
        for name, knob in sorted(self.known.items()):
            if name.startswith(prefix):
                yield knob.name[len(prefix) :], knob


def whole_number(text: str) -> int | None:
    """Return what HTCondor reads as the integer ``text``, such as ``4`` or ``2 * 3 + 1``; None where it is none."""
    try:
        value = _evaluate(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None
    return int(value)


def _evaluate(node: ast.expr) -> Fraction:
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    ):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _evaluate(node.left), _evaluate(node.right)
        value: Fraction = _OPERATIONS[type(node.op)](left, right)
        if isinstance(node.op, ast.Div) and left.denominator == right.denominator == 1:
            return Fraction(int(value))  # ClassAd division of integers is an integer
        return value
    raise ValueError("not a number")


def read_knobs(machine: Machine) -> Knobs:
    """Return HTCondor's configuration on ``machine``, asked with one command; empty where there is no HTCondor.

    Raises:
        ProbeError: HTCondor is installed and its configuration cannot be read.
    """
    pattern = "|".join(name.replace("*", ".*") for name in _NAMES)
    # The startd's view: STARTD.NUM_CPUS beats NUM_CPUS, and a dump shows it under its long name.
    answer = machine.command(
        (
            "condor_config_val",
            "-subsystem",
            "STARTD",
            "-verbose",
            "-dump",
            rf"^(STARTD\.)?({pattern})$",
        )
    )
    if answer is not None and answer.status == 0:
        return Knobs("condor_config_val", _mark_own(machine, parse_dump(answer.output)))
    values = machine.condor_params(_NAMES) if machine.condor_params is not None else {}
    if values:
        return Knobs("HTCondor's bindings", _without_sources(values))
    if answer is None:
        return Knobs()
    raise ProbeError(
        f"condor_config_val failed: {answer.complaint or f'status {answer.status}'}",
        "fix HTCondor's configuration",
    )


def _mark_own(machine: Machine, knobs: dict[str, Knob]) -> dict[str, Knob]:
    """Mark the knobs that files of htcq's own set."""
    files = {knob.source.rpartition(", line ")[0] for knob in knobs.values()}
    own = {file for file in files if file.startswith("/") and _is_own(machine, file)}
    return {
        key: replace(knob, from_htcq=True) if knob.source.rpartition(", line ")[0] in own else knob
        for key, knob in knobs.items()
    }


def _is_own(machine: Machine, file: str) -> bool:
    try:
        return machine.read(file).startswith(WRITTEN_BY)
    except OSError:
        return False


def parse_dump(text: str) -> dict[str, Knob]:
    """Return the knobs, by upper-case name, in what ``condor_config_val -subsystem STARTD -verbose -dump`` printed."""
    plain: dict[str, Knob] = {}
    qualified: dict[str, Knob] = {}
    name = source = ""
    for line in text.splitlines():
        if line.startswith(" # at: "):
            source = line[len(" # at: ") :].strip()
        elif line.startswith(" # expanded:"):
            found = qualified if name.upper().startswith("STARTD.") else plain
            short = name.split(".", 1)[-1]
            found[short.upper()] = Knob(short, line.split(":", 1)[1].strip(), source)
        elif "=" in line and not line.startswith((" ", "#")):
            name, source = line.split("=", 1)[0].strip().rstrip("@").strip(), ""
    return {**plain, **qualified}


def _without_sources(values: Mapping[str, str]) -> dict[str, Knob]:
    """Return knobs of whom only the values are known: one that repeats what was detected counts as a default."""
    upper = {name.upper(): (name, value.strip()) for name, value in values.items()}
    detected = upper.get("DETECTED_CPUS_LIMIT", ("", ""))[1]
    knobs = {}
    for key, (name, value) in upper.items():
        is_default = key in _DETECTED or (key == "NUM_CPUS" and value == detected)
        knobs[key] = Knob(name, value, "<Default>" if is_default else "the configuration")
    return knobs
