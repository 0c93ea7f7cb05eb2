"""The capacity model that a site chose, with its settings, and the model on a node.

Every setting has the name of its command-line flag. A setting that the chosen model does not
have is a contradiction, not a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from htcq.capacity.model import Counted, Share, known_assets
from htcq.errors import ModelError
from htcq.policy.consumption import NEGOTIATOR, SPLITTINGS
from htcq.policy.defaults import disk_slop, version_tuple
from htcq.units import BUILT_IN_ASSETS, CPUS, DISK, GPUS, MEMORY, show_amount

LINEAR, FIXED, QUANTIZED, MINIMUM_CHARGE = "linear", "fixed", "quantized", "minimum-charge"
MODELS = (LINEAR, FIXED, QUANTIZED, MINIMUM_CHARGE)
RULES = ("min", "max")
SHARES = ("even", "request", "none")
_SETTINGS_OF = {
    LINEAR: ("weights", "scale", "optional_assets"),
    FIXED: ("claims", "share", "assets"),
    QUANTIZED: ("levels", "rule"),
    MINIMUM_CHARGE: ("charges", "whole_charges"),
}
_FLAGS = {
    "claims": "--claims",
    "share": "--share",
    "assets": "--asset",
    "levels": "--level",
    "rule": "--rule",
    "charges": "--charge",
    "whole_charges": "--whole-charges",
    "weights": "--weight",
    "scale": "--scale",
    "optional_assets": "optional_assets",
}


@dataclass(frozen=True)
class Choice:
    """The settings of a site; empty ones were not given.

    ``charges`` are in HTCondor's units, cpus in cores.

    ``weights`` are those of one HTCondor unit (a core, a MB, a KiB), ``optional_assets`` custom
    resources that only some nodes have.
    """

    model: str = ""
    preset: str = ""
    claims: int | None = None
    share: str = ""
    assets: tuple[str, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    rule: str = ""
    charges: Mapping[str, Fraction] = field(default_factory=dict)
    whole_charges: bool = False
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    scale: Fraction | None = None
    optional_assets: tuple[str, ...] = ()
    cpu_shares: int | None = None
    splitting: str = NEGOTIATOR
    forced: bool = False

    def __post_init__(self) -> None:
        _one_of("--model", self.model, MODELS)
        _one_of("--share", self.share, SHARES)
        _one_of("--rule", self.rule, RULES)
        _one_of("--splitting", self.splitting, SPLITTINGS)
        if self.model and self.preset:
            raise ModelError("--model and --preset contradict each other", "give one of them")
        self._check_settings()
        self._check_values()

    def _check_settings(self) -> None:
        """Refuse settings that the chosen model does not have."""
        allowed = _SETTINGS_OF.get(self.kind, ())
        for setting, flag in _FLAGS.items():
            if setting in allowed or not self._has(setting):
                continue
            owners = [model for model, settings in _SETTINGS_OF.items() if setting in settings]
            chosen = f"--model {self.kind}"
            if self.preset:
                chosen = f"--preset {self.preset}"
            raise ModelError(
                f"{flag} contradicts {chosen}", f"{flag} belongs to --model {owners[0]}"
            )
        if self.assets and self.share not in ("", "even"):
            raise ModelError(
                f"--asset contradicts --share {self.share}", "only --share even divides assets"
            )

    def _check_values(self) -> None:
        """Refuse numbers that make no sense for any model."""
        if self.cpu_shares is not None and self.cpu_shares < 1:
            raise ModelError(
                f"--cpu-shares {self.cpu_shares}: must be positive",
                "2 means that one core counts as 2 cpus",
            )
        for asset, charge in self.charges.items():
            if charge <= 0:
                raise ModelError(
                    f"--charge {asset}={charge}: a charge must be above 0",
                    "leave the asset out instead",
                )
        if self.weights and not any(self.weights.values()):
            raise ModelError(
                "--weight: every weight is 0", "such as --weight cpus=1 --weight memory=0.25/GiB"
            )
        if self.scale is not None and self.scale <= 0:
            raise ModelError(
                f"--scale {self.scale}: must be above 0",
                "1 is the default, and best for most sites",
            )

    @property
    def kind(self) -> str:
        """The model in force.

        The one given, the one whose settings were given, or the recommended one.
        """
        if self.model or self.preset:
            return self.model
        given = []
        for model, settings in _SETTINGS_OF.items():
            if any(map(self._has, settings)):
                given.append(model)
        if not given:
            return LINEAR
        if len(given) > 1:
            first, second = sorted(given)[:2]
            raise ModelError(
                f"settings of --model {first} and --model {second} contradict each other",
                "choose one",
            )
        return given[0]

    def _has(self, setting: str) -> bool:
        """Whether ``setting`` was given; 0 claims were, and are wrong."""
        value = getattr(self, setting)
        return bool(value) or (isinstance(value, int) and not isinstance(value, bool))

    @property
    def leaves_it_to_the_node(self) -> bool:
        """Whether the model's numbers are proposed from the node at hand."""
        return not (self.preset or self.weights or self.charges or self.levels or self.claims)

    def shares_per_core(self) -> int:
        """Return how many Cpus one core must count as, so that every charge of cpus is whole.

        Raises:
            ModelError: ``cpu_shares`` was given and does not make them whole.
        """
        charge = self.charges.get(CPUS, Fraction(1))
        if self.cpu_shares is None:
            return charge.denominator
        if (charge * self.cpu_shares).denominator != 1:
            raise ModelError(
                f"--cpu-shares {self.cpu_shares} does not make --charge "
                f"cpus={float(charge):g} whole",
                f"use a multiple of {charge.denominator}: the startd hands out whole cpus only",
            )
        return self.cpu_shares


