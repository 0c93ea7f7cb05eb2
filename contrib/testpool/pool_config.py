"""The configuration of a test pool: loopback only, fast cycles, hardly any security, and machines of any size.

The knobs are those that HTCondor 23.9 and 25.14 were seen to need in a root directory or for an
unprivileged user.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from random import SystemRandom

from pool_home import PoolError, PoolRecord

SUBDIRECTORIES = (
    "log",
    "spool",
    "execute",
    "lock",
    "run",
    "cred",
    "config.d",
    "passwords.d",
    "tokens.d",
)

_FIXED = """
CONDOR_HOST = 127.0.0.1
NETWORK_INTERFACE = 127.0.0.1
BIND_ALL_INTERFACES = False
ENABLE_IPV6 = False
# The same names everywhere, and no waiting for a name server.
NETWORK_HOSTNAME = node.test
USE_SHARED_PORT = False

# Only this machine can reach the pool, and everyone on it may do anything.
use SECURITY : HOST_BASED
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_ADMINISTRATOR = *
ALLOW_NEGOTIATOR = *
ALLOW_DAEMON = *
ALLOW_OWNER = *
ALLOW_CONFIG = *
ALLOW_ADVERTISE_MASTER = *
ALLOW_ADVERTISE_SCHEDD = *
ALLOW_ADVERTISE_STARTD = *
SEC_DEFAULT_AUTHENTICATION = OPTIONAL
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
COLLECTOR_BOOTSTRAP_SSL_CERTIFICATE = False
UID_DOMAIN = test
FILESYSTEM_DOMAIN = test
TRUST_UID_DOMAIN = True

# Nothing of a pool outside its directory; a starter cannot mount inside a changed root.
USER_CONFIG_FILE =
MOUNT_UNDER_SCRATCH =
MOUNT_PRIVATE_DEV_SHM = False

# Quick. (Without the procd a start takes a second less, but the startd stands still for three seconds at the end of
# every job.)
NEGOTIATOR_INTERVAL = 2
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
NEGOTIATOR_UPDATE_INTERVAL = 5
SCHEDD_INTERVAL = 2
UPDATE_INTERVAL = 5
CLAIM_WORKLIFE = 0
RUNBENCHMARKS = False
STARTD_DETECT_GPUS = False
MASTER_BACKOFF_CONSTANT = 1
MASTER_BACKOFF_CEILING = 2

# One partitionable slot of everything.
NUM_SLOTS_TYPE_1 = 1
SLOT_TYPE_1 = 100%
SLOT_TYPE_1_PARTITIONABLE = True

# Talkative.
NEGOTIATOR_DEBUG = D_FULLDEBUG D_MATCH
MAX_DEFAULT_LOG = 100 Mb
"""


def render(record: PoolRecord, release: Mapping[str, str], machine: Mapping[str, int]) -> str:
    """The text of the pool's condor_config.

    Args:
        record: name, directory, port and daemons of the pool.
        release: RELEASE_DIR, BIN, SBIN, LIB and LIBEXEC as the daemons see them.
        machine: NUM_CPUS, MEMORY (MB) and DISK (KB) of the execution point.
    """
    directory = record.inner_directory
    lines = [
        f"# HTCondor test pool '{record.name}': contrib/testpool wrote this file.",
        f"LOCAL_DIR = {directory}",
    ]
    lines += [
        f"{knob} = $(LOCAL_DIR)/{knob.lower()}"
        for knob in ("LOG", "SPOOL", "EXECUTE", "LOCK", "RUN")
    ]
    lines += [
        "SEC_PASSWORD_DIRECTORY = $(LOCAL_DIR)/passwords.d",
        "SEC_TOKEN_SYSTEM_DIRECTORY = $(LOCAL_DIR)/tokens.d",
        "SEC_CREDENTIAL_DIRECTORY_OAUTH =",
        f"LOCAL_CONFIG_DIR = {directory}/config.d",
        f"LOCAL_CONFIG_FILE = {directory}/condor_config.local",
        f"DAEMON_LIST = {' '.join(record.daemons)}",
        f"COLLECTOR_HOST = 127.0.0.1:{record.port}",
        f"COLLECTOR_ARGS = -port {record.port}",
    ]
    lines += [f"{knob} = {value}" for knob, value in {**release, **machine}.items()]
    return "\n".join(lines) + "\n" + _FIXED


def settings_text(settings: Mapping[str, object] | str) -> str:
    """Settings as configuration text: a mapping of knobs, or the text itself."""
    if isinstance(settings, str):
        return settings.rstrip("\n") + "\n"
    return "".join(f"{knob} = {value}\n" for knob, value in settings.items())


def free_port() -> int:
    """A port of 127.0.0.1 that is free for TCP and UDP, below those that the kernel hands out by itself."""
    for port in SystemRandom().sample(range(20000, 32000), 100):
        try:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_INET, kind) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return port
    raise PoolError("no free port between 20000 and 32000 on 127.0.0.1")
