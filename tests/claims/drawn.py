"""Random slots and jobs, of every kind that HTCondor makes a claim of, as ads and as configuration."""

from __future__ import annotations

from random import Random

from tests.claims.reference import Pair

#: Versions of startds on both sides of what they changed: disk in shares, the quantum of disk,
#: space of catalogs.
_VERSIONS = (
    "23.9.6",
    "24.12.17",
    "24.12.18",
    "25.0.7",
    "25.0.8",
    "25.3.1",
    "25.4.0",
    "25.7.2",
    "25.12.2",
    "25.14.1",
)
_ASSETS = ("Cpus", "Memory", "Disk", "GPUs", "Tokens")
_WEIGHTS = (
    "Cpus", "Cpus", "Memory", "Disk / 4096", "Cpus + Memory / 1024.0", "max({Cpus,Memory / 2048,GPUs * 8})", "1",
    "Cpus * 2 + (GPUs ?: 0) * 4", "Disk / 1048576.0 + Tokens * 0.5",
)  # fmt: skip
_CONSUMPTIONS = {
    "Cpus": ("quantize(target.RequestCpus,{1})", "TARGET.RequestCpus", "max({1,TARGET.RequestMemory / 2048})",
             "ceiling(TARGET.RequestCpus ?: 0)", "0", "TARGET.RequestCpus + (TARGET.RequestGPUs ?: 0)",
             "TARGET.RequestCpus + TARGET.RequestGPUs", "Cpus / 2"),
    "Memory": ("quantize(target.RequestMemory,{128})", "TARGET.RequestMemory", "TARGET.RequestCpus * 2048",
               "quantize(TARGET.RequestMemory,{512,1024})", "0", "1024"),
    "Disk": ("quantize(target.RequestDisk,{1024})", "TARGET.RequestDisk", "quantize(TARGET.RequestDisk,4096)",
             "TARGET.RequestDisk * 1.5"),
    "GPUs": ("ifThenElse(TARGET.RequestGPUs is undefined,0,TARGET.RequestGPUs)", "TARGET.RequestGPUs ?: 0",
             "TARGET.RequestGPUs", "quantize(TARGET.RequestGPUs ?: 0,{1})"),
    "Tokens": ("TARGET.RequestTokens ?: 0", "ifThenElse(TARGET.RequestTokens is undefined,0,TARGET.RequestTokens)",
               "1", "(TARGET.RequestTokens ?: 0) * 0.5"),
}  # fmt: skip
_MODIFICATIONS = {
    "Cpus": ("quantize(RequestCpus,{1})", "max({1,RequestMemory / 2048})", "UNDEFINED", "RequestCpus * 2", ""),
    "Disk": ("quantize(RequestDisk,{4096})", "UNDEFINED", "RequestDisk + RequestCpus * 1024", "512",
             "RequestDisk / 2"),
    "Memory": ("quantize(RequestMemory,{1024})", "UNDEFINED", "RequestCpus * 2000", "RequestMemory * 1.1",
               "TARGET.Memory / 2"),
}  # fmt: skip
_AMOUNTS = {
    "Cpus": ("1", "1", "2", "3", "4", "1.5", "1.95", "0", "12", "RequestMemory / 1024"),
    "Memory": ("100", "128", "1000", "1024", "3000", "2048.5", "20000", "1", "0"),
    "Disk": ("5000", "1024", "1", "100000", "1048576", "1500000", "30000000", "0", "2500.5"),
    "GPUs": ("1", "2", "0", "1", "0.5"),
    "Tokens": ("1", "3", "0.5", "0"),
}
#: SUM_OF_CATALOGS and CATALOG_SPACE of param_info.in, 25.12.2.
_CATALOGS = (
    "ifthenelse(RequestedCatalogs is undefined || catalogs is undefined,0,sum(evalInEachContext("
    "member(CatalogID, RequestedCatalogIDs) ? CatalogSize : 0,catalogs)))"
)
CATALOG_SPACE = f'ifthenelse(MappingMethod ?: "" != "Copy",{_CATALOGS},0)'


def default_modifications(version: tuple[int, ...]) -> dict[str, str]:
    """Return what startds make of requests unless told otherwise (param_info.in of each tag since 23.0)."""
    quantum = "{Target.DiskQuantum?:1024}" if _knows_quantum(version) else "{1024}"
    disk = f"RequestDisk - {CATALOG_SPACE}" if version >= (25, 12, 2) else "RequestDisk"
    return {
        "Cpus": "quantize(RequestCpus,{1})",
        "Disk": f"quantize({disk},{quantum})",
        "Memory": "quantize(RequestMemory,{128})",
    }


def _knows_quantum(version: tuple[int, ...]) -> bool:
    if version[:2] in ((24, 12), (25, 0)):
        return version >= {24: (24, 12, 18), 25: (25, 0, 8)}[version[0]]
    return version >= (25, 7, 2)


def pair(random: Random) -> Pair:
    """Return a slot that nobody uses, and an idle job."""
    version = random.choice(_VERSIONS)
    numbers = tuple(map(int, version.split(".")))
    type_ = random.choice(
        ("Partitionable", "Partitionable", "Partitionable", "Partitionable", "Static")
    )
    assets = [*_ASSETS[:3], *random.sample(_ASSETS[3:], random.choice((0, 1, 2)))]
    policy = type_ == "Partitionable" and random.random() < 0.6
    knobs = _knobs(random) if random.random() < 0.4 else {}
    modify = default_modifications(numbers)
    for asset in modify:
        modify[asset] = knobs.get(f"MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}", modify[asset])
        modify[asset] = (
            knobs.get(f"SLOT_TYPE_1_MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}") or modify[asset]
        )
    must = knobs.get("MUST_MODIFY_REQUEST_EXPRS") == "True"
    return Pair(
        _slot(random, version, type_, assets, policy),
        _job(random, assets),
        modify,
        numbers,
        must,
        knobs,
    )