def _one_of(flag: str, value: str, known: tuple[str, ...]) -> None:
    if value and value not in known:
        raise ModelError(f"{flag} {value}: unknown", f"choose one of {', '.join(known)}")


def common_shares(choices: tuple[Choice, ...]) -> int:
    """Return a number of cpu shares that suits every slot type of a node.

    NUM_CPUS is one for each startd.
    """
    given = {choice.cpu_shares for choice in choices if choice.cpu_shares is not None}
    if len(given) > 1:
        shown = ", ".join(map(str, sorted(given)))
        raise ModelError(
            f"slot types with different cpu_shares ({shown}) contradict each other",
            "NUM_CPUS is one number for the whole node: use the same for all",
        )
    return lcm(*(choice.shares_per_core() for choice in choices))


def realise(
    choice: Choice,
    total: Mapping[str, int],
    cpu_shares: int,
    version: str,
    machine: Mapping[str, int],
    card: str = "",
) -> Counted:
    """Return the model or preset for a slot of ``total`` on ``machine``, checked against it.

    Cpus of both are in shares.

    ``card`` is the name of the machine's GPUs, if they have one.

    Raises:
        ModelError: the slot cannot carry it.
    """
    counted = _build(choice, total, cpu_shares, version, machine, card)
    counted.check({**total, **counted.provides})
    return counted


def _build(
    choice: Choice,
    total: Mapping[str, int],
    cpu_shares: int,
    version: str,
    machine: Mapping[str, int],
    card: str,
) -> Counted:
    # Only the model in force is loaded: emit runs whenever a daemon reads its configuration.
    slop = disk_slop(machine[DISK], version_tuple(version))
    if slop:
        # It is rounded up by one unit at times.
        slop += 1
    if choice.preset:
        from htcq.capacity.presets import find_preset

        return find_preset(choice.preset, total, cpu_shares, slop)
    if choice.kind == FIXED:
        return _fixed(choice, total, cpu_shares, slop)
    if choice.kind == QUANTIZED:
        return _quantized(choice, total, cpu_shares, slop)
    if choice.kind == MINIMUM_CHARGE:
        return _minimum_charge(choice, total, cpu_shares, slop)
    return _linear(choice, cpu_shares, machine, card)


