"""The compiler's own std::sort, and arrays to sort.

``python -m tests.std_sort.gcc > tests/golden/std-sort/orders.json`` records orders anew.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

_PROGRAM = Path(__file__).with_name("std_sort.cpp")
_LARGEST = 2000
#: So many orders of a few elements each, and so many of many, are recorded.
_FEW, _MANY = 60, 12
_MOST_OF_FEW = 120


def compiled(directory: Path) -> Path:
    """Compile the program with g++ and return its path."""
    program = directory / "std_sort"
    subprocess.run(["g++", "-O2", "-o", str(program), str(_PROGRAM)], check=True)
    return program


def orders(program: Path, arrays: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the places of the keys of each array after std::sort."""
    lines = [" ".join(map(str, (len(keys), *keys))) for keys in arrays]
    done = subprocess.run(
        [program], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    return [[int(place) for place in line.split()] for line in done.stdout.splitlines()]


def drawn(dice: Random, largest: int = _LARGEST) -> list[int]:
    """Draw an array: of few keys or many, in disorder, in order, or made to part badly."""
    count = dice.randint(2, largest)
    if dice.randrange(10) == 0:
        return parting_badly(count)
    keys = dice.choice((1, 2, 3, 10, count))
    array = [dice.randrange(keys) for _ in range(count)]
    shape = dice.randrange(5)
    if shape == 0:
        array.sort()
    elif shape == 1:
        array.sort(reverse=True)
    elif shape == 2:
        array = [*sorted(array[::2]), *sorted(array[1::2], reverse=True)]
    return array


def parting_badly(count: int) -> list[int]:
    """Return keys whose medians are always among the least, so that a heap sort has to end it.

    The pattern is D. Musser's, Introspective sorting and selection algorithms (1997); every key
    stands twice, since half as many keys are told apart.
    """
    half = count // 2
    array = [0] * count
    for place in range(half):
        array[place] = place + 1 if place % 2 == 0 else half + place
        array[half + place] = 2 * (place + 1)
    return [key // 2 for key in array]


def _recorded() -> Iterator[list[int]]:
    dice = Random("recorded orders")
    for _ in range(_FEW):
        yield drawn(dice, _MOST_OF_FEW)
    for _ in range(_MANY):
        yield drawn(dice)
    yield parting_badly(_LARGEST)


def _main() -> None:
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    arrays = list(_recorded())
    with tempfile.TemporaryDirectory() as directory:
        found = orders(compiled(Path(directory)), arrays)
    cases = [{"keys": keys, "order": order} for keys, order in zip(arrays, found)]
    origin = (
        f"std::sort of libstdc++, {version.stdout.splitlines()[0]}: tests/std_sort/std_sort.cpp"
    )
    json.dump({"origin": origin, "cases": cases}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    _main()
