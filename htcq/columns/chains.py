"""Chains of conditions: ``a && b && c``, evaluated from the left as far as it matters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from htcq.columns import logic, states
from htcq.columns.column import Column, booleans
from htcq.columns.column import constant as one_state
from htcq.columns.program import BOTH, ColumnRun, ColumnStep, folded, parts_of

_UNDEFINED = one_state(states.UNDEFINED)


def joined(operator: str, operands: Sequence[ColumnStep]) -> ColumnStep:
    """Return ``a && b && c`` or ``a || b || c``."""
    steps = parts_of(_grouped(operator, operands))
    decides = operator == "||"
    join = np.logical_or if decides else np.logical_and
    outcome = booleans(np.full(1, decides))

    neutral = booleans(np.full(1, not decides))

    def of(run: ColumnRun) -> Column:
        truth = neutral.whole
        for place, step in enumerate(steps):
            column = step.of(run)
            if column.possible != states.BOOLEAN:
                return _joined_one_by_one(
                    operator, booleans(truth), column, steps[place + 1 :], run
                )
            whole = column.whole
            if len(whole) > 1:
                truth = join(truth, whole)
            elif bool(whole[0]) == decides:
                # Nothing that follows changes it, whatever was joined before.
                return outcome
        return booleans(truth)

    return ColumnStep(of, steps)


def _joined_one_by_one(
    operator: str, truth: Column, column: Column, steps: Sequence[ColumnStep], run: ColumnRun
) -> Column:
    column = logic.joined(operator, truth, column)
    for step in steps:
        if column.rows == 1 and logic.decided(operator, column):
            return logic.joined(operator, column, _UNDEFINED)
        column = logic.joined(operator, column, step.of(run))
    return column


def _grouped(operator: str, operands: Sequence[ColumnStep]) -> list[ColumnStep]:
    """Return ``operands``, those joined that follow each other and look at the same one ad.

    The operators are associative, also where one is undefined or an error.
    """
    groups: list[list[ColumnStep]] = []
    for step in operands:
        if groups and step.sides == groups[-1][0].sides != BOTH:
            groups[-1].append(step)
        else:
            groups.append([step])
    if len(groups) == 1:
        return list(operands)
    found = []
    for group in groups:
        step = group[0]
        if len(group) > 1:
            step = folded(joined(operator, group))
        found.append(step)
    return found