def _linear(choice: Choice, cpu_shares: int, machine: Mapping[str, int], card: str) -> Counted:
    from htcq.capacity.linear import Linear

    weights = choice.weights
    if not weights:
        from htcq.capacity.prices import even_prices

        # Of the whole machine: all its slots must count in one unit.
        weights = even_prices([{**machine, CPUS: machine[CPUS] // cpu_shares}])
    scale = choice.scale or Fraction(1)
    return Linear(weights, scale, cpu_shares, card, choice.optional_assets)


def _fixed(choice: Choice, total: Mapping[str, int], cpu_shares: int, slop: int) -> Counted:
    if choice.claims is None:
        raise ModelError("--model fixed needs a number of claims", "give --claims M")
    from htcq.capacity.fixed import Fixed

    share, assets = choice.share or "even", choice.assets or BUILT_IN_ASSETS
    spare = _bearable(slop, choice.claims, total)
    return Fixed(choice.claims, share, assets, cpu_shares, choice.forced, spare)


def _quantized(choice: Choice, total: Mapping[str, int], cpu_shares: int, slop: int) -> Counted:
    from htcq.capacity.quantized import Quantized, proposed_levels

    known_assets(choice.levels, total, "--level")
    levels = {**choice.levels}
    if not levels:
        levels = proposed_levels(_cores(total, cpu_shares))
        if total[DISK] % levels[DISK]:
            # Disk is rarely short, and rarely a multiple of anything.
            del levels[DISK]
    spare = _bearable(slop, levels.get(DISK, 1), total)
    return Quantized(levels, choice.rule or "min", cpu_shares, spare)


def _minimum_charge(
    choice: Choice, total: Mapping[str, int], cpu_shares: int, slop: int
) -> Counted:
    from htcq.capacity.minimum import MinimumCharge, proposed_charges

    known_assets(choice.charges, total, "--charge")
    if GPUS in choice.charges and not choice.forced:
        raise ModelError(
            "--charge gpus: every job would take a GPU, "
            "since each claim is charged at least so many",
            "--model linear --weight gpus=8 charges the jobs that ask for GPUs; "
            "--force takes the charge all the same",
        )
    charges = startd_charges(choice.charges, cpu_shares)
    if not charges:
        charges = proposed_charges(total, _cores(total, cpu_shares))
    return MinimumCharge(charges, choice.whole_charges, cpu_shares, slop)


def _cores(total: Mapping[str, int], cpu_shares: int) -> int:
    return max(1, total[CPUS] // cpu_shares)


def _bearable(slop: int, levels: int, total: Mapping[str, int]) -> int:
    """Return ``slop``, or 0 where the slop of all claims exceeds a quantum.

    Claims with so much slop run short of it.
    """
    return slop if levels * levels * slop < total[DISK] else 0


def startd_charges(charges: Mapping[str, Fraction], cpu_shares: int) -> dict[str, Share]:
    """Return ``charges`` with cpus in shares.

    Those of memory and disk may be even shares of an amount.

    Raises:
        ModelError: a charge of another asset is a fraction, which the startd refuses at every
            match.
    """
    found: dict[str, Share] = {}
    for asset, charge in charges.items():
        units = charge
        if asset == CPUS:
            units *= cpu_shares
        whole = units.denominator == 1
        shown = f"--charge {asset}={show_amount(asset, float(charge))}"
        if not whole and asset not in (MEMORY, DISK):
            raise ModelError(
                f"{shown} is not a whole number",
                "the startd hands out whole cpus, GPUs and custom resources only",
            )
        if units < 1:
            raise ModelError(
                f"{shown} is less than the startd can hand out",
                "HTCondor counts memory in MiB and disk in KiB",
            )
        found[asset] = int(units) if whole else units
    return found
