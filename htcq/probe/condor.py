"""HTCondor's own detection and the site's knobs, from one condor_config_val or from the bindings.

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
from htcq.errors import BindingsError, ProbeError, UnreadableError
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
    """One knob of HTCondor's configuration.

    ``value`` is expanded, ``source`` the place that sets it; ``from_htcq``: htcq wrote that place.
    """

    name: str
    value: str
    source: str = ""
    from_htcq: bool = False

    @property
    def configured(self) -> bool:
        """Whether the site set it: neither HTCondor itself nor a file that htcq wrote.

        Such a file only repeats the probe.
        """
        return bool(self.source) and self.source not in _BUILT_IN_SOURCES and not self.from_htcq


@dataclass(frozen=True)
class Knobs:
    """The part of HTCondor's configuration that the probe uses; empty without HTCondor."""

    origin: str = ""
    known: Mapping[str, Knob] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return the expanded value of ``name``, empty where it is not defined."""
        knob = self.known.get(name)
        if knob is None:
            return ""
        return knob.value

    def number(self, name: str) -> int | None:
        """Return ``name`` as a whole number, None where it is not defined or is none."""
        return whole_number(self.text(name))

    def configured(self, name: str) -> Knob | None:
        """Return the knob ``name`` if the site has set it."""
        knob = self.known.get(name)
        if knob is None or not knob.configured:
            return None
        return knob

    def beginning(self, prefix: str) -> Iterator[tuple[str, Knob]]:
        """Yield the rest of the name, and the knob, of all whose names begin with ``prefix``."""
        for name, knob in sorted(self.known.items()):
            if name.startswith(prefix):
                yield knob.name[len(prefix) :], knob


def whole_number(text: str) -> int | None:
    """Return the integer that HTCondor reads in ``text``, such as ``4`` or ``2 * 3 + 1``.

    It is None where the text is no integer.
    """
    try:
        value = _evaluate(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None
    return int(value)


def _evaluate(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
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
    """Return HTCondor's configuration on ``machine``; empty where there is no HTCondor.

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
    if machine.condor_params is not None:
        values: Mapping[str, str] = {}
        try:
            values = machine.condor_params(_NAMES)
        except BindingsError:
            # There are neither tools nor bindings: nothing of HTCondor's runs here.
            pass
        except UnreadableError:
            if answer is None:
                raise
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
    marked = dict(knobs)
    for key, knob in knobs.items():
        if knob.source.rpartition(", line ")[0] in own:
            marked[key] = replace(knob, from_htcq=True)
    return marked


def _is_own(machine: Machine, file: str) -> bool:
    try:
        return machine.read(file).startswith(WRITTEN_BY)
    except OSError:
        return False


def parse_dump(text: str) -> dict[str, Knob]:
    """Return the knobs, by upper-case name, in a dump of the startd's configuration.

    ``condor_config_val -subsystem STARTD -verbose -dump`` prints it.
    """
    plain: dict[str, Knob] = {}
    qualified: dict[str, Knob] = {}
    name = source = ""
    for line in text.splitlines():
        if line.startswith(" # at: "):
            source = line[len(" # at: ") :].strip()
        elif line.startswith(" # expanded:"):
            found = plain
            if name.upper().startswith("STARTD."):
                found = qualified
            short = name.split(".", 1)[-1]
            found[short.upper()] = Knob(short, line.split(":", 1)[1].strip(), source)
        elif "=" in line and not line.startswith((" ", "#")):
            name, source = line.split("=", 1)[0].strip().rstrip("@").strip(), ""
    return {**plain, **qualified}


def _without_sources(values: Mapping[str, str]) -> dict[str, Knob]:
    """Return the knobs with ``values``, whose sources are not known.

    A NUM_CPUS that repeats the detected number counts as a default.
    """
    upper = {name.upper(): (name, value.strip()) for name, value in values.items()}
    detected = upper.get("DETECTED_CPUS_LIMIT", ("", ""))[1]
    knobs = {}
    for key, (name, value) in upper.items():
        source = "the configuration"
        if key in _DETECTED or (key == "NUM_CPUS" and value == detected):
            source = "<Default>"
        knobs[key] = Knob(name, value, source)
    return knobs
