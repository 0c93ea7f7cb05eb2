"""Random configuration files with knobs for single daemons."""

from __future__ import annotations

import random

#: The daemons with local names, by these, and their subsystems.
LOCAL_NAMES = {"NGPU": "NEGOTIATOR", "M1": "STARTD", "ap2": "SCHEDD"}
_NAMES = (
    "GROUP_NAMES", "GROUP_QUOTA_a", "GROUP_QUOTA_a.b", "SLOT_WEIGHT", "MY_X", "MY_Y", "RANK",
)  # fmt: skip
_PREFIXES = ("", "", "", "NEGOTIATOR.", "SCHEDD.", "STARTD.", "NGPU.", "M1.", "ap2.", "TOOL.")
_CONDITIONS = (
    "$(IsNegotiator)", "$(IsSchedd)", "! $(IsStartd)", "defined MY_X", "defined NGPU.GROUP_NAMES",
    "version >= 24.0", "version < 24.0", "true", "0", "$(MY_FLAG:true)", "defined GROUP_QUOTA_a",
)  # fmt: skip
_BEGIN = """\
LOCAL_CONFIG_DIR =
LOCAL_CONFIG_FILE =
NGPU = $(NEGOTIATOR)
M1 = $(STARTD)
M1_ARGS = -local-name M1
AP2 = $(SCHEDD)
AP2_ARGS = -f -local-name ap2
"""
#: A knob with all others in it, so that one question tells them all.
ASKED = "ASKED"


def random_text(seed: int) -> str:
    """Return a configuration file; a knob refers to later ones of the list alone, or to itself."""
    draw = random.Random(seed)
    everything = " ".join(f"<$({name})>" for name in _NAMES)
    return f"{_BEGIN}{ASKED} = {everything}\n" + "".join(f"{line}\n" for line in _lines(draw, 0))


def _lines(draw: random.Random, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw.randint(3, 9)):
        if draw.random() < 0.15 and depth < 2:
            lines += [f"if {draw.choice(_CONDITIONS)}", *_lines(draw, depth + 1)]
            if draw.random() < 0.3:
                lines += [f"elif {draw.choice(_CONDITIONS)}", *_lines(draw, depth + 1)]
            if draw.random() < 0.5:
                lines += ["else", *_lines(draw, depth + 1)]
            lines.append("endif")
        else:
            name = draw.choice(_NAMES)
            lines.append(f"{_case(draw, draw.choice(_PREFIXES) + name)} = {_value(draw, name)}")
    return lines


def _case(draw: random.Random, name: str) -> str:
    if draw.random() < 0.8:
        return name
    return "".join(draw.choice((each.lower(), each.upper())) for each in name)


def _value(draw: random.Random, name: str) -> str:
    value = draw.choice(("1", "2", "Cpus", "a, a.b", ""))
    later = _NAMES[_NAMES.index(name) + 1 :]
    kind = draw.random()
    if kind < 0.25:
        return f"$({name}) {value}".strip()
    if kind < 0.45 and later:
        return f"$({draw.choice(later)}) {value}".strip()
    macros = ("$(SUBSYSTEM)", "$(LOCALNAME)", "$(MY_Z:zz)")
    return f"{value} {draw.choice(macros)}".strip() if kind < 0.6 else value
