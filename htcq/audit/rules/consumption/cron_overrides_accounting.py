"""What a slot's ad says of its weight or policy does not come from where it should."""

from __future__ import annotations

from collections.abc import Iterator

from htcq.audit.evidence import Evidence
from htcq.audit.listed_attributes import LISTS, unlisted
from htcq.audit.nodes import Node, nodes
from htcq.audit.policies import knob_as_fact, number, on_knob, quoted
from htcq.audit.rule import Fact, Found, Input, Rule, Severity
from htcq.classads import Expr, as_number
from htcq.pool.configuration import Knob
from htcq.pool.slot import Number
from htcq.pool.slot_class import SlotClass
from htcq.units import CPUS, DISK, MEMORY, attribute

_ACCOUNTING = ("slotweight", "machineresources")
_JOB: dict[str, Number] = {CPUS: 1, MEMORY: 1024, DISK: 1048576}
_LEFT = (1.0, 0.5)


def _find(evidence: Evidence) -> Iterator[Found]:
    for kind in evidence.with_policy:
        known: set[tuple[str, ...]] = set()
        for node in nodes(evidence, kind):
            weight = _weight_knob(node)
            knobs = {asset: node.knob(f"CONSUMPTION_{asset.upper()}") for asset in kind.consumption}
            key = (
                weight.value,
                *(knob.value for knob in knobs.values()),
                *(node.knob(name).value for name in LISTS),
            )
            if key not in known:
                known.add(key)
                yield from _listed(evidence, kind, node)
                yield from _other_weight(kind, node, weight)
                for asset, knob in knobs.items():
                    yield from _other_consumption(evidence, kind, node, asset, knob)


def _weight_knob(node: Node) -> Knob:
    return node.knob("SLOT_WEIGHT")


def _listed(evidence: Evidence, kind: SlotClass, node: Node) -> Iterator[Found]:
    for list_ in LISTS:
        knob = node.knob(list_)
        for word in knob.value.replace(",", " ").split():
            name = word.lower()
            if name in (*_ACCOUNTING, *kind.assets) or name.startswith("consumption"):
                yield on_knob(
                    knob,
                    f"{knob.name} lists {word}: the value of {word} in the configuration replaces "
                    "the startd's own value",
                    subject=f"slot {node.slot.name}",
                    settings=unlisted(evidence, kind.slots, word),
                )
                break


def _other_weight(kind: SlotClass, node: Node, knob: Knob) -> Iterator[Found]:
    expression = node.expression("SLOT_WEIGHT")
    if expression is None:
        return
    for part in _LEFT:
        left: dict[str, Number] = {
            asset: int(amount * part) for asset, amount in kind.total.items()
        }
        advertised = as_number(kind.weight(left))
        configured = as_number(expression.evaluate(kind.ad(left)))
        if advertised != configured:
            fact = Fact("SlotWeight", kind.weight_text)
            yield _different(node, knob, fact, (advertised, configured))
            return


def _other_consumption(
    evidence: Evidence, kind: SlotClass, node: Node, asset: str, knob: Knob
) -> Iterator[Found]:
    expression: Expr | None = node.expression(f"CONSUMPTION_{asset.upper()}")
    if expression is None:
        return
    request = dict(_JOB)
    if asset not in request:
        request[asset] = kind.total[asset]
    trial = evidence.trials.made_up(kind, request)
    configured = as_number(expression.evaluate(kind.ad(kind.total), trial.ad()))
    if configured != trial.taken[asset]:
        fact = Fact(f"Consumption{attribute(asset)}", kind.consumption[asset])
        yield _different(node, knob, fact, (trial.taken[asset], configured))


def _different(
    node: Node, knob: Knob, fact: Fact, values: tuple[Number | None, Number | None]
) -> Found:
    return Found(
        cause=f"{fact.attribute}: {fact.value}",
        subject=f"slot {node.slot.name}",
        message=(
            f"its ad has {fact.attribute} = {quoted(fact.value)}, on a sample "
            f"{number(values[0])}, but {knob.name} of the configuration gives "
            f"{number(values[1])}: a STARTD_CRON job overrides it, or a reconfig is pending"
        ),
        facts=(fact, knob_as_fact(knob)),
    )


RULE = Rule(
    id="cron-overrides-accounting",
    severity=Severity.WARNING,
    needs=(Input.SLOTS, Input.EXECUTE),
    summary=(
        "STARTD_ATTRS or a STARTD_CRON job replaces the weight, assets or policy in a slot's ad"
    ),
    consequence=(
        "The output of such a job is merged into the slot's ad after the startd's own values. "
        "The negotiator matches and charges by the replaced SlotWeight, Consumption attribute, "
        "amount or MachineResources, but the startd carves by its own values."
    ),
    advice=(
        "Remove the attribute from STARTD_ATTRS or from the job's output, or give the job a "
        "prefix: STARTD_CRON_<name>_PREFIX."
    ),
    source=(
        "src/condor_startd.V6/startd_named_classad_list.cpp, ResAttributes.cpp:publish_static, "
        "25.14"
    ),
    find=_find,
)