def _knobs(random: Random) -> dict[str, str]:
    found = {}
    for asset, texts in _MODIFICATIONS.items():
        prefix = random.choice(("", "", "SLOT_TYPE_1_"))
        if random.random() < 0.5:
            found[f"{prefix}MODIFY_REQUEST_EXPR_REQUEST{asset.upper()}"] = random.choice(texts)
    if random.random() < 0.2:
        found["MUST_MODIFY_REQUEST_EXPRS"] = "True"
    return found


def _slot(
    random: Random, version: str, type_: str, assets: list[str], policy: bool
) -> dict[str, str]:
    have = {
        "Cpus": random.choice((1, 4, 8)), "Memory": random.choice((2000, 8192, 16384)),
        "Disk": random.choice((9000, 2000000, 20000000)), "GPUs": random.choice((0, 2)), "Tokens": 3,
    }  # fmt: skip
    weights = _WEIGHTS if len(assets) == len(_ASSETS) else _WEIGHTS[:5]
    slot = {
        "MyType": '"Machine"', "Name": '"slot1@node1"', "Machine": '"node1"', "SlotType": f'"{type_}"',
        "SlotTypeID": "1", "SlotID": "1", "State": '"Unclaimed"', "Activity": '"Idle"', "TotalCpus": "8.0",
        "TotalMemory": "16384", "TotalDisk": str(max(have["Disk"], 2000000)), "Start": "true",
        "Requirements": "Start && WithinResourceLimits", "SlotWeight": random.choice(weights),
        "MachineResources": f'"{" ".join(assets[:3])} Swap {" ".join(assets[3:])}"'.replace(' "', '"'),
        "CondorVersion": f'"$CondorVersion: {version} 2026-10-16 $"',
    }  # fmt: skip
    for asset in assets:
        slot[asset] = str(have[asset])
        slot[f"TotalSlot{asset}"] = f"{have[asset]}.0" if asset == "Disk" else str(have[asset])
    if random.random() < 0.5:
        slot["DiskQuantum"] = random.choice(("4096", "8192"))
    if random.random() < 0.2:
        slot["Catalogs"] = (
            '{ [ CatalogID = "a"; CatalogSize = 3000 ],[ CatalogID = "b"; CatalogSize = 500 ] }'
        )
    if type_ == "Partitionable":
        slot.update(PartitionableSlot="true", NumDynamicSlots="0")
    for asset in assets if policy else ():
        slot[f"Consumption{asset}"] = random.choice(
            _CONSUMPTIONS[asset][: random.choice((1, 2, 8))]
        )
    if policy:
        slot["NumClaims"] = "8"
    slot["WithinResourceLimits"] = _limits(assets, policy, version)
    return slot


def _limits(assets: list[str], policy: bool, version: str) -> str:
    """Return what a startd publishes (ResAttributes.cpp: withinLimitsExpression, consumptionLimitsExpression)."""
    if policy:
        return " && ".join(
            f"ifThenElse(TARGET._cp_orig_Request{asset} isnt UNDEFINED, TARGET.Request{asset} <= "
            f"MY.{asset}, "
            f"MY.Consumption{asset} <= MY.{asset})"
            for asset in assets
        )
    disk = "TARGET.RequestDisk"
    if tuple(map(int, version.split("."))) >= (25, 12, 2):
        disk = f"(TARGET.RequestDisk - {CATALOG_SPACE})"
    built_in = (
        "MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0 && TARGET.RequestMemory <= "
        "MY.Memory && "
        f"MY.Disk > 0 && {disk} <= MY.Disk"
    )
    custom = (
        f"(TARGET.Request{each} is undefined || MY.{each} >= TARGET.Request{each})"
        for each in assets[3:]
    )
    return " && ".join([built_in, *custom])


def _job(random: Random, assets: list[str]) -> dict[str, str]:
    job = {
        "MyType": '"Job"', "ClusterId": "1", "ProcId": "0", "JobStatus": "1", "JobUniverse": "5", "MaxHosts": "1",
        "CurrentHosts": "0", "User": '"ada@site"', "Owner": '"ada"', "Rank": "0.0",
    }  # fmt: skip
    for asset in assets:
        if asset in _ASSETS[:3] or random.random() < 0.5:
            job[f"Request{asset}"] = random.choice(_AMOUNTS[asset][: random.choice((2, 5, 10))])
    asked = [asset for asset in assets if f"Request{asset}" in job]
    job["Requirements"] = " && ".join(f"TARGET.{asset} >= Request{asset}" for asset in asked)
    if random.random() < 0.1:
        job.update(RequestedCatalogs='"a,b"', RequestedCatalogIDs='{ "a","b" }')
        # condor_submit leaves disk to the slot, whose limits know what the catalogs take.
        job["Requirements"] = " && ".join(
            f"TARGET.{asset} >= Request{asset}" for asset in asked if asset != "Disk"
        )
    if random.random() < 0.1 and job["RequestMemory"] in ("100", "128", "1000"):
        job["_condor_RequestMemory"] = "1500"
    return job
