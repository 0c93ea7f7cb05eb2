"""The schema of ``htcq probe --json``, which ``--node`` reads."""

from __future__ import annotations

from htcq.node import Gpu, Node, Source
from htcq.report.schemas.pool import version
from htcq.report.schemas.shape import Shape, keys_of, listing, record


def node() -> Shape:
    """Return the schema; of a file that ``--node`` reads three keys alone are required."""
    gpu = keys_of(
        Gpu,
        id="The id of the GPU, as HTCondor names it.",
        name="The name of the card; empty where it is not known.",
        memory_mb="Its memory in MB; 0 where it is not known.",
        capability="Its compute capability; empty where it is not known.",
        mig="Whether it is a slice of a card.",
    )
    pair: Shape = {
        "type": "array",
        "items": {"type": ["string", "integer"]},
        "minItems": 2,
        "maxItems": 2,
    }
    source = keys_of(
        Source,
        fact="The key that was found out.",
        value="Its value.",
        origin="Who was believed.",
        why="Why this origin was believed.",
        others=listing("What others said: pairs of an origin and a value.", pair),
    )
    facts = keys_of(
        Node,
        cpus="What HTCondor should count as cpus.",
        memory_mb="Memory for jobs in MB (2^20 bytes).",
        disk_kb="Disk for jobs in KiB.",
        gpus="The number of GPUs, or of slices of them.",
        custom="The amount of each custom resource, by its name.",
        physical_cpus="Cores without hyper-threads.",
        swap_mb="Swap in MB.",
        condor_cpus="The cpus that HTCondor would find by itself; 0 where that is not known.",
        condor_memory_mb=(
            "The memory in MB that HTCondor would find by itself; 0 where that is not known."
        ),
        condor_version="The version of HTCondor; empty where it is not known.",
        hostname="The name of the machine.",
        gpu_devices=listing("The GPUs one by one.", record("A GPU.", gpu)),
        sources=listing("Where each number comes from.", record("The source of one fact.", source)),
        notes="What is odd about the machine, one sentence each.",
    )
    needed = ("cpus", "memory_mb", "disk_kb")
    return record(
        "What 'htcq probe --json' prints and '--node' reads.",
        {"schema": version(), **facts},
        {"schema", *facts} - set(needed),
    )
