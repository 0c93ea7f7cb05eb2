"""A node as ClassAd lines: the long form of HTCondor's tools, and what STARTD_CRON reads.

A cron job's attributes overwrite the slot ad's own, so every name here begins with Htcq.
"""

from __future__ import annotations

from htcq.node import Node

#: The line that ends the ad of a STARTD_CRON job and asks for an update of the collector.
CRON_END = "- update:true"


def long_lines(node: Node) -> tuple[str, ...]:
    """Return ``node`` as lines such as ``HtcqCpus = 16``; memory and swap in MB, disk in KiB."""
    numbers = {
        "Cpus": node.cpus,
        "PhysicalCpus": node.physical_cpus,
        "Memory": node.memory_mb,
        "Disk": node.disk_kb,
        "Swap": node.swap_mb,
        "GPUs": node.gpus,
        "CondorCpus": node.condor_cpus,
        "CondorMemory": node.condor_memory_mb,
        **{f"Custom{name}": amount for name, amount in node.custom.items()},
    }
    texts = {}
    for each in node.sources:
        if each.fact in _ORIGINS:
            texts[f"{_ORIGINS[each.fact]}Origin"] = each.origin
    names = {gpu.name for gpu in node.gpu_devices if gpu.name}
    texts["GPUDevices"] = ", ".join(gpu.id for gpu in node.gpu_devices)
    texts["GPUNames"] = ", ".join(sorted(names))
    texts["Notes"] = "; ".join(node.notes)
    lines = [f"Htcq{name} = {number}" for name, number in numbers.items()]
    return (*lines, *(f"Htcq{name} = {quoted(text)}" for name, text in texts.items() if text))


_ORIGINS = {"cpus": "Cpus", "memory_mb": "Memory", "disk_kb": "Disk", "gpus": "GPUs"}


def cron_lines(node: Node) -> tuple[str, ...]:
    """Return the output of a STARTD_CRON job: the same lines and the one that ends the ad."""
    return (*long_lines(node), CRON_END)


def quoted(text: str) -> str:
    """Return ``text`` as a string literal of a long-form ad.

    It is on one line, since a line break would end the attribute. Only the quotation mark is
    escaped: a backslash stands for itself in this form, even before the closing mark.
    """
    literal = ""
    for char in text.replace('"', '\\"'):
        if not char.isprintable():
            char = " "
        literal += char
    return f'"{literal}"'
