"""Small pools and groups for elastic quotas; amounts in cpus and MB are easy to add up in the head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from htcq.quota.elastic.declaration import ElasticGroup, ElasticQuotas
from tests.audit.sites import dynamic_slot, job, slot

A100, V100 = "NVIDIA A100-SXM4-40GB", "Tesla V100-PCIE-16GB"


def group(
    name: str, least: Mapping[str, int], most: Mapping[str, int | None], **more: Any
) -> ElasticGroup:
    """Return a group below the one that its name says."""
    return ElasticGroup(name, name.rpartition(".")[0], dict(least), dict(most), **more)


def quotas(*groups: ElasticGroup) -> ElasticQuotas:
    """Return the groups as one tree."""
    return ElasticQuotas(groups)


def claimed(
    number: int, customer: str, cpus: int = 1, memory: int = 1024, node: str = "node1", **more: Any
) -> str:
    """Return a dynamic slot that somebody has."""
    return dynamic_slot(f"slot1_{number}@{node}", customer, Cpus=cpus, Memory=memory, **more)


def node(name: str = "node1", cpus_left: int = 8, memory_left: int = 16384, **more: Any) -> str:
    """Return a partitionable slot of 8 cpus and 16 GiB with so much of it left."""
    return slot(f"slot1@{name}", Cpus=cpus_left, Memory=memory_left, **more)


def running(id_: str, slot_name: str, **more: Any) -> str:
    """Return a job that runs in that slot."""
    return job(id_, JobStatus=2, CurrentHosts=1, RemoteHost=f'"{slot_name}"', **more)


def device(number: int, name: str, capability: float) -> dict[str, str]:
    """Return the ad of one GPU as attributes of a slot."""
    id_ = f"{number:08x}"
    return {
        f"GPUs_GPU_{id_}": f'[ Id = "GPU-{id_}"; DeviceName = "{name}"; Capability = {capability} ]'
    }
