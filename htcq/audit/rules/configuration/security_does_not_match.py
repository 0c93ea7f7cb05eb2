"""Two daemons on the way of every job cannot agree how to talk: levels or methods of security."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.facts import counted
from htcq.audit.rule import Fact, Found, Harm, Input, Rule, Severity
from htcq.pool.configuration import Configuration
from htcq.pool.daemons import NEGOTIATOR
from htcq.pool.security import Conflict, Party, conflicts

_EXAMPLES = 3


def _find(evidence: Evidence) -> Iterator[Found]:
    central = evidence.pool.central
    assert central is not None
    found: dict[str, list[tuple[str, Conflict]]] = {}
    for client, server in _talks(evidence, central):
        for each in conflicts(client, server):
            cause = " ".join(f"{knob.name}={knob.value}" for knob in each.knobs)
            found.setdefault(cause, []).append((server.name, each))
    waiting = sum(sum(jobs.idle.values()) for jobs in evidence.autoclusters)
    for cause, parts in found.items():
        yield _found(cause, parts, waiting)


def _talks(evidence: Evidence, central: Configuration) -> Iterator[tuple[Party, Party]]:
    """Yield who asks whom: the negotiator schedds for jobs, schedds startds for claims.

    Nobody has to agree where the one that is asked makes a session and hands it out by its ads.
    """
    machines = {each.name: each.text("Machine") for each in evidence.pool.schedds}
    asking = central.of(NEGOTIATOR)
    negotiator = Party("the negotiator", _machine(evidence), asking)
    for name, configuration in evidence.access.items():
        machine = machines.get(name, name)
        if not (_has_sessions(asking) and _has_sessions(configuration)):
            yield negotiator, Party(f"schedd {name}", machine, configuration, "NEGOTIATOR")
        client = Party(f"schedd {name}", machine, configuration)
        for other, of_startd in evidence.execute.items():
            if not (_has_sessions(configuration) and _has_sessions(of_startd)):
                yield client, Party(f"startd {other}", other, of_startd, "DAEMON")


def _has_sessions(configuration: Configuration) -> bool:
    """Return whether a daemon hands out such sessions, and takes those of others."""
    return configuration.truth("SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION", True)


def _machine(evidence: Evidence) -> str:
    machines = {each.text("Machine") for each in evidence.pool.negotiators}
    return machines.pop() if len(machines) == 1 else ""


def _found(cause: str, parts: list[tuple[str, Conflict]], waiting: int) -> Found:
    first, count = parts[0][1], len(parts)
    more = f" (the same with {counted(count - 1, 'more daemon')})" if count > 1 else ""
    return Found(
        cause=cause,
        subject=parts[0][0],
        message=f"{first.text}{more}",
        facts=tuple(Fact(knob.name, knob.value, knob.place) for knob in first.knobs),
        count=count,
        harm=Harm(jobs=waiting),
        examples=tuple(name for name, _ in parts[:_EXAMPLES]),
    )


RULE = Rule(
    id="security-does-not-match",
    severity=Severity.ERROR,
    needs=(Input.CENTRAL, Input.ACCESS),
    summary="Daemons that match jobs require of each other what the other side never does",
    consequence=(
        "Without sessions by their ads (SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION) the negotiator "
        "gets no jobs of such an access point, or its schedd no claims of such a "
        "machine. The daemons' logs alone say so (DC_AUTHENTICATE, SECMAN); the jobs stay idle."
    ),
    advice=(
        "Give both sides one method of authentication (SEC_DEFAULT_AUTHENTICATION_METHODS) and "
        "levels that do not exclude each other; or set SEC_ENABLE_MATCH_PASSWORD_AUTHENTICATION, "
        "with which matched daemons need no agreement (HTCondor's default). 'condor_ping -verbose' "
        "from one machine to the other shows what they agree on."
    ),
    source=(
        "src/condor_io/condor_secman.cpp:ReconcileSecurityPolicyAds, "
        "src/condor_schedd.V6/schedd.cpp (m_matchPasswordEnabled), 25.8; seen on 25.14.1"
    ),
    find=_find,
)
