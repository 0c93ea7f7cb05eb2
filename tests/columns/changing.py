"""Tables of several kinds for the same expressions, and tables that change between evaluations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from htcq.classads import Ad, Expr, Value, parsed
from htcq.columns.column import Cell
from htcq.columns.engine import Engine, Values
from tests.columns.ads import Ads, bits, by_library
from tests.columns.drawn import CELLS, POOLS, Draw

#: Values of own attributes, besides those of drawn.POOLS: what a compiled expression tells apart.
_MIXES: tuple[tuple[Cell, ...], ...] = (
    (1, 2.5), (0, 0.5, True), (1, 2, 3), (1.5, -2.0), (True, False), ("a", "A", "LINUX"), (None, 1),
    (None, 1.5, 2), (None, "a"), (None, True), (None,),
)  # fmt: skip
_STEPS = 6
_OFTEN = 0.7


class Changing:
    """Ads whose own attributes change, and their table."""

    def __init__(self, engine: Engine, ads: Ads) -> None:
        self.engine, self.ads = engine, ads
        self.table = engine.table(engine.schema(ads.texts), ads.own, self._ad)

    def _ad(self, row: int) -> Ad:
        return self.ads.ad(row)

    def fill(self, rows: Sequence[int], cells: Mapping[str, Cell]) -> None:
        """Give some rows other values, to all of them the same ones."""
        own = dict(self.ads.own)
        for name, cell in cells.items():
            before = own.get(name, (None,))
            values = [before[row if len(before) > 1 else 0] for row in range(len(self.ads))]
            for row in rows:
                values[row] = cell
            own[name] = tuple(values)
        self.ads = Ads(self.ads.texts, own)
        columns = {name: self.engine.column([cell] * len(rows)) for name, cell in cells.items()}
        self.table.fill(rows, {name.lower(): column for name, column in columns.items()})


def own_attributes(dice: random.Random, letter: str, rows: int) -> dict[str, tuple[Cell, ...]]:
    """Return own attributes; some of them have one element for all rows."""
    own: dict[str, tuple[Cell, ...]] = {}
    for name in (f"{letter}1", f"{letter}2", f"{letter}3", "Both", "Own", "Expr1"):
        if dice.random() < _OFTEN:
            pool = dice.choice(_MIXES if dice.random() < _OFTEN else POOLS)
            own[name] = tuple(dice.choice(pool) for _ in range(dice.choice((1, rows))))
    # One attribute tells how many rows there are.
    own["Place"] = tuple(range(rows))
    return own


class Story:
    """Evaluations one after another in one engine, drawn from a seed."""

    def __init__(self, seed: str) -> None:
        self._dice = dice = random.Random(seed)
        self._draw = draw = Draw(dice)
        self._engine = engine = Engine()
        rows = dice.choice((2, 5))
        texts = {letter: draw.ads(1, letter).texts for letter in "AB"}
        self._tables: dict[str, list[Changing]] = {}
        for letter, counts in (("A", (rows, rows, 1)), ("B", (1, 1, rows))):
            self._tables[letter] = [
                Changing(engine, Ads(texts[letter], own_attributes(dice, letter, count)))
                for count in counts
            ]
        self._texts: list[str] = []
        while len(self._texts) < 4:
            text = draw.expression(dice.choice((1, 2, 3)))
            if parsed(text) is not None:
                self._texts.append(text)
        #: What was found, to be looked at again when the tables have changed.
        self._found: list[tuple[str, Values, list[Value]]] = []

    def differences(self) -> Iterator[tuple[object, ...]]:
        """Yield what the engine says and the library does not, and values that have changed."""
        for step in range(_STEPS):
            letters = self._dice.choice(("AB", "BA"))
            my, target = (self._dice.choice(self._tables[letter]) for letter in letters)
            for text in self._texts:
                yield from self._compared(step, text, my, target)
            self._change(self._dice.choice((my, target)))
        for text, values, before in self._found:
            if [*map(bits, values.listed())] != [*map(bits, before)]:
                yield text, "changed afterwards"

    def _compared(
        self, step: int, text: str, my: Changing, target: Changing
    ) -> Iterator[tuple[object, ...]]:
        found = self._engine.evaluate(Expr(text), my.table, target.table)
        values = found.listed()
        self._found.append((text, found, values))
        for row, (one, other) in enumerate(zip(values, by_library(text, my.ads, target.ads))):
            if bits(one) != bits(other):
                yield step, text, row, one, other

    def _change(self, table: Changing) -> None:
        dice, count = self._dice, len(table.ads)
        rows = dice.sample(range(count), dice.randint(1, count))
        names = dice.sample(["A1", "B1", "A2", "B2", "Own", "Both", "Expr1"], 2)
        table.fill(rows, {name: dice.choice(CELLS) for name in names})
